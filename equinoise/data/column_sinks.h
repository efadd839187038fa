// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "equinoise/base/lists.h"
#include "equinoise/data/codes/column_coding.h"
#include "equinoise/data/dataset.h"
#include "equinoise/data/formats/record_reader.h"
#include "equinoise/data/number_problem.h"
#include "equinoise/data/public_bins.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/data/values/blanks.h"
#include "equinoise/data/values/parse_number.h"
#include "equinoise/data/values/parse_truth.h"
#include "equinoise/data/values/spelled_number.h"

// The cells of one column by the rules of a schema, as read_table() says them.

namespace equinoise {

/// Notes that the last of `num_cells` cells drops its record.
inline void note_dropped(size_t num_cells, std::vector<uint8_t>& dropped) {
  dropped.resize(num_cells, 0);
  dropped.back() = 1;
}

[[noreturn]] inline void refuse_missing(const RecordReader& records, const ColumnSchema& column) {
  records.fail_here(fmt::format("column '{}' has no value", column.name));
}

/// Why a text is none of a column's dates or times and what to write in the schema, if it is a date
/// or time of another form; else "". Says nothing of what the text holds but that form.
inline std::string problem_of_time(std::string_view text, const TimeFormat& format) {
  const std::optional<ParsedTime> time = parse_time(text);
  if (!time) return "";
  const bool has_zone = time->offset.has_value();
  TimeFormat needed = format;
  if (!needed.has_time()) needed.unit = TimeUnit::kSecond;
  needed.offset = has_zone ? std::optional<int>(0) : std::nullopt;
  if (!format.has_time()) {
    return fmt::format("has a time of day{}: write type = \"timestamp\" and format = \"{}\"",
                       has_zone ? " and a time zone" : "", to_string(needed));
  }
  if (has_zone == format.offset.has_value()) return "";
  return fmt::format("names {} time zone, but the format of the column {}: write format = \"{}\"",
                     has_zone ? "a" : "no", has_zone ? "names none" : "names one",
                     to_string(needed));
}

/// The place of the last record, for notes to the owner.
inline std::string place_in_notes(const RecordReader& records) {
  const std::string place = records.place();
  return place.empty() ? std::string(ColumnIngestCounts::kSomeRow) : place;
}

/// Takes the cells of one column. append(records, count) of both kinds returns whether the record
/// may still contribute; `count`: how many records the cell is of.
template <typename Column>
class ColumnSink {
 public:
  ColumnSink(const Schema& schema, const ColumnSchema& column, size_t position, bool is_strict)
      : schema_(column),
        position_(position),
        is_strict_(is_strict),
        missing_marks_(schema.missing_marks(column)) {
    column_.name = column.name;
    counts_.name = column.name;
  }

  Column& column() { return column_; }
  const ColumnIngestCounts& counts() const { return counts_; }

  /// The cells read since the last take(); num_records: the records they are of.
  Column take(size_t num_records) {
    Column next;
    next.name = column_.name;
    if constexpr (requires { next.categories; }) next.categories = column_.categories;
    Column taken = std::exchange(column_, std::move(next));
    if (!taken.dropped.empty()) taken.dropped.resize(num_records, 0);
    return taken;
  }

 protected:
  const ColumnSchema& schema_;
  size_t position_;
  bool is_strict_;
  std::vector<std::string> missing_marks_;
  Column column_;
  ColumnIngestCounts counts_;
};

/// Appends the cells of one numeric column to the dataset.
class NumericSink : public ColumnSink<NumericColumn> {
 public:
  /// The content of a cell. A cell is malformed if it is neither missing nor has a value.
  struct Reading {
    std::optional<double> value;
    bool is_missing = false;
    bool is_rounded = false;  ///< a whole number that the value is not
    bool is_cut = false;      ///< a time that is finer than the column's format
  };

  NumericSink(const Schema& schema, const ColumnSchema& column, size_t position, bool is_strict)
      : ColumnSink(schema, column, position, is_strict),
        is_spelled_(column.thousands != '\0' || !column.number_unit.empty()) {
    if (schema.public_bins) bins_.emplace(schema, column, *schema.public_bins);
    for (const std::string& mark : missing_marks_)
      if (!mark.empty()) begins_mark_[static_cast<unsigned char>(mark.front())] = true;
    for (char figure = '0'; figure <= '9'; ++figure)
      has_mark_like_time_ |= begins_mark_[static_cast<unsigned char>(figure)];
    if (column.time) {
      counts_.value = column.time->has_time() ? "time" : "date";
      return;
    }
    for (const std::string& mark : missing_marks_) {
      if (const std::optional<double> number = parse_number(mark)) like_marks_.insert(*number);
      if (const std::optional<double> number = distinct_number(mark)) mark_numbers_.insert(*number);
    }
  }

