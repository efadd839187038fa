// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "equinoise/synth/rare_values.h"
#include "equinoise/synth/record_interval.h"
#include "equinoise/synth/synth_measurement.h"

namespace equinoise {

/// The weights of one column in a question: a factor for each code, of the weight that a record has
/// in V and in W (record_interval.h). At most one column of a question has a factor below 0; the
/// others then are 0 or 1.
struct ColumnFactor {
  std::vector<double> low, middle, high;  ///< (codes) in V: least, the model's, largest
  std::vector<double> base;               ///< (codes) in W
};

/// Noisy counts of some columns.
struct CountTable {
  std::vector<RareValues> values;  ///< (columns) the pooled codes
  std::vector<double> counts;      ///< row-major
  double noise_stddev = 0;         ///< for each count
};

/// The sums of a measurement over the attributes that are not in `set`. Each sums the same number
/// of counts, so that all have the same noise. Empty if the measurement does not hold all of `set`,
/// or holds one cell only. Errors: kInput for counts that do not fit the domain, kUsage for pooled
/// codes that do not.
std::optional<CountTable> summed_onto(const SynthMeasurement& measurement, const Domain& domain,
                                      const AttributeSet& set);

/// The part of a table in V and W; `factors`: one for each of its columns. In V, codes that are
/// counted together weigh from their least to their largest factor. Empty if they differ in W,
/// which must be exact.
std::optional<CountedPart> counted_part(const CountTable& table,
                                        std::span<const ColumnFactor* const> factors);

}  // namespace equinoise
