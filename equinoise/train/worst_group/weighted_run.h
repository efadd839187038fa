// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "equinoise/train/iterates.h"
#include "equinoise/train/loop.h"
#include "equinoise/train/method_traits.h"
#include "equinoise/train/worst_group/group_path.h"

namespace equinoise {

/// The traits of the methods that follow groups by weights from noisy losses.
constexpr MethodTraits traits_of_weighted(std::string_view name, std::string_view summary) {
  return {
      .name = name,
      .status = PrivacyStatus::kPrivate,
      .source = "ZhouBassily2024",
      .summary = summary,
      .min_groups = 2,
      .compares_groups = true,
      .pools_small_groups = true,
      .reference = "group_dro",
      .unexplained =
          "steps in which all records count alike, but those of {} follow groups by their weights",
  };
}

/// The state of a run that weighs groups: its iterates on the ball, the weights lambda and their
/// path. All of it follows from noisy releases.
class WeightedRun {
 public:
  /// Pre: training outlives this; this owns its content except `start`. Errors: kRuntime for a
  /// charge, table or model that are not those of the plan, or a foreign state.
  explicit WeightedRun(TrainingRun& training);

  /// TrainingMethod::max_kept for these methods.
  static size_t max_kept(const TrainingPlan& plan);

  bool done() const { return iterates_.done(); }
  int64_t step() const { return iterates_.state().num_steps_done; }
  const std::vector<double>& parameters() const { return iterates_.state().parameters; }
  std::span<double> lambda() { return lambda_; }

  /// Takes a step along scale * units. The path records its weights and losses (if any). After the
  /// last step the mean residual of a plan that has one is added. It uses the weights of the steps
  /// whose iterates are averaged. The model minimises the loss with these weights, and they are
  /// released.
  void update(std::span<const int64_t> units, double scale, std::span<const double> weights,
              std::span<const double> losses);

  TrainedModel result() &&;

 private:
  /// (groups) The weight of a record's loss in each group.
  std::vector<double> record_weights() const;

  TrainingRun& training_;
  std::vector<double> lambda_;
  GroupPath path_;
  Iterates iterates_;
};

}  // namespace equinoise
