// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/codes/column_coding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/data/values/blanks.h"
#include "equinoise/data/values/parse_number.h"
#include "equinoise/data/values/printed_number.h"

namespace equinoise {

ColumnCoding::ColumnCoding(const Schema& schema, const ColumnSchema& column, bool is_used)
    : column_(&column), is_used_(is_used), missing_marks_(schema.missing_marks(column)) {
  if (column.type == ColumnType::kNumeric)
    bins_.emplace(schema, column, num_public_bins(schema, column));
  add_cells();
  for (const std::string& mark : missing_marks_) {
    const std::optional<double> number = parse_number(without_blanks_around(mark));
    PrintedNumber printed;
    // Infinite numbers are printed in several ways.
    if (number && (std::isinf(*number) || is_mark(std::string(printed.print(*number)))))
      mark_numbers_.push_back(*number);
  }
}

std::string ColumnCoding::unlike_marks(std::string text) const {
  while (contains(missing_marks_, text) || contains(column_->values, text) ||
         contains(column_->cell_texts, text))
    text += '.';
  return text;
}

bool ColumnCoding::is_mark(const std::string& text) const {
  const std::optional<double> number = distinct_number(text);
  return std::ranges::any_of(missing_marks_, [&](const std::string& mark) {
    return mark == text || (number && !column_->time && distinct_number(mark) == number);
  });
}

std::string ColumnCoding::text_outside(double bound, double step) const {
  // A time is never infinite.
  std::string text = column_->time ? column_->text_of(bound + step) : step < 0 ? "-inf" : "inf";
  for (double away = step; is_mark(text); away *= 2) text = column_->text_of(bound + away);
  const bool has_text = !column_->time || parse_time(text, *column_->time).has_value();
  return has_text ? text : column_->text_of(bound);
}

void ColumnCoding::add_cells() {
  cells_.resize(kNumSpecial);
  const auto special = [&](int32_t code) -> std::optional<std::string>& {
    return cells_[static_cast<size_t>(-code)];
  };
  const bool is_missing_dropped =
      column_->missing == MissingPolicy::kDrop || column_->missing == MissingPolicy::kNone;
  if (!is_numeric()) {
    special(CellCode::kUnlisted) = special(CellCode::kImpossible) = unlike_marks("(not listed)");
    if (!is_missing_dropped) special(CellCode::kDropped) = special(CellCode::kUnlisted);
    append(cells_, column_->texts());
    // Settled codes of "other" and "missing" are those of categories().
    if (column_->unknown == UnknownPolicy::kOther) cells_.push_back(special(CellCode::kUnlisted));
    if (column_->missing == MissingPolicy::kCategory) cells_.emplace_back();
    return;
  }
  special(CellCode::kNoNumber) = special(CellCode::kImpossible) = unlike_marks("(no number)");
  if (!is_missing_dropped) special(CellCode::kDropped) = special(CellCode::kNoNumber);
  special(CellCode::kBelow) = text_outside(column_->lower, -1);
  special(CellCode::kAbove) = text_outside(column_->upper, 1);
  for (uint32_t bin = 0; bin < bins_->num_bins(); ++bin) {
    const double value = bins_->value_of(bin);
    cells_.emplace_back(column_->time ? column_->text_of(value) : fmt::format("{}", value));
  }
}

int32_t ColumnCoding::code_of(double number) const {
  int32_t code = CellCode::kMissing;
  if (std::isnan(number) || contains(mark_numbers_, number)) {
    return code;
  }
  if (number < column_->lower) {
    code = CellCode::kBelow;
  } else if (number > column_->upper) {
    code = CellCode::kAbove;
  } else if (column_->whole && number != std::floor(number)) {
    code = CellCode::kNoNumber;
  } else {
    code = static_cast<int32_t>(bins_->bin_of(number));
  }
  return is_used_ ? code : std::min(code, 0);
}

int32_t ColumnCoding::settled(int32_t code) const {
  if (code == CellCode::kUnlisted || code == CellCode::kImpossible) {
    return !is_numeric() && column_->unknown == UnknownPolicy::kOther
               ? static_cast<int32_t>(column_->values.size())
               : CellCode::kDropped;
  }
  if (code == CellCode::kBelow) return 0;
  if (code == CellCode::kAbove) return static_cast<int32_t>(bins_->num_bins()) - 1;
  if (code == CellCode::kNoNumber) {
    if (column_->malformed == MalformedPolicy::kStop) return code;
    if (column_->malformed == MalformedPolicy::kDrop) return CellCode::kDropped;
    code = CellCode::kMissing;
  }
  if (code != CellCode::kMissing) return code;
  switch (column_->missing) {
    case MissingPolicy::kFill:
      return static_cast<int32_t>(bins_->bin_of(column_->fill));
    case MissingPolicy::kCategory:
      return is_numeric() ? code : static_cast<int32_t>(column_->categories().size()) - 1;
    default:
      return CellCode::kDropped;
  }
}

const std::optional<std::string>& ColumnCoding::cell(int32_t code) const {
  return cells_[code < 0 ? static_cast<size_t>(-code) : kNumSpecial + static_cast<size_t>(code)];
}

std::vector<ColumnCoding> column_codings(const Schema& schema,
                                         const std::vector<std::string>& used) {
  if (schema.image) {
    throw Error(ErrorKind::kUsage, "data.engine",
                "tables of images cannot be counted: each row is different");
  }
  std::vector<ColumnCoding> codings;
  for (const ColumnSchema& column : schema.columns) {
    if (column.type == ColumnType::kIgnored) continue;
    codings.emplace_back(schema, column, used.empty() || contains(used, column.name));
  }
  return codings;
}

}  // namespace equinoise
