// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "equinoise/synth/graph/measurement.h"

namespace equinoise {

/// Counts of a marginal as they were released with noise, at one time. A marginal that is measured
/// again has a second measurement. Publishable.
struct SynthMeasurement {
  AttributeSet attributes;     ///< empty: the number of records
  double noise_stddev = 0;     ///< of each count, in records
  std::vector<double> counts;  ///< row-major; pooled codes of a column share its last count
  /// (attributes) The codes that share one count; empty: no column has such codes.
  std::vector<std::vector<uint16_t>> pooled = {};
  /// (attributes) the cell that `counts` holds alone; empty: it holds the whole marginal.
  std::vector<uint32_t> cell = {};
  size_t parts = 0;  ///< if above 0: the number of parts of bins (counts_of_codes)
};

/// A whole marginal without pooled codes.
inline SynthMeasurement released(NoisyMarginal marginal) {
  return {std::move(marginal.clique), marginal.noise_stddev, std::move(marginal.values)};
}

}  // namespace equinoise
