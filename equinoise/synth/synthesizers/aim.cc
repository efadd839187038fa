// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/privacy/mechanisms/exponential.h"
#include "equinoise/synth/fit.h"
#include "equinoise/synth/graph/tree_query.h"
#include "equinoise/synth/graph_synth_model.h"
#include "equinoise/synth/hopeless_candidates.h"
#include "equinoise/synth/marginal_scores.h"
#include "equinoise/synth/measure.h"
#include "equinoise/synth/selection_bound.h"
#include "equinoise/synth/synth_budget.h"
#include "equinoise/synth/synth_options.h"
#include "equinoise/synth/synth_progress.h"
#include "equinoise/synth/synthesizers/synthesizers.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "synth.aim";
/// The tolerance of a last round, for the roundings of its cost.
constexpr double kSlack = 1e-10;
constexpr double kMeasurementShare = 0.9;

/// Returns whether some clique holds all of `set`.
bool is_free(const JunctionTree& tree, const AttributeSet& set) {
  return std::ranges::any_of(tree.cliques,
                             [&](const AttributeSet& clique) { return contains(clique, set); });
}

/// One run, from the records to the model.
class AimRun {
 public:
  AimRun(const MarginalSource& records, const SynthPlan& plan, Charge charge, RandomSource& source,
         TaskProgress& progress)
      : records_(records),
        plan_(plan),
        config_(plan.config),
        domain_(plan.facts.domain),
        charge_(std::move(charge)),
        source_(source),
        progress_(progress),
        fitter_(domain_, config_, plan.facts.structural_zeros, progress),
        candidates_(candidates_of(config_.workload)),
        max_marginal_megabytes_(max_marginal_megabytes(plan)),
        share_(config_.measurement_share.value_or(kMeasurementShare)),
        round_(first_aim_round(
            config_.rho,
            config_.own.of<AimOptions>().rounds_per_attribute * domain_.num_attributes(), share_)) {
    for (const Factor& zeros : plan.facts.structural_zeros) cliques_.push_back(zeros.attributes);
  }

  SynthOutcome run() {
    report_stage(plan_, fmt::format("measuring {} columns", domain_.num_attributes()), progress_);
    for (int i = 0; i < domain_.num_attributes(); ++i) {
      measure({i});
      cliques_.push_back({i});
    }
    GraphicalModel model = fitter_.fit(measurements_, Fitter::kExact, nullptr);
    report_stage(plan_, "choosing marginals", progress_);
    SynthOutcome outcome;
    while (!round_.is_last) {
      round_ = next_aim_round(round_, charge_.rho_left(0) * (1 - kSlack), share_);
      outcome.rounds.push_back(take_round(model));
      report_round(plan_, outcome.rounds, progress_);
    }
    report_stage(plan_, "fitting the model", progress_);
    // The model before the last choice.
    const GraphicalModel before = std::move(model);
    model = fitter_.fit(measurements_, Fitter::kFine, &before);
    outcome.bounds = bounds(before, model);
    for (NoisyMarginal& measurement : measurements_)
      outcome.measurements.push_back(released(std::move(measurement)));
    outcome.model = std::make_unique<GraphSynthModel>(domain_, keep_all(domain_), std::move(model));
    return outcome;
  }

 private:
  void measure(const AttributeSet& set) {
    measurements_.push_back(measure_marginal(
        records_, set, charge_.take_within(0, Event::discrete_gaussian(round_.noise_stddev, 1)),
        config_.relation, source_));
  }

  /// The candidates that the model has room for and that have a chance to be chosen.
  std::vector<WeightedMarginal> possible_candidates(const GraphicalModel& model,
                                                    double rho_committed, SynthRound& told) const {
    const double limit = config_.max_model_megabytes * rho_committed / config_.rho;
    const auto has_room = [&](const AttributeSet& set) {
      return megabytes_of(domain_.num_cells(set)) <= max_marginal_megabytes_;
    };
    std::vector<AttributeSet> growing;
    for (const WeightedMarginal& candidate : candidates_) {
      if (has_room(candidate.attributes) && !is_free(model.tree(), candidate.attributes))
        growing.push_back(candidate.attributes);
    }
    const std::vector<double> cells = ModelSizer(domain_, cliques_).cells_with(growing, progress_);
    std::vector<WeightedMarginal> fitting;
    size_t next = 0;
    for (const WeightedMarginal& candidate : candidates_) {
      const bool grows = next < growing.size() && growing[next] == candidate.attributes;
      const bool fits = grows ? megabytes_of(cells[next]) <= limit : has_room(candidate.attributes);
      if (grows) ++next;
      if (fits) {
        fitting.push_back(candidate);
      } else {
        ++told.num_too_large;
      }
    }
    return drop_hopeless(domain_, std::move(fitting),
                         2 * (plan_.facts.records_or(model.total()) + model.total()),
                         round_.noise_stddev, round_.epsilon);
  }

