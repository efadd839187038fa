// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/train/noise_reach.h"
#include "equinoise/train/plan.h"
#include "equinoise/train/worst_group/worst_group_options.h"

namespace equinoise {

/// What every worst-group method settles first, from public facts.
struct WorstGroupTerms {
  TrainingConfig config;       ///< with the batch size that is meant
  std::vector<int64_t> sizes;  ///< (groups) records of the training part, as expected
  double loss_bound = 0;       ///< loss_bound_of()
  double sample_rate = 0;
  double group_learning_rate = 0;

  size_t num_groups() const { return sizes.size(); }
  int64_t smallest() const;
};

/// What a record's loss counts as at most for the weights of groups, in the model's units.
/// Residuals of a regression are squared: of a bound that classes suit they would hide what groups
/// lose.
double loss_bound_of(const TrainingConfig& config, const TrainingFacts& facts);

/// Checks the configuration of worst-group training. Errors: kUsage, naming `where`: fewer than two
/// groups, a group whose public size is 0 or not declared, a group smaller than group_batch_size,
/// and every field of WorstGroupOptions that is out of its range.
WorstGroupTerms settle_worst_group(std::string_view where, const TrainingConfig& config,
                                   const TrainingFacts& facts);

/// The noise multiplier of losses of all records beside gradients of Poisson batches at
/// `sample_rate` with `gradient_multiplier`: about the share `loss_share` of the precision that all
/// of them have. Public, and growing with gradient_multiplier.
double loss_multiplier_of(double gradient_multiplier, double sample_rate, double loss_share);

/// Multiplies the rate of the weights of groups by `factor`, unless somebody chose it. Weights that
/// move faster than the model can follow swing round it.
void slow_group_weights(std::string_view where, const TrainingFacts& facts, double factor,
                        TrainingConfig& config);

/// The plan of steps that look at one group's batch each, and at the losses of all records: a step
/// is composed of a Poisson batch with one Gaussian and of what `losses` says of a multiplier. Then
/// the mean residual of residuals_of_groups. Errors: kUsage.
TrainingPlan plan_chosen_groups(std::string_view method, const TrainingConfig& config,
                                const TrainingFacts& facts,
                                const std::function<Event(double)>& losses);

/// residual_release of a method whose weights of groups are at first alike; nothing where a ball
/// holds the parameters.
FullRelease residuals_of_groups(const WorstGroupTerms& terms, const TrainingFacts& facts);

/// What to know of a method that is here to be compared with others.
inline constexpr const char* kForComparison =
    "for comparison only: in half of the cases tried, the largest loss of any group was lower with "
    "dpsgd by more than a tenth; see docs/guide/choosing-a-method.md";

/// The settings that worst-group methods share, and the noise of each group's
/// mean loss, which is `noise_multiplier` times what one record moves of a sum of `expected`
/// records.
void add_worst_group_settings(const WorstGroupTerms& terms, const TrainingFacts& facts,
                              double noise_multiplier, double expected_share, TrainingPlan& plan);

/// How much a group may come to weigh of all by noise on its mean loss alone, of `loss_stddev` in
/// each step, where no loss differs from another: a step's noise is added to what it had before, so
/// that averaging does not help. One standard deviation, upwards.
double weight_by_noise(const WorstGroupTerms& terms, double loss_stddev);

/// The reach of steps of which the one along group k's mean gradient has noise of
/// plan.noise_stddev / (plan.sample_rate n_k) times parts[k], (groups): of the group with most.
std::optional<NoiseReach> reach_of_groups(const WorstGroupTerms& terms, const TrainingPlan& plan,
                                          std::span<const double> parts);

}  // namespace equinoise
