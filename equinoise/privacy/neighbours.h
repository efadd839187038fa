// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "equinoise/privacy/relation.h"

namespace equinoise {

/// The name of the unit that is a single row.
inline constexpr const char* kRowUnit = "row";

/// The pairs of tables that a guarantee makes hard to distinguish: they differ in one unit, all of
/// whose rows change as `relation` defines.
struct Neighbours {
  /// Implicit: a relation alone means single rows.
  Neighbours(Relation of_rows_alone) : relation(of_rows_alone) {}
  Neighbours(Relation how, std::string whose) : relation(how), unit(std::move(whose)) {}

  Relation relation;
  std::string unit = kRowUnit;  ///< or the name of the column that identifies the owner of a row
};

}  // namespace equinoise
