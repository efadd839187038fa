// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/data/schema/schema.h"
#include "equinoise/privacy/accountants/attack_bounds.h"
#include "equinoise/privacy/guarantee.h"
#include "equinoise/privacy/relation.h"
#include "equinoise/report/fields.h"

namespace equinoise {

/// The unit that a guarantee protects: a row, or a unit of the schema with a limited number of
/// rows.
struct ProtectedUnit {
  std::string name = "row";  ///< or the column that identifies the owner of a row
  int64_t max_records = 1;   ///< the most rows of a unit that are used
  bool is_stated = false;    ///< by the schema, that no person has two rows

  static ProtectedUnit of(const Schema& schema) {
    return {schema.unit, schema.max_records_per_unit, schema.unit_answer == UnitAnswer::kStated};
  }
  bool is_row() const { return name == "row"; }

  /// The name of what is counted: "records", or "units (person_id)".
  std::string plural() const;

  /// The owner's statement on whose rows these are, or that there is none. Pre: is_row().
  std::string_view whose_row() const;
};

template <>
inline constexpr auto fields_of<ProtectedUnit> = std::tuple(
    field("unit", &ProtectedUnit::name, "What counts once: row, or a column that says whose"),
    field("max_records_per_unit", &ProtectedUnit::max_records, "So many of its rows count")
        .or_null());

/// The unit that a guarantee protects, and its limits.
struct Protection {
  Relation relation = Relation::kZeroOut;
  ProtectedUnit unit;
  std::vector<std::string> public_groups;  ///< columns; membership in their groups is public
  /// Bounds from the events; empty in a file of an earlier version.
  std::optional<AttackBounds> attack = {};
  bool pays_for_sizes = false;  ///< sizes of groups are paid for: no public ones are used
};

/// The bounds on an attacker by the guarantee of a report; empty: unknown.
template <typename Report>
std::optional<AttackBounds> attack_of(const Report& report) {
  return report.protection ? report.protection->attack : std::nullopt;
}

/// A sentence on what no guarantee covers.
inline constexpr std::string_view kNotCovered =
    "The guarantee does not cover timing, memory or other users of the machine.";

/// A sentence on the tables that an attacker cannot tell apart.
std::string what_is_protected(const Protection& protection);

/// A sentence on what is treated as public.
std::string what_is_public(const Protection& protection);

/// A sentence on the strength of a guarantee, without symbols except epsilon: the likelihood of any
/// result with one record, or one unit, relative to that without it.
std::string strength_in_words(const Guarantee& guarantee, const ProtectedUnit& unit,
                              std::string_view subject = "Privacy");

/// exp(epsilon), rounded up.
std::string likelihood_factor(const Epsilon& epsilon);

/// A sentence each: the tables that an attacker cannot tell apart; a bound on the attacker's
/// success, if known; and what is treated as public. The only place that words them. Empty if
/// nothing is protected.
std::vector<std::string> explain(const std::optional<Protection>& protection);

}  // namespace equinoise
