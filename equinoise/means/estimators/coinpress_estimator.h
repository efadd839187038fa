// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/base/enum_words.h"
#include "equinoise/means/estimator.h"
#include "equinoise/means/mean_options.h"

namespace equinoise {

/// The source of the constants of the clipping steps.
enum class ConstantsChoice {
  kOfEstimator,  ///< one column: the paper's, several together: the code's
  kPaper,
  kCode,
};
inline constexpr EnumWords<ConstantsChoice, 3> kConstantsChoices = {
    {{ConstantsChoice::kOfEstimator, "auto"},
     {ConstantsChoice::kPaper, "paper"},
     {ConstantsChoice::kCode, "code"}}};

/// Options of coinpress and coinpress_joint.
struct CoinpressOptions {
  int num_steps = 3;
  double beta = 0.01;  ///< its failure probability
  ConstantsChoice constants = ConstantsChoice::kOfEstimator;
};

/// COINPRESS on one column: estimates the mean of numbers with a known standard deviation within
/// bounds, in steps that each clip to an interval for the mean [BiswasDongKamathUllman2020].
///
/// Relation: replace_one within the stratum or zero_out; sizes are public or paid apart.
/// Sensitivity of each step's sum: the width of its clip, or half of that under zero_out (centred
/// sum); with the number of values of a column with gaps that of counted_gaussian_sum. The mean is
/// that of numbers within the last clip, which is released; nothing bounds its distance to the mean
/// of the unclipped numbers. Cost: num_steps x gaussian(noise_multiplier) of rho_j, which add up to
/// rho: clips follow earlier noisy answers, the noise multiplier of a step does not. Noise is a
/// real Gaussian's, rounded to a grid that follows the clip. Edge cases: with less than one record
/// the size counts as 1; the clip never leaves the bounds by more than its tail, so that noise that
/// points outside does no harm. Deviations from the paper: coinpress.h.
class Coinpress final : public MeanEstimator {
 public:
  const MeanOptions& options() const override;
  bool needs_stddev() const override { return true; }
  ClipKind clip_kind(const MeanConfig& config) const override;
  std::vector<Event> make_events(const std::vector<MeanColumn>& columns, double size, double rho,
                                 const MeanConfig& config) const override;
  double predicted_noise(const std::vector<MeanColumn>& columns, size_t column, double size,
                         double rho, const MeanConfig& config) const override;
  std::unique_ptr<MeanEstimation> start(MeanTask task) const override;
};

/// COINPRESS on several columns together: all of them in units of their standard deviations, in a
/// ball around the means. Records are clipped by their length, the sum has L2 sensitivity 2 radius,
/// or the radius under zero_out (centred sum). For columns that are nearly independent; all of them
/// together cost as much as one column alone. Deviation: the bounds of the columns are a box; the
/// first ball is the one around it.
class JointCoinpress final : public MeanEstimator {
 public:
  const MeanOptions& options() const override;
  bool is_joint() const override { return true; }
  bool needs_stddev() const override { return true; }
  ClipKind clip_kind(const MeanConfig& /*config*/) const override {
    return ClipKind::kReleasedBall;
  }
  std::vector<Event> make_events(const std::vector<MeanColumn>& columns, double size, double rho,
                                 const MeanConfig& config) const override;
  double predicted_noise(const std::vector<MeanColumn>& columns, size_t column, double size,
                         double rho, const MeanConfig& config) const override;
  std::unique_ptr<MeanEstimation> start(MeanTask task) const override;
};

}  // namespace equinoise
