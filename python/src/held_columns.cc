// SPDX-License-Identifier: Apache-2.0
#include "python/src/held_columns.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/data/values/printed_number.h"
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
    throw Error(ErrorKind::kInput, "data.table",
                fmt::format("{}: column '{}' {}", table, column, problem));
  }
};

/// A str of Python, or nothing where it is not UTF-8, which it may be for a lone surrogate.
std::optional<std::string> utf8_of(nb::handle text) {
  std::string utf8;
  return nb::try_cast(text, utf8) ? std::optional(std::move(utf8)) : std::nullopt;
}

std::string type_of(nb::handle value) {
  return nb::cast<std::string>(value.type().attr("__name__"));
}

/// The texts of the objects of a column.
class ObjectTexts {
 public:
  explicit ObjectTexts(const ColumnName& name) : name_(name) {}

  void add_code(int32_t code) { texts_.add_code(code); }

  /// Of the text of an object, which may be a null.
  int32_t code_of(nb::handle value) {
    if (value.is_none()) return Texts::kMissing;
    if (PyUnicode_Check(value.ptr())) return code_of_text(value);
    if (PyBool_Check(value.ptr())) return texts_.code_of(value.ptr() == Py_True ? "true" : "false");
    if (PyLong_Check(value.ptr())) return code_of_text(nb::str(value));
    if (PyFloat_Check(value.ptr())) {
      const double held = nb::cast<double>(value);
      return std::isnan(held) ? Texts::kMissing : texts_.code_of(number_.print(held));
    }
    const std::string type = type_of(value);
    if (type == "NAType" || type == "NaTType") return Texts::kMissing;
    if (type == "Decimal" || nb::hasattr(value, "isoformat")) return code_of_text(nb::str(value));
    // A scalar of NumPy.
    if (nb::hasattr(value, "dtype") && nb::hasattr(value, "item"))
      return code_of(value.attr("item")());
    name_.refuse(fmt::format(
        "holds a value of type {}; values must be numbers, texts, truths or None", type));
  }

  Texts take() { return std::move(texts_); }

 private:
  int32_t code_of_text(nb::handle text) {
    const std::optional<std::string> utf8 = utf8_of(text);
    if (!utf8) name_.refuse("holds text that is not UTF-8");
    return texts_.code_of(*utf8);
  }

  const ColumnName& name_;
  Texts texts_;
  PrintedNumber number_;
};

Texts texts_of(const nb::object& array, const ColumnName& name) {
  ObjectTexts texts(name);
  // Equal texts of a column are often one object.
  std::unordered_map<PyObject*, int32_t> code_of_seen;
  const nb::object objects = array.attr("astype")("object");
  const nb::object list = objects.attr("tolist")();
  for (nb::handle value : list) {
    const auto [found, is_new] = code_of_seen.try_emplace(value.ptr(), 0);
    if (is_new) found->second = texts.code_of(value);
    texts.add_code(found->second);
  }
  return texts.take();
}

using Kind = HeldNumbers::Kind;

/// Halves become floats, as of Arrow, and longer floats than double doubles.
HeldNumbers numbers_of(const nb::object& array, const std::string& kind, int64_t size) {
  const bool is_float = kind == "f" && size <= 4;
  nb::object type = array.attr("dtype").attr("newbyteorder")("=");
  if (is_float) type = nb::str("float32");
  if (kind == "f" && !is_float) type = nb::str("float64");
  const nb::object held = array.attr("astype")(type, nb::arg("copy") = false);
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
      : RecordReader(name), held_(std::move(columns)) {
    header_ = held_->names;
    settle_names();
    cells_.resize(header_.size());
  }

  bool next() override {
    if (row_ == held_->num_rows) return false;
    for (size_t i = 0; i < cells_.size(); ++i)
      cells_[i] = std::visit([&](const auto& column) { return cell(column); }, held_->columns[i]);
    ++row_;
    return true;
  }

 private:
  Cell cell(const Texts& texts) const {
    const int32_t code = texts.codes()[static_cast<size_t>(row_)];
    if (code == Texts::kMissing) return {};
    const auto entry = static_cast<size_t>(code);
    return Cell(texts.texts()[entry]).as_entry(entry);
  }

  Cell cell(const HeldNumbers& numbers) const {
    switch (numbers.kind) {
      case Kind::kBool:
        return std::string_view(value_at<uint8_t>(numbers, row_) != 0 ? "true" : "false");
      case Kind::kInteger:
        return Cell::of(whole_at<int8_t, int16_t, int32_t, int64_t>(numbers));
      case Kind::kUnsigned:
        return Cell::of(whole_at<uint8_t, uint16_t, uint32_t, uint64_t>(numbers));
      case Kind::kFloat:
        return Cell::of(value_at<float>(numbers, row_));
      case Kind::kDouble:
        return Cell::of(value_at<double>(numbers, row_));
      case Kind::kDate: {
        const auto day = value_at<int64_t>(numbers, row_);
        return day == kNotATime ? Cell() : Cell::of_date(day);
      }
      case Kind::kTimestamp: {
        const auto time = value_at<int64_t>(numbers, row_);
        return time == kNotATime ? Cell()
                                 : Cell::of_timestamp(time, numbers.units_per_second, false);
      }
    }
    return {};
  }

  /// A whole number of the width that the array has.
  template <typename One, typename Two, typename Four, typename Eight>
  Eight whole_at(const HeldNumbers& numbers) const {
    switch (numbers.array.itemsize()) {
      case 1:
        return value_at<One>(numbers, row_);
      case 2:
        return value_at<Two>(numbers, row_);
      case 4:
        return value_at<Four>(numbers, row_);
      default:
        return value_at<Eight>(numbers, row_);
    }
  }

  std::shared_ptr<const HeldColumns> held_;
};

