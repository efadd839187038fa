// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/engine/adbc_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "equinoise/base/error.h"
#include "equinoise/base/int128.h"
#include "equinoise/data/engine/adbc_driver.h"

namespace equinoise {
namespace {

constexpr std::string_view kContradiction = "its arrays contradict their types";

}  // namespace

AdbcRows::AdbcRows(const std::string& name, const AdbcDriver& driver, ArrowArrayStream* stream)
    : name_(name), driver_(driver), source_(stream) {
  ArrowOwned<ArrowSchema> schema;
  if (source_.is_released()) fail("it has no rows");
  if (source_->get_schema(source_.get(), schema.get()) != 0) fail_to_read();
  const bool has_columns = !schema.is_released() && schema->format != nullptr &&
                           std::string_view(schema->format) == "+s" && schema->n_children > 0 &&
                           schema->children != nullptr;
  if (!has_columns) fail("it has no columns");
  for (int64_t i = 0; i < schema->n_children; ++i) {
    columns_.push_back(column_of(schema->children[i]));
    if (columns_.back().num_bytes == 0)
      fail(fmt::format("its column {} is not of whole numbers", i + 1));
  }
  row_.resize(columns_.size());
}

/// "d:18,0" and "d:38,0,256" are decimals without digits behind the point, of 128 bits and of 256.
AdbcRows::Column AdbcRows::column_of(const ArrowSchema* schema) {
  if (schema == nullptr || schema->format == nullptr || schema->dictionary != nullptr) return {};
  const std::string_view format = schema->format;
  if (format.size() == 1) {
    constexpr std::string_view kSigned = "csil";
    constexpr std::string_view kUnsigned = "CSIL";
    const size_t as_signed = kSigned.find(format);
    const size_t as_unsigned = kUnsigned.find(format);
    if (as_signed != kSigned.npos) return {.num_bytes = 1 << as_signed};
    if (as_unsigned != kUnsigned.npos) return {.num_bytes = 1 << as_unsigned, .is_unsigned = true};
  }
  if (!format.starts_with("d:")) return {};
  const size_t comma = format.find(',');
  const std::string_view decimals = comma == format.npos ? "" : format.substr(comma);
  if (decimals == ",0" || decimals == ",0,128") return {.num_bytes = 16};
  if (decimals == ",0,256") return {.num_bytes = 32};
  if (decimals == ",0,64") return {.num_bytes = 8};
  if (decimals == ",0,32") return {.num_bytes = 4};
  return {};
}

std::span<const int64_t> AdbcRows::next() {
  while (next_row_ == num_rows_) {
    if (!fetch()) return {};
  }
  for (size_t i = 0; i < row_.size(); ++i) row_[i] = number_at(columns_[i], next_row_);
  ++next_row_;
  return row_;
}

void AdbcRows::skip_rest() {
  num_rows_ = next_row_ = 0;
  while (!source_.is_released()) {
    chunk_.reset();
    const bool is_good = source_->get_next(source_.get(), chunk_.get()) == 0;
    if (!is_good || chunk_.is_released()) source_.reset();
  }
}

bool AdbcRows::fetch() {
  num_rows_ = next_row_ = 0;
  chunk_.reset();
  if (source_.is_released()) return false;
  if (source_->get_next(source_.get(), chunk_.get()) != 0) fail_to_read();
  if (chunk_.is_released()) {
    source_.reset();
    return false;
  }
  const bool has_columns = chunk_->n_children == std::ssize(columns_) &&
                           chunk_->children != nullptr && chunk_->length >= 0 &&
                           chunk_->offset >= 0 && chunk_->offset <= kMostArrowRows - chunk_->length;
  if (!has_columns) fail(kContradiction);
  const bool has_validity = chunk_->n_buffers > 0 && chunk_->buffers != nullptr;
  const void* validity = chunk_->null_count != 0 && has_validity ? chunk_->buffers[0] : nullptr;
  if (chunk_->null_count > 0) fail("it holds a null");
  for (int64_t row = 0; validity != nullptr && row < chunk_->length; ++row)
    if (!bit_at(validity, chunk_->offset + row)) fail("it holds a null");
  for (size_t i = 0; i < columns_.size(); ++i) load(columns_[i], chunk_->children[i]);
  num_rows_ = chunk_->length;
  return true;
}

void AdbcRows::load(Column& column, const ArrowArray* array) const {
  const bool is_sound = array != nullptr && array->offset >= 0 && array->length >= 0 &&
                        array->offset <= kMostArrowRows - array->length &&
                        array->length - chunk_->length >= chunk_->offset && array->n_buffers >= 2 &&
                        array->buffers != nullptr &&
                        (array->buffers[1] != nullptr || chunk_->length == 0);
  if (!is_sound) fail(kContradiction);
  column.validity = array->null_count == 0 ? nullptr : array->buffers[0];
  if (column.validity == nullptr && array->null_count > 0) fail(kContradiction);
  column.values = array->buffers[1];
  column.first = array->offset + chunk_->offset;
}

int64_t AdbcRows::number_at(const Column& column, int64_t row) const {
  const int64_t place = column.first + row;
  if (column.validity != nullptr && !bit_at(column.validity, place)) fail("it holds a null");
  constexpr Int128 kLeast = std::numeric_limits<int64_t>::min();
  constexpr Int128 kMost = std::numeric_limits<int64_t>::max();
  Int128 number = 0;
  switch (column.num_bytes) {
    case 1:
      number = column.is_unsigned ? Int128{value_at<uint8_t>(column.values, place)}
                                  : Int128{value_at<int8_t>(column.values, place)};
      break;
    case 2:
      number = column.is_unsigned ? Int128{value_at<uint16_t>(column.values, place)}
                                  : Int128{value_at<int16_t>(column.values, place)};
      break;
    case 4:
      number = column.is_unsigned ? Int128{value_at<uint32_t>(column.values, place)}
                                  : Int128{value_at<int32_t>(column.values, place)};
      break;
    case 8:
      number = column.is_unsigned ? Int128{value_at<uint64_t>(column.values, place)}
                                  : Int128{value_at<int64_t>(column.values, place)};
      break;
    case 16:
      number = value_at<Int128>(column.values, place);
      break;
    default: {
      // Two's complement: the upper half only repeats the sign of the lower one.
      number = value_at<Int128>(column.values, 2 * place);
      if (value_at<Int128>(column.values, 2 * place + 1) != (number < 0 ? -1 : 0))
        fail("it holds a number beyond 64 bits");
    }
  }
  if (number < kLeast || number > kMost) fail("it holds a number beyond 64 bits");
  return static_cast<int64_t>(number);
}

void AdbcRows::fail(std::string_view problem) const {
  throw Error(ErrorKind::kRuntime, "data.adbc",
              fmt::format("{}: the driver's result cannot be used: {}", name_, problem));
}

void AdbcRows::fail_to_read() {
  AdbcOutcome outcome{ADBC_STATUS_UNKNOWN, ""};
  AdbcStatusCode status = ADBC_STATUS_UNKNOWN;
  const AdbcError* error = driver_.ErrorFromArrayStream == nullptr
                               ? nullptr
                               : driver_.ErrorFromArrayStream(source_.get(), &status);
  if (error != nullptr && status != ADBC_STATUS_OK) outcome = adbc_outcome(status, *error);
  // A stream that failed is not asked again.
  source_.reset();
  fail_of_adbc(outcome, name_, "read the result to its end");
}

}  // namespace equinoise
