// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "equinoise/data/values/time_format.h"

namespace equinoise {

/// A cell of a record, as its format holds it: no value, a text, a number or a time.
///
/// Every value has a text, the one that a CSV file would hold for it: 39, 0.5, 2020-03-01. Rules of
/// a schema are rules on that text. Whoever reads a number or a time directly must come to what its
/// text says.
class Cell {
 public:
  Cell() = default;  ///< no value
  /// A text that outlives the cell; no value where it has no place (nullptr). Implicit: readers of
  /// texts hold cells as views.
  Cell(std::string_view text)  // NOLINT(google-explicit-constructor)
      : value_{.text = text.data()},
        size_(text.size()),
        kind_(text.data() == nullptr ? Kind::kNull : Kind::kText) {}
  static Cell of(int64_t value) { return Cell(Kind::kInteger, {.integer = value}); }
  static Cell of(uint64_t value) { return Cell(Kind::kUnsigned, {.natural = value}); }
  /// NaN is what pandas writes for a missing number: no value.
  static Cell of(double value) {
    return value != value ? Cell() : Cell(Kind::kNumber, {.number = value});
  }
  static Cell of(float value);
  static Cell of_date(int64_t day) { return Cell(Kind::kDate, {.integer = day}); }
  /// `time`: units since midnight, or since the beginning of 1970, in UTC if the text has a zone;
  /// so many units a second.
  static Cell of_time_of_day(int64_t time, int64_t units_per_second) {
    return Cell(Kind::kTimeOfDay, {.integer = time}, units_per_second);
  }
  static Cell of_timestamp(int64_t time, int64_t units_per_second, bool has_zone) {
    return Cell(Kind::kTimestamp, {.integer = time}, units_per_second, has_zone);
  }

  /// The same value as that entry of the dictionary of its column, see RecordReader::dictionary().
  Cell as_entry(size_t entry) const {
    Cell cell = *this;
    cell.entry_ = entry < kNoEntry ? static_cast<uint32_t>(entry) : kNoEntry;
    return cell;
  }
  /// The place of the value in the dictionary of its column; empty: it is in none.
  std::optional<size_t> entry() const {
    return entry_ == kNoEntry ? std::nullopt : std::optional<size_t>(entry_);
  }

  bool is_null() const { return kind_ == Kind::kNull; }

  /// The number that parse_number() reads from the text of an integer or a double; nothing for
  /// other cells.
  std::optional<double> number() const;
  /// Whether that number is another one than the whole number of the cell: 2^53 + 1 is no double.
  bool is_rounded() const;

  /// The time that parse_time() reads from the text of a date or timestamp, without its spelling;
  /// empty for other cells.
  std::optional<ParsedTime> time() const;

  /// Whether the text is held, as is one without a place of no value; else it is printed.
  bool holds_text() const { return kind_ <= Kind::kText; }
  std::string_view held_text() const { return {value_.text, size_}; }
  std::string_view print(std::string& buffer) const;

 private:
  enum class Kind : uint8_t {
    kNull,
    kText,  // those before hold their texts
    kInteger,
    kUnsigned,
    kNumber,
    kSingle,
    kDate,
    kTimeOfDay,
    kTimestamp
  };
  union Value {
    const char* text;
    int64_t integer;
    uint64_t natural;
    double number;
    float single;
  };

  static constexpr uint32_t kNoEntry = std::numeric_limits<uint32_t>::max();

  Cell(Kind kind, Value value, int64_t units_per_second = 0, bool has_zone = false)
      : value_(value),
        size_(static_cast<uint64_t>(units_per_second)),
        kind_(kind),
        has_zone_(has_zone) {}

  int64_t units_per_second() const { return static_cast<int64_t>(size_); }

  Value value_ = {nullptr};
  uint64_t size_ = 0;  ///< of a text; units per second of a time
  uint32_t entry_ = kNoEntry;
  Kind kind_ = Kind::kNull;
  bool has_zone_ = false;
};

}  // namespace equinoise
