// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/sha256.h"
#include "equinoise/data/split.h"

namespace equinoise {

namespace {

constexpr uint32_t kNumBins = 65'536;
constexpr uint32_t kMissingCode = kNumBins;
constexpr uint32_t kDroppedCode = kNumBins + 1;

/// The cells of one column, as their order and their hash see them.
class CodedColumn {
 public:
  CodedColumn(const NumericColumn& column, const ColumnSchema& schema)
      : numbers_(column.values.data()),
        dropped_(column.dropped.empty() ? nullptr : column.dropped.data()),
        missing_(column.missing.empty() ? nullptr : column.missing.data()),
        lower_(schema.lower),
        width_(schema.upper - schema.lower) {}
  explicit CodedColumn(const CategoricalColumn& column)
      : codes_(column.codes.data()),
        dropped_(column.dropped.empty() ? nullptr : column.dropped.data()) {}

  bool has_numbers() const { return numbers_ != nullptr; }
  double number(uint32_t row) const { return numbers_[row]; }

  uint32_t code(uint32_t row) const {
    if (dropped_ != nullptr && dropped_[row] != 0) return kDroppedCode;
    if (!has_numbers()) return codes_[row];
    if (missing_ != nullptr && missing_[row] != 0) return kMissingCode;
    const double bin = std::floor((numbers_[row] - lower_) / width_ * kNumBins);
    return std::min(kNumBins - 1, static_cast<uint32_t>(bin));
  }

 private:
  const double* numbers_ = nullptr;
  const uint16_t* codes_ = nullptr;
  const uint8_t* dropped_ = nullptr;
  const uint8_t* missing_ = nullptr;
  double lower_ = 0;
  double width_ = 1;
};

std::vector<CodedColumn> coded_columns(const Dataset& dataset, const Schema& schema) {
  std::vector<CodedColumn> columns;
  for (const ColumnSchema& column : schema.columns) {
    if (const NumericColumn* numeric = dataset.find_numeric(column.name)) {
      columns.emplace_back(*numeric, column);
    } else if (const CategoricalColumn* categorical = dataset.find_categorical(column.name)) {
      columns.emplace_back(*categorical);
    }
  }
  return columns;
}

/// Below 0 where row a comes first by its codes, above 0 where b does.
int compare_codes(const std::vector<CodedColumn>& columns, uint32_t a, uint32_t b) {
  for (const CodedColumn& column : columns) {
    const uint32_t of_a = column.code(a);
    const uint32_t of_b = column.code(b);
    if (of_a != of_b) return of_a < of_b ? -1 : 1;
  }
  return 0;
}

bool comes_before(const std::vector<CodedColumn>& columns, uint32_t a, uint32_t b) {
  if (const int order = compare_codes(columns, a, b); order != 0) return order < 0;
  for (const CodedColumn& column : columns) {
    if (column.has_numbers() && column.number(a) != column.number(b))
      return column.number(a) < column.number(b);
  }
  return false;
}

/// Chooses the rows of a unit that count.
class RowChoice {
 public:
  RowChoice(const std::vector<CodedColumn>& columns, size_t most) : columns_(columns), most_(most) {}

  /// Moves those of a unit's sorted rows that count to the front, in their order.
  void move_to_front(std::string_view id, std::span<uint32_t> rows) {
    ranked_.clear();
    uint32_t copy = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      copy = i > 0 && compare_codes(columns_, rows[i - 1], rows[i]) == 0 ? copy + 1 : 1;
      ranked_.emplace_back(digest(id, rows[i], copy), i);
    }
    std::nth_element(ranked_.begin(), ranked_.begin() + static_cast<std::ptrdiff_t>(most_),
                     ranked_.end());
    places_.clear();
    for (size_t i = 0; i < most_; ++i) places_.push_back(ranked_[i].second);
    std::sort(places_.begin(), places_.end());
    for (size_t i = 0; i < most_; ++i) rows[i] = rows[places_[i]];
  }

 private:
  Sha256::Digest digest(std::string_view id, uint32_t row, uint32_t copy) {
    constexpr char kSeparator = '\x1f';
    text_ = id;
    for (const CodedColumn& column : columns_) {
      text_ += kSeparator;
      const uint32_t code = column.code(row);
      if (code == kDroppedCode) {
        text_ += 'd';
      } else if (code == kMissingCode) {
        text_ += 'm';
      } else {
        append(code);
      }
    }
    text_ += kSeparator;
    append(copy);
    sum_.add(text_);
    return sum_.digest();
  }

  void append(uint32_t number) {
    const fmt::format_int digits(number);
    text_.append(digits.data(), digits.size());
  }

  const std::vector<CodedColumn>& columns_;
  size_t most_;
  Sha256 sum_;
  std::string text_;
  std::vector<std::pair<Sha256::Digest, size_t>> ranked_;  ///< hash, place among the rows
  std::vector<size_t> places_;
};

/// The ids in the order of their bytes.
std::vector<uint32_t> sorted_ids(const UnitIds& ids) {
  std::vector<uint32_t> order(ids.num_ids());
  std::iota(order.begin(), order.end(), uint32_t{0});
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return ids.text(a) < ids.text(b); });
  return order;
}

