#pragma once

#include <functional>
#include <vector>

#include "equinoise/privacy/event.h"
#include "equinoise/privacy/units.h"

namespace equinoise {

/// The smallest noise multiplier (to a relative 1e-5) for which `events(noise_multiplier)` costs at
/// most `epsilon` at `delta`, by RDP. The returned value itself has been accounted and meets the
/// target. Errors: kUsage if no noise multiplier up to 1e6 does.
double smallest_noise_multiplier(Relation relation,
                                 const std::function<std::vector<Event>(double)>& events,
                                 Epsilon epsilon, Delta delta);

/// The largest number of steps for which `events(steps)` costs at most `epsilon` at `delta`, by
/// RDP; 0 if one is too many.
int64_t largest_num_steps(Relation relation,
                          const std::function<std::vector<Event>(int64_t)>& events, Epsilon epsilon,
                          Delta delta);

}  // namespace equinoise
