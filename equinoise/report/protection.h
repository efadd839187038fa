// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/privacy/accountants/attack_bounds.h"
#include "equinoise/privacy/relation.h"

namespace equinoise {

/// Whom a guarantee protects, and against what.
struct Protection {
  Relation relation = Relation::kZeroOut;
  std::string unit;  ///< "row": what the guarantee protects one of
  std::vector<std::string>
      public_groups;  ///< columns; which of their groups anyone is in is public
  std::optional<AttackBounds> attack = {};  ///< by the events; empty: of an earlier version's file
  bool pays_for_sizes = false;              ///< of groups: no public ones are used
  int64_t max_records_per_unit = 1;         ///< of a unit that is not "row": so many rows count
};

/// What no guarantee covers, a sentence.
inline constexpr std::string_view kNotCovered =
    "The guarantee does not cover timing, memory or other users of the machine.";

/// What an attacker cannot tell apart, a sentence.
std::string what_is_protected(const Protection& protection);

/// What is treated as public, a sentence.
std::string what_is_public(const Protection& protection);

/// What an attacker cannot tell apart; at most how well it can, if known; and what is treated as
/// public: a sentence each. The one place that words them.
std::vector<std::string> explain(const Protection& protection);

/// Nothing where nothing is protected.
std::vector<std::string> explain(const std::optional<Protection>& protection);

}  // namespace equinoise
