// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/train/group_numbers.h"
#include "equinoise/train/group_weight_clip.h"
#include "equinoise/train/methods/options.h"
#include "equinoise/train/methods/rows.h"
#include "equinoise/train/regression/residual_mean.h"
#include "equinoise/train/round_sum.h"

namespace equinoise {

namespace {

constexpr std::string_view kSection = "Groups with budgets of their own";

/// size^-power for each group, scaled so that the mean over records is 1. At power 0 all records
/// weigh the same, at 1 all groups do. An empty group has the size of the smallest other one.
std::vector<double> weights_by_size(std::span<const double> shares, double power) {
  double smallest = 1;
  for (const double share : shares)
    if (share > 0) smallest = std::min(smallest, share);
  std::vector<double> weights;
  double mean = 0;
  for (const double share : shares) {
    weights.push_back(std::pow(share > 0 ? share : smallest, -power));
    mean += weights.back() * share;
  }

  for (double& weight : weights) weight /= mean;
  return weights;
}

// Options of methods whose groups have separate clips and epsilons.
const TrainingOptions& group_cost_options() {
  static const TrainingOptions options = {
      {{.name = "group_clip",
        .help = "GROUP=NUMBER, repeatable: largest gradient norm of that group; the privacy cost "
                "of its members grows with weight times clip",
        .range = between(1e-30, 1e30),
        .derived = "max_grad_norm",
        .section = kSection},
       kOwnTrainingField<&GroupCostOptions::clips>},
      {{.name = "group_epsilon",
        .help = "GROUP=NUMBER, repeatable: largest epsilon for the members of that group, whose "
                "clip shrinks until it is met",
        .range = positive(),
        .derived = "--epsilon",
        .section = kSection},
       kOwnTrainingField<&GroupCostOptions::epsilons>}};
  return options;
}

/// Options of balanced.
const TrainingOptions& balance_options() {
  static const TrainingOptions options = {
      {{.name = "group_balance",
        .help = "Power of the weights size^-POWER of groups: 1, all groups count alike; 0, all "
                "records do, as in dpsgd",
        .range = between(0, 1),
        .derived = fmt::format(
            "1, or less where noise would slow training more than {:g} times, linear regression "
            "{:.2g}",
            1 / kMinOfRate, 1 / kMinOfRateOfNumbers),
        .section = kSection},
       kOwnTrainingField<&BalancedOptions::group_balance>}};
  return options;
}

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
  static TrainingOptions declared_options() {
    return all_of({noisy_gradient_options(), residual_options(), group_cost_options(),
                   TrainingOptions{{{.name = "group_weight",
                                     .help = "GROUP=NUMBER, repeatable: weight of the loss of each "
                                             "record of that group, one of the first --groups",
                                     .range = between(1e-30, 1e30),
                                     .derived = "1",
                                     .section = kSection},
                                    kOwnTrainingField<&GroupCostOptions::weights>}}});
  }

  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const final {
    const Terms terms = settle(config, facts);
    const GroupWeightClip clip(terms.weights, terms.clips);
    const std::span<const double> bounds = clip.group_bounds();
    TrainingPlan plan = with_group_bounds(terms.plan, {bounds.begin(), bounds.end()}, terms.unit,
                                          terms.residual_noise);
    plan.group_weights = terms.weights;
    if (const auto balance = config.own.of<BalancedOptions>().group_balance;
        balance && *balance < 1)
      plan.notes.push_back(
          fmt::format("groups count as their size to the power {:.2g}, where 0 would be alike; "
                      "--group-balance sets another",
                      1 - *balance));
    for (size_t k = 0; k < bounds.size(); ++k) {
      const std::string& group = facts.groups.names[k];
      plan.settings.emplace_back(fmt::format("group_weight {}", group), terms.weights[k]);
      plan.settings.emplace_back(fmt::format("group_clip {}", group), terms.clips[k]);
    }
    return plan;
  }

  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts& facts) const final {
    // Clips depend on the noise, which is slow to calibrate, only if groups have epsilons.
    if (config.own.of<GroupCostOptions>().epsilons.empty())
      return std::make_unique<GroupWeightClip>(weights_of(config, facts), clips_of(config, facts));
    const Terms terms = settle(config, facts);
    return std::make_unique<GroupWeightClip>(terms.weights, terms.clips);
  }

