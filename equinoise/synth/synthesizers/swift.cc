// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "equinoise/privacy/mechanisms/discrete_gaussian.h"
#include "equinoise/synth/fit.h"
#include "equinoise/synth/graph/tree_query.h"
#include "equinoise/synth/graph_synth_model.h"
#include "equinoise/synth/marginal_choice.h"
#include "equinoise/synth/marginal_scores.h"
#include "equinoise/synth/measure.h"
#include "equinoise/synth/synth_budget.h"
#include "equinoise/synth/synth_options.h"
#include "equinoise/synth/synth_progress.h"
#include "equinoise/synth/synthesizers/synthesizers.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "synth.swift";
constexpr double kShareOfMeasurements = 0.9;
constexpr double kShareOfColumns = 0.1;
/// The budget of a stage relative to the one before.
constexpr double kStageGrowth = 2;
/// The largest share of rho that the roundings of one draw's cost, all against us, can take.
constexpr double kRoundingOfDraw = 1e-15;
constexpr double kUnitsOfRecord = 1 / MarginalScores::kRecordUnit;

/// The division of a run's budget.
struct SwiftBudget {
  double columns;
  double scores;        ///< of each stage
  double measurements;  ///< of all stages
};

/// The candidates for scores: at least two columns, each with at least two codes, because a column
/// with one code adds no counts.
std::vector<WeightedMarginal> swift_candidates(const SynthConfig& config, const Domain& domain) {
  std::vector<WeightedMarginal> candidates = candidates_of(config.workload);
  std::erase_if(candidates, [&](const WeightedMarginal& one) {
    return one.attributes.size() < 2 || std::ranges::any_of(one.attributes, [&](int attribute) {
             return domain.num_codes(attribute) < 2;
           });
  });
  return candidates;
}

SwiftBudget swift_budget(const SynthConfig& config, size_t num_candidates) {
  const int stages = config.own.of<SwiftOptions>().stages;
  const double draws = 2.0 * stages * static_cast<double>(num_candidates) + 1e6;
  const double rho = config.rho * (1 - draws * kRoundingOfDraw);
  if (num_candidates == 0) return {rho, 0, 0};
  const double share = config.measurement_share.value_or(kShareOfMeasurements);
  const double rest = (1 - kShareOfColumns) * rho;
  return {kShareOfColumns * rho, (1 - share) * rest / stages, share * rest};
}

/// The part of the budget for measurements that a stage has.
double part_of_stage(int stage, int stages) {
  double parts = 0;
  for (int each = 0; each < stages; ++each) parts += std::pow(kStageGrowth, each);
  return std::pow(kStageGrowth, stage) / parts;
}

/// One run, from the records to the model.
class SwiftRun {
 public:
  SwiftRun(const MarginalSource& records, const SynthPlan& plan, Charge charge,
           RandomSource& source, TaskProgress& progress)
      : records_(records),
        plan_(plan),
        config_(plan.config),
        facts_(plan.facts),
        charge_(std::move(charge)),
        source_(source),
        progress_(progress),
        candidates_(swift_candidates(config_, facts_.domain)),
        max_marginal_megabytes_(max_marginal_megabytes(plan)),
        budget_(swift_budget(config_, candidates_.size())),
        fitter_(facts_.domain, config_, facts_.structural_zeros, progress) {
    for (const Factor& zeros : facts_.structural_zeros) cliques_.push_back(zeros.attributes);
  }

  SynthOutcome run() {
    const int d = facts_.domain.num_attributes();
    report_stage(plan_, fmt::format("measuring {} columns", d), progress_);
    for (int i = 0; i < d; ++i) {
      measure({i}, budget_.columns / d);
      cliques_.push_back({i});
    }
    GraphicalModel model = fitter_.fit(measurements_, Fitter::kExact, nullptr);
    if (budget_.measurements > 0) take_stages(model);
    for (NoisyMarginal& measurement : measurements_)
      outcome_.measurements.push_back(released(std::move(measurement)));
    outcome_.model =
        std::make_unique<GraphSynthModel>(facts_.domain, keep_all(facts_.domain), std::move(model));
    return std::move(outcome_);
  }

 private:
  double measure(const AttributeSet& set, double rho) {
    const double stddev = stddev_for(rho, kWhere);
    measurements_.push_back(
        measure_marginal(records_, set, charge_.take_within(0, Event::discrete_gaussian(stddev, 1)),
                         config_.relation, source_));
    return stddev;
  }

  void take_stages(GraphicalModel& model) {
    const int stages = config_.own.of<SwiftOptions>().stages;
    double share = 0;
    double unspent = 0;  // by stages that found nothing worth it
    for (int stage = 0; stage < stages; ++stage) {
      const double part = part_of_stage(stage, stages);
      share += part;
      unspent = take_stage(model, stage, part * budget_.measurements + unspent,
                           share * config_.max_model_megabytes);
      const bool is_last = stage + 1 == stages;
      if (is_last && unspent > 0) measure_again(model, unspent);
      if (unspent > 0 && !is_last) continue;
      report_stage(plan_, "fitting the model", progress_);
      model = fitter_.fit(measurements_, is_last ? Fitter::kTogether : Fitter::kRough, &model);
    }
  }

