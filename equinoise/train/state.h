// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace equinoise {

/// Where a run stands after some of its steps: all that the next step needs besides the plan, and
/// no state of a random source. A post-processing of noisy sums where the plan is private.
struct TrainingState {
  int64_t num_steps_done = 0;
  std::vector<double> parameters;  ///< (num_parameters) the last iterate
  std::vector<double> average;     ///< (num_parameters) of the iterates that are averaged, so far
  std::vector<double> clip = {};   ///< what the clip policy keeps; empty: nothing yet
  std::vector<double> optimizer = {};  ///< what the optimizer keeps; empty: nothing yet

  /// Before the first step.
  static TrainingState start(std::vector<double> parameters) {
    const size_t size = parameters.size();
    return {0, std::move(parameters), std::vector<double>(size, 0.0), {}, {}};
  }
};

}  // namespace equinoise