  double penalty(const AttributeSet& set) const {
    return noise_l1(round_.noise_stddev, domain_.num_cells(set));
  }

  size_t choose(const std::vector<WeightedMarginal>& candidates, const GraphicalModel& model) {
    const double largest = largest_weight(candidates);
    std::vector<AttributeSet> sets;
    for (const WeightedMarginal& candidate : candidates) sets.push_back(candidate.attributes);
    const MarginalScores grid(largest);
    const TreeQueries queries = model.queries();
    std::vector<int64_t> scores(sets.size());
    records_.count(sets, config_.threads, [&](size_t index, std::span<const uint32_t> counts) {
      check_interrupted(progress_);
      std::vector<double> expected = queries.answer(sets[index]);
      for (double& count : expected) count *= model.total();
      scores[index] = grid.score(counts, expected, candidates[index].weight, penalty(sets[index]));
    });
    return choose_exponentially(
        charge_.take_within(0, Event::exponential(round_.epsilon)),
        Sensitivity(grid.sensitivity_units(largest), Norm::kMax, config_.relation), scores,
        source_);
  }

  SynthRound take_round(GraphicalModel& model) {
    check_interrupted(progress_);
    SynthRound told;
    // The cost of this round counts for the room that the model may take.
    const double committed =
        config_.rho - charge_.rho_left(0) + rho_of_round(round_.noise_stddev, round_.epsilon);
    const std::vector<WeightedMarginal> candidates = possible_candidates(model, committed, told);
    const size_t choice = choose(candidates, model);
    const WeightedMarginal& chosen = candidates[choice];
    measure(chosen.attributes);
    cliques_.push_back(chosen.attributes);
    const std::vector<double> before = model.marginal(chosen.attributes);
    told.chosen = chosen.attributes;
    told.weight = chosen.weight;
    told.noise_stddev = round_.noise_stddev;
    told.epsilon = round_.epsilon;
    told.num_candidates = candidates.size();
    told.missed = noisy_distance(measurements_.back(), before);
    told.rho_spent = config_.rho - charge_.rho_left(0);
    // The fit after the last round is the final one.
    if (round_.is_last) {
      last_choice_ = {candidates, choice, round_.epsilon, round_.noise_stddev,
                      told.missed + penalty(chosen.attributes)};
    } else {
      model = fitter_.fit(measurements_, Fitter::kRough, &model);
      told.halves_noise =
          should_halve_noise(before, model.marginal(chosen.attributes), round_.noise_stddev);
      if (told.halves_noise) {
        round_.noise_stddev /= 2;
        round_.epsilon *= 2;
      }
    }
    told.megabytes = megabytes_of(ModelSizer(domain_, cliques_).cells());
    return told;
  }

  /// Bounds for the workload's marginals among the last candidates, the closest first. Each is the
  /// bound from the last choice for the model before it, plus the final model's distance from that
  /// model.
  std::vector<MarginalBound> bounds(const GraphicalModel& before, const GraphicalModel& model) {
    std::set<AttributeSet> wanted;
    for (const WeightedMarginal& marginal : config_.workload) wanted.insert(marginal.attributes);
    const std::vector<double> distances = distance_bounds(domain_, last_choice_, kBoundMiss);
    // A larger bound is no information.
    const double most = plan_.facts.records_or(model.total()) + model.total();
    std::vector<MarginalBound> result;
    for (size_t i = 0; i < distances.size(); ++i) {
      const AttributeSet& set = last_choice_.candidates[i].attributes;
      if (!wanted.contains(set) || !(distances[i] < most)) continue;
      check_interrupted(progress_);
      const std::vector<double> was = before.marginal(set);
      const std::vector<double> is = model.marginal(set);
      double records = distances[i];
      for (size_t cell = 0; cell < is.size(); ++cell) records += std::abs(is[cell] - was[cell]);
      if (records < most) result.push_back({set, records});
    }
    std::ranges::sort(result, [](const MarginalBound& a, const MarginalBound& b) {
      return a.records != b.records ? a.records < b.records : a.attributes < b.attributes;
    });
    return result;
  }

