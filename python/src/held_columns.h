// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "equinoise/data/formats/record_reader.h"

namespace equinoise::python {

/// Texts of which equal ones are one: most columns of text are categories.
class Texts {
 public:
  static constexpr int32_t kMissing = -1;

  void add(std::string_view text) { codes_.push_back(code_of(text)); }
  void add_code(int32_t code) { codes_.push_back(code); }

  int32_t code_of(std::string_view text);

  const std::vector<int32_t>& codes() const { return codes_; }  ///< of each row
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<int32_t> codes_;
  std::vector<std::string> texts_;
  std::unordered_map<std::string, int32_t> code_of_;
};

using NumpyColumn = nanobind::ndarray<nanobind::ro, nanobind::ndim<1>, nanobind::c_contig>;

/// Numbers, truths or times where NumPy has them.
struct HeldNumbers {
  enum class Kind { kBool, kInteger, kUnsigned, kFloat, kDouble, kDate, kTimestamp };

  NumpyColumn array;
  Kind kind = Kind::kDouble;
  int64_t units_per_second = 1;  ///< of a timestamp
};

/// Columns of NumPy that a command reads as a table. Made and destroyed with the GIL, read without.
struct HeldColumns {
  std::vector<std::string> names;
  std::vector<std::variant<HeldNumbers, Texts>> columns;
  int64_t num_rows = 0;
};

/// Columns of bools, integers, floating-point numbers, times, texts, or objects that are such, each
/// with the text of its own type; None, NaN, NaT and pandas.NA are nulls. Messages call the table
/// `name`. Needs the GIL. Errors: InputError of Python for other values, masked arrays, texts and
/// names that are not UTF-8, and columns of different lengths; it names no value.
std::shared_ptr<const HeldColumns> hold_columns(const std::string& name,
                                                const nanobind::dict& columns);

/// The rows of such columns; cells are those that ParquetReader gives for the same values.
std::unique_ptr<RecordReader> read_held_columns(const std::string& name,
                                                std::shared_ptr<const HeldColumns> columns);

}  // namespace equinoise::python