ColumnName name_of(const std::string& table, nb::handle key, size_t column) {
  const std::optional<std::string> name = PyUnicode_Check(key.ptr()) ? utf8_of(key) : std::nullopt;
  if (!name) {
    throw Error(ErrorKind::kInput, "data.table",
                fmt::format("{}: the name of column {} is no text in UTF-8 but of type {}", table,
                            column + 1, type_of(key)));
  }
  return {table, *name};
}

std::variant<HeldNumbers, Texts> held_column(const nb::object& array, const ColumnName& name) {
  const nb::object type = array.attr("dtype");
  const auto kind = nb::cast<std::string>(type.attr("kind"));
  if (kind == "M") return times_of(array);
  if (kind == "b" || kind == "i" || kind == "u" || kind == "f")
    return numbers_of(array, kind, nb::cast<int64_t>(type.attr("itemsize")));
  if (kind == "O" || kind == "U" || kind == "T") return texts_of(array, name);
  name.refuse(
      fmt::format("has the type {}, which no schema knows", nb::cast<std::string>(nb::str(type))));
}

/// What Python says of an error may hold a value.
void hold_column(const ColumnName& name, nb::handle value, HeldColumns& held) {
  try {
    const nb::module_ numpy = nb::module_::import_("numpy");
    if (nb::isinstance(value, numpy.attr("ma").attr("MaskedArray")))
      name.refuse("is a masked array; make it one of objects with None for what is missing");
    const nb::object array = numpy.attr("ascontiguousarray")(value);
    if (nb::cast<int>(array.attr("ndim")) != 1) name.refuse("is not a one-dimensional array");
    const auto num_rows = nb::cast<int64_t>(array.attr("shape")[0]);
    if (!held.columns.empty() && num_rows != held.num_rows)
      name.refuse(fmt::format("has {} values, and the one before it {}", num_rows, held.num_rows));
    held.num_rows = num_rows;
    held.names.push_back(name.column);
    held.columns.push_back(held_column(array, name));
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_Exception) || error.matches(PyExc_MemoryError)) throw;
    name.refuse(fmt::format("holds a value that cannot be read ({})",
                            nb::cast<std::string>(error.type().attr("__name__"))));
  }
}

}  // namespace

int32_t Texts::code_of(std::string_view text) {
  const auto [found, is_new] =
      code_of_.try_emplace(std::string(text), static_cast<int32_t>(texts_.size()));
  if (is_new) texts_.emplace_back(text);
  return found->second;
}

std::shared_ptr<const HeldColumns> hold_columns(const std::string& name, const nb::dict& columns) {
  try {
    auto held = std::make_shared<HeldColumns>();
    // A copy, since what makes an array of a column may change the dictionary.
    const auto copy = nb::steal<nb::dict>(PyDict_Copy(columns.ptr()));
    for (const auto& [key, value] : copy)
      hold_column(name_of(name, key, held->names.size()), value, *held);
    return held;
  } catch (const Error& error) {
    raise_error(static_cast<int>(error.kind()), error.what());
  }
}

std::unique_ptr<RecordReader> read_held_columns(const std::string& name,
                                                std::shared_ptr<const HeldColumns> columns) {
  return std::make_unique<HeldColumnsReader>(name, std::move(columns));
}

}  // namespace equinoise::python
