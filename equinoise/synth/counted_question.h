// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "equinoise/synth/rare_values.h"
#include "equinoise/synth/record_interval.h"
#include "equinoise/synth/synth_measurement.h"

namespace equinoise {

/// What a question says of one column: a factor of the weights that a record has in V and in W
/// (record_interval.h), by its code. Of all columns of a question at most one has a factor below 0,
/// and the others then are 0 or 1.
struct ColumnFactor {
  std::vector<double> low, middle, high;  ///< (codes) in V: at least, as the model has it, at most
  std::vector<double> base;               ///< (codes) in W
};

/// Noisy counts of some columns.
struct CountTable {
  std::vector<RareValues> values;  ///< (columns) which codes are counted together
  std::vector<double> counts;      ///< row-major
  double noise_stddev = 0;         ///< of each
};

/// The sums of a measurement over what `set` lacks; each is of as many counts, so that all have the
/// same noise. Empty where it does not hold all of `set`, or one cell alone. Errors: kInput for
/// counts that do not fit the domain, kUsage for pooled codes that do not.
std::optional<CountTable> summed_onto(const SynthMeasurement& measurement, const Domain& domain,
                                      const AttributeSet& set);

/// What a table adds to V and W; `factors`: of its columns. Codes that are counted together weigh
/// from the least to the most of theirs in V; empty where they differ in W, which must be exact.
std::optional<CountedPart> counted_part(const CountTable& table,
                                        std::span<const ColumnFactor* const> factors);

}  // namespace equinoise
