// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/means/estimator.h"
#include "equinoise/means/mean_options.h"

namespace equinoise {

/// The scores of the cells of a histogram as the place of rank `target`: minus the number of ranks
/// by which the cell misses it. A record that is replaced or becomes null changes each score by at
/// most 1, because it changes the number of records before a cell, and that before its end, by at
/// most 1. counts: (num_cells).
std::vector<double> quantile_scores(std::span<const int64_t> counts, double target);

/// Options of quantile only.
struct QuantileOptions {
  size_t num_cells = 4096;  ///< from which quantiles are chosen
};

/// Two quantiles by the exponential mechanism on a public grid, then the sum of numbers clipped to
/// them: for numbers of unknown scale.
///
/// Relation: replace_one within the stratum or zero_out; sizes are public or paid apart.
/// Sensitivity: 1 for each score; for the sum the width of the clip, half of it under zero_out,
/// with the number of values of a column with gaps that of counted_gaussian_sum. Cost: two
/// exponential(epsilon), each a quarter of rho (epsilon^2 / 8), and gaussian(noise_multiplier) of
/// the other half. Edge cases: quantiles in the wrong order leave one cell between them. The ranks
/// are as many from each end as the choice may miss by, so that many records are clipped on
/// purpose. The mean is that of numbers within the released clip, and for skewed columns it differs
/// from that of the unclipped numbers. Source: [McSherryTalwar2007; Smith2011; HuangLiangYi2021].
/// Deviation: cells of a public grid instead of the gaps between records, so that one pass over the
/// table suffices and no length depends on a record.
class QuantileClip final : public MeanEstimator {
 public:
  const MeanOptions& options() const override;
  ClipKind clip_kind(const MeanConfig& /*config*/) const override {
    return ClipKind::kReleasedInterval;
  }
  size_t num_counts(const MeanConfig& config) const override {
    return config.own.of<QuantileOptions>().num_cells;
  }
  std::vector<Event> make_events(const std::vector<MeanColumn>& columns, double size, double rho,
                                 const MeanConfig& config) const override;
  double predicted_noise(const std::vector<MeanColumn>& columns, size_t column, double size,
                         double rho, const MeanConfig& config) const override;
  std::unique_ptr<MeanEstimation> start(MeanTask task) const override;
};

}  // namespace equinoise
