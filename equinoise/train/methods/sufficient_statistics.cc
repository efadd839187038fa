// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/base/check.h"
#include "equinoise/models/registry.h"
#include "equinoise/privacy/mechanisms/gaussian_sum.h"
#include "equinoise/train/methods/options.h"
#include "equinoise/train/methods/rows.h"
#include "equinoise/train/regression/expected_coefficients.h"
#include "equinoise/train/regression/group_fit.h"
#include "equinoise/train/regression/least_squares.h"
#include "equinoise/train/regression/moments.h"
#include "equinoise/train/regression/record_scale.h"
#include "equinoise/train/regression/shrunk_regression.h"
#include "equinoise/train/regression/starting_mean.h"
#include "equinoise/train/round_sum.h"
#include "equinoise/train/run_check.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "train.sufficient_statistics";
constexpr Refusal refuse{ErrorKind::kUsage, kWhere};

/// Slopes are released if the eigenvalues of the second moments due to noise are at most this part
/// of their sum over all directions.
constexpr double kMaxNoise = 0.2;

/// The factor on that limit if nobody knows how many standard deviations of the target its bounds
/// are: slopes hidden by noise would have cost the mean most of the budget.
constexpr double kPartWithoutMean = 0.5;

constexpr size_t kMaxSearched = 500;  ///< features whose moments can be decomposed 200 times

/// The event is the same with or without slopes; the samplers' error is that with slopes.
double num_entries(const TrainingFacts& facts) {
  return static_cast<double>(MomentSums::num_entries(num_features(facts), kWithSlopes)) *
         static_cast<double>(std::max<size_t>(1, facts.num_groups));
}

/// The noise of the second moments of all groups together.
double noise_of_moments(const TrainingConfig& config, const TrainingFacts& facts,
                        double noise_multiplier) {
  const double row = row_bound_of(config, facts);
  const auto num_groups = static_cast<double>(std::max<size_t>(1, facts.num_groups));
  return std::sqrt(num_groups / kWithSlopes.second) * noise_multiplier * row * row;
}

/// An interval has ends from about here (NoisyEquations, given that kMinRest is exceeded).
constexpr double kMinRestWithEnds = 4;

/// The number of coefficients with an interval, from public facts.
size_t coefficients_expected(const TrainingPlan& plan) {
  const double square = noise_of_moments(plan.config, plan.facts, plan.noise_multiplier);
  const double in_squares =
      row_bound_of(plan.config, plan.facts) * std::sqrt(kWithSlopes.sum / kWithSlopes.second);
  // A count is two entries, which are combined by precision.
  return expected_coefficients(plan.facts, 1,
                               {square, square / std::hypot(1, in_squares), kMinRestWithEnds});
}

/// Returns whether slopes of so many records stand out at a noise multiplier, from public facts.
bool tells_slopes(const TrainingConfig& config, const TrainingFacts& facts,
                  double noise_multiplier) {
  const double of_noise = std::sqrt(2 * static_cast<double>(num_features(facts))) *
                          noise_of_moments(config, facts, noise_multiplier);
  const double norm = typical_feature_norm(facts);
  const double of_records = static_cast<double>(facts.num_records) * norm * norm;
  const double most = needs_mean(facts) ? kPartWithoutMean * kMaxNoise : kMaxNoise;
  return num_features(facts) > 0 && of_noise <= most * of_records;
}

MomentShares shares_of(const TrainingPlan& plan) {
  // A mean is released first only if slopes follow.
  const bool has_slopes = plan.full_noise_multiplier > 0 ||
                          tells_slopes(plan.config, plan.facts, plan.noise_multiplier);
  return has_slopes ? kWithSlopes : MomentShares{};
}

/// `center`: public, or released. No target is farther from it than the target's own bounds allow.
MomentBounds bounds_of(const TrainingConfig& config, const TrainingFacts& facts, double center) {
  return {row_bound_of(config, facts),
          std::min(config.own.of<MomentOptions>().target_bound,
                   facts.target.reach() + std::fabs(center - facts.target.middle)),
          center};
}

