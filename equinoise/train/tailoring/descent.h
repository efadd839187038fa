// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace equinoise {

/// The length of steps; t counts from 1.
struct StepSize {
  enum class Rule {
    kNoisy,        ///< scale * diameter / sqrt(t (L^2 + P stddev^2)) [BassilySmithThakurta2014]
    kInverseRoot,  ///< scale / sqrt(t)
    kConstant,     ///< scale
  };
  Rule rule = Rule::kNoisy;
  double scale = 1;
};

/// Projected gradient descent from 0, which returns the iterate after the last step.
///
/// Deviation: Algorithms 2 and 3 return the iterate before it.
struct DescentConfig {
  int64_t num_steps = 100;
  double box = 5;  ///< every parameter stays within [-box, box]
  StepSize step_size;
};

/// The public facts that the length of steps may depend on.
struct DirectionFacts {
  double lipschitz = 0;     ///< the largest norm of a direction without noise
  double noise_stddev = 0;  ///< on each entry
  size_t num_parameters = 1;
};

/// The length of step t = 1, 2, ... Errors: kUsage for a scale or box that is not finite and > 0.
double step_size_at(const DescentConfig& config, const DirectionFacts& facts, int64_t t);

/// parameters <- box(parameters - step_size * direction).
void take_step(double box, double step_size, std::span<const double> direction,
               std::span<double> parameters);

}  // namespace equinoise
