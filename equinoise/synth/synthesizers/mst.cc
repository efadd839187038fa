// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "equinoise/base/error.h"
#include "equinoise/privacy/mechanisms/exponential.h"
#include "equinoise/synth/fit.h"
#include "equinoise/synth/graph/tree_query.h"
#include "equinoise/synth/graph_synth_model.h"
#include "equinoise/synth/marginal_counts.h"
#include "equinoise/synth/marginal_scores.h"
#include "equinoise/synth/measure.h"
#include "equinoise/synth/rare_values.h"
#include "equinoise/synth/synth_budget.h"
#include "equinoise/synth/synth_options.h"
#include "equinoise/synth/synth_progress.h"
#include "equinoise/synth/synthesizers/synthesizers.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "synth.mst";
constexpr double kRareStddevs = 3;

/// The items of the charge.
enum MstItem : size_t { kOneWays, kChoices, kPairs };

/// The pairs that the tree may still take, in their order; each pair that a choice rules out is
/// removed once.
class OpenPairs {
 public:
  OpenPairs(const PairScores& scores, const Domain& domain) : pairs_(scores.pairs) {
    component_of_.resize(static_cast<size_t>(domain.num_attributes()));
    std::iota(component_of_.begin(), component_of_.end(), 0);
    for (size_t i = 0; i < pairs_.size(); ++i) {
      open_.push_back({i, pairs_[i][0], pairs_[i][1], domain.num_cells(pairs_[i])});
      scores_.push_back(scores.scores[i]);
      max_cells_ = std::max(max_cells_, open_.back().cells);
    }
  }

  std::span<const int64_t> scores() const { return scores_; }
  const AttributeSet& pair(size_t place) const { return pairs_[open_[place].index]; }

  /// Pairs of attributes that are not connected, but had too many cells.
  size_t num_too_large() const { return too_large_.size(); }

  /// Connects two attributes and removes pairs that are connected.
  void connect(int a, int b) {
    std::ranges::replace(component_of_, component(a), component(b));
    std::erase_if(too_large_, [&](const Open& open) { return is_connected(open); });
    remove_if([&](const Open& open) { return is_connected(open); });
  }

  /// Removes pairs with more cells.
  void limit_cells(double most) {
    if (max_cells_ <= most) return;
    max_cells_ = most;
    remove_if([&](const Open& open) {
      if (!(open.cells > most)) return false;
      too_large_.push_back(open);
      return true;
    });
  }

 private:
  struct Open {
    size_t index;
    int first;
    int second;
    double cells;
  };

  int component(int attribute) const { return component_of_[static_cast<size_t>(attribute)]; }
  bool is_connected(const Open& open) const {
    return component(open.first) == component(open.second);
  }

  template <typename Condition>
  void remove_if(const Condition& condition) {
    size_t left = 0;
    for (size_t i = 0; i < open_.size(); ++i) {
      if (condition(open_[i])) continue;
      open_[left] = open_[i];
      scores_[left++] = scores_[i];
    }
    open_.resize(left);
    scores_.resize(left);
  }

  const std::vector<AttributeSet>& pairs_;
  std::vector<int> component_of_;
  std::vector<Open> open_;
  std::vector<int64_t> scores_;
  double max_cells_ = 0;  // that an open pair can have
  std::vector<Open> too_large_;
};

std::vector<RareValues> pool_rare_values(const std::vector<NoisyMarginal>& one_ways,
                                         const SynthFacts& facts) {
  std::vector<RareValues> values;
  for (size_t i = 0; i < one_ways.size(); ++i) {
    const auto attribute = static_cast<int>(i);
    const bool is_declared = std::ranges::any_of(facts.structural_zeros, [&](const Factor& zeros) {
      return contains(zeros.attributes, {attribute});
    });
    if (facts.ordered[i] || is_declared) {
      values.push_back(keep_all(one_ways[i].values.size()));
    } else {
      values.push_back(
          find_rare_values(one_ways[i].values, kRareStddevs * one_ways[i].noise_stddev));
    }
  }
  return values;
}

