// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/models/per_group_model.h"
#include "equinoise/privacy/mechanisms/discrete_gaussian.h"
#include "equinoise/train/methods/options.h"
#include "equinoise/train/methods/raco_dp.h"
#include "equinoise/train/methods/rows.h"
#include "equinoise/train/postprocessing/group_thresholds.h"
#include "equinoise/train/run_check.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "train.dp_postprocess";

/// The target that determines the default share: noise on a rate of the smallest group with a
/// reportable rate, over the sampling error of a rate near one half in that group.
constexpr double kPartOfChance = 0.5;
/// The largest default share, which makes the noise of the steps 20 % larger.
constexpr double kMaxShare = 0.3;
/// A limit that the sampler can draw; noise is uninformative long before.
constexpr double kMaxHistogramNoise = 1e6;

size_t num_labels_of(const TrainingConfig& config) {
  return tells_labels(*config.constraints) ? 2 : 1;
}

/// (groups) the expected number of training records by public sizes; equal numbers if a group has
/// no public size.
std::vector<double> training_sizes(const TrainingFacts& facts) {
  const auto num_groups = std::max<size_t>(facts.num_groups, 1);
  std::vector<double> sizes(
      num_groups, static_cast<double>(facts.num_records) / static_cast<double>(num_groups));
  for (size_t k = 0; k < facts.groups.shares.size(); ++k)
    if (facts.groups.shares[k])
      sizes[k] = *facts.groups.shares[k] * static_cast<double>(facts.num_records);
  return sizes;
}

/// The standard deviation of noise on each count of the histogram, from the noise of the steps.
double stddev_of_histogram(const TrainingConfig& config, const TrainingFacts& facts,
                           double noise_multiplier) {
  const double of_steps = multiplier_of_all_steps(config, facts, noise_multiplier);
  const auto of_share = [&](double share) { return of_steps * std::sqrt((1 - share) / share); };
  const std::optional<double> chosen = config.own.of<PostprocessOptions>().score_share;
  if (chosen) return std::clamp(of_share(*chosen), 0.01, kMaxHistogramNoise);
  const double least = of_share(kMaxShare);
  const size_t num_labels = num_labels_of(config);
  double smallest = static_cast<double>(facts.num_records);
  for (const double size : training_sizes(facts))
    if (size >= kEnoughToTell * size_noise(least, num_labels)) smallest = std::min(smallest, size);
  // A rate is a sum over about half of the counts.
  const double rate_noise = size_noise(1, num_labels) / std::sqrt(2.0) / smallest;
  const double enough = kPartOfChance * 0.5 / std::sqrt(smallest) / rate_noise;
  return std::clamp(enough, std::clamp(least, 0.01, kMaxHistogramNoise), kMaxHistogramNoise);
}

/// Shows the states of the base model to another observer as those of the whole model.
class WholeModelObserver final : public StepObserver {
 public:
  WholeModelObserver(StepObserver& inner, size_t num_parts)
      : inner_(inner), num_parts_(num_parts) {}
  void on_batch(const BatchView& view) override { inner_.on_batch(view); }
  void on_step(const StepView& view) override {
    TrainingState state = view.state;
    state.parameters = repeated(view.state.parameters);
    state.average = repeated(view.state.average);
    inner_.on_step({view.step, view.num_steps, state, view.is_trial, view.can_be_resumed});
  }

 private:
  std::vector<double> repeated(const std::vector<double>& part) const {
    std::vector<double> whole;
    for (size_t k = 0; k < num_parts_; ++k) append(whole, part);
    return whole;
  }

  StepObserver& inner_;
  size_t num_parts_;
};