const TrainingOptions& moment_options() {
  static const TrainingOptions options = all_of(
      {row_bound_options(),
       TrainingOptions{
           {{.name = "target_bound",
             .help =
                 "Largest distance of a target from its mean, which is released first where the "
                 "schema has none and slopes are asked for, or else from the middle of its bounds, "
                 "on the scale of the schema; what is beyond it is brought to it",
             .range = between(1e-6, 1e6),
             .section = "Regression"},
            kOwnTrainingField<&MomentOptions::target_bound>}}});
  return options;
}

/// Linear regression from one release of all sums for least squares: weighted sums of x x', x y, x,
/// 1, y and y^2. The results are a model whose slopes are shrunk by the part that noise hides
/// (shrunk_regression), and coefficients with intervals (coefficients_of). If the facts hold
/// groups, as for group_statistics, sums are per group, and the model is the one that fit_groups
/// aims for.
///
/// Relation: zero_out. Sensitivity: MomentSums::sensitivity() in L2, for all sums as one vector. A
/// record with features beyond row_bound has a smaller weight. Its target is clamped to within
/// target_bound of a center: the target's public mean, or a noisy mean that is released first
/// (release_mean). Cost: one Gaussian on full data, and that of the mean; the rest is
/// post-processing. If, by public facts, the noise on second moments would hide most of the slopes,
/// only the mean of the target is released, over the public number of records: null records count
/// as records of mean 0. Source: [VuSlavkovic2009] and [Wang2018] for one release of the moments.
///
/// Deviations: one Gaussian for all sums instead of a split budget. Slopes are a posterior mean
/// whose prior variance follows from the release, instead of a ridge that follows the smallest
/// eigenvalue. Records are weighted instead of scaled down.
class SufficientStatistics : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "sufficient_statistics",
      .status = PrivacyStatus::kPrivate,
      .source = "Wang2018",
      .summary =
          "linear regression from one release of the sums that least squares needs, with slopes "
          "shrunk by what noise hides",
      .is_stepwise = false,
      .takes_full_batches = true,
      .releases_coefficients = true,
      .clips_otherwise = true,
      .trains = [](std::string_view model) { return model == "linear"; },
      .other_models =
          "trains linear regressions, got {}; use noisy_newton for two classes, else use dpsgd",
      .purpose =
          "for coefficients with intervals; where public facts say that noise hides the slopes, it "
          "predicts a noisy mean of the target alone",
  };
  static TrainingOptions declared_options() { return moment_options(); }

  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    TrainingFacts of_all = facts;
    of_all.num_groups = 0;
    of_all.groups = {};
    return plan_moments(config, of_all);
  }

  TrainedModel run(TrainingRun training) const override {
    check_run_from_start(kWhere, training);
    const EncodedTable& table = training.table;
    if (table.blocks.size() != table.num_active || table.feature_names.size() != table.num_features)
      throw Error(ErrorKind::kRuntime, kWhere, "the table does not say what its features are");
    const TrainingConfig& config = training.plan.config;
    const TrainingFacts& facts = training.plan.facts;
    const MomentShares shares = shares_of(training.plan);
    const MomentBounds bounds = bounds_of(
        config, facts,
        training.plan.full_noise_multiplier > 0 ? release_mean(training) : facts.target.middle);
    const MomentSums sums(bounds, shares, training.plan.grid);
    training.source.start_step(0);
    const size_t num_parts = shares.has_slopes() ? std::max<size_t>(1, facts.num_groups) : 1;
    std::vector<int64_t> units = num_parts == 1
                                     ? sums.sum_up(table, config.threads)
                                     : sums.sum_up_groups(table, num_parts, config.threads);
    add_gaussian_noise(training.charge.take(0),
                       Sensitivity(sums.sensitivity(), Norm::kL2, Relation::kZeroOut), units,
                       training.source);
    std::vector<Moments> parts;
    const size_t size = units.size() / num_parts;
    for (size_t k = 0; k < num_parts; ++k)
      parts.push_back(sums.read(std::span(units).subspan(k * size, size), num_features(facts),
                                training.plan.noise_multiplier * sums.sensitivity()));
    const auto& own = config.own.of<MomentOptions>();
    const auto num_records = static_cast<double>(facts.num_records);
    const GroupFit groups =
        num_parts == 1
            ? GroupFit{shrunk_regression(parts[0], num_records, bounds.target)}
            : fit_groups(parts, {own.aim, own.loss_limit.value_or(0), num_records, bounds.target});
    const ShrunkRegression& fit = groups.regression;
    std::vector<double> parameters(facts.num_parameters, 0.0);
    parameters.back() = bounds.center + fit.intercept;
    for (size_t j = 0; j < static_cast<size_t>(fit.slopes.size()); ++j) {
      const NumberScale scale = table.scale_of(j);
      parameters[j] = fit.slopes(static_cast<Eigen::Index>(j)) / scale.half_width;
      parameters.back() -= parameters[j] * scale.middle;
    }
    step_to(parameters, training);
    TrainedModel trained{.parameters = parameters,
                         .chosen = {{"slope_variance", fit.slope_variance}}};
    if (training.plan.full_noise_multiplier > 0) {
      trained.chosen.emplace_back("target_center", bounds.center);
      trained.chosen.emplace_back("target_bound", bounds.target);
    }
    for (size_t k = 0; k < groups.weights.size(); ++k) {
      const std::string& name = facts.groups.names[k];
      trained.chosen.emplace_back(fmt::format("weight {}", name), groups.weights[k]);
      if (std::isnan(groups.losses[k].value)) continue;
      trained.chosen.emplace_back(fmt::format("loss {}", name), groups.losses[k].value);
      trained.chosen.emplace_back(fmt::format("loss_noise {}", name), groups.losses[k].stddev);
    }
    if (shares.has_slopes()) trained.coefficients = coefficients_of(parts, bounds, table);
    return trained;
  }

 protected:
  /// The plan of the moments of each group of the facts, or of all records if there are no groups.
  TrainingPlan plan_moments(const TrainingConfig& config, const TrainingFacts& facts) const {
    TrainingPlan plan = plan_full_batches(kWhere, "sufficient_statistics", config, facts, 1);
    check_noise_choice(kWhere, config);
    const double num_draws = num_entries(facts);
    const auto most = static_cast<double>(MomentSums::num_entries(kMaxMomentFeatures, kWithSlopes));
    if (num_draws > most) {
      refuse(
          "{} features{} have {:.3g} moments, the limit is {:.3g}, those of {} features; "
          "use dpsgd, or leave columns out",
          num_features(facts),
          facts.num_groups > 1 ? fmt::format(" of {} groups", facts.num_groups) : "", num_draws,
          most, kMaxMomentFeatures);
    }
    const auto& own = config.own.of<MomentOptions>();
    const bool is_searched = own.aim == GroupAim::kWorst || own.aim == GroupAim::kBounded;
    if (is_searched && num_features(facts) > kMaxSearched) {
      refuse(
          "aim {} takes at most {} features, got {}; leave columns out, or use "
          "mgr_w",
          word_of(kGroupAims, own.aim), kMaxSearched, num_features(facts));
    }
    if (own.aim == GroupAim::kBounded && !own.loss_limit)
      refuse("aim bounded needs a limit; add --loss-limit, e.g. 0.4");
    const auto alone = [&](double noise_multiplier) {
      return std::vector{Event::gaussian(noise_multiplier), gaussian_error(num_draws + 1)};
    };
    const auto after_mean = [&](double noise_multiplier) {
      std::vector<Event> events = alone(noise_multiplier);
      events.push_back(Event::gaussian(noise_of_mean(facts, noise_multiplier)));
      return events;
    };
    plan.noise_multiplier = choose_noise_multiplier(plan.config, alone);
    std::vector<Event> planned = alone(plan.noise_multiplier);
    if (needs_mean(facts) && tells_slopes(plan.config, facts, plan.noise_multiplier)) {
      plan.noise_multiplier = choose_noise_multiplier(plan.config, after_mean);
      planned = after_mean(plan.noise_multiplier);
      plan.full_noise_multiplier = planned[2].noise_multiplier();
    }
    plan.items = {{"noisy moments of features and target", planned[0]},
                  {"sampler error", planned[1]}};
    if (plan.full_noise_multiplier > 0)
      plan.items.push_back({"noisy mean of the target, from which moments are taken", planned[2]});
    settle_guarantee(kWhere, plan);
    const MomentShares shares = shares_of(plan);
    plan.bound = 1;
    plan.noise_stddev = plan.noise_multiplier;
    plan.grid = grid_of_sum(1, plan.noise_multiplier, facts.num_records);
    plan.settings = {{"row_bound", row_bound_of(config, facts)},
                     {"has_slopes", shares.has_slopes() ? 1 : 0}};
    if (plan.full_noise_multiplier > 0) {
      plan.settings.emplace_back("start_noise_multiplier", plan.full_noise_multiplier);
    } else {
      plan.settings.emplace_back("target_bound",
                                 bounds_of(config, facts, facts.target.middle).target);
    }
    if (facts.num_groups > 0) {
      plan.settings.emplace_back("num_groups", static_cast<double>(facts.num_groups));
      if (own.loss_limit) plan.settings.emplace_back("loss_limit", *own.loss_limit);
    }
    note_expected_coefficients(
        shares.has_slopes() ? std::optional(coefficients_expected(plan)) : std::nullopt, plan);
    if (!shares.has_slopes())
      plan.notes.push_back(
          "noise would hide most of what slopes are, so that all of the budget goes to the mean of "
          "the target, which is the prediction for everybody; spend more, leave columns out, use "
          "more records, or declare the target's mean and standard deviation where they are "
          "public");
    return plan;
  }
};