  std::optional<NoiseReach> noise_reach(const TrainingPlan& plan) const final {
    // All groups have the noise that the largest weight needs.
    const auto largest = std::ranges::max_element(plan.group_bounds);
    const auto k = static_cast<size_t>(largest - plan.group_bounds.begin());
    const double batch = plan.config.batch_size;
    return reach_of_noise(
        plan.config,
        {plan.noise_stddev / batch, plan.noise_multiplier * plan.config.max_grad_norm / batch},
        fmt::format("a record of group {} counts {:.3g} times", plan.facts.groups.names[k],
                    plan.group_weights[k]));
  }

 private:
  std::string where() const { return fmt::format("train.{}", traits().name); }  ///< for its errors
  /// (num_groups) the factor on a record's loss.
  virtual std::vector<double> weights_of(const TrainingConfig& config,
                                         const TrainingFacts& facts) const {
    std::vector<double> weights;
    for (const auto& weight :
         numbers_of_groups(where(), "group_weight", config.own.of<GroupCostOptions>().weights,
                           facts.groups.names))
      weights.push_back(weight.value_or(1));
    return weights;
  }

  /// (num_groups) clips if no group has a separate epsilon.

  std::vector<double> clips_of(const TrainingConfig& config, const TrainingFacts& facts) const {
    std::vector<double> clips;
    for (const auto& clip : numbers_of_groups(
             where(), "group_clip", config.own.of<GroupCostOptions>().clips, facts.groups.names))
      clips.push_back(clip.value_or(config.max_grad_norm));
    return clips;
  }

  /// The clips of groups and their cost.
  struct Terms {
    std::vector<double> weights;  ///< (num_groups)
    std::vector<double> clips;    ///< (num_groups)
    TrainingPlan plan;            ///< of dpsgd; its noise multiplier is for a bound of `unit`
    double unit = 0;
    std::vector<double> residual_noise = {};  ///< (num_groups) multipliers; empty: none
  };

  Terms settle(const TrainingConfig& config, const TrainingFacts& facts) const {
    const std::vector<std::string>& names = facts.groups.names;
    if (names.empty()) throw Error(ErrorKind::kUsage, where(), "the facts name no groups");
    const std::vector<double> weights = weights_of(config, facts);
    FullRelease residuals = residual_release(config, facts, residual_sizes(facts, weights, false));
    TrainingPlan plan = plan_noisy_gradients(traits().name, config, facts, {}, {}, {}, residuals);
    // Groups with a separate epsilon pay for the mean residual if the others do.
    const double max_residual_noise =
        std::exchange(residuals.largest_noise_multiplier, std::numeric_limits<double>::infinity());
    if (plan.residual_noise_multiplier == 0) residuals = {};
    const auto& own = config.own.of<GroupCostOptions>();
    Terms terms{weights, clips_of(config, facts), plan, 0};
    const auto epsilons = numbers_of_groups(where(), "group_epsilon", own.epsilons, names);

    // The noise is that needed by the groups without a separate epsilon.
    for (size_t k = 0; k < names.size(); ++k)
      if (!epsilons[k]) terms.unit = std::max(terms.unit, terms.weights[k] * terms.clips[k]);
    std::map<double, double> multipliers;  // by epsilon
    const auto multiplier_of = [&](double epsilon) {
      const auto [found, is_new] = multipliers.try_emplace(epsilon, 0);
      if (is_new) {
        TrainingConfig capped = config;
        capped.epsilon = epsilon;
        capped.noise_multiplier.reset();
        found->second = plan_noisy_gradients(traits().name, capped, facts, {}, {}, {}, residuals)
                            .noise_multiplier;
      }
      return found->second;
    };
    std::vector<double> multiplier(names.size(), plan.noise_multiplier);
    for (size_t k = 0; k < names.size(); ++k) {
      if (!epsilons[k]) continue;
      if (!config.epsilon && *epsilons[k] >= plan.privacy->epsilon.value()) continue;
      if (config.epsilon && *epsilons[k] > *config.epsilon) {
        throw Error(ErrorKind::kUsage, where(),
                    "group_epsilon of {}, {}, is above the epsilon of the run, {}", names[k],
                    *epsilons[k], *config.epsilon);
      }
      multiplier[k] = std::max(multiplier[k], multiplier_of(*epsilons[k]));
    }
    if (residuals.event) {
      // One noise that suffices for every group, by the weight of its records.
      const double largest = *std::ranges::max_element(weights);
      double noise = 0;
      for (size_t k = 0; k < names.size(); ++k)
        noise = std::max(noise,
                         weights[k] / largest * residuals.event(multiplier[k]).noise_multiplier());
      for (size_t k = 0; k < names.size() && noise <= max_residual_noise; ++k)
        terms.residual_noise.push_back(noise * largest / weights[k]);
    }
    if (terms.unit == 0) {
      // The noise is the largest at which no clip has to grow if every group has an epsilon; one
      // clip then stays as it is.
      terms.unit = std::numeric_limits<double>::infinity();
      for (size_t k = 0; k < names.size(); ++k) {
        terms.unit = std::min(
            terms.unit, terms.weights[k] * terms.clips[k] * multiplier[k] / plan.noise_multiplier);
      }
    }
    const double noise = plan.noise_multiplier * terms.unit;
    // An upper bound on the sensitivity that rounding adds: no bound is above the unit, so the grid
    // of the sum is no coarser.
    const double error = grid_of_sum(terms.unit, noise, facts.num_records) * facts.sum_error;
    for (size_t k = 0; k < names.size(); ++k) {
      if (!epsilons[k]) continue;
      const double bound = noise / multiplier[k] * (1 - 1e-12) - error;
      if (!(bound > 0)) {
        throw Error(ErrorKind::kUsage, where(),
                    "group_epsilon of {}, {}, is so small that rounding {} parameters would use "
                    "up the clip of its gradients; allow more, or use a smaller model",
                    names[k], *epsilons[k], facts.num_parameters);
      }
      terms.clips[k] = std::min(terms.clips[k], bound / terms.weights[k]);
    }
    return terms;
  }
};