  const MarginalSource& records_;
  const SynthPlan& plan_;
  const SynthConfig& config_;
  const Domain& domain_;
  Charge charge_;
  RandomSource& source_;
  TaskProgress& progress_;
  Fitter fitter_;
  std::vector<WeightedMarginal> candidates_;
  double max_marginal_megabytes_;
  double share_;
  AimRound round_;
  std::vector<NoisyMarginal> measurements_;
  std::vector<AttributeSet> cliques_;
  MeasuredChoice last_choice_;
};

/// AIM: measures, round by round, the marginal below the workload that the model misses most, until
/// the budget is spent. [McKennaMullinsSheldonMiklau2022, Alg. 1-4]
///
/// Relation: zero_out or add_remove. Sensitivity: 1 of each marginal (marginal_counts.h), of the
/// scores the largest weight of a candidate (marginal_scores.h). Cost: rho, reserved as one zCDP
/// event; rounds draw from it according to their own choices, and the charge refuses a draw that
/// would exceed it (Charge::take_within, which has the argument). The last round takes the rest, so
/// that all of rho is spent, to a relative 1e-9.
///
/// The set of candidates, the scales of noise and the number of rounds follow from releases and
/// public facts. Deviation: candidates are also left out if noise alone would make them so much
/// worse than others that they would be chosen with probability below 1e-17 each, given the
/// released total. This public rule saves most of the work of a round. Deviation: every column is
/// measured at first, whether or not the workload names it. Deviation: models are fitted to a bound
/// on the remaining gain instead of for 1000 iterations.
class Aim final : public Synthesizer {
 public:
  const SynthOptions& options() const override {
    static const SynthOptions options = [] {
      SynthOptions all = workload_options();
      all.push_back(measurement_share_option(fmt::format("{:g}", kMeasurementShare)));
      all.push_back(
          {{.name = "rounds_per_attribute",
            .help = "Number of rounds for each column by which the first rounds are sized; "
                    "fewer follow where noise halves",
            .range = between(2, 1e6)},
           &own_field_at<SynthConfig, &AimOptions::rounds_per_attribute>});
      return all;
    }();
    return options;
  }
  SynthPlan make_plan(const SynthConfig& config, const SynthFacts& facts) const override {
    check_workload_left(config, kWhere);
    const double share = config.measurement_share.value_or(kMeasurementShare);
    SynthPlan plan{config, facts, {Event::zcdp(config.rho)}, {}, 0, config.max_model_megabytes, {}};
    const double num_rounds =
        config.own.of<AimOptions>().rounds_per_attribute * facts.domain.num_attributes();
    // Also finds a budget that is too small for any noise.
    static_cast<void>(stddev_for(share * config.rho / num_rounds, kWhere));
    const AimRound first = first_aim_round(config.rho, num_rounds, share);
    plan.settings = {{"first_noise_stddev", first.noise_stddev},
                     {"first_choice_epsilon", first.epsilon},
                     {"most_rounds", std::floor(num_rounds)},
                     {"workload_marginals", static_cast<double>(config.workload.size())},
                     {"measurement_share", share},
                     {"rounds_per_attribute", config.own.of<AimOptions>().rounds_per_attribute}};
    plan.min_megabytes = check_one_ways_fit(facts.domain, config.max_model_megabytes, kWhere);
    warn_of_large_marginals(plan, kWhere);
    return plan;
  }
  std::vector<AttributeSet> marginals(const SynthPlan& plan) const override {
    return marginals_with_room(plan);
  }

  SynthOutcome run(const MarginalSource& records, const SynthPlan& plan, Charge charge,
                   RandomSource& source, TaskProgress& progress) const override {
    return AimRun(records, plan, std::move(charge), source, progress).run();
  }
};

}  // namespace

AimRound first_aim_round(double rho, double num_rounds, double share) {
  return {std::sqrt(num_rounds / (2 * share * rho)), std::sqrt(8 * (1 - share) * rho / num_rounds),
          false};
}

AimRound next_aim_round(const AimRound& round, double rho_left, double share) {
  if (rho_left >= 2 * rho_of_round(round.noise_stddev, round.epsilon)) return round;
  return {std::sqrt(1 / (2 * share * rho_left)), std::sqrt(8 * (1 - share) * rho_left), true};
}

bool should_halve_noise(std::span<const double> before, std::span<const double> after,
                        double noise_stddev) {
  double change = 0;
  for (size_t cell = 0; cell < before.size(); ++cell)
    change += std::abs(after[cell] - before[cell]);
  return change <= noise_l1(noise_stddev, static_cast<double>(before.size()));
}

std::unique_ptr<Synthesizer> make_aim() { return std::make_unique<Aim>(); }

}  // namespace equinoise
