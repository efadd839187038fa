// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/synth_measurement.h"

#include <algorithm>
#include <cmath>

namespace equinoise {

void keep_measurement(SynthMeasurement measurement, std::vector<SynthMeasurement>& kept) {
  const auto known = std::find_if(kept.begin(), kept.end(), [&](const SynthMeasurement& earlier) {
    return !measurement.is_cell && !earlier.is_cell &&
           earlier.attributes == measurement.attributes &&
           earlier.counts.size() == measurement.counts.size();
  });
  if (known == kept.end()) {
    kept.push_back(std::move(measurement));
    return;
  }
  const double variance = known->noise_stddev * known->noise_stddev;
  const double share = variance / (variance + measurement.noise_stddev * measurement.noise_stddev);
  for (size_t cell = 0; cell < known->counts.size(); ++cell)
    known->counts[cell] += share * (measurement.counts[cell] - known->counts[cell]);
  known->noise_stddev *= std::sqrt(1 - share);
}

}  // namespace equinoise