  /// The candidates that the model has room for, without those that noise would hide even if they
  /// had all of `rho`.
  std::vector<MarginalCandidate> possible_candidates(const GraphicalModel& model, double rho,
                                                     double max_megabytes,
                                                     size_t& num_too_large) const {
    const double max_missed = model.total() + facts_.records_or(model.total());
    const double min_stddev = stddev_for(rho, kWhere);
    std::vector<AttributeSet> sets;
    std::vector<MarginalCandidate> possible;
    for (const WeightedMarginal& candidate : candidates_) {
      const double cells = facts_.domain.num_cells(candidate.attributes);
      if (noise_l1(min_stddev, cells) > max_missed) continue;
      if (megabytes_of(cells) > max_marginal_megabytes_) {
        ++num_too_large;
        continue;
      }
      sets.push_back(candidate.attributes);
      possible.push_back({candidate.attributes, candidate.weight, 0});
    }
    const ModelSizer sizer(facts_.domain, cliques_);
    const std::vector<double> cells = sizer.cells_with(sets, progress_);
    size_t i = 0;
    num_too_large += std::erase_if(possible, [&](const MarginalCandidate&) {
      const double with = cells[i++];
      return megabytes_of(with) > max_megabytes && with > sizer.cells();
    });
    return possible;
  }

  /// Fills in the noisy distances of the model from the candidates.
  void score(const GraphicalModel& model, std::vector<MarginalCandidate>& candidates) {
    const double rho = budget_.scores / static_cast<double>(candidates.size());
    const double stddev = stddev_for(rho / (kUnitsOfRecord * kUnitsOfRecord), kWhere);
    std::vector<AttributeSet> sets;
    for (const MarginalCandidate& candidate : candidates) sets.push_back(candidate.attributes);
    std::vector<int64_t> distances(sets.size());
    const TreeQueries queries = model.queries();
    records_.count(sets, config_.threads, [&](size_t index, std::span<const uint32_t> counts) {
      check_interrupted(progress_);
      std::vector<double> expected = queries.answer(sets[index]);
      for (double& count : expected) count *= model.total();
      distances[index] = MarginalScores::distance(counts, expected);
    });
    for (size_t i = 0; i < candidates.size(); ++i) {
      add_discrete_gaussian_noise(
          charge_.take_within(
              0, Event::discrete_gaussian(stddev, static_cast<int64_t>(kUnitsOfRecord))),
          Sensitivity(kUnitsOfRecord, Norm::kL1, config_.relation), std::span(&distances[i], 1),
          source_);
      candidates[i].missed = static_cast<double>(distances[i]) / kUnitsOfRecord;
    }
  }

  /// Scores candidates and, for `rho` besides the scores, measures marginals. Returns the rest of
  /// both budgets.
  double take_stage(const GraphicalModel& model, int stage, double rho, double max_megabytes) {
    check_interrupted(progress_);
    size_t num_too_large = 0;
    std::vector<MarginalCandidate> candidates =
        possible_candidates(model, rho, max_megabytes, num_too_large);
    if (candidates.empty()) return rho + budget_.scores;
    report_stage(plan_, fmt::format("stage {}: scoring {} marginals", stage + 1, candidates.size()),
                 progress_);
    const double before = charge_.rho_left(0);
    score(model, candidates);
    outcome_.rho_of_scores += before - charge_.rho_left(0);
    const MarginalChoice choice =
        choose_marginals(facts_.domain, cliques_, candidates, rho, max_megabytes, progress_);
    for (size_t k = 0; k < choice.chosen.size(); ++k) {
      const MarginalCandidate& chosen = candidates[choice.chosen[k]];
      tell(model, chosen.attributes, chosen.weight, rho * choice.shares[k], candidates.size(),
           num_too_large + choice.num_too_large);
    }
    return choice.chosen.empty() ? rho : 0;
  }

  /// Measures every measured marginal again, each with its share of the noise.
  void measure_again(const GraphicalModel& model, double rho) {
    std::map<AttributeSet, double> parts;
    double sum = 0;
    for (const NoisyMarginal& measurement : measurements_) {
      const double part = std::pow(static_cast<double>(measurement.values.size()), 2.0 / 3);
      if (parts.emplace(measurement.clique, part).second) sum += part;
    }
    for (const auto& [set, part] : parts) tell(model, set, 1, rho * part / sum, 0, 0);
  }

