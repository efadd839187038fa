// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equinoise/base/error.h"

namespace equinoise {

std::string problem_of(const NoisyMarginal& measurement) {
  const double stddev = measurement.noise_stddev;
  if (!(stddev >= kMinMeasuredNoise && stddev <= kMaxMeasured)) {
    return fmt::format("its noise must be from {:g} to {:g}, got {:g}", kMinMeasuredNoise,
                       kMaxMeasured, stddev);
  }
  const double most = kMaxMeasured * std::min(1.0, stddev);
  const bool all_are_small = std::ranges::all_of(
      measurement.values, [&](double value) { return std::fabs(value) <= most; });
  return all_are_small
             ? ""
             : fmt::format("its values, and their ratios to its noise, must be at most {:g}",
                           kMaxMeasured);
}

void check_measurement(const Domain& domain, const NoisyMarginal& measurement,
                       const std::string& where) {
  domain.check(measurement.clique, where);
  const Refusal fail{ErrorKind::kUsage, where};
  const double cells = domain.num_cells(measurement.clique);
  if (static_cast<double>(measurement.values.size()) != cells) {
    fail("{} must have {:.0f} values, got {}", domain.describe(measurement.clique), cells,
         measurement.values.size());
  }
  if (!measurement.weights.empty() && measurement.weights.size() != measurement.values.size()) {
    fail("{} must have {:.0f} weights or none, got {}", domain.describe(measurement.clique), cells,
         measurement.weights.size());
  }
  if (const std::string problem = problem_of(measurement); !problem.empty()) fail(problem);
  for (double weight : measurement.weights) {
    if (!(weight >= 0) || !std::isfinite(weight)) {
      fail("weights must be finite and >= 0, got {}", weight);
    }
  }
}

double estimated_total(const std::vector<NoisyMarginal>& measurements) {
  double weighted = 0;
  double precision = 0;
  for (const NoisyMarginal& m : measurements) {
    // The sum of values / weights has the variance stddev^2 sum of weights^-2.
    double sum = 0;
    double variance = 0;
    for (size_t i = 0; i < m.values.size(); ++i) {
      const double weight = m.weights.empty() ? 1 : m.weights[i];
      sum += m.values[i] / weight;
      variance += m.noise_stddev * m.noise_stddev / (weight * weight);
    }
    if (!std::isfinite(variance) || !std::isfinite(sum)) continue;  // some cell was not measured
    weighted += sum / variance;
    precision += 1 / variance;
  }
  return precision > 0 ? std::max(1.0, weighted / precision) : 1.0;
}

}  // namespace equinoise
