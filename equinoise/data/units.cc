// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/parallel.h"
#include "equinoise/base/sha256.h"
#include "equinoise/data/counted_rows.h"
#include "equinoise/data/public_bins.h"
#include "equinoise/data/split.h"

namespace equinoise {

namespace {

// 2^kCodeBits exceeds the categories of any column; coded_columns() refuses as many bins.
constexpr int kCodeBits = 21;
constexpr uint32_t kDroppedCode = (uint32_t{1} << kCodeBits) - 1;
constexpr uint32_t kMissingCode = kDroppedCode - 1;

/// The cells of one column in the form that order and hash use.
class CodedColumn {
 public:
  CodedColumn(const NumericColumn& column, PublicBins bins)
      : numbers_(column.values.data()),
        dropped_(column.dropped.empty() ? nullptr : column.dropped.data()),
        missing_(column.missing.empty() ? nullptr : column.missing.data()),
        bins_(std::move(bins)) {}
  explicit CodedColumn(const CategoricalColumn& column)
      : codes_(column.codes.data()),
        dropped_(column.dropped.empty() ? nullptr : column.dropped.data()) {}

  bool has_numbers() const { return numbers_ != nullptr; }
  double number(size_t row) const { return numbers_[row]; }

  uint32_t code(size_t row) const {
    if (dropped_ != nullptr && dropped_[row] != 0) return kDroppedCode;
    if (!has_numbers()) return codes_[row];
    if (missing_ != nullptr && missing_[row] != 0) return kMissingCode;
    return bins_->bin_of(numbers_[row]);
  }

 private:
  const double* numbers_ = nullptr;
  const uint16_t* codes_ = nullptr;
  const uint8_t* dropped_ = nullptr;
  const uint8_t* missing_ = nullptr;
  std::optional<PublicBins> bins_;
};

std::vector<CodedColumn> coded_columns(const Dataset& dataset, const Schema& schema) {
  std::vector<CodedColumn> columns;
  for (const ColumnSchema& column : schema.columns) {
    if (const NumericColumn* numeric = dataset.find_numeric(column.name)) {
      PublicBins bins(schema, column, schema.public_bins.value_or(kUnitBins));
      if (bins.num_bins() > kMissingCode) {
        throw Error(ErrorKind::kInput, "data.units",
                    "column '{}' has so many cuts of groups that its numbers have more "
                    "than {} bins; write fewer",
                    column.name, kMissingCode);
      }
      columns.emplace_back(*numeric, std::move(bins));
    } else if (const CategoricalColumn* categorical = dataset.find_categorical(column.name)) {
      columns.emplace_back(*categorical);
    }
  }
  return columns;
}

/// Sorts the rows of units and chooses those that count, one unit after another.
class RowChoice {
 public:
  RowChoice(const std::vector<CodedColumn>& columns, size_t most)
      : columns_(columns),
        max_(most),
        num_words_((columns.size() + kCodesOfWord - 1) / kCodesOfWord) {}

  /// The rows of a unit that count, in their order. `rows`: all rows of the unit, which are
  /// adjacent. Valid until the next call.
  std::span<const uint32_t> choose(std::string_view id, IndexRange rows) {
    pack_codes(rows);
    order_.resize(rows.end - rows.begin);
    std::iota(order_.begin(), order_.end(), uint32_t{0});
    std::ranges::sort(order_,
                      [&](uint32_t a, uint32_t b) { return comes_before(rows.begin, a, b); });
    if (order_.size() > max_) leave_most(id);
    for (uint32_t& place : order_) place += static_cast<uint32_t>(rows.begin);
    return order_;
  }

 private:
  static constexpr size_t kCodesOfWord = 3;
  static_assert(kCodesOfWord * kCodeBits <= 64 && kMaxCategories + 2 < kMissingCode);