/// MST: measures all one-way marginals, then a tree of the pairs that depend on each other most.
/// [McKennaMiklauSheldon2021, Alg. 1 and section 4]
///
/// Relation: zero_out or add_remove. Sensitivity: 1 of each marginal (marginal_counts.h) and of
/// each score (marginal_scores.h). Cost: with d attributes d discrete Gaussian vectors, d - 1
/// choices by the exponential mechanism and d - 1 discrete Gaussian vectors, a third of rho each;
/// all of rho for the one-way marginals if d = 1. No step adapts to a workload.
///
/// Values with a noisy count below three standard deviations are pooled and drawn uniformly in the
/// end. Deviation: bins of numbers and attributes of declared impossible combinations are never
/// pooled, since that would spread the tails of numbers over the whole range. Deviation: the models
/// are fitted to a bound on the remaining gain instead of for 1000 and 5000 iterations. Deviation:
/// pairs beyond max_model_megabytes are no candidates; the rest of their budget is lost.
class Mst final : public Synthesizer {
 public:
  const SynthOptions& options() const override {
    static const SynthOptions options;
    return options;
  }
  SynthPlan make_plan(const SynthConfig& config, const SynthFacts& facts) const override {
    SynthPlan plan{config, facts, {}, {}, 0, 0, {}};
    const Domain& domain = facts.domain;
    const int d = domain.num_attributes();
    const double part = d > 1 ? config.rho / 3 : config.rho;
    const double one_way_stddev = stddev_for(part / d, kWhere);
    plan.events.push_back(Event::repeat(d, Event::discrete_gaussian(one_way_stddev, 1)));
    plan.settings = {{"one_way_noise_stddev", one_way_stddev}};
    plan.min_megabytes = check_one_ways_fit(domain, config.max_model_megabytes, kWhere);
    plan.most_megabytes = plan.min_megabytes;
    if (d > 1) {
      const double epsilon = epsilon_for(part / (d - 1));
      const double pair_stddev = stddev_for(part / (d - 1), kWhere);
      plan.events.push_back(Event::repeat(d - 1, Event::exponential(epsilon)));
      plan.events.push_back(Event::repeat(d - 1, Event::discrete_gaussian(pair_stddev, 1)));
      plan.settings.emplace_back("choice_epsilon", epsilon);
      plan.settings.emplace_back("pair_noise_stddev", pair_stddev);
      std::vector<double> cells;
      for (const AttributeSet& pair : sets_of_degree(d, 2)) cells.push_back(domain.num_cells(pair));
      std::sort(cells.rbegin(), cells.rend());
      const double most =
          megabytes_of(std::accumulate(cells.begin(), cells.begin() + (d - 1), 0.0));
      plan.most_megabytes = std::min(most, config.max_model_megabytes);
    }
    return plan;
  }
  std::vector<AttributeSet> marginals(const SynthPlan& plan) const override {
    const int d = plan.facts.domain.num_attributes();
    std::vector<AttributeSet> sets = sets_of_degree(d, 1);
    if (d == 1) return sets;
    for (AttributeSet& pair : sets_of_degree(d, 2)) sets.push_back(std::move(pair));
    return sets;
  }

