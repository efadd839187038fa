// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/attack_bounds.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "equinoise/base/rounding.h"
#include "equinoise/privacy/accountants/accountant.h"

namespace equinoise {

AttackBounds attack_bounds(Relation relation, const std::vector<Event>& events) {
  const std::unique_ptr<Accountant> accountant = find_accountant(kSmallest).make(relation, events);
  AttackBounds bounds;
  bounds.advantage = std::min(1.0, accountant->delta(Epsilon(0)));
  bounds.true_positive_rate = std::min(1.0, next_up(kFalsePositiveRate + bounds.advantage));
  const auto rate = [&](double epsilon) {
    const double found = next_up(next_up(std::exp(epsilon)) * kFalsePositiveRate) +
                         accountant->rough_delta(Epsilon(epsilon), kFalsePositiveRate / 1000);
    bounds.true_positive_rate = std::min(bounds.true_positive_rate, next_up(found));
    return found;
  };
  // Every epsilon gives a bound, so the search need not be exact. The sum of two convex functions
  // is convex, and above this epsilon it is larger than 1.
  constexpr double kGolden = 0.6180339887498949;
  constexpr int kSteps = 14;
  double low = 0;
  double high = -std::log(kFalsePositiveRate);
  double left = high - kGolden * (high - low);
  double right = low + kGolden * (high - low);
  double at_left = rate(left);
  double at_right = rate(right);
  for (int step = 0; step < kSteps; ++step) {
    if (at_left <= at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - kGolden * (high - low);
      at_left = rate(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + kGolden * (high - low);
      at_right = rate(right);
    }
  }
  return bounds;
}

nlohmann::ordered_json to_json(const AttackBounds& attack) {
  return {{"false_positive_rate", kFalsePositiveRate},
          {"true_positive_rate", attack.true_positive_rate},
          {"advantage", attack.advantage}};
}

std::optional<AttackBounds> attack_bounds_from_json(const nlohmann::json& json) {
  const auto share = [&](const char* name) {
    const auto found = json.is_object() ? json.find(name) : json.end();
    const bool is_share =
        json.is_object() && found != json.end() && found->is_number() && *found >= 0 && *found <= 1;
    return is_share ? std::optional(found->get<double>()) : std::nullopt;
  };
  const std::optional<double> rate = share("true_positive_rate");
  const std::optional<double> advantage = share("advantage");
  if (!rate || !advantage) return std::nullopt;
  return AttackBounds{*rate, *advantage};
}

}  // namespace equinoise