/// group_weighted with equal total weight for all groups, however small: records / (groups * size
/// of the group), from public sizes. With a group_balance below 1, size^-group_balance scaled to a
/// mean of 1 over records; 0 is dpsgd.
class Balanced : public GroupWeighted {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "balanced",
      .status = PrivacyStatus::kPrivate,
      .source = "AlabiWiggins2024",
      .summary = "dpsgd in which all groups count equally, however small they are",
      .min_groups = 1,
      .supports_units = true,
  };
  static TrainingOptions declared_options() {
    return all_of(
        {noisy_gradient_options(), residual_options(), group_cost_options(), balance_options()});
  }

  std::vector<TrainingConfig> quieter(const TrainingConfig& config) const override {
    constexpr int kSteps = 10;
    std::vector<TrainingConfig> quieter;
    if (config.own.of<BalancedOptions>().group_balance) return quieter;
    for (int step = kSteps; step-- > 0;) {
      quieter.push_back(config);
      quieter.back().own.of<BalancedOptions>().group_balance = static_cast<double>(step) / kSteps;
    }
    return quieter;
  }

 private:
  std::vector<double> weights_of(const TrainingConfig& config,
                                 const TrainingFacts& facts) const override {
    constexpr const char* kWhere = "train.balanced";
    if (!config.own.of<GroupCostOptions>().weights.empty()) {
      throw Error(ErrorKind::kUsage, kWhere,
                  "balanced sets the weights itself; use group_weighted to choose them");
    }
    const PublicGroups& groups = facts.groups;
    std::vector<double> shares;
    for (size_t k = 0; k < groups.names.size(); ++k) {
      if (!groups.shares[k]) {
        throw Error(
            ErrorKind::kUsage, kWhere,
            why_not_divided(groups, k) + "; or use group_weighted with weights of your own");
      }
      shares.push_back(*groups.shares[k]);
    }
    if (std::ranges::none_of(shares, [](double share) { return share > 0; }))
      throw Error(ErrorKind::kUsage, kWhere, why_not_divided(groups, 0));
    return weights_by_size(shares, config.own.of<BalancedOptions>().group_balance.value_or(1));
  }
};

}  // namespace

TrainingMethodRow group_weighted_row() { return method_row<GroupWeighted>(); }
TrainingMethodRow balanced_row() { return method_row<Balanced>(); }

}  // namespace equinoise
