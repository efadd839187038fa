// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// Weights and costs of groups, by their names in PublicGroups.
struct GroupCostOptions {
  std::map<std::string, double> weights;   ///< factor on a record's loss [1]
  std::map<std::string, double> clips;     ///< instead of max_grad_norm
  std::map<std::string, double> epsilons;  ///< the largest cost of the run for members of a group
};

/// DP-SGD in which groups have separate weights and clips. A member pays for the largest change
/// that these allow it. [AlabiWiggins2024]
///
/// Relation: zero_out. Sensitivity of a step: weight * clip of the record's group, in L2. Cost for
/// the members of group k: num_steps x Poisson-sampled Gaussian of noise stddev / (weight_k
/// clip_k), groups in parallel. (The batch includes each record independently, and a neighbouring
/// change moves the sum by no more than its group's bound.) For a number one more Gaussian, for the
/// weighted mean of residuals (residual_release), in the same parallel event. Groups and public
/// sizes are not protected. A record's group is protected like its other values. Deviations:
/// GroupWeightClip.
///
/// Clips: the group's own or max_grad_norm. For a group with a separate epsilon, at most the clip
/// that this pays for with the noise that the others need.
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
  std::string where() const;  ///< for its errors
  /// (num_groups) the factor on a record's loss.
  virtual std::vector<double> weights_of(const TrainingConfig& config,
                                         const TrainingFacts& facts) const;
  /// (num_groups) clips if no group has a separate epsilon.
  std::vector<double> clips_of(const TrainingConfig& config, const TrainingFacts& facts) const;
  struct Terms;
  Terms settle(const TrainingConfig& config, const TrainingFacts& facts) const;
};

/// The user's choices for balanced.
struct BalancedOptions {
  std::optional<double> group_balance;  ///< for the weights size^-group_balance [1]
};

/// group_weighted with equal total weight for all groups, however small: records / (groups * size
/// of the group), from public sizes. With a group_balance below 1, size^-group_balance scaled to a
/// mean of 1 over records; 0 is dpsgd.
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