/// A model that satisfies rate constraints by thresholds for groups, derived from one noisy
/// histogram of the scores of a model trained by dpsgd. [JagielskiEtAl2019, Sec. 3]
///
/// Relation: zero_out. Sensitivity of a step: max_grad_norm in L2; of the histogram: 1 in L1,
/// because a record is in one cell (count_scores). Cost: num_steps x Poisson-sampled Gaussian and
/// one discrete Gaussian on full data; thresholds are post-processing of the histogram
/// (choose_thresholds).
///
/// Deviations: the published form protects the group only, and changes predictions at random with
/// probabilities from a linear program. Here a whole record is protected, and scores have a
/// threshold for each group, the derived predictor of [HardtPriceSrebro2016], so that predictions
/// are deterministic. The model is a PerGroupModel with the same slopes in all parts; if
/// constraints name no attribute, one model for all.
class DpPostprocess : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "dp_postprocess",
      .status = PrivacyStatus::kPrivate,
      .source = "JagielskiEtAl2019",
      .summary =
          "dpsgd, then a threshold for each group from one noisy histogram of scores, so that rate "
          "constraints hold",
      .is_stepwise = false,
      .has_model_per_group = true,
      .uses_constraints = true,
      .trains = [](std::string_view model) { return model == "logistic"; },
      .other_models =
          "moves thresholds of log odds, so it trains logistic models of two classes, got {}; use "
          "raco_dp",
      .reference = "sgda",
      .is_explained = false,
      .unexplained = "gradients of the loss alone, but the steps of {} also follow constraints",
  };
  static TrainingOptions declared_options() {
    return all_of(
        {noisy_gradient_options(),
         TrainingOptions{
             {{.name = "score_share",
               .help = "Share of the histogram of scores in the precision of all that is released",
               .range = strictly_between(0, 1),
               .derived = "as much as tells rates of the smallest group to half of what they vary "
                          "by from one sample to another, where noise does not hide them, by "
                          "public sizes; at most 0.3",
               .section = "Constraints"},
              kOwnTrainingField<&PostprocessOptions::score_share>}},
         named(rate_options(), {"constraint_margin"})});
  }

  /// The histogram follows the last step, so a run cannot be resumed.

  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    check_training_config(kWhere, config, facts);
    check_constraints_given(kWhere, config);
    TrainingPlan plan = plan_noisy_gradients(
        "dp_postprocess", config, facts, {},
        {"noisy histogram of scores", "score_noise_stddev", [&](double noise_multiplier) {
           return Event::discrete_gaussian(stddev_of_histogram(config, facts, noise_multiplier), 1);
         }});
    std::vector<std::string> hidden;
    const double noise = size_noise(plan.full_noise_multiplier, num_labels_of(config));
    for (size_t k = 0; k < facts.groups.shares.size(); ++k) {
      const std::optional<double>& share = facts.groups.shares[k];
      if (share && *share * static_cast<double>(facts.num_records) < kEnoughToTell * noise)
        hidden.push_back(facts.groups.names[k]);
    }
    if (!hidden.empty()) {
      plan.notes.push_back(fmt::format(
          "noise will hide the rates of groups with fewer than about {:.0f} training records, "
          "which "
          "keep the threshold of all, so that constraints on them alone are not served: {}; merge "
          "groups, or use a larger epsilon",
          kEnoughToTell * noise, fmt::join(hidden, "; ")));
    }
    return plan;
  }

  std::optional<NoiseReach> noise_reach(const TrainingPlan& plan) const override {
    return find_training_method("dpsgd").make()->noise_reach(plan);
  }

  TrainedModel run(TrainingRun training) const override {
    const TrainingPlan& plan = training.plan;
    check_run_from_start(kWhere, training);
    const RateProgram& program = *plan.config.constraints;
    const auto* grouped = dynamic_cast<const PerGroupModel*>(&training.model);
    const Model& base = grouped != nullptr ? grouped->base() : training.model;
    const size_t num_groups = grouped != nullptr ? grouped->num_groups() : 1;
    if (num_groups != program.num_contexts || base.num_outputs() != 1)
      throw Error(ErrorKind::kRuntime, kWhere, "the constraints do not belong to this model");

    Permit permit = training.charge.take(2);
    TrainingPlan of_base = plan;
    of_base.facts.num_parameters = base.num_parameters();
    training.start.parameters.resize(base.num_parameters());
    WholeModelObserver observer(training.observer, num_groups);
    FlatClip clip(plan.config.max_grad_norm);
    const std::vector<double> slopes =
        run_noisy_loop(
            {training.table, base, of_base, TrainingState::start(training.start.parameters),
             std::move(training.charge), training.source, observer},
            clip)
            .parameters;

    const size_t num_labels = num_labels_of(plan.config);
    std::vector<int64_t> counts =
        count_scores(training.table, base, slopes, num_groups, num_labels);
    // A stream used neither by a step nor by a private evaluation, which has the one before.
    training.source.start_step(static_cast<uint64_t>(plan.config.num_steps) + 1);
    add_discrete_gaussian_noise(std::move(permit), Sensitivity(1, Norm::kL1, Relation::kZeroOut),
                                counts, training.source);
    const std::vector<double> noisy(counts.begin(), counts.end());
    std::vector<double> aims;
    const std::optional<double> margin = plan.config.own.of<RateOptions>().margin;
    for (const RateProgram::Constraint& constraint : program.constraints)
      aims.push_back(constraint.slack - margin.value_or(constraint.margin));
    const GroupThresholds found = choose_thresholds(
        program, ScoreHistogram(num_groups, num_labels, noisy), aims, plan.full_noise_multiplier);

    TrainedModel trained;
    for (size_t k = 0; k < num_groups; ++k) {
      append(trained.parameters, slopes);
      trained.parameters.back() -= found.thresholds[k];
      trained.chosen.emplace_back(fmt::format("threshold {}", k < plan.facts.groups.names.size()
                                                                  ? plan.facts.groups.names[k]
                                                                  : std::string("all")),
                                  1 / (1 + std::exp(-found.thresholds[k])));
    }
    trained.chosen.emplace_back("groups_at_common_threshold",
                                static_cast<double>(std::ranges::count(found.is_common, true)));
    return trained;
  }
};

}  // namespace

TrainingMethodRow dp_postprocess_row() { return method_row<DpPostprocess>(); }

}  // namespace equinoise
