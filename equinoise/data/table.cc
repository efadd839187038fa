// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "equinoise/base/nearest_name.h"
#include "equinoise/data/parse_number.h"
#include "equinoise/data/record_reader.h"

namespace equinoise {
namespace {

/// Notes that the last of `num_cells` cells drops its record.
void note_dropped(size_t num_cells, std::vector<uint8_t>& dropped) {
  dropped.resize(num_cells, 0);
  dropped.back() = 1;
}

/// Appends the cells of one numeric column to the dataset. The methods return whether the record
/// may still contribute.
class NumericSink {
 public:
  NumericSink(const ColumnSchema& schema, size_t position,
              const std::vector<std::string>& missing_values)
      : schema_(schema), position_(position), missing_values_(missing_values) {
    column_.name = schema.name;
    counts_.name = schema.name;
  }

  bool append(const RecordReader& records) {
    const std::string_view cell = records.cells()[position_];
    const bool is_missing =
        RecordReader::is_null(cell) ||
        std::find(missing_values_.begin(), missing_values_.end(), cell) != missing_values_.end();
    if (is_missing) {
      ++counts_.missing;
      return append_without_number(schema_.missing);
    }
    const std::optional<double> value = parse_number(cell);
    if (!value) {
      if (schema_.malformed == MalformedPolicy::kStop) {
        records.fail_here(
            fmt::format("column '{}' is not a number (surrounding blanks are not removed); if it "
                        "marks a missing value, list it in missing_values of the schema; otherwise "
                        "set malformed = \"drop\" or \"missing\" there",
                        schema_.name));
      }
      ++counts_.malformed;
      return append_without_number(
          schema_.malformed == MalformedPolicy::kMissing ? schema_.missing : MissingPolicy::kDrop);
    }
    if (schema_.missing == MissingPolicy::kCategory) column_.missing.push_back(0);
    const bool is_clamped = *value < schema_.lower || *value > schema_.upper;
    if (is_clamped) ++counts_.clamped;
    if (!is_clamped && is_rounded_whole(cell, *value)) ++counts_.rounded;
    column_.values.push_back(std::clamp(*value, schema_.lower, schema_.upper));
    return true;
  }

  NumericColumn& column() { return column_; }
  const ColumnIngestCounts& counts() const { return counts_; }

 private:
  bool append_without_number(MissingPolicy policy) {
    const bool is_filled = policy == MissingPolicy::kFill;
    const bool is_category = policy == MissingPolicy::kCategory;
    if (schema_.missing == MissingPolicy::kCategory) column_.missing.push_back(is_category ? 1 : 0);
    // A dropped record needs some value: a public one that says nothing about it.
    column_.values.push_back(is_filled ? schema_.fill : schema_.lower);
    if (!is_filled && !is_category) note_dropped(column_.values.size(), column_.dropped);
    return is_filled || is_category;
  }

  const ColumnSchema& schema_;
  size_t position_;
  const std::vector<std::string>& missing_values_;
  NumericColumn column_;
  ColumnIngestCounts counts_;
};

/// Appends the cells of one categorical column to the dataset.
class CategoricalSink {
 public:
  CategoricalSink(const ColumnSchema& schema, size_t position,
                  const std::vector<std::string>& missing_values)
      : schema_(schema), position_(position) {
    column_.name = schema.name;
    column_.categories = schema.categories();
    counts_.name = schema.name;
    for (size_t code = 0; code < schema.values.size(); ++code) {
      codes_.emplace(schema.values[code], static_cast<int32_t>(code));
    }
    for (const std::string& missing : missing_values) codes_.emplace(missing, kMissing);
  }

  bool append(const RecordReader& records) {
    const std::string_view cell = records.cells()[position_];
    const auto found = RecordReader::is_null(cell) ? codes_.end() : codes_.find(cell);
    if (found != codes_.end() && found->second >= 0) {
      column_.codes.push_back(static_cast<uint16_t>(found->second));
      return true;
    }
    const bool is_missing = RecordReader::is_null(cell) || found != codes_.end();
    ++(is_missing ? counts_.missing : counts_.unknown);
    const bool is_kept = is_missing ? schema_.missing == MissingPolicy::kCategory
                                    : schema_.unknown == UnknownPolicy::kOther;
    // "other" follows the listed values, "missing" is the last category of all.
    const size_t code = is_missing ? column_.categories.size() - 1 : schema_.values.size();
    column_.codes.push_back(is_kept ? static_cast<uint16_t>(code) : uint16_t{0});
    if (!is_kept) note_dropped(column_.codes.size(), column_.dropped);
    return is_kept;
  }

  CategoricalColumn& column() { return column_; }
  const ColumnIngestCounts& counts() const { return counts_; }

 private:
  static constexpr int32_t kMissing = -1;

