// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <bit>
#include <cmath>

#include "equinoise/base/check.h"
#include "equinoise/base/rounding.h"
#include "equinoise/data/split.h"
#include "equinoise/models/registry.h"
#include "equinoise/privacy/mechanisms/disjoint_gaussian.h"
#include "equinoise/train/methods/rows.h"
#include "equinoise/train/row_batches.h"
#include "equinoise/train/run_check.h"
#include "equinoise/train/worst_group/ball.h"
#include "equinoise/train/worst_group/phase_sensitivity.h"
#include "equinoise/train/worst_group/regularised_maximum.h"
#include "equinoise/train/worst_group/table_losses.h"
#include "equinoise/train/worst_group/worst_group_options.h"
#include "equinoise/train/worst_group/worst_group_plan.h"

namespace equinoise {

namespace {

constexpr const char* kWhere = "train.phased_erm";
constexpr double kSolverPart = 1e-3;  // the part of the sensitivity for the distance to the
                                      // minimiser
constexpr uint64_t kChunkSeed = 0;    // for the chunks: public, and the same in every run
constexpr double kFarthestCenter = 1000;

/// The largest distance between the result of a phase's solver and the exact minimiser.
double accuracy_of(const PhaseTerms& terms) { return kSolverPart * terms.sensitivity; }

/// The rounding error of |grad| / mu_w: recursive sums of gradients over the records, and the
/// rounding of scores in each loss; an error e of losses moves weights of groups by e / mu_lambda.
double rounding_of(const PhaseTerms& phase, const TrainingFacts& facts) {
  const double per_score = static_cast<double>(facts.num_parameters) + 64;
  const double terms = static_cast<double>(facts.num_records) + per_score +
                       per_score * phase.reach.loss_bound * (1 + 2 / phase.mu_lambda);
  return 4 * terms * 0x1p-52 * phase.reach.lipschitz / phase.mu_w;
}

PhaseFacts phase_facts(const TrainingPlan& plan, const WorstGroupTerms& groups) {
  const WorstGroupOptions& own = plan.config.own.of<WorstGroupOptions>();
  return {own.phase_step,      plan.config.num_steps,  groups.smallest(),
          groups.num_groups(), plan.facts.num_outputs, own.feature_bound};
}

/// The largest distance from 0 at which a phase may begin so that rounding stays below the
/// accuracy; public. 0: none. Rounding is at most half the accuracy at both ends, and between them
/// rounding over accuracy is at most 1.25 times as much.
double center_radius(const TrainingPlan& plan, const PhaseFacts& facts) {
  const auto holds = [&](double radius) {
    for (int64_t phase = 0; phase < plan.config.num_steps; ++phase) {
      const PhaseTerms terms = phase_terms(facts, phase, radius);
      if (!(rounding_of(terms, plan.facts) < accuracy_of(terms) / 2)) return false;
    }
    return true;
  };
  if (!holds(0)) return 0;
  const double farthest =
      std::min(plan.config.own.of<WorstGroupOptions>().radius.value_or(kNoRadius), kFarthestCenter);
  for (int halvings = 0; halvings < 20; ++halvings) {
    const double radius = std::ldexp(farthest, -halvings);
    if (holds(radius)) return radius;
  }

  return 0;
}

/// Phased minimisation of the largest loss. Each phase uses a separate chunk of the records, finds
/// the exact minimiser of a maximum over groups that is regularised about the result of the phase
/// before, and releases it with noise. [ZhouBassily2024, Alg. 1]
///
/// Relation: zero_out. Sensitivity: phase_sensitivity of the minimiser under replace_one, since
/// nothing bounds how many records of a group are in a chunk (TableLosses). It uses the Lipschitz
/// constant and the largest log loss on the ball that contains the minimiser of every table
/// (class_reach, from features scaled down to feature_bound and the norm of the release before).
/// Added to it are twice the solver's certified distance and the rounding to the grid. Cost: one
/// Gaussian: a record's position decides its phase, and no other phase depends on it
/// (DisjointGaussian). Normaliser: public sizes, or a group's number of records in a chunk if that
/// is larger. Source: as above.
///
/// Deviations: the minimax problem is a minimisation in w, solved until certified instead of by
/// Alg. 4, whose rate needs about 8 n^2 ln n passes. The sensitivity is up to 4 times smaller than
/// printed. Chunks are drawn from positions, so that a record's group is protected. There are at
/// most num_steps phases. The minimiser is not projected before its release; the release is, on a
/// public ball on which rounding cannot exceed what the certificate allows.
class PhasedErm : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "phased_erm",
      .status = PrivacyStatus::kPrivate,
      .source = "ZhouBassily2024",
      .summary =
          "training that lowers the largest loss of any group by exact minimisers on disjoint "
          "chunks, each released with noise; for comparison",
      .min_groups = 2,
      .compares_groups = true,
      .is_stepwise = false,
      .follows_places = true,
      .trains =
          [](std::string_view model) {
            const ModelFacts facts = model_facts(model);
            return facts.is_linear && facts.is_smooth && !facts.is_regression;
          },
      .other_models =
          "certifies the minimisers that it releases, so it trains logistic and softmax models, "
          "whose losses are convex and smooth with bounded gradients, got {}; use mgr_w",
      .reference = "group_dro",
  };
  static TrainingOptions declared_options() {
    return all_of(
        {named(worst_group_options(), {"radius"}),
         TrainingOptions{
             {{.name = "phase_step",
               .help = "Length of the first phase's step (the paper's eta); a longer step can move "
                       "further and needs more noise",
               .range = between(1e-9, 1e9),
               .section = "Worst group"},
              kOwnTrainingField<&WorstGroupOptions::phase_step>},
             {{.name = "feature_bound",
               .help = "Largest norm of a record's features extended by a constant 1; longer ones "
                       "are scaled down",
               .range = between(1.001, 1e6),
               .section = "Worst group"},
              kOwnTrainingField<&WorstGroupOptions::feature_bound>}}});
  }

  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    WorstGroupTerms terms = settle_worst_group(kWhere, config, facts);
    if (terms.smallest() < 4) {
      throw Error(ErrorKind::kUsage, kWhere,
                  "the smallest group has {} training records, too few for two phases "
                  "with chunks of 2 records; merge groups",
                  terms.smallest());
    }
    const auto most =
        static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(terms.smallest()))) - 1;
    TrainingPlan plan{"phased_erm", config, facts};
    plan.config.num_steps = std::min<int64_t>(config.num_steps, most);
    plan.config.batch_size =
        static_cast<double>(facts.num_records) / static_cast<double>(plan.config.num_steps);
    check_training_config(kWhere, plan.config, facts);
    check_noise_choice(kWhere, config);
    plan.sample_rate = 1 / static_cast<double>(plan.config.num_steps);
    const double num_draws =
        static_cast<double>(plan.config.num_steps) * static_cast<double>(facts.num_parameters);
    const auto events = [&](double noise_multiplier) {
      return std::vector{Event::gaussian(noise_multiplier), gaussian_error(num_draws)};
    };
    plan.noise_multiplier = choose_noise_multiplier(plan.config, events);
    const std::vector<Event> planned = events(plan.noise_multiplier);
    plan.items = {{"noisy minimisers on disjoint chunks of records", planned[0]},
                  {"sampler error", planned[1]}};
    settle_guarantee(kWhere, plan);
    const PhaseFacts phases = phase_facts(plan, terms);
    const PhaseTerms first = phase_terms(phases, 0, 0);
    plan.bound = first.sensitivity;
    plan.noise_stddev = plan.noise_multiplier * first.sensitivity;
    plan.grid = power_of_two_below(plan.noise_stddev * 0x1p-30);
    plan.noise_follows = "earlier releases";
    const double center = center_radius(plan, phases);
    if (!(center > 0)) {
      throw Error(ErrorKind::kUsage, kWhere,
                  "with {} records and --phase-step {:g} rounding would exceed the accuracy "
                  "that the sensitivity requires; lower --phase-step or use mgr_w",
                  facts.num_records, config.own.of<WorstGroupOptions>().phase_step);
    }
    plan.notes = {kForComparison};
    const int64_t phase_group_size = terms.smallest() / plan.config.num_steps;
    plan.settings = {{"phase_step", config.own.of<WorstGroupOptions>().phase_step},
                     {"center_radius", center},
                     {"feature_bound", config.own.of<WorstGroupOptions>().feature_bound},
                     {"phase_group_size", static_cast<double>(phase_group_size)}};
    return plan;
  }

  std::optional<NoiseReach> noise_reach(const TrainingPlan& plan) const override {
    const WorstGroupTerms terms = settle_worst_group(kWhere, plan.config, plan.facts);
    const PhaseTerms last = phase_terms(phase_facts(plan, terms), plan.config.num_steps - 1, 0);
    return NoiseReach{plan.noise_multiplier * last.sensitivity, 0,
                      "the minimiser of the last phase"};
  }

  TrainedModel run(TrainingRun training) const override {
    check_run_from_start(kWhere, training);
    const WorstGroupTerms groups =
        settle_worst_group(kWhere, training.plan.config, training.plan.facts);
    const WorstGroupOptions& own = training.plan.config.own.of<WorstGroupOptions>();
    const int64_t num_phases = training.plan.config.num_steps;
    const std::vector<uint32_t> order = public_order(training.plan.facts.num_records, kChunkSeed);
    const RowBatches rows(training.table);
    std::vector<double> sizes;
    for (const int64_t size : groups.sizes)
      sizes.push_back(static_cast<double>(size) / static_cast<double>(num_phases));
    const FlatClip clip(own.feature_bound);
    DisjointGaussian releases(training.charge.take(0));
    const PhaseFacts facts = phase_facts(training.plan, groups);
    const double radius = center_radius(training.plan, facts);
    project_on_ball(radius, training.start.parameters);
    std::vector<int64_t> units(training.model.num_parameters());
    for (int64_t phase = 0; phase < num_phases; ++phase) {
      training.source.start_step(static_cast<uint64_t>(phase));
      const auto place = [&](int64_t t) {
        return order.begin() +
               static_cast<std::ptrdiff_t>(t * training.plan.facts.num_records / num_phases);
      };
      std::vector<uint32_t> chunk(place(phase), place(phase + 1));
      std::ranges::sort(chunk);
      for (uint32_t& record : chunk) record = rows.row_of(record);
      training.observer.on_batch({phase, {chunk}, training.start.parameters, clip, {}, 0});
      const TableLosses losses(training.table, chunk, training.model, sizes, own.feature_bound);
      const PhaseTerms terms = phase_terms(facts, phase, euclidean_norm(training.start.parameters));
      const CertifiedMinimum minimum =
          minimise_maximum(losses, {training.start.parameters, terms.mu_w, terms.mu_lambda},
                           accuracy_of(terms) - rounding_of(terms, training.plan.facts));
      // The grid depends on earlier releases only, as the sensitivity does.
      const double grid =
          power_of_two_below(training.plan.noise_multiplier * terms.sensitivity * 0x1p-30);
      for (size_t j = 0; j < units.size(); ++j)
        units[j] = std::llround(std::clamp(minimum.parameters[j] / grid, -0x1p61, 0x1p61));
      const double reach = (terms.sensitivity + 2 * accuracy_of(terms)) / grid +
                           std::sqrt(static_cast<double>(units.size()));
      releases.add_noise(Sensitivity(round_up(reach, 1e-14), Norm::kL2, Relation::kZeroOut), units,
                         training.source);
      for (size_t j = 0; j < units.size(); ++j)
        training.start.parameters[j] = static_cast<double>(units[j]) * grid;
      project_on_ball(radius, training.start.parameters);
      step_to(std::move(training.start.parameters), training);
    }
    return {training.start.parameters};
  }
};

}  // namespace

TrainingMethodRow phased_erm_row() { return method_row<PhasedErm>(); }

}  // namespace equinoise
