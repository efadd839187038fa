// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/worst_group/printed_noise.h"

#include <cmath>

#include "equinoise/base/check.h"

namespace equinoise {

PrintedNoise printed_noise(const PrintedTerms& terms) {
  constexpr const char* kWhere = "train.worst_group";
  check_positive(kWhere, "constant", terms.constant);
  check_positive(kWhere, "epsilon", terms.epsilon);
  check_open_interval(kWhere, "delta", terms.delta, 0, 1);
  check_positive(kWhere, "num_steps", static_cast<double>(terms.num_steps));
  check_positive(kWhere, "group_size", static_cast<double>(terms.group_size));
  check_interval(kWhere, "batch_size", terms.batch_size, 1e-9,
                 static_cast<double>(terms.group_size));
  const auto num_steps = static_cast<double>(terms.num_steps);
  const double log_delta = -std::log(terms.delta);
  const double root =
      std::sqrt(terms.constant * num_steps * (std::log(num_steps) + log_delta) * log_delta);
  return {terms.batch_size * root / (static_cast<double>(terms.group_size) * terms.epsilon),
          terms.constant * std::sqrt(num_steps * log_delta) / terms.epsilon};
}

std::vector<Event> printed_events(const PrintedTerms& terms) {
  const PrintedNoise noise = printed_noise(terms);
  const double rate = terms.batch_size / static_cast<double>(terms.group_size);
  return {Event::repeat(terms.num_steps,
                        Event::poisson_sampled(rate, {Event::gaussian(noise.gradient)})),
          Event::repeat(terms.num_steps, Event::laplace(noise.loss))};
}

}  // namespace equinoise