  const ColumnSchema& schema_;
  size_t position_;
  CategoricalColumn column_;
  ColumnIngestCounts counts_;
  std::unordered_map<std::string_view, int32_t> codes_;  ///< views of the schema's strings
};

/// Whether a table may lack a column.
bool is_required(const ColumnSchema& column, const Schema& schema, TableUse use) {
  switch (use) {
    case TableUse::kDescribed:
      return true;
    case TableUse::kOther:
    case TableUse::kPrivateSize:
      return column.type != ColumnType::kIgnored;
    case TableUse::kFeaturesOnly:
      return column.type != ColumnType::kIgnored && column.feature && column.name != schema.target;
  }
  return true;
}

/// Where each column of the schema stands in the table, if it is there.
std::unordered_map<std::string_view, size_t> match_header(const RecordReader& records,
                                                          const Schema& schema, TableUse use) {
  const std::vector<std::string>& header = records.header();
  std::unordered_map<std::string_view, size_t> positions;
  if (header.empty()) {  // rows name the columns, and there are none
    if (use != TableUse::kPrivateSize) records.fail("has no rows");
    for (const ColumnSchema& column : schema.columns) positions.emplace(column.name, 0);
    return positions;
  }
  std::unordered_set<std::string_view> names;
  for (const ColumnSchema& column : schema.columns) names.insert(column.name);
  const bool is_header = std::any_of(header.begin(), header.end(), [&](const std::string& name) {
    return names.count(name) != 0;
  });
  if (!is_header) {
    // It may be data, so nothing of it is quoted.
    records.fail("the header line names no column of the schema; the file needs a header");
  }

  for (size_t i = 0; i < header.size(); ++i) {
    if (!positions.emplace(header[i], i).second) {
      records.fail(fmt::format("the header names column '{}' twice", header[i]));
    }
  }
  for (const ColumnSchema& column : schema.columns) {
    if (is_required(column, schema, use) && positions.count(column.name) == 0) {
      const std::string nearest = nearest_name(column.name, header);
      records.fail(fmt::format(
          "the header lacks column '{}' of the schema{}", column.name,
          nearest.empty() ? "" : fmt::format("; the nearest name in it is '{}'", nearest)));
    }
  }
  for (const std::string& name : header) {
    if (names.count(name) == 0 && use == TableUse::kDescribed) {
      records.fail(
          fmt::format("the schema does not declare column '{}'; add [columns.{}] with type = "
                      "\"ignored\" to it",
                      name, name));
    }
  }
  return positions;
}

/// How many rows to make room for. The schema's number is not verified yet: it must not take all
/// memory.
size_t num_expected_rows(const Schema& schema, TableUse use) {
  constexpr size_t kMaxRows = size_t{1} << 24;
  constexpr size_t kMaxTableCells = size_t{1} << 28;
  if (use != TableUse::kDescribed) return 0;
  return std::min({static_cast<size_t>(schema.num_records), kMaxRows,
                   kMaxTableCells / std::max<size_t>(schema.columns.size(), 1)});
}

}  // namespace

Dataset read_table(const std::filesystem::path& path, const Schema& schema, TableUse use) {
  return read_records(*open_table(path), schema, use);
}

Dataset read_records(RecordReader& records, const Schema& schema, TableUse use) {
  const std::unordered_map<std::string_view, size_t> positions = match_header(records, schema, use);

  const size_t num_expected = num_expected_rows(schema, use);
  std::vector<NumericSink> numeric;
  std::vector<CategoricalSink> categorical;
  for (const ColumnSchema& column : schema.columns) {
    const auto position = positions.find(column.name);
    if (position == positions.end()) continue;
    if (column.type == ColumnType::kNumeric) {
      numeric.emplace_back(column, position->second, schema.missing_values);
      numeric.back().column().values.reserve(num_expected);
    } else if (column.type == ColumnType::kCategorical) {
      categorical.emplace_back(column, position->second, schema.missing_values);
      categorical.back().column().codes.reserve(num_expected);
    }
  }

  Dataset dataset;
  dataset.contributes.reserve(num_expected);
  while (records.next()) {
    bool contributes = true;
    for (NumericSink& sink : numeric) contributes &= sink.append(records);
    for (CategoricalSink& sink : categorical) contributes &= sink.append(records);
    dataset.contributes.push_back(contributes ? 1 : 0);
    if (!contributes) ++dataset.num_dropped;
  }
  dataset.num_records = records.row();
  if (dataset.num_records == 0 && use != TableUse::kPrivateSize)
    records.fail("has a header but no rows");
  const bool is_size_public = use == TableUse::kDescribed && schema.num_records > 0;
  if (is_size_public && dataset.num_records != schema.num_records) {
    records.fail(
        fmt::format("has {} rows, but the schema says num_records = {}; correct the schema "
                    "or use the table that it describes",
                    dataset.num_records, schema.num_records));
  }

  const auto complete = [&](std::vector<uint8_t>& dropped) {
    if (!dropped.empty()) dropped.resize(dataset.contributes.size(), 0);
  };
  for (NumericSink& sink : numeric) {
    complete(sink.column().dropped);
    dataset.counts.push_back(sink.counts());
    dataset.numeric.push_back(std::move(sink.column()));
  }
  for (CategoricalSink& sink : categorical) {
    complete(sink.column().dropped);
    dataset.counts.push_back(sink.counts());
    dataset.categorical.push_back(std::move(sink.column()));
  }
  return dataset;
}

}  // namespace equinoise
