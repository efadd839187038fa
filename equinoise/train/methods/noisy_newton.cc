// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "equinoise/base/check.h"
#include "equinoise/privacy/mechanisms/gaussian_sum.h"
#include "equinoise/train/methods/options.h"
#include "equinoise/train/methods/rows.h"
#include "equinoise/train/regression/expected_coefficients.h"
#include "equinoise/train/regression/log_odds.h"
#include "equinoise/train/regression/newton_step.h"
#include "equinoise/train/regression/newton_sums.h"
#include "equinoise/train/regression/record_scale.h"
#include "equinoise/train/regression/record_sums.h"
#include "equinoise/train/regression/shrunk_slopes.h"
#include "equinoise/train/round_sum.h"
#include "equinoise/train/run_check.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhereNewton = "train.noisy_newton";

/// The part of the precision for the numbers of the classes, if slopes follow.
constexpr double kShareOfClasses = 0.1;
/// The ratio of a step's precision to that of the step before.
constexpr double kGrowthOfSteps = 1.6;

/// The noise of second derivatives, over a record's contribution if both classes are equally
/// likely.
double noise_of_derivatives(const TrainingConfig& config, const TrainingFacts& facts,
                            double noise_multiplier) {
  const double row = row_bound_of(config, facts);
  return noise_multiplier * (row * row + 1) / std::sqrt(NewtonSums::kSecondShare);
}

/// The largest eigenvalue of noise alone, if one step had the whole budget, over the sum of the
/// eigenvalues of second derivatives with equally likely classes.
double part_of_noise(const TrainingConfig& config, const TrainingFacts& facts,
                     double noise_multiplier) {
  const double norm = typical_feature_norm(facts);
  return std::sqrt(2 * static_cast<double>(num_features(facts))) *
         noise_of_derivatives(config, facts, noise_multiplier) /
         (static_cast<double>(facts.num_records) * norm * norm);
}

/// The number of steps; 0: only the classes are released. Each further step makes the last one less
/// precise, and changes less. Losses on the binary tables of the zoo, cut to 400 records and whole,
/// hardly depend on the number near these limits. Three steps leave the log odds of large effects
/// short of the truth.
int64_t num_steps_of(const TrainingConfig& config, const TrainingFacts& facts,
                     double noise_multiplier) {
  if (num_features(facts) == 0) return 0;
  if (const int64_t chosen = config.own.of<NewtonOptions>().newton_steps; chosen > 0) return chosen;
  const double noise = part_of_noise(config, facts, noise_multiplier);
  int64_t num_steps = 0;
  for (const double most : {0.2, 0.05, 0.01, 0.01}) num_steps += noise <= most ? 1 : 0;
  return num_steps;
}

/// (1 + steps) the noise multiplier of each release.
std::vector<double> noise_of_releases(int64_t num_steps, double noise_multiplier) {
  std::vector<double> shares = {num_steps == 0 ? 1 : kShareOfClasses};
  double all = 0;
  for (int64_t k = 0; k < num_steps; ++k) all += std::pow(kGrowthOfSteps, static_cast<double>(k));
  for (int64_t k = 0; k < num_steps; ++k)
    shares.push_back((1 - kShareOfClasses) * std::pow(kGrowthOfSteps, static_cast<double>(k)) /
                     all);
  for (double& share : shares) share = noise_multiplier / std::sqrt(share);
  return shares;
}

/// Steps from this one to the last but one choose the features with log odds. Second derivatives at
/// the start, without slopes, are too large for that.
size_t first_choosing_step(size_t num_steps) { return num_steps > 2 ? 2 : 1; }

/// The number of coefficients with an interval, from public facts. noise: (1 + steps) of releases.
size_t log_odds_expected(const TrainingPlan& plan, const std::vector<double>& noise) {
  constexpr double kMeanWeight = 0.6;  // of a record, over that with equally likely classes
  constexpr double kMinRestOfLastStep = 2;
  double precision_before = 0;
  for (size_t k = first_choosing_step(noise.size() - 1); k + 1 < noise.size(); ++k)
    precision_before += 1 / (noise[k] * noise[k]);
  const double least =
      std::max(kMinRestOfLastStep, kHiddenBelow / (noise.back() * std::sqrt(precision_before)));
  const double square = noise_of_derivatives(plan.config, plan.facts, noise.back());
  // A count is two entries, of which that next to the constant has half the variance.
  return expected_coefficients(plan.facts, kMeanWeight, {square, square / std::sqrt(3), least});
}

/// The log odds of the second class, for as many records as the plan is for.
double log_odds_of_classes(double difference, double stddev, double num_records) {
  const double half = shrunk_number(difference, stddev) / num_records / 2;
  const double least = 1 / (2 * num_records);
  const double share = std::clamp(0.5 + half, least, 1 - least);
  return std::log(share / (1 - share));
}