  bool append(const RecordReader& records, int64_t count) {
    const Cell& cell = records.cells()[position_];
    Reading read;
    if (cell.holds_text() || !read_value(cell, read))
      read_text(records.text(position_), records.decimal_mark(), read);
    const std::optional<double>& value = read.value;
    if (read.is_missing) {
      if (is_strict_) refuse_missing(records, schema_);
      counts_.missing += count;
      return append_without_number(schema_.missing);
    }
    const bool is_clamped = value && (*value < schema_.lower || *value > schema_.upper);
    const bool is_broken =
        value && !is_clamped && is_counted_whole() && *value != std::floor(*value);
    if (!value || is_broken) {
      const std::string problem = is_broken ? std::string(kNotWhole) : problem_of(records);
      if (is_strict_ || schema_.malformed == MalformedPolicy::kStop) refuse(records, problem);
      if (counts_.malformed == 0) counts_.first_malformed = place_in_notes(records);
      counts_.malformed += count;
      note_other_form(records, problem, count);
      return append_without_number(
          schema_.malformed == MalformedPolicy::kMissing ? schema_.missing : MissingPolicy::kDrop);
    }
    if (schema_.missing == MissingPolicy::kCategory) column_.missing.push_back(0);
    if (is_clamped) counts_.clamped += count;
    if (!is_clamped && read.is_rounded) counts_.rounded += count;
    if (!is_clamped && read.is_cut) counts_.cut += count;
    const double within = std::clamp(*value, schema_.lower, schema_.upper);
    column_.values.push_back(in_its_bin(within));
    return true;
  }

  /// Reads the text of a cell that is no null.
  void read_text(std::string_view cell, char decimal_mark, Reading& read) {
    read.is_missing = RecordReader::is_null(cell) || is_mark(cell);
    if (read.is_missing) return;
    if (!is_spelled_ && !schema_.time && decimal_mark == '.') read.value = parse_number(cell);
    if (!read.value) {
      cell = without_blanks_around(cell);
      read.is_missing = is_mark(cell);
      if (read.is_missing) return;
      if (is_spelled_) cell = plain_number(cell, schema_.thousands, schema_.number_unit, plain_);
      if (schema_.time) {
        const std::optional<ParsedTime> time = parse_time(cell);
        if (time) read.value = number_of_time(*time, *schema_.time);
        read.is_cut = time && is_finer(*time, *schema_.time);
        return;
      }
      read.value = parse_number(cell, decimal_mark);
      if (!read.value && schema_.may_have_point) read.value = parse_number(cell);
      if (!read.value) return;
    }
    read.is_missing = !mark_numbers_.empty() && mark_numbers_.contains(*read.value) &&
                      distinct_number(cell, decimal_mark).has_value();
    read.is_rounded = is_rounded_whole(cell, *read.value);
  }

 private:
  static constexpr std::string_view kNotWhole =
      "is not a whole number, which whole = true and public_bins ask for: leave whole out";

  /// The value of a number or a time that is read as its text would be. False: its text decides,
  /// which may be a mark, spelled in another way or malformed.
  bool read_value(const Cell& cell, Reading& read) const {
    if (schema_.time) {
      const std::optional<ParsedTime> time = cell.time();
      if (!time || has_mark_like_time_) return false;
      read.value = number_of_time(*time, *schema_.time);
      read.is_cut = is_finer(*time, *schema_.time);
      return read.value.has_value();
    }
    const std::optional<double> number = cell.number();
    if (!number || is_spelled_ || like_marks_.contains(*number)) return false;
    read.value = number;
    read.is_rounded = cell.is_rounded();
    return true;
  }

  /// Whether it is by their bins that whole numbers are read.
  bool is_counted_whole() const { return bins_ && schema_.whole; }

  std::string problem_of(const RecordReader& records) const {
    const std::string_view text = without_blanks_around(records.text(position_));
    return schema_.time ? problem_of_time(text, *schema_.time)
                        : problem_of_number(text, records.decimal_mark(), schema_);
  }

