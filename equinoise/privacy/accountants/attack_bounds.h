// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "equinoise/privacy/event.h"
#include "equinoise/privacy/relation.h"

namespace equinoise {

/// The false positive rate of the attacker in AttackBounds::true_positive_rate.
inline constexpr double kFalsePositiveRate = 0.01;

/// Upper bounds on any test that distinguishes two neighbouring tables. The attacker sees
/// everything that was released and knows both tables otherwise.
struct AttackBounds {
  /// The share of participants that it finds at a false positive rate of kFalsePositiveRate, at
  /// most 1.
  double true_positive_rate = 1;
  /// The largest difference of true and false positive rate, at any false positive rate. It is the
  /// total variation distance between the releases of the two tables.
  double advantage = 1;
};

/// Bounds from (epsilon, delta(epsilon)) at every epsilon >= 0, where delta is the smallest that an
/// accountant shows. A test with false positive rate f has a true positive rate of at most
/// e^epsilon f + delta(epsilon) [KairouzOhViswanath2015, Thm. 2.1], and the advantage is at most
/// delta(0). With privacy loss distributions the bounds are close to the best test, unless the
/// events protect hardly anything. They are looser for events that PLD cannot compose. Pre:
/// `events` were chosen before the first output. Errors: those of smallest_guarantee().
AttackBounds attack_bounds(Relation relation, const std::vector<Event>& events);

/// {"false_positive_rate", "true_positive_rate", "advantage"}; and back, empty for shares that are
/// none.
nlohmann::ordered_json to_json(const AttackBounds& attack);
std::optional<AttackBounds> attack_bounds_from_json(const nlohmann::json& json);

}  // namespace equinoise