  SynthOutcome run(const MarginalSource& records, const SynthPlan& plan, Charge charge,
                   RandomSource& source, TaskProgress& progress) const override {
    const SynthConfig& config = plan.config;
    const int d = plan.facts.domain.num_attributes();
    SynthOutcome outcome;
    const double one_way_rho = 0.5 / std::pow(plan.events[kOneWays].events()[0].noise_stddev(), 2);

    report_stage(plan, fmt::format("measuring {} columns", d), progress);
    std::vector<NoisyMarginal> one_ways;
    one_ways.reserve(static_cast<size_t>(d));
    for (int i = 0; i < d; ++i) {
      one_ways.push_back(
          measure_marginal(records, {i}, charge.take(kOneWays), config.relation, source));
    }
    const std::vector<RareValues> values = pool_rare_values(one_ways, plan.facts);
    const Domain domain = pooled_domain(plan.facts.domain, values);
    const std::unique_ptr<MarginalSource> pooled = records.pooled(values);
    std::vector<NoisyMarginal> measurements;
    for (size_t i = 0; i < one_ways.size(); ++i) {
      measurements.push_back(pool(one_ways[i], values[i]));
      outcome.measurements.push_back(released(std::move(one_ways[i])));
    }

    Fitter fitter(domain, config, plan.facts.structural_zeros, progress);
    GraphicalModel model = fitter.fit(measurements, Fitter::kExact, nullptr);
    double rho_spent = d * one_way_rho;
    if (d > 1) {
      report_stage(plan, "choosing pairs of columns", progress);
      const PairScores scores =
          score_pairs(*pooled, model, config.max_model_megabytes * 0x1p20 / sizeof(double),
                      config.threads, progress);
      const MarginalScores grid(1);
      const double choice_epsilon = plan.events[kChoices].events()[0].epsilon();
      const double pair_stddev = plan.events[kPairs].events()[0].noise_stddev();
      OpenPairs open(scores, domain);
      double megabytes = megabytes_of(num_cells(domain, model.tree()));
      for (int taken = 0; taken < d - 1; ++taken) {
        check_interrupted(progress);
        open.limit_cells((config.max_model_megabytes - megabytes) * 0x1p20 / sizeof(double));
        if (open.scores().empty()) break;
        SynthRound round;
        round.num_too_large = scores.num_too_large + open.num_too_large();
        round.num_candidates = open.scores().size();
        round.chosen = open.pair(choose_exponentially(
            charge.take(kChoices),
            Sensitivity(grid.sensitivity_units(1), Norm::kMax, config.relation), open.scores(),
            source));
        open.connect(round.chosen[0], round.chosen[1]);
        megabytes += megabytes_of(domain.num_cells(round.chosen));
        measurements.push_back(
            measure_marginal(*pooled, round.chosen, charge.take(kPairs), config.relation, source));
        outcome.measurements.push_back({round.chosen, pair_stddev, measurements.back().values,
                                        pooled_codes(values, round.chosen)});
        rho_spent += rho_of_round(pair_stddev, choice_epsilon);
        round.noise_stddev = pair_stddev;
        round.epsilon = choice_epsilon;
        round.missed = noisy_distance(measurements.back(), model.marginal(round.chosen));
        round.megabytes = megabytes;
        round.rho_spent = rho_spent;
        outcome.rounds.push_back(std::move(round));
        report_round(plan, outcome.rounds, progress);
      }
      report_stage(plan, "fitting the tree", progress);
      model = fitter.fit(measurements, Fitter::kFine, &model);
    }
    outcome.model = std::make_unique<GraphSynthModel>(plan.facts.domain, values, std::move(model));
    return outcome;
  }
};

}  // namespace

PairScores score_pairs(const MarginalSource& records, const GraphicalModel& one_ways,
                       double max_cells, int threads, const TaskProgress& progress) {
  PairScores result;
  for (AttributeSet& pair : sets_of_degree(one_ways.domain().num_attributes(), 2)) {
    if (one_ways.domain().num_cells(pair) > max_cells) {
      ++result.num_too_large;
    } else {
      result.pairs.push_back(std::move(pair));
    }
  }
  result.scores.resize(result.pairs.size());
  const MarginalScores scores(1);
  const TreeQueries queries = one_ways.queries();
  // Attributes that no declared combination ties to others are independent of all of them.
  std::vector<std::vector<double>> alone(static_cast<size_t>(one_ways.domain().num_attributes()));
  for (const AttributeSet& clique : one_ways.tree().cliques)
    if (clique.size() == 1) alone[static_cast<size_t>(clique[0])] = queries.answer(clique);
  records.count(result.pairs, threads, [&](size_t index, std::span<const uint32_t> counts) {
    check_interrupted(progress);
    const AttributeSet& pair = result.pairs[index];
    const std::vector<double>& first = alone[static_cast<size_t>(pair[0])];
    const std::vector<double>& second = alone[static_cast<size_t>(pair[1])];
    std::vector<double> expected = first;
    if (first.empty() || second.empty()) {
      expected = queries.answer(pair);
    } else {
      multiply_out(expected, second);
    }
    for (double& count : expected) count *= one_ways.total();
    result.scores[index] = scores.score(counts, expected, 1, 0);
  });
  return result;
}

std::unique_ptr<Synthesizer> make_mst() { return std::make_unique<Mst>(); }

}  // namespace equinoise