  /// Ends the run at a malformed cell. Of a number that is written in another way only whoever
  /// predicts for records reads what it looks like: a private run must not say so.
  [[noreturn]] void refuse(const RecordReader& records, const std::string& problem) const {
    std::string advice;
    if (!problem.empty() && (schema_.time || is_strict_)) {
      advice = ": it " + problem + (schema_.time ? " in the schema" : "");
    } else if (!is_strict_) {
      advice =
          "; equinoise schema check says how many cells are not and what they look like; if it "
          "marks a missing value, list it in missing_values of the schema or with --na; otherwise "
          "set malformed = \"drop\" or \"missing\" in the schema";
    }
    records.fail_here(
        fmt::format("column '{}' is not a {}{}", schema_.name, what_it_should_be(records), advice));
  }

  void note_other_form(const RecordReader& records, const std::string& problem, int64_t count) {
    if (problem.empty()) return;
    const auto form = std::ranges::find_if(
        counts_.other_forms, [&](const auto& known) { return known.problem == problem; });
    if (form == counts_.other_forms.end()) {
      counts_.other_forms.push_back({problem, place_in_notes(records), count});
    } else {
      form->count += count;
    }
  }

  std::string what_it_should_be(const RecordReader& records) const {
    if (schema_.time) return fmt::format("{} as {}", counts_.value, to_string(*schema_.time));
    const std::string number = is_counted_whole() ? "whole number" : "number";
    return records.decimal_mark() == ','
               ? number + " with a decimal comma; if numbers have a point, give --decimal-point"
               : number;
  }

  bool is_mark(std::string_view cell) const {
    if (!cell.empty() && !begins_mark_[static_cast<unsigned char>(cell.front())]) return false;
    return contains(missing_marks_, cell);
  }

  /// The value as which a number is read.
  double in_its_bin(double number) const {
    return bins_ ? bins_->value_of(bins_->bin_of(number)) : number;
  }

  bool append_without_number(MissingPolicy policy) {
    const bool is_filled = policy == MissingPolicy::kFill;
    const bool is_category = policy == MissingPolicy::kCategory;
    if (schema_.missing == MissingPolicy::kCategory) column_.missing.push_back(is_category ? 1 : 0);
    // A dropped record needs some value: a public one that says nothing about it.
    column_.values.push_back(is_filled ? in_its_bin(schema_.fill) : schema_.lower);
    if (!is_filled && !is_category) note_dropped(column_.values.size(), column_.dropped);
    return is_filled || is_category;
  }

  std::array<bool, 256> begins_mark_ = {};   ///< by the first byte
  bool has_mark_like_time_ = false;          ///< that begins with a figure
  std::unordered_set<double> like_marks_;    ///< of marks that are numbers
  std::unordered_set<double> mark_numbers_;  ///< of those that no other number is read as
  bool is_spelled_;                          ///< with thousands or a unit
  std::string plain_;                        ///< the number in the last cell of such
  std::optional<PublicBins> bins_;           ///< where numbers are read by them
};

/// Appends the cells of one categorical column to the dataset.
class CategoricalSink : public ColumnSink<CategoricalColumn> {
 public:
  CategoricalSink(const Schema& schema, const ColumnSchema& column, size_t position, bool is_strict)
      : ColumnSink(schema, column, position, is_strict) {
    column_.categories = column.categories();
    counts_.has_other = column.unknown == UnknownPolicy::kOther;
    const std::vector<std::string>& texts = column.texts();
    for (size_t code = 0; code < texts.size(); ++code)
      codes_.emplace(texts[code], static_cast<int32_t>(code));
    for (const std::string& mark : missing_marks_) codes_.emplace(mark, kMissing);
    if (are_truth_pair(texts)) code_of_true_ = *parse_truth(texts[0]) ? 0 : 1;
    const auto is_number = [](const std::string& value) { return parse_number(value).has_value(); };
    if (code_of_true_ || std::ranges::all_of(texts, is_number)) find_numbers();
    // A label is read, too.
    for (size_t code = 0; code < column.values.size(); ++code)
      codes_.emplace(column.values[code], static_cast<int32_t>(code));
  }

