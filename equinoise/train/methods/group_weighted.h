// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// What groups weigh and pay, by their names in PublicGroups.
struct GroupCostOptions {
  std::map<std::string, double> weights;   ///< how much a record's loss counts [1]
  std::map<std::string, double> clips;     ///< instead of max_grad_norm
  std::map<std::string, double> epsilons;  ///< what the run may cost members of a group
};

/// DP-SGD in which groups have weights and clips of their own and pay for what these let one of
/// their members change. [AlabiWiggins2024]
///
/// Relation: zero_out. Sensitivity of a step: weight * clip of the record's group, in L2. Cost: for
/// the members of group k num_steps x Poisson-sampled Gaussian of noise stddev / (weight_k clip_k),
/// groups in parallel: the batch takes each record on its own, and a neighbouring change moves the
/// sum by no more than its group's bound. Of a number one Gaussian more, for the weighted mean of
/// residuals (residual_release), in the same parallel event. Groups and public sizes are not
/// protected; who is in which group is as protected as everything else of a record. Deviations:
/// GroupWeightClip.
///
/// Clips: the groups' own or max_grad_norm; of a group with an epsilon of its own no more than that
/// pays for with the noise that the others need.
class GroupWeighted : public NoisyGradientMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "group_weighted",
      .status = PrivacyStatus::kPrivate,
      .source = "AlabiWiggins2024",
      .summary = "dpsgd with a weight, a clip and a privacy cost of its own for each group",
      .min_groups = 1,
      .takes_overlapping_groups = true,
      .supports_units = true,
  };
  const MethodTraits& traits() const override { return kTraits; }
  const TrainingOptions& options() const override;
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const final;
  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts& facts) const final;
  std::optional<NoiseReach> noise_reach(const TrainingPlan& plan) const final;

 private:
  std::string where() const;  ///< of its errors
  /// (num_groups) the factor of a record's loss.
  virtual std::vector<double> weights_of(const TrainingConfig& config,
                                         const TrainingFacts& facts) const;
  /// (num_groups) clips where no group has an epsilon of its own.
  std::vector<double> clips_of(const TrainingConfig& config, const TrainingFacts& facts) const;
  struct Terms;
  Terms settle(const TrainingConfig& config, const TrainingFacts& facts) const;
};

/// What the user chooses of balanced.
struct BalancedOptions {
  std::optional<double> group_balance;  ///< of the weights size^-group_balance [1]
};

/// group_weighted with weights that make all groups count alike, however few they are: records /
/// (groups * size of the group), from public sizes; with a group_balance below 1
/// size^-group_balance with a mean of 1 over records, which is dpsgd at 0.
class Balanced final : public GroupWeighted {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "balanced",
      .status = PrivacyStatus::kPrivate,
      .source = "AlabiWiggins2024",
      .summary = "dpsgd in which all groups count equally, however small they are",
      .min_groups = 1,
      .supports_units = true,
  };
  const MethodTraits& traits() const override { return kTraits; }
  const TrainingOptions& options() const override;
  std::vector<TrainingConfig> quieter(const TrainingConfig& config) const override;

 private:
  std::vector<double> weights_of(const TrainingConfig& config,
                                 const TrainingFacts& facts) const override;
};

}  // namespace equinoise
