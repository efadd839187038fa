// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "equinoise/synth/graph/domain.h"

namespace equinoise {

/// Counts of a marginal that were released with noise. Publishable.
struct SynthMeasurement {
  AttributeSet attributes;     ///< empty: the number of records
  double noise_stddev = 0;     ///< of each count, in records
  std::vector<double> counts;  ///< row-major; of pooled values where a method pools rare ones
  bool is_cell = false;        ///< `counts` is one count of the marginal
  size_t parts = 0;            ///< above 0: of so many parts of bins (counts_of_codes)
};

/// Adds a measurement. One of the same counts as an earlier one makes that the mean of both, by
/// their precisions, which has less noise.
void keep_measurement(SynthMeasurement measurement, std::vector<SynthMeasurement>& kept);

}  // namespace equinoise