  bool append(const RecordReader& records, int64_t count) {
    const int32_t found = code_of_cell(records);
    if (found >= 0) {
      column_.codes.push_back(static_cast<uint16_t>(found));
      return true;
    }
    const bool is_missing = found == kMissing;
    if (is_strict_ && is_missing) refuse_missing(records, schema_);
    if (is_strict_) {
      records.fail_here(
          fmt::format("column '{}' holds a category that is not listed", schema_.name));
    }
    (is_missing ? counts_.missing : counts_.unknown) += count;
    const bool is_kept = is_missing ? schema_.missing == MissingPolicy::kCategory
                                    : schema_.unknown == UnknownPolicy::kOther;
    // "other" follows the listed values, "missing" is the last category of all.
    const size_t code = is_missing ? column_.categories.size() - 1 : schema_.values.size();
    column_.codes.push_back(is_kept ? static_cast<uint16_t>(code) : uint16_t{0});
    if (!is_kept) note_dropped(column_.codes.size(), column_.dropped);
    return is_kept;
  }

  /// The code of a cell that is no null, or CellCode::kMissing or CellCode::kUnlisted.
  int32_t find_code(std::string_view cell, char decimal_mark) {
    const Known*& recent = recent_[place_among_recent(cell)];
    if (recent != nullptr && recent->first == cell) return recent->second;
    auto found = codes_.find(cell);
    if (found != codes_.end()) {
      recent = &*found;
      return found->second;
    }
    cell = without_blanks_around(cell);
    found = codes_.find(cell);
    if (found != codes_.end()) return found->second;
    const std::optional<double> number =
        numbers_.empty() ? std::nullopt : distinct_number(cell, decimal_mark);
    const auto same = number ? numbers_.find(*number) : numbers_.end();
    if (same != numbers_.end()) return same->second;
    const std::optional<bool> truth = code_of_true_ ? parse_truth(cell) : std::nullopt;
    return truth ? code_of_truth(*truth) : kUnlisted;
  }

 private:
  static constexpr int32_t kMissing = CellCode::kMissing;
  static constexpr int32_t kUnlisted = CellCode::kUnlisted;
  static constexpr int32_t kUnknown = CellCode::kImpossible;

  /// The code of a cell, or kMissing or kUnlisted; once for each entry of a dictionary.
  int32_t code_of_cell(const RecordReader& records) {
    const Cell& cell = records.cells()[position_];
    if (cell.is_null()) return kMissing;
    const auto find = [&] { return find_code(records.text(position_), records.decimal_mark()); };
    const std::optional<size_t> entry = cell.entry();
    if (!entry) return find();
    if (dictionary_ != records.dictionary()) codes_of_entries_.clear();
    dictionary_ = records.dictionary();
    if (*entry >= codes_of_entries_.size()) codes_of_entries_.resize(*entry + 1, kUnknown);
    int32_t& code = codes_of_entries_[*entry];
    if (code == kUnknown) code = find();
    return code;
  }

  /// Lists the numbers of categories and marks, and of truth values 1 and 0. Where 1 and 1.0 are
  /// both listed, they are two texts.
  void find_numbers() {
    std::unordered_set<double> doubled;
    const auto add = [&](std::string_view text, int32_t code) {
      const std::optional<double> number = distinct_number(text);
      if (number && !numbers_.emplace(*number, code).second) doubled.insert(*number);
    };
    for (const auto& [text, code] : codes_) add(text, code);
    if (code_of_true_) {
      for (const std::string_view text : {"0", "1"})
        if (!codes_.contains(text)) add(text, code_of_truth(text == "1"));
    }
    for (const double number : doubled) numbers_.erase(number);
  }

  /// The place of a text in recent_, which is cheaper than its hash.
  static size_t place_among_recent(std::string_view cell) {
    if (cell.empty()) return 0;
    const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<uint8_t>(cell[i])); };
    return (cell.size() + 5 * byte(0) + 3 * byte(cell.size() / 2) + 11 * byte(cell.size() - 1)) %
           64;
  }

  int32_t code_of_truth(bool truth) const { return truth ? *code_of_true_ : 1 - *code_of_true_; }

  std::unordered_map<std::string_view, int32_t> codes_;  ///< views of strings kept elsewhere
  using Known = std::pair<const std::string_view, int32_t>;
  std::array<const Known*, 64> recent_ = {};  ///< in codes_: the last text found of each place
  /// Codes by number: of categories and marks that are numbers, and of truth values.
  std::unordered_map<double, int32_t> numbers_;
  std::optional<int32_t> code_of_true_;  ///< if they are two truth values
  int64_t dictionary_ = 0;
  std::vector<int32_t> codes_of_entries_;  ///< or kUnlisted or kUnknown
};

}  // namespace equinoise
