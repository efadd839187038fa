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

/// What a guarantee protects one of: a row, or a unit of the schema with so many rows that count.
struct ProtectedUnit {
  std::string name = "row";  ///< or the column that says whose a row is
  int64_t max_records = 1;   ///< of one unit that count
  bool is_stated = false;    ///< by the schema; else a row is taken for one person

  static ProtectedUnit of(const Schema& schema) {
    return {schema.unit, schema.max_records_per_unit, schema.unit_answer == UnitAnswer::kStated};
  }
  bool is_row() const { return name == "row"; }

  /// What is counted: "records", or "units (person_id)".
  std::string plural() const;
};

template <>
inline constexpr auto fields_of<ProtectedUnit> = std::tuple(
    field("unit", &ProtectedUnit::name, "What counts once: row, or a column that says whose"),
    field("max_records_per_unit", &ProtectedUnit::max_records, "So many of its rows count")
        .or_null());

/// Whom a guarantee protects, and against what.
struct Protection {
  Relation relation = Relation::kZeroOut;
  ProtectedUnit unit;
  std::vector<std::string>
      public_groups;  ///< columns; which of their groups anyone is in is public
  std::optional<AttackBounds> attack = {};  ///< by the events; empty: of an earlier version's file
  bool pays_for_sizes = false;              ///< of groups: no public ones are used
};

/// What no guarantee covers, a sentence.
inline constexpr std::string_view kNotCovered =
    "The guarantee does not cover timing, memory or other users of the machine.";

/// What an attacker cannot tell apart, a sentence.
std::string what_is_protected(const Protection& protection);

/// What is treated as public, a sentence.
std::string what_is_public(const Protection& protection);

/// The strength of a guarantee in a sentence without symbols but epsilon: the likelihood of any
/// result with one record, or one unit, against the same without it.
std::string strength_in_words(const Guarantee& guarantee, const ProtectedUnit& unit);

/// exp(epsilon), rounded up.
std::string likelihood_factor(const Epsilon& epsilon);

/// What an attacker cannot tell apart; at most how well it can, if known; and what is treated as
/// public: a sentence each. The one place that words them.
std::vector<std::string> explain(const Protection& protection);

/// Nothing where nothing is protected.
std::vector<std::string> explain(const std::optional<Protection>& protection);

}  // namespace equinoise
