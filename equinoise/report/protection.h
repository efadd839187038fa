// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
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
};

/// What an attacker cannot tell apart; at most how well it can, if known; and what is treated as
/// public: a sentence each. The one place that words them.
std::vector<std::string> explain(const Protection& protection);

/// Nothing where nothing is protected.
std::vector<std::string> explain(const std::optional<Protection>& protection);

}  // namespace equinoise
