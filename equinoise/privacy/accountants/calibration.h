// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "equinoise/privacy/event.h"
#include "equinoise/privacy/units.h"

namespace equinoise {

/// The largest cost of a plan, and the accountant that computes it.
struct PrivacyTarget {
  Relation relation;
  Epsilon epsilon;  ///< > 0
  Delta delta;
  std::string_view accountant = "rdp";
};

/// The smallest noise multiplier (to a relative 1e-5) for which `events(noise_multiplier)` costs at
/// most the target. The returned value itself has been accounted and meets it.
/// At least 2^-10. Errors: kUsage if no noise multiplier up to 1e6 does, or the accountant refuses
/// the events.
double smallest_noise_multiplier(const PrivacyTarget& target,
                                 const std::function<std::vector<Event>(double)>& events);

/// The largest number of steps up to 2^40 for which `events(steps)` costs at most the target; 0 if
/// one is too many. The returned value itself has been accounted and meets it.
/// Errors: kUsage if the accountant refuses the events.
int64_t largest_num_steps(const PrivacyTarget& target,
                          const std::function<std::vector<Event>(int64_t)>& events);

}  // namespace equinoise