  /// Packs several codes into a word, so that words compare as the codes one after another.
  void pack_codes(IndexRange rows) {
    words_.assign((rows.end - rows.begin) * num_words_, 0);
    for (size_t c = 0; c < columns_.size(); ++c) {
      uint64_t* word = words_.data() + c / kCodesOfWord;
      for (size_t row = rows.begin; row < rows.end; ++row) {
        *word |= static_cast<uint64_t>(columns_[c].code(row)) << shift(c);
        word += num_words_;
      }
    }
  }

  static int shift(size_t column) {
    return kCodeBits * static_cast<int>(kCodesOfWord - 1 - column % kCodesOfWord);
  }

  std::span<const uint64_t> words(uint32_t place) const {
    return {words_.data() + place * num_words_, num_words_};
  }

  uint32_t code(uint32_t place, size_t column) const {
    constexpr uint64_t kMask = (uint64_t{1} << kCodeBits) - 1;
    return static_cast<uint32_t>(words(place)[column / kCodesOfWord] >> shift(column) & kMask);
  }

  bool have_equal_codes(uint32_t a, uint32_t b) const {
    return std::equal(words(a).begin(), words(a).end(), words(b).begin());
  }

  bool comes_before(size_t first_row, uint32_t a, uint32_t b) const {
    for (size_t w = 0; w < num_words_; ++w)
      if (words(a)[w] != words(b)[w]) return words(a)[w] < words(b)[w];
    for (const CodedColumn& column : columns_) {
      if (!column.has_numbers()) continue;
      const double of_a = column.number(first_row + a);
      const double of_b = column.number(first_row + b);
      if (of_a != of_b) return of_a < of_b;
    }
    return false;
  }

  /// Keeps in order_ only the rows that count, for a unit with too many.
  void leave_most(std::string_view id) {
    ranked_.clear();
    uint32_t copy = 0;
    for (uint32_t i = 0; i < order_.size(); ++i) {
      copy = i > 0 && have_equal_codes(order_[i - 1], order_[i]) ? copy + 1 : 1;
      ranked_.emplace_back(digest(id, order_[i], copy), i);
    }
    std::nth_element(ranked_.begin(), ranked_.begin() + static_cast<std::ptrdiff_t>(max_),
                     ranked_.end());
    ranked_.resize(max_);
    std::ranges::sort(ranked_, [](const auto& a, const auto& b) { return a.second < b.second; });
    for (size_t i = 0; i < max_; ++i) order_[i] = order_[ranked_[i].second];
    order_.resize(max_);
  }

  Sha256::Digest digest(std::string_view id, uint32_t place, uint32_t copy) {
    text_ = id;
    for (size_t c = 0; c < columns_.size(); ++c) {
      text_ += kSeparator;
      const uint32_t of_cell = code(place, c);
      if (of_cell == kDroppedCode) {
        text_ += 'd';
      } else if (of_cell == kMissingCode) {
        text_ += 'm';
      } else {
        append_number(of_cell);
      }
    }
    text_ += kSeparator;
    append_number(copy);
    sum_.add(text_);
    return sum_.digest();
  }

  void append_number(uint32_t number) {
    const fmt::format_int digits(number);
    text_.append(digits.data(), digits.size());
  }

  static constexpr char kSeparator = '\x1f';

