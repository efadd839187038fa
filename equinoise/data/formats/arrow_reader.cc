// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/arrow_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "equinoise/base/int128.h"
#include "equinoise/data/formats/arrow_values.h"
#include "equinoise/data/values/printed_number.h"
#include "equinoise/data/values/utf8.h"

namespace equinoise {
namespace {

constexpr std::string_view kBroken = "is no valid Arrow stream: its arrays contradict its types";

/// The printed form of the values of a column. kNone: there is no one usual text.
enum class ArrowForm {
  kNone,
  kNull,
  kBool,
  kSigned,
  kUnsigned,
  kHalf,
  kFloat,
  kDouble,
  kDecimal,
  kText,
  kTextView,
  kDate,
  kTime,
  kTimestamp
};

struct ArrowType {
  ArrowForm form = ArrowForm::kNone;
  int num_bytes = 0;      ///< of a value; of a text, of where it begins
  int64_t unit_size = 1;  ///< of dates so many units a day, of times a second
  bool has_zone = false;
  int num_digits = 0;  ///< of decimals
  int num_decimals = 0;
};

/// "19,10" or "19,10,256": digits, decimals and bits.
ArrowType decimal_type(std::string_view parameters) {
  int numbers[3] = {0, 0, 128};
  const char* next = parameters.data();
  const char* const end = next + parameters.size();
  for (int& number : numbers) {
    const auto [stop, problem] = std::from_chars(next, end, number);
    if (problem != std::errc()) return {};
    next = stop;
    if (next == end) break;
    if (*next++ != ',') return {};
  }
  const auto [num_digits, num_decimals, num_bits] = numbers;
  const bool is_known = num_bits == 32 || num_bits == 64 || num_bits == 128 || num_bits == 256;
  if (next != end || !is_known || num_digits < 1 || num_decimals < 0 || num_decimals > num_digits)
    return {};
  if (num_digits > kMaxDecimalDigits) return {.num_digits = num_digits};
  return {.form = ArrowForm::kDecimal,
          .num_bytes = num_bits / 8,
          .num_digits = num_digits,
          .num_decimals = num_decimals};
}

/// The type of dates, times and durations. `format`: what follows 't'.
ArrowType time_type(std::string_view format) {
  if (format == "dD") return {.form = ArrowForm::kDate, .num_bytes = 4};
  if (format == "dm") return {.form = ArrowForm::kDate, .num_bytes = 8, .unit_size = 86'400'000};
  constexpr std::string_view kUnits = "smun";  // of a second: 1, 1e-3, 1e-6, 1e-9
  constexpr std::array<int64_t, 4> kUnitSizes = {1, 1'000, 1'000'000, 1'000'000'000};
  const size_t unit = format.size() < 2 ? kUnits.npos : kUnits.find(format[1]);
  if (unit == kUnits.npos) return {};
  const int64_t unit_size = kUnitSizes[unit];
  if (format[0] == 't' && format.size() == 2) {
    return {.form = ArrowForm::kTime, .num_bytes = unit < 2 ? 4 : 8, .unit_size = unit_size};
  }
  if (format[0] == 's' && format.size() > 2 && format[2] == ':') {
    return {.form = ArrowForm::kTimestamp,
            .num_bytes = 8,
            .unit_size = unit_size,
            .has_zone = format.size() > 3};
  }
  // Parquet has no durations: their numbers are written.
  if (format[0] == 'D') return {.form = ArrowForm::kSigned, .num_bytes = 8};
  return {};
}

/// The type of values that are no dictionary.
ArrowType arrow_type(std::string_view format) {
  if (format.substr(0, 2) == "d:") return decimal_type(format.substr(2));
  if (format.substr(0, 1) == "t") return time_type(format.substr(1));
  struct Plain {
    std::string_view format;
    ArrowForm form;
    int num_bytes;
  };
  constexpr std::array kPlain = {
      Plain{"n", ArrowForm::kNull, 0},     Plain{"b", ArrowForm::kBool, 0},
      Plain{"c", ArrowForm::kSigned, 1},   Plain{"s", ArrowForm::kSigned, 2},
      Plain{"i", ArrowForm::kSigned, 4},   Plain{"l", ArrowForm::kSigned, 8},
      Plain{"C", ArrowForm::kUnsigned, 1}, Plain{"S", ArrowForm::kUnsigned, 2},
      Plain{"I", ArrowForm::kUnsigned, 4}, Plain{"L", ArrowForm::kUnsigned, 8},
      Plain{"e", ArrowForm::kHalf, 2},     Plain{"f", ArrowForm::kFloat, 4},
      Plain{"g", ArrowForm::kDouble, 8},   Plain{"u", ArrowForm::kText, 4},
      Plain{"U", ArrowForm::kText, 8},     Plain{"vu", ArrowForm::kTextView, 16}};
  for (const Plain& plain : kPlain)
    if (plain.format == format) return {.form = plain.form, .num_bytes = plain.num_bytes};
  return {};
}

/// A number of half precision (IEEE 754 binary16).
float number_of_half(uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f;
  const int fraction = bits & 0x3ff;
  float size = 0;
  if (exponent == 0x1f) {
    size = fraction == 0 ? std::numeric_limits<float>::infinity()
                         : std::numeric_limits<float>::quiet_NaN();
  } else {
    size = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                         : std::ldexp(static_cast<float>(fraction + 0x400), exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -size : size;
}

}  // namespace

/// A column, or the values of a dictionary.
class ArrowReader::Column {
 public:
  /// `reader`: for messages.
  Column(const RecordReader& reader, const ArrowSchema& schema)
      : reader_(reader), type_(arrow_type(schema.format == nullptr ? "" : schema.format)) {
    if (schema.dictionary == nullptr) return;
    dictionary_ = std::make_unique<Column>(reader, *schema.dictionary);
    const bool is_index = type_.form == ArrowForm::kSigned || type_.form == ArrowForm::kUnsigned;
    if (is_index && dictionary_->is_readable()) return;
    type_ = {};
    dictionary_.reset();
  }

  bool is_readable() const { return type_.form != ArrowForm::kNone; }
  bool has_too_many_digits() const { return type_.num_digits > kMaxDecimalDigits; }

  /// The next values, of which those from `first` on are `num_rows` rows. Throws where the array is
  /// not of this column's type.
  void load(const ArrowArray* array, int64_t first, int64_t num_rows) {
    if (!is_readable()) return;
    if (array == nullptr || array->offset < 0 || num_rows < 0 || array->length < num_rows ||
        array->length - num_rows < first || array->offset > kMaxArrowRows - array->length)
      reader_.fail(kBroken);
    first_ = array->offset + first;
    num_rows_ = num_rows;
    if (type_.form == ArrowForm::kNull) return;
    constexpr int64_t kNumTextBuffers = 3;  // also the fewest of views
    const bool is_text = type_.form == ArrowForm::kText || type_.form == ArrowForm::kTextView;
    if (array->buffers == nullptr || array->n_buffers < (is_text ? kNumTextBuffers : 2))
      reader_.fail(kBroken);
    buffers_ = array->buffers;
    num_buffers_ = array->n_buffers;
    validity_ = array->null_count == 0 ? nullptr : buffers_[0];
    if (validity_ == nullptr && array->null_count > 0) reader_.fail(kBroken);
    values_ = buffers_[1];
    if (values_ == nullptr && num_rows > 0) reader_.fail(kBroken);
    if (dictionary_) {
      if (array->dictionary == nullptr) reader_.fail(kBroken);
      dictionary_->load(array->dictionary, 0, array->dictionary->length);
    }
  }

  /// Valid as long as the array and until the next call.
  Cell cell(int64_t row) {
    const int64_t place = first_ + row;
    if (validity_ != nullptr && !bit_at(validity_, place)) return {};
    if (dictionary_) {
      const int64_t index = integer_at(place);
      if (index < 0 || index >= dictionary_->num_rows_) reader_.fail_here(kBroken);
      return dictionary_->cell(index).as_entry(static_cast<size_t>(index));
    }
    switch (type_.form) {
      case ArrowForm::kBool:
        return std::string_view(bit_at(values_, place) ? "true" : "false");
      case ArrowForm::kSigned:
        return Cell::of(integer_at(place));
      case ArrowForm::kUnsigned:
        return Cell::of(static_cast<uint64_t>(integer_at(place)));
      case ArrowForm::kHalf:
        return Cell::of(number_of_half(value_at<uint16_t>(values_, place)));
      case ArrowForm::kFloat:
        return Cell::of(value_at<float>(values_, place));
      case ArrowForm::kDouble:
        return Cell::of(value_at<double>(values_, place));
      case ArrowForm::kDecimal:
        return number_.print_decimal(decimal_at(place), type_.num_digits, type_.num_decimals);
      case ArrowForm::kText:
        return type_.num_bytes == 4 ? text_between<int32_t>(place) : text_between<int64_t>(place);
      case ArrowForm::kTextView:
        return viewed_text(place);
      case ArrowForm::kDate:
        return Cell::of_date(floor_quotient(integer_at(place), type_.unit_size).whole);
      case ArrowForm::kTime: {
        const int64_t time = integer_at(place);
        if (time < 0 || time / type_.unit_size >= 86'400) reader_.fail_here(kBroken);
        return Cell::of_time_of_day(time, type_.unit_size);
      }
      case ArrowForm::kTimestamp:
        return timestamp(integer_at(place));
      default:
        return {};
    }
  }

 private:
  /// The bits of an unsigned one of 64 bits.
  int64_t integer_at(int64_t place) const {
    const bool is_unsigned = type_.form == ArrowForm::kUnsigned;
    switch (type_.num_bytes) {
      case 1:
        return is_unsigned ? int64_t{value_at<uint8_t>(values_, place)}
                           : int64_t{value_at<int8_t>(values_, place)};
      case 2:
        return is_unsigned ? int64_t{value_at<uint16_t>(values_, place)}
                           : int64_t{value_at<int16_t>(values_, place)};
      case 4:
        return is_unsigned ? int64_t{value_at<uint32_t>(values_, place)}
                           : int64_t{value_at<int32_t>(values_, place)};
      default:
        return value_at<int64_t>(values_, place);
    }
  }

  Int128 decimal_at(int64_t place) const {
    if (type_.num_bytes < 16) return integer_at(place);
    // 38 digits are in the lower half of 256 bits.
    return value_at<Int128>(values_, type_.num_bytes == 16 ? place : 2 * place);
  }

  /// DuckDB has microseconds at the finest for times with a zone, and cuts off what is finer.
  Cell timestamp(int64_t time) const {
    constexpr int64_t kFinest = 1'000'000;
    if (!type_.has_zone || type_.unit_size <= kFinest)
      return Cell::of_timestamp(time, type_.unit_size, type_.has_zone);
    return Cell::of_timestamp(time / (type_.unit_size / kFinest), kFinest, true);
  }

  template <typename Offset>
  std::string_view text_between(int64_t place) const {
    const int64_t begin = value_at<Offset>(values_, place);
    const int64_t end = value_at<Offset>(values_, place + 1);
    if (begin < 0 || end < begin) reader_.fail_here(kBroken);
    return text(buffers_[2], begin, end - begin);
  }

  /// A view is a length, then up to 12 bytes, or 4 of them, the number of a buffer and a place.
  std::string_view viewed_text(int64_t place) const {
    constexpr int32_t kMaxInlined = 12;
    const char* view = static_cast<const char*>(values_) + place * type_.num_bytes;
    const auto size = value_at<int32_t>(view, 0);
    if (size <= kMaxInlined) return text(view, 4, size);
    const int64_t buffer = value_at<int32_t>(view, 2);
    // The last buffer holds the sizes of the others.
    if (buffer < 0 || buffer + 2 >= num_buffers_ - 1) reader_.fail_here(kBroken);
    return text(buffers_[2 + buffer], value_at<int32_t>(view, 3), size);
  }

  /// An empty text has a place, other than a null.
  std::string_view text(const void* bytes, int64_t begin, int64_t size) const {
    if (size == 0) return {"", 0};
    if (bytes == nullptr || begin < 0 || size < 0) reader_.fail_here(kBroken);
    const std::string_view text(static_cast<const char*>(bytes) + begin, static_cast<size_t>(size));
    if (!is_utf8(text)) reader_.fail_here("holds text that is not UTF-8");
    return text;
  }

  const RecordReader& reader_;
  ArrowType type_;
  std::unique_ptr<Column> dictionary_;  ///< nullptr: the values stand for themselves
  // The array that is loaded:
  const void** buffers_ = nullptr;
  int64_t num_buffers_ = 0;
  const void* validity_ = nullptr;
  const void* values_ = nullptr;
  int64_t first_ = 0;
  int64_t num_rows_ = 0;
  PrintedNumber number_;  ///< the last decimal
};

struct ArrowReader::Stream {
  explicit Stream(ArrowArrayStream* taken) : source(taken) {}

  ArrowOwned<ArrowArrayStream> source;
  ArrowOwned<ArrowArray> chunk;
  std::vector<Column> columns;
  const void* validity = nullptr;  ///< of the rows of the chunk
  int64_t first_row = 0;           ///< of them in it
  int64_t num_rows = 0;
  int64_t next_row = 0;

  /// Moves to the next rows; false at the end.
  bool fetch(const RecordReader& reader) {
    num_rows = next_row = 0;
    chunk.reset();
    if (source.is_released()) return false;
    if (source->get_next(source.get(), chunk.get()) != 0)
      reader.fail("its Arrow stream cannot be read to its end");
    if (chunk.is_released()) {
      source.reset();
      return false;
    }
    const bool has_validity = chunk->n_buffers > 0 && chunk->buffers != nullptr;
    if (chunk->n_children != std::ssize(columns) || chunk->children == nullptr ||
        chunk->length < 0 || chunk->offset < 0 || chunk->offset > kMaxArrowRows - chunk->length)
      reader.fail(kBroken);
    for (size_t i = 0; i < columns.size(); ++i)
      columns[i].load(chunk->children[i], chunk->offset, chunk->length);
    validity = chunk->null_count != 0 && has_validity ? chunk->buffers[0] : nullptr;
    if (validity == nullptr && chunk->null_count > 0) reader.fail(kBroken);
    first_row = chunk->offset;
    num_rows = chunk->length;
    return true;
  }
};

ArrowReader::ArrowReader(std::string name, ArrowArrayStream* stream)
    : RecordReader(std::move(name)), stream_(std::make_unique<Stream>(stream)) {
  ArrowOwned<ArrowArrayStream>& source = stream_->source;
  ArrowOwned<ArrowSchema> schema;
  if (source.is_released() || source->get_schema(source.get(), schema.get()) != 0)
    fail("has no Arrow stream that can be read");
  if (schema->format == nullptr || std::string_view(schema->format) != "+s")
    fail("its Arrow stream is not one of rows");
  if (schema->n_children == 0) fail("has no columns");
  if (schema->n_children < 0 || schema->children == nullptr) fail(kBroken);
  stream_->columns.reserve(static_cast<size_t>(schema->n_children));
  for (int64_t i = 0; i < schema->n_children; ++i) {
    if (schema->children[i] == nullptr) fail(kBroken);
    const ArrowSchema& column = *schema->children[i];
    header_.emplace_back(column.name == nullptr ? "" : column.name);
    stream_->columns.emplace_back(*this, column);
  }
  settle_names();
  cells_.resize(header_.size());
}

ArrowReader::~ArrowReader() = default;

std::string_view ArrowReader::column_problem(size_t column) const {
  const Column& values = stream_->columns[column];
  if (values.is_readable()) return "";
  return values.has_too_many_digits() ? kHasTooManyDigits : kHasNoText;
}

bool ArrowReader::next() {
  Stream& stream = *stream_;
  while (stream.next_row == stream.num_rows) {
    if (!stream.fetch(*this)) return false;
    ++dictionary_;
  }
  const int64_t row = stream.next_row++;
  ++row_;
  if (stream.validity != nullptr && !bit_at(stream.validity, stream.first_row + row)) {
    std::ranges::fill(cells_, Cell());
    return true;
  }
  for (size_t i = 0; i < cells_.size(); ++i) cells_[i] = stream.columns[i].cell(row);
  return true;
}

}  // namespace equinoise