  /// Measures a marginal and reports it.
  void tell(const GraphicalModel& model, const AttributeSet& set, double weight, double rho,
            size_t num_candidates, size_t num_too_large) {
    SynthRound told;
    told.chosen = set;
    told.noise_stddev = measure(set, rho);
    cliques_.push_back(set);
    told.weight = weight;
    told.num_candidates = num_candidates;
    told.num_too_large = num_too_large;
    told.missed = noisy_distance(measurements_.back(), model.marginal(set));
    told.rho_spent = config_.rho - charge_.rho_left(0);
    told.megabytes = megabytes_of(ModelSizer(facts_.domain, cliques_).cells());
    outcome_.rounds.push_back(std::move(told));
    report_round(plan_, outcome_.rounds, progress_);
  }

  const MarginalSource& records_;
  const SynthPlan& plan_;
  const SynthConfig& config_;
  const SynthFacts& facts_;
  Charge charge_;
  RandomSource& source_;
  TaskProgress& progress_;
  std::vector<WeightedMarginal> candidates_;
  double max_marginal_megabytes_;
  SwiftBudget budget_;
  Fitter fitter_;
  std::vector<NoisyMarginal> measurements_;
  std::vector<AttributeSet> cliques_;
  SynthOutcome outcome_;
};

/// A synthesizer for wide and long tables. All one-way marginals are measured first. Then, in a few
/// stages, all marginals below the workload that a model has room for are scored with noise, and
/// those that are worth their noise are measured (marginal_choice.h). One fit follows each stage,
/// while AIM fits after each marginal. [GoogleDpsynth2026]
///
/// Relation: zero_out or add_remove. Sensitivity: of each marginal 1 (marginal_counts.h); of each
/// score, the distance between a marginal and a released model's expected counts, one record
/// (MarginalScores::distance). Cost: rho, reserved as one zCDP event, from which each score and
/// each marginal draws with its own discrete Gaussian (Charge::take_within, which has the
/// argument). A tenth is for one-way marginals. `measurement_share` of the rest is for marginals
/// and the other part for scores; each of the k scores of a stage has a k-th of the stage's part.
/// Later stages have twice the budget of those before, and the unused budget of earlier ones; the
/// rest after the last one measures everything measured so far again. The scored and the measured
/// marginals and their noise follow from releases and public facts.
///
/// Deviation from the publication: several stages instead of one, so that counts that follow from
/// known marginals are not measured again; the room that a model may take grows with them.
class Swift final : public Synthesizer {
 public:
  const SynthOptions& options() const override {
    static const SynthOptions options = [] {
      SynthOptions all = workload_options();
      all.push_back(measurement_share_option(fmt::format("{:g}", kShareOfMeasurements)));
      all.push_back({{.name = "stages",
                      .help = "Number of times that all marginals are scored and the best measured",
                      .range = between(1, 20)},
                     &own_field_at<SynthConfig, &SwiftOptions::stages>});
      return all;
    }();
    return options;
  }

  SynthPlan make_plan(const SynthConfig& config, const SynthFacts& facts) const override {
    check_workload_left(config, kWhere);
    SynthPlan plan{config, facts, {Event::zcdp(config.rho)}, {}, 0, config.max_model_megabytes, {}};
    const size_t num_candidates = swift_candidates(config, facts.domain).size();
    const SwiftBudget budget = swift_budget(config, num_candidates);
    const int stages = config.own.of<SwiftOptions>().stages;
    // Also finds a budget that is too small for any noise.
    const double column_stddev = stddev_for(budget.columns / facts.domain.num_attributes(), kWhere);
    if (num_candidates > 0) {
      const double rho_of_score = budget.scores / static_cast<double>(num_candidates);
      static_cast<void>(stddev_for(rho_of_score / (kUnitsOfRecord * kUnitsOfRecord), kWhere));
      constexpr double kMinShare = 1e-9;  // of marginals that are measured again
      const double first = part_of_stage(0, stages) * budget.measurements;
      static_cast<void>(stddev_for(kMinShare * first, kWhere));
    }
    plan.settings = {{"column_noise_stddev", column_stddev},
                     {"workload_marginals", static_cast<double>(config.workload.size())},
                     {"measurement_share", config.measurement_share.value_or(kShareOfMeasurements)},
                     {"stages", static_cast<double>(stages)}};
    plan.min_megabytes = check_one_ways_fit(facts.domain, config.max_model_megabytes, kWhere);
    warn_of_large_marginals(plan, kWhere);
    return plan;
  }
  std::vector<AttributeSet> marginals(const SynthPlan& plan) const override {
    return marginals_with_room(plan);
  }

  SynthOutcome run(const MarginalSource& records, const SynthPlan& plan, Charge charge,
                   RandomSource& source, TaskProgress& progress) const override {
    return SwiftRun(records, plan, std::move(charge), source, progress).run();
  }
};

}  // namespace

std::unique_ptr<Synthesizer> make_swift() { return std::make_unique<Swift>(); }

}  // namespace equinoise