  const std::vector<CodedColumn>& columns_;
  size_t max_;
  size_t num_words_;             ///< words for the codes of a row
  std::vector<uint64_t> words_;  ///< (num_rows, num_words)
  std::vector<uint32_t> order_;  ///< places among the rows
  Sha256 sum_;
  std::string text_;
  std::vector<std::pair<Sha256::Digest, uint32_t>> ranked_;  ///< hash, place in the order
};

/// The ids in the order of their bytes.
std::vector<uint32_t> sorted_ids(const UnitIds& ids) {
  std::vector<uint32_t> order = numbers_below<uint32_t>(ids.num_ids());
  std::ranges::sort(order, [&](uint32_t a, uint32_t b) { return ids.text(a) < ids.text(b); });
  return order;
}

/// The rows of all units: units in the given order, rows of a unit in the order of the file.
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

/// Replaces each record by its counted row. The records of a row have consecutive numbers.
void name_rows_of_records(std::span<const uint32_t> counts, std::span<uint32_t> records) {
  std::vector<uint32_t> ends(counts.size());
  std::partial_sum(counts.begin(), counts.end(), ends.begin());
  size_t row = 0;
  for (uint32_t& record : records) {
    const bool is_in_row = record < ends[row] && (row == 0 || record >= ends[row - 1]);
    if (!is_in_row)
      row = static_cast<size_t>(std::ranges::upper_bound(ends, record) - ends.begin());
    record = static_cast<uint32_t>(row);
  }
}

}  // namespace

void keep_rows_of_units(const UnitIds& ids, const Schema& schema, Dataset& dataset) {
  const std::vector<uint32_t> order = sorted_ids(ids);
  std::vector<uint32_t> begin;
  {
    const UnitRows all = rows_by_unit(ids, order);
    take_rows(all.rows, dataset);
    begin = all.begin;
  }
  const std::vector<CodedColumn> columns = coded_columns(dataset, schema);
  RowChoice choice(columns, static_cast<size_t>(schema.max_records_per_unit));
  dataset.unit_begin.assign(1, 0);
  dataset.num_rows_read.clear();
  std::vector<uint32_t> kept;
  for (size_t unit = 0; unit < order.size(); ++unit) {
    const std::span<const uint32_t> chosen =
        choice.choose(ids.text(order[unit]), {begin[unit], begin[unit + 1]});
    append(kept, chosen);
    dataset.unit_begin.push_back(static_cast<uint32_t>(kept.size()));
    dataset.num_rows_read.push_back(begin[unit + 1] - begin[unit]);
  }
  dataset.num_without_unit = std::ssize(ids.of_rows()) - dataset.num_records;
  dataset.num_beyond = dataset.num_records - std::ssize(kept);
  take_rows(kept, dataset);
}

UnitRows rows_of_units(const Dataset& dataset, std::vector<uint32_t> units) {
  if (dataset.num_counted_units) {
    throw Error(ErrorKind::kInput, "data.units",
                "counted rows of units do not say whose they are; give a file of all records");
  }
  if (!dataset.row_counts.empty()) name_rows_of_records(dataset.row_counts, units);
  if (dataset.unit_begin.empty()) return {std::move(units), {}};
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
  Split split = split_records(dataset.num_units(), test_fraction, split_seed);
  return {rows_of_units(dataset, std::move(split.train)),
          rows_of_units(dataset, std::move(split.test))};
}

void settle_groups(std::span<const uint32_t> unit_begin, std::span<GroupId> groups,
                   std::span<const uint8_t> counts) {
  std::vector<GroupId> voters;
  for (size_t unit = 0; unit + 1 < unit_begin.size(); ++unit) {
    const std::span<GroupId> own =
        groups.subspan(unit_begin[unit], unit_begin[unit + 1] - unit_begin[unit]);
    voters.clear();
    for (size_t i = 0; i < own.size(); ++i)
      if (counts[unit_begin[unit] + i] != 0) voters.push_back(own[i]);
    if (voters.empty()) voters.assign(own.begin(), own.end());
    std::ranges::sort(voters);
    GroupId first{};
    size_t most = 0;
    for (size_t begin = 0, end = 0; begin < voters.size(); begin = end) {
      while (end < voters.size() && voters[end] == voters[begin]) ++end;
      if (end - begin <= most) continue;
      most = end - begin;
      first = voters[begin];
    }
    std::ranges::fill(own, first);
  }
}

void require_rows_as_units(const Schema& schema, std::string_view what) {
  if (!schema.has_unit_column()) return;
  throw Error(ErrorKind::kUsage, "data.units",
              "{} does not know units of several rows, but the schema says unit = "
              "\"{}\"; with unit = \"row\" it protects single rows alone",
              what, schema.unit);
}

}  // namespace equinoise
