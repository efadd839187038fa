// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "equinoise/privacy/event.h"
#include "equinoise/privacy/relation.h"

namespace equinoise {

/// How many of those who are not there an attacker may take for there, in AttackBounds.
inline constexpr double kFalsePositiveRate = 0.01;

/// What any test between two neighbouring tables can reach that sees everything that was released
/// and knows all else about both: upper bounds.
struct AttackBounds {
  /// The share of positives that it finds with kFalsePositiveRate of false ones, at most 1.
  double true_positive_rate = 1;
  /// The largest true positive rate less false positive rate, at any false positive rate: the total
  /// variation distance of what is released.
  double advantage = 1;
};

/// From (epsilon, delta(epsilon)) at every epsilon >= 0, where delta is the least that an
/// accountant shows: a test with false positive rate f has at most e^epsilon f + delta(epsilon)
/// true ones [KairouzOhViswanath2015, Thm. 2.1], and the advantage is at most delta(0). By privacy
/// loss distributions these are close to what the best test reaches, unless they protect hardly
/// anything; where no accountant composes these, they are larger. `events`: chosen before the first
/// output. Errors: those of smallest_guarantee().
AttackBounds attack_bounds(Relation relation, const std::vector<Event>& events);

/// {"false_positive_rate", "true_positive_rate", "advantage"}; and back, empty for shares that are
/// none.
nlohmann::ordered_json to_json(const AttackBounds& attack);
std::optional<AttackBounds> attack_bounds_from_json(const nlohmann::json& json);

}  // namespace equinoise
