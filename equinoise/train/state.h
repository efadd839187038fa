// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace equinoise {

/// The state of a run after some of its steps: all inputs of the next step apart from the plan and
/// the random source. A post-processing of noisy sums if the plan is private.
struct TrainingState {
  int64_t num_steps_done = 0;
  std::vector<double> parameters;      ///< (num_parameters) the last iterate
  std::vector<double> average;         ///< (num_parameters) mean of the averaged iterates so far
  std::vector<double> clip = {};       ///< kept by the clip policy; empty: nothing yet
  std::vector<double> optimizer = {};  ///< kept by the optimizer; empty: nothing yet

  /// The state before the first step.
  static TrainingState start(std::vector<double> parameters) {
    const size_t size = parameters.size();
    return {0, std::move(parameters), std::vector<double>(size, 0.0), {}, {}};
  }
};

}  // namespace equinoise