/// sufficient_statistics with sums per group instead of overall, for the same cost, since a record
/// is in one group. The regression can then weigh groups, and figures of each group are released.
/// Overall sums are those of all groups added up, with the noise of all of them.
class GroupStatistics : public SufficientStatistics {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "group_statistics",
      .status = PrivacyStatus::kPrivate,
      .source = "Wang2018",
      .summary =
          "sufficient_statistics of each group: one regression that weighs groups as its aim asks, "
          "and how it fits each",
      .min_groups = 2,
      .is_stepwise = false,
      .takes_full_batches = true,
      .clips_otherwise = true,
      .trains = [](std::string_view model) { return model == "linear"; },
      .other_models =
          "trains linear regressions, got {}; use noisy_newton for two classes, else use dpsgd",
      .purpose =
          "for how one regression fits each group, and to let every group count alike, or to make "
          "the largest loss of any group small (--aim)",
  };
  static TrainingOptions declared_options() {
    return all_of(
        {moment_options(),
         TrainingOptions{
             {{.name = "aim",
               .help = "Whose losses the model makes small: population, those of all records "
                       "alike; mean, of all groups alike; worst, the largest of any group; "
                       "bounded, of all records with no group above --loss-limit",
               .choices = words_of(kGroupAims),
               .section = "Regression"},
              kOwnTrainingWord<kGroupAims, &MomentOptions::aim>},
             {{.name = "loss_limit",
               .help = "Limit on the mean loss of each group, half the squared residual on "
                       "the scale of the schema, with --aim bounded",
               .range = positive(1e6),
               .section = "Regression",
               .depends_on = "aim",
               .on_words = {word_of(kGroupAims, GroupAim::kBounded)}},
              kOwnTrainingField<&MomentOptions::loss_limit>}}});
  }

  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    TrainingPlan plan = plan_moments(config, facts);
    plan.method = traits().name;
    return plan;
  }
};

}  // namespace

TrainingMethodRow sufficient_statistics_row() { return method_row<SufficientStatistics>(); }
TrainingMethodRow group_statistics_row() { return method_row<GroupStatistics>(); }

}  // namespace equinoise
