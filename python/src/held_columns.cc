// SPDX-License-Identifier: Apache-2.0
#include "python/src/held_columns.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/data/printed_number.h"
#include "equinoise/data/printed_time.h"
#include "python/src/python_errors.h"

namespace equinoise::python {

namespace nb = nanobind;

namespace {

constexpr int64_t kNotATime = std::numeric_limits<int64_t>::min();  // numpy.datetime64("NaT")

/// The table and the column that a message is about.
struct ColumnName {
  std::string table;
  std::string column;

  [[noreturn]] void refuse(const std::string& problem) const {
    raise_error(static_cast<int>(ErrorKind::kInput),
                fmt::format("[data.table] {}: column '{}' {}", table, column, problem));
  }
};

/// str(value)
std::string str_of(nb::handle value) { return nb::cast<std::string>(nb::str(value)); }

/// The text of a Python object, which may be a null.
int32_t code_of_object(nb::handle value, Texts& texts, const ColumnName& name) {
  PrintedNumber number;
  if (value.is_none()) return Texts::kMissing;
  if (PyUnicode_Check(value.ptr())) return texts.code_of(nb::cast<std::string>(value));
  if (PyBool_Check(value.ptr())) return texts.code_of(value.ptr() == Py_True ? "true" : "false");
  if (PyLong_Check(value.ptr())) return texts.code_of(str_of(value));
  if (PyFloat_Check(value.ptr())) {
    const double held = nb::cast<double>(value);
    return std::isnan(held) ? Texts::kMissing : texts.code_of(number.print(held));
  }
  const std::string type = nb::cast<std::string>(value.type().attr("__name__"));
  if (type == "NAType" || type == "NaTType") return Texts::kMissing;
  if (nb::hasattr(value, "isoformat") || type == "Decimal") return texts.code_of(str_of(value));
  // A scalar of NumPy.
  if (nb::hasattr(value, "dtype") && nb::hasattr(value, "item"))
    return code_of_object(value.attr("item")(), texts, name);
  name.refuse(
      fmt::format("holds a value of type {}; values must be numbers, texts, truths or None", type));
}

Texts texts_of(const nb::object& array, const ColumnName& name) {
  Texts texts;
  // Equal texts of a column are often one object.
  std::unordered_map<PyObject*, int32_t> code_of_seen;
  const nb::object objects = array.attr("astype")("object");
  const nb::object list = objects.attr("tolist")();
  for (nb::handle value : list) {
    const auto [found, is_new] = code_of_seen.try_emplace(value.ptr(), 0);
    if (is_new) found->second = code_of_object(value, texts, name);
    texts.add_code(found->second);
  }
  return texts;
}

using Kind = HeldNumbers::Kind;

/// Numbers whose type has no other name here are made doubles of.
HeldNumbers numbers_of(const nb::object& array, const std::string& kind, int64_t size) {
  nb::object held = array;
  const bool is_native = nb::cast<bool>(array.attr("dtype").attr("isnative"));
  if (!is_native || (kind == "f" && size != 4 && size != 8)) held = array.attr("astype")("float64");
  const bool is_float = kind == "f" && size == 4;
  return {nb::cast<NumpyColumn>(held), kind == "b"   ? Kind::kBool
                                       : kind == "i" ? Kind::kInteger
                                       : kind == "u" ? Kind::kUnsigned
                                       : is_float    ? Kind::kFloat
                                                     : Kind::kDouble};
}

HeldNumbers times_of(const nb::object& array) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  auto [unit, count] =
      nb::cast<std::tuple<std::string, int64_t>>(numpy.attr("datetime_data")(array.attr("dtype")));
  const bool is_date = unit == "D" && count == 1;
  const std::map<std::string, int64_t> units_per_second = {
      {"s", 1}, {"ms", 1'000}, {"us", 1'000'000}, {"ns", 1'000'000'000}};
  if (!is_date && units_per_second.count(unit) == 0) unit = "s";
  const nb::object times = array.attr("astype")(fmt::format("datetime64[{}]", unit));
  return {nb::cast<NumpyColumn>(times.attr("view")("int64")),
          is_date ? Kind::kDate : Kind::kTimestamp, is_date ? 1 : units_per_second.at(unit)};
}

template <typename Value>
Value value_at(const HeldNumbers& numbers, int64_t row) {
  return static_cast<const Value*>(numbers.array.data())[row];
}

class HeldColumnsReader final : public RecordReader {
 public:
  HeldColumnsReader(const std::string& name, std::shared_ptr<const HeldColumns> columns)
      : RecordReader(name), held_(std::move(columns)), printed_(held_->columns.size()) {
    header_ = held_->names;
    settle_names();
    cells_.resize(header_.size());
  }

