// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "equinoise/train/noise_reach.h"
#include "equinoise/train/plan.h"
#include "equinoise/train/worst_group/worst_group_options.h"

namespace equinoise {

/// The terms of every worst-group method, from public facts.
struct WorstGroupTerms {
  TrainingConfig config;       ///< with the final batch size
  std::vector<int64_t> sizes;  ///< (groups) expected records of the training part
  double loss_bound = 0;       ///< loss_bound_of()
  double sample_rate = 0;
  double group_learning_rate = 0;

  size_t num_groups() const { return sizes.size(); }
  int64_t smallest() const;
};

/// The limit of a record's loss for the weights of groups, in the model's units. Residuals of a
/// regression are squared: a bound that suits classes would hide the losses of groups.
double loss_bound_of(const TrainingConfig& config, const TrainingFacts& facts);

/// Checks the configuration of worst-group training. Errors: kUsage, naming `where`: fewer than two
/// groups, a group whose public size is 0 or not declared, a group smaller than group_batch_size,
/// and every field of WorstGroupOptions that is out of its range.
WorstGroupTerms settle_worst_group(std::string_view where, const TrainingConfig& config,
                                   const TrainingFacts& facts);

/// The noise multiplier of losses of all records next to gradients of Poisson batches at
/// `sample_rate` with `gradient_multiplier`: it gives losses about the share `loss_share` of the
/// total precision. Public, and growing with gradient_multiplier.
double loss_multiplier_of(double gradient_multiplier, double sample_rate, double loss_share);

/// Multiplies the rate of the weights of groups by `factor`, unless the user chose it. Weights that
/// move faster than the model can follow oscillate.
void slow_group_weights(std::string_view where, const TrainingFacts& facts, double factor,
                        TrainingConfig& config);

/// The plan of steps that use one group's batch each, and the losses of all records. A step is
/// composed of a Poisson batch with one Gaussian and of the event that `losses` returns for a noise
/// multiplier. Then follows the mean residual of residuals_of_groups. Errors: kUsage.
TrainingPlan plan_chosen_groups(std::string_view method, const TrainingConfig& config,
                                const TrainingFacts& facts,
                                const std::function<Event(double)>& losses);

/// residual_release of a method whose weights of groups are equal at first; empty if a ball holds
/// the parameters.
FullRelease residuals_of_groups(const WorstGroupTerms& terms, const TrainingFacts& facts);

/// The warning for a method that exists for comparison.
inline constexpr const char* kForComparison =
    "for comparison only: in half of the cases tried, the largest loss of any group was lower with "
    "dpsgd by more than a tenth; see docs/guide/choosing-a-method.md";

/// Adds the settings that worst-group methods share, and the noise of each group's mean loss. This
/// noise is `noise_multiplier` times the loss bound, divided by the expected number of records in
/// the sum, which is `expected_share` of the group's size.
void add_worst_group_settings(const WorstGroupTerms& terms, const TrainingFacts& facts,
                              double noise_multiplier, double expected_share, TrainingPlan& plan);

/// The weight that a group may reach by noise on its mean loss alone, of `loss_stddev` in each
/// step, if all losses are equal. A step's noise is added to that of earlier steps, so that
/// averaging does not help. One standard deviation, upwards.
double weight_by_noise(const WorstGroupTerms& terms, double loss_stddev);

/// The largest reach over groups of steps with noise plan.noise_stddev / (plan.sample_rate n_k)
/// times parts[k], (groups), along group k's mean gradient.
std::optional<NoiseReach> reach_of_groups(const WorstGroupTerms& terms, const TrainingPlan& plan,
                                          std::span<const double> parts);

}  // namespace equinoise