/// Logistic regression in a few Newton steps on all records. First it releases noisy numbers of the
/// two classes, from which the first step starts; then, in each step, noisy sums of gradients and
/// second derivatives at the current parameters. The last step yields a model whose slopes are
/// shrunk by the part that noise hides (newton_step), and coefficients with intervals (log_odds_of)
/// of the features that the step before shows. It starts from the regression of these features, and
/// the model is the mean of both steps, weighted by precision.
///
/// Relation: zero_out. Sensitivity: 1 for the classes; NewtonSums::sensitivity() in L2 for a step,
/// with gradient and second derivatives as one vector. A record with features beyond row_bound has
/// a smaller weight. Null records count half in each class. Cost: a Gaussian on full data for the
/// classes and one for each step, whose precisions add up to that of the plan's noise multiplier.
/// The rest is post-processing, including the parameters of the next step. If, by public facts,
/// noise would hide most of the slopes, only the classes are released. Source:
/// [AvellaMedinaEtAl2023] for noisy Newton steps and their intervals.
///
/// Deviations: a record's gradient and second derivative are released as one vector, since not both
/// can be large. Slopes are a posterior mean whose prior variance follows from the release
/// [JamesStein1961]. Records are weighted by their features instead of clipped, so that the
/// relation between features and target does not change. Intervals include the noise of the second
/// derivatives, too, by a test of each value [Fieller1954].
class NoisyNewton : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "noisy_newton",
      .status = PrivacyStatus::kPrivate,
      .source = "AvellaMedinaEtAl2023",
      .summary =
          "logistic regression in a few Newton steps along noisy gradients and second derivatives "
          "of all records, with slopes shrunk by what noise hides",
      .is_stepwise = false,
      .takes_full_batches = true,
      .releases_coefficients = true,
      .clips_otherwise = true,
      .steps_option = "newton_steps",
      .trains = [](std::string_view model) { return model == "logistic"; },
      .other_models =
          "trains logistic regressions of two classes, got {}; use sufficient_statistics for a "
          "number, else use dpsgd",
      .purpose =
          "for log odds of the features with intervals, wide ones where there are many features or "
          "few records",
  };
  static TrainingOptions declared_options() {
    return all_of(
        {row_bound_options(),
         TrainingOptions{
             {{.name = "newton_steps",
               .help = "Number of Newton steps; 0: 1 to 4, the fewer the more noise does, or "
                       "none where it would hide what slopes are",
               .range = between(0, 20),
               .section = "Regression"},
              kOwnTrainingField<&NewtonOptions::newton_steps>}}});
  }

  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& given) const override {
    TrainingFacts facts = given;
    facts.num_groups = 0;
    facts.groups = {};
    if (num_features(facts) > kMaxMomentFeatures) {
      throw Error(ErrorKind::kUsage, kWhereNewton,
                  "{} features are too many for second derivatives, the limit is {}; use "
                  "dpsgd, or leave columns out",
                  num_features(facts), kMaxMomentFeatures);
    }
    TrainingPlan plan = plan_full_batches(kWhereNewton, "noisy_newton", config, facts, 1);
    check_noise_choice(kWhereNewton, config);
    int64_t num_steps = 0;
    const auto events = [&](double noise_multiplier) {
      num_steps = num_steps_of(config, facts, noise_multiplier);
      const double num_draws =
          1 + static_cast<double>(num_steps) *
                  static_cast<double>(NewtonSums::num_entries(num_features(facts)));
      std::vector<Event> all;
      for (const double of_release : noise_of_releases(num_steps, noise_multiplier))
        all.push_back(Event::gaussian(of_release));
      all.push_back(gaussian_error(num_draws));
      return all;
    };
    plan.noise_multiplier = choose_noise_multiplier(plan.config, events);
    const std::vector<Event> planned = events(plan.noise_multiplier);
    plan.config.num_steps = std::max<int64_t>(1, num_steps);
    plan.items = {{"noisy numbers of the classes", planned[0]}};
    for (int64_t k = 1; k <= num_steps; ++k)
      plan.items.push_back({fmt::format("noisy gradient and second derivatives, step {}", k),
                            planned[static_cast<size_t>(k)]});
    plan.items.push_back({"sampler error", planned.back()});
    settle_guarantee(kWhereNewton, plan);
    plan.bound = 1;
    const std::vector<double> noise = noise_of_releases(num_steps, plan.noise_multiplier);
    plan.noise_stddev = noise.back();
    plan.grid = grid_of_sum(1, *std::ranges::max_element(noise), facts.num_records);
    plan.settings = {{"row_bound", row_bound_of(config, facts)},
                     {"newton_steps", static_cast<double>(num_steps)}};
    if (num_steps == 0) {
      plan.notes.emplace_back(
          "noise would hide most of what slopes are, so that all of the budget goes to the numbers "
          "of the classes, whose shares are the prediction for everybody; spend more, leave "
          "columns "
          "out, or use more records");
      note_expected_coefficients({}, plan);
    } else if (num_steps == 1) {
      plan.notes.emplace_back(
          "one Newton step releases no coefficients; use --newton-steps 2 or more, or spend more "
          "for "
          "their intervals");
      note_expected_coefficients({}, plan);
    } else {
      note_expected_coefficients(log_odds_expected(plan, noise), plan);
    }
    return plan;
  }

  TrainedModel run(TrainingRun training) const override {
    check_run_from_start(kWhereNewton, training);
    const EncodedTable& table = training.table;
    if (table.blocks.size() != table.num_active || table.feature_names.size() != table.num_features)
      throw Error(ErrorKind::kRuntime, kWhereNewton,
                  "the table does not say what its features are");
    const TrainingPlan& plan = training.plan;
    const auto num_records = static_cast<double>(plan.facts.num_records);
    const auto num_steps = static_cast<int64_t>(plan.items.size()) - 2;  // except classes, error
    const std::vector<double> noise = noise_of_releases(num_steps, plan.noise_multiplier);

    // A record of the second class counts 1, one of the first -1.
    const auto unit = static_cast<int64_t>(1 / plan.grid);
    std::vector<int64_t> difference = sum_over_records(
        table, 1, plan.config.threads,
        [&](size_t record, int64_t count, const CentredRecord& features, std::span<int64_t> units) {
          if (!std::isfinite(features.squares)) return;
          units[0] += count * (table.labels[record] == 0 ? -unit : unit);
        });
    const double of_unit = 1 / plan.grid;
    training.source.start_step(0);
    add_gaussian_noise(training.charge.take(0), Sensitivity(of_unit, Norm::kL2, Relation::kZeroOut),
                       difference, training.source);
    Eigen::VectorXd at = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(table.num_features) + 1);
    at(at.size() - 1) =
        log_odds_of_classes(static_cast<double>(difference[0]) / of_unit, noise[0], num_records);

    const auto as_parameters = [&](const Eigen::VectorXd& found) {
      std::vector<double> parameters(found.begin(), found.end());
      for (size_t j = 0; j < table.num_features; ++j) {
        const NumberScale scale = table.scale_of(j);
        parameters[j] /= scale.half_width;
        parameters.back() -= parameters[j] * scale.middle;
      }
      return parameters;
    };
    TrainedModel trained;
    Coding coding;
    NoisyCurvature before;  // of the steps that choose features
    Eigen::VectorXd model = at;
    const NewtonSums sums(row_bound_of(plan.config, plan.facts), plan.grid);
    for (int64_t k = 1; k <= num_steps; ++k) {
      std::vector<int64_t> units = sums.sum_up(table, at, plan.config.threads);
      training.source.start_step(static_cast<uint64_t>(k));
      add_gaussian_noise(training.charge.take(static_cast<size_t>(k)),
                         Sensitivity(sums.sensitivity(), Norm::kL2, Relation::kZeroOut), units,
                         training.source);
      const NoisyCurvature noisy =
          sums.read(units, table.num_features, noise[static_cast<size_t>(k)] * sums.sensitivity());
      // A first step starts too far from the slopes for its intervals to cover.
      if (k == num_steps && k > 1) trained.coefficients = log_odds_of(coding, noisy, at, table);
      const auto first = static_cast<int64_t>(first_choosing_step(static_cast<size_t>(num_steps)));
      if (k == first) before = noisy;
      if (k > first && k < num_steps) before.pool_second(noisy);
      if (k + 1 == num_steps) coding = coding_of(before, table);
      const NewtonStep step = newton_step(noisy, at, num_records);
      trained.chosen = {{"slope_variance", step.slope_variance}};
      // The last step starts without the hidden features, and its noise is independent of the step
      // before.
      model = coding.kept.empty() || k < num_steps
                  ? step.parameters
                  : (model + kGrowthOfSteps * step.parameters) / (1 + kGrowthOfSteps);
      const bool is_restricted = k + 1 == num_steps && !coding.kept.empty();
      at = is_restricted ? step_without_hidden(coding, noisy, at, num_records) : model;
      step_to(as_parameters(model), training);
    }
    if (num_steps == 0) step_to(as_parameters(model), training);
    trained.parameters = training.start.parameters;
    return trained;
  }
};

}  // namespace

TrainingMethodRow noisy_newton_row() { return method_row<NoisyNewton>(); }

}  // namespace equinoise