  bool next() override {
    if (row_ == held_->num_rows) return false;
    for (size_t i = 0; i < cells_.size(); ++i)
      cells_[i] = std::visit([&](const auto& column) { return cell(column, printed_[i]); },
                             held_->columns[i]);
    ++row_;
    return true;
  }

 private:
  struct Printed {
    PrintedNumber number;
    PrintedTime time;
  };

  std::string_view cell(const Texts& texts, Printed&) const {
    const int32_t code = texts.codes()[static_cast<size_t>(row_)];
    if (code == Texts::kMissing) return {};
    return texts.texts()[static_cast<size_t>(code)];
  }

  std::string_view cell(const HeldNumbers& numbers, Printed& printed) const {
    switch (numbers.kind) {
      case Kind::kBool:
        return value_at<uint8_t>(numbers, row_) != 0 ? "true" : "false";
      case Kind::kInteger:
        return printed.number.print(integer_at(numbers));
      case Kind::kUnsigned:
        return printed.number.print(unsigned_at(numbers));
      case Kind::kFloat: {
        const auto value = value_at<float>(numbers, row_);
        return std::isnan(value) ? std::string_view() : printed.number.print(value);
      }
      case Kind::kDouble: {
        const auto value = value_at<double>(numbers, row_);
        return std::isnan(value) ? std::string_view() : printed.number.print(value);
      }
      case Kind::kDate: {
        const auto day = value_at<int64_t>(numbers, row_);
        return day == kNotATime ? std::string_view() : printed.time.print_date(day);
      }
      case Kind::kTimestamp: {
        const auto time = value_at<int64_t>(numbers, row_);
        return time == kNotATime
                   ? std::string_view()
                   : printed.time.print_timestamp(time, numbers.units_per_second, false);
      }
    }
    return {};
  }

  int64_t integer_at(const HeldNumbers& numbers) const {
    switch (numbers.array.itemsize()) {
      case 1:
        return value_at<int8_t>(numbers, row_);
      case 2:
        return value_at<int16_t>(numbers, row_);
      case 4:
        return value_at<int32_t>(numbers, row_);
      default:
        return value_at<int64_t>(numbers, row_);
    }
  }

  uint64_t unsigned_at(const HeldNumbers& numbers) const {
    switch (numbers.array.itemsize()) {
      case 1:
        return value_at<uint8_t>(numbers, row_);
      case 2:
        return value_at<uint16_t>(numbers, row_);
      case 4:
        return value_at<uint32_t>(numbers, row_);
      default:
        return value_at<uint64_t>(numbers, row_);
    }
  }

  std::shared_ptr<const HeldColumns> held_;
  std::vector<Printed> printed_;
};

}  // namespace

int32_t Texts::code_of(std::string_view text) {
  const auto [found, is_new] =
      code_of_.try_emplace(std::string(text), static_cast<int32_t>(texts_.size()));
  if (is_new) texts_.emplace_back(text);
  return found->second;
}

std::shared_ptr<const HeldColumns> hold_columns(const std::string& name, const nb::dict& columns) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  auto held = std::make_shared<HeldColumns>();
  for (const auto& [key, value] : columns) {
    const ColumnName column{name, nb::cast<std::string>(key)};
    const nb::object array = numpy.attr("ascontiguousarray")(value);
    if (nb::cast<int>(array.attr("ndim")) != 1) column.refuse("is not a one-dimensional array");
    const auto num_rows = nb::cast<int64_t>(array.attr("shape")[0]);
    if (!held->columns.empty() && num_rows != held->num_rows)
      column.refuse(
          fmt::format("has {} values, and the one before it {}", num_rows, held->num_rows));
    held->num_rows = num_rows;
    held->names.push_back(column.column);
    const auto kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
    if (kind == "M") {
      held->columns.emplace_back(times_of(array));
    } else if (kind == "b" || kind == "i" || kind == "u" || kind == "f") {
      held->columns.emplace_back(
          numbers_of(array, kind, nb::cast<int64_t>(array.attr("dtype").attr("itemsize"))));
    } else if (kind == "O" || kind == "U" || kind == "T") {
      held->columns.emplace_back(texts_of(array, column));
    } else {
      column.refuse(fmt::format("has the type {}, which no schema knows",
                                str_of(nb::object(array.attr("dtype")))));
    }
  }
  return held;
}

std::unique_ptr<RecordReader> read_held_columns(const std::string& name,
                                                std::shared_ptr<const HeldColumns> columns) {
  return std::make_unique<HeldColumnsReader>(name, std::move(columns));
}

}  // namespace equinoise::python