/// The rows of all units, unit by unit in this order, in the order of the file.
UnitRows rows_by_unit(const UnitIds& ids, const std::vector<uint32_t>& order) {
  std::vector<uint32_t> rank(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  UnitRows all;
  all.begin.assign(order.size() + 1, 0);
  for (const uint32_t id : ids.of_rows())
    if (id != UnitIds::kNobody) ++all.begin[rank[id] + 1];
  std::partial_sum(all.begin.begin(), all.begin.end(), all.begin.begin());
  all.rows.resize(all.begin.back());
  std::vector<uint32_t> next(all.begin.begin(), all.begin.end() - 1);
  uint32_t row = 0;
  for (const uint32_t id : ids.of_rows()) {
    if (id != UnitIds::kNobody) all.rows[next[rank[id]]++] = row;
    ++row;
  }
  return all;
}

template <typename T>
void gather(std::span<const uint32_t> rows, std::vector<T>& values) {
  if (values.empty()) return;
  std::vector<T> gathered;
  gathered.reserve(rows.size());
  for (const uint32_t row : rows) gathered.push_back(values[row]);
  values = std::move(gathered);
}

void keep_rows(std::span<const uint32_t> rows, Dataset& dataset) {
  for (NumericColumn& column : dataset.numeric) {
    gather(rows, column.values);
    gather(rows, column.missing);
    gather(rows, column.dropped);
  }
  for (CategoricalColumn& column : dataset.categorical) {
    gather(rows, column.codes);
    gather(rows, column.dropped);
  }
  gather(rows, dataset.contributes);
  dataset.num_records = std::ssize(rows);
  dataset.num_dropped = std::count(dataset.contributes.begin(), dataset.contributes.end(), 0);
}

}  // namespace

void keep_rows_of_units(const UnitIds& ids, const Schema& schema, Dataset& dataset) {
  const auto most = static_cast<size_t>(schema.max_records_per_unit);
  const std::vector<CodedColumn> columns = coded_columns(dataset, schema);
  const std::vector<uint32_t> order = sorted_ids(ids);
  UnitRows all = rows_by_unit(ids, order);
  RowChoice choice(columns, most);
  dataset.unit_begin.assign(1, 0);
  dataset.num_rows_read.clear();
  uint32_t num_kept = 0;
  for (size_t unit = 0; unit < order.size(); ++unit) {
    const size_t count = all.begin[unit + 1] - all.begin[unit];
    const std::span<uint32_t> rows = std::span(all.rows).subspan(all.begin[unit], count);
    std::sort(rows.begin(), rows.end(),
              [&](uint32_t a, uint32_t b) { return comes_before(columns, a, b); });
    if (count > most) choice.move_to_front(ids.text(order[unit]), rows);
    const size_t kept = std::min(count, most);
    std::copy_n(rows.begin(), kept, all.rows.begin() + num_kept);
    num_kept += static_cast<uint32_t>(kept);
    dataset.unit_begin.push_back(num_kept);
    dataset.num_rows_read.push_back(static_cast<uint32_t>(count));
  }
  dataset.num_without_unit = std::ssize(ids.of_rows()) - std::ssize(all.rows);
  dataset.num_beyond = std::ssize(all.rows) - num_kept;
  keep_rows(std::span(all.rows).first(num_kept), dataset);
}

UnitRows rows_of_units(const Dataset& dataset, std::span<const uint32_t> units) {
  if (dataset.unit_begin.empty()) return {{units.begin(), units.end()}, {}};
  UnitRows result{{}, {0}};
  result.begin.reserve(units.size() + 1);
  for (const uint32_t unit : units) {
    for (uint32_t row = dataset.unit_begin[unit]; row < dataset.unit_begin[unit + 1]; ++row)
      result.rows.push_back(row);
    result.begin.push_back(static_cast<uint32_t>(result.rows.size()));
  }
  return result;
}

UnitSplit split_units(const Dataset& dataset, double test_fraction, uint64_t split_seed) {
  const Split split = split_records(dataset.num_units(), test_fraction, split_seed);
  return {rows_of_units(dataset, split.train), rows_of_units(dataset, split.test)};
}

void settle_groups(std::span<const uint32_t> unit_begin, std::span<GroupId> groups,
                   std::span<const uint8_t> counts) {
  std::vector<GroupId> voters;
  for (size_t unit = 0; unit + 1 < unit_begin.size(); ++unit) {
    const std::span<GroupId> own =
        groups.subspan(unit_begin[unit], unit_begin[unit + 1] - unit_begin[unit]);
    voters.clear();
    for (size_t i = 0; i < own.size(); ++i)
      if (counts.empty() || counts[unit_begin[unit] + i] != 0) voters.push_back(own[i]);
    if (voters.empty()) voters.assign(own.begin(), own.end());
    std::sort(voters.begin(), voters.end());
    GroupId first{};
    size_t most = 0;
    for (size_t begin = 0, end = 0; begin < voters.size(); begin = end) {
      while (end < voters.size() && voters[end] == voters[begin]) ++end;
      if (end - begin <= most) continue;
      most = end - begin;
      first = voters[begin];
    }
    std::fill(own.begin(), own.end(), first);
  }
}

void require_rows_as_units(const Schema& schema, std::string_view what) {
  if (!schema.has_unit_column()) return;
  throw Error(ErrorKind::kUsage, "data.units",
              fmt::format("{} does not know units: the schema says unit = \"{}\", but its figures "
                          "would be about rows; for these, and what protects single rows, use a "
                          "schema with unit = \"row\"",
                          what, schema.unit));
}

}  // namespace equinoise
