// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/data/public_bins.h"
#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// The codes of cells that are no value of their column. A number within its bounds has its public
/// bin as code, a listed category its place in `values`.
struct CellCode {
  static constexpr int32_t kMissing = -1;
  static constexpr int32_t kNoNumber = -2;
  static constexpr int32_t kBelow = -3;  ///< the lower bound
  static constexpr int32_t kAbove = -4;  ///< the upper bound
  static constexpr int32_t kUnlisted = -5;
  static constexpr int32_t kDropped = -6;     ///< by a rule of the schema; settled codes only
  static constexpr int32_t kImpossible = -9;  ///< a value that no branch of a statement expects
  static constexpr int32_t kAside = -10;      ///< a column without a value in this row
};

/// The meaning of one column's codes, and cells that represent them. Public: it follows from the
/// schema.
class ColumnCoding {
 public:
  /// Pre: `column` is one of `schema`'s, which outlives this, and not ignored. Errors: those of
  /// num_public_bins and PublicBins.
  ColumnCoding(const Schema& schema, const ColumnSchema& column, bool is_used = true);

  const ColumnSchema& column() const { return *column_; }

  /// Whether its values are used; otherwise all of them have the code 0.
  bool is_used() const { return is_used_; }

  bool is_numeric() const { return bins_.has_value(); }
  const PublicBins& bins() const { return *bins_; }  ///< Pre: is_numeric()

  /// Marks of missing cells: those of the table, then the column's own.
  const std::vector<std::string>& missing_marks() const { return missing_marks_; }

  /// The number of codes, from kAside on.
  size_t num_codes() const { return is_used_ ? cells_.size() : kNumSpecial + 1; }

  /// The code of a number in DuckDB, where NaN is a missing cell. Pre: is_numeric(), and no times.
  int32_t code_of(double number) const;

  /// The code after the rules of the schema: that of the value that replaces the cell, or kDropped.
  /// A missing number that is a value of its own stays kMissing. A number that ends the run stays
  /// kNoNumber.
  int32_t settled(int32_t code) const;

  /// A cell that is read as having this code, with '.' before decimals; nothing: a null.
  const std::optional<std::string>& cell(int32_t code) const;

 private:
  static constexpr size_t kNumSpecial = -CellCode::kAside;

  void add_cells();
  std::string unlike_marks(std::string text) const;
  /// Whether a cell of numbers or times is read as missing.
  bool is_mark(const std::string& text) const;
  /// A text that is read as outside the bounds, on the side of `bound` that `step` points to.
  /// Nothing is outside the first and the last time that exist: then the text of the bound.
  std::string text_outside(double bound, double step) const;

  const ColumnSchema* column_;
  bool is_used_;
  std::optional<PublicBins> bins_;
  std::vector<std::string> missing_marks_;
  std::vector<double> mark_numbers_;               ///< read as missing
  std::vector<std::optional<std::string>> cells_;  ///< for special codes, then for others
};

/// The codings of all columns that are read, in the schema's order. `used`: the names of the
/// columns whose values are used; empty: all. Errors: kUsage for a schema of images; those of
/// ColumnCoding.
std::vector<ColumnCoding> column_codings(const Schema& schema,
                                         const std::vector<std::string>& used = {});

}  // namespace equinoise
