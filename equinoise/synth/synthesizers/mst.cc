// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/synthesizers/mst.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "equinoise/base/error.h"
#include "equinoise/privacy/mechanisms/exponential.h"
#include "equinoise/synth/fit.h"
#include "equinoise/synth/graph/tree_query.h"
#include "equinoise/synth/graph_synth_model.h"
#include "equinoise/synth/marginal_counts.h"
#include "equinoise/synth/marginal_scores.h"
#include "equinoise/synth/measure.h"
#include "equinoise/synth/synth_budget.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "synth.mst";
constexpr double kRareStddevs = 3;

/// The items of the charge.
enum MstItem : size_t { kOneWays, kChoices, kPairs };

/// Which attributes are connected.
class Components {
 public:
  explicit Components(size_t count) : of_(count) { std::iota(of_.begin(), of_.end(), 0); }
  bool connected(int a, int b) const {
    return of_[static_cast<size_t>(a)] == of_[static_cast<size_t>(b)];
  }
  void connect(int a, int b) {
    const int from = of_[static_cast<size_t>(a)];
    const int to = of_[static_cast<size_t>(b)];
    std::replace(of_.begin(), of_.end(), from, to);
  }

 private:
  std::vector<int> of_;
};

std::vector<RareValues> pool_rare_values(const std::vector<NoisyMarginal>& one_ways,
                                         const SynthFacts& facts) {
  std::vector<RareValues> values;
  for (size_t i = 0; i < one_ways.size(); ++i) {
    const auto attribute = static_cast<int>(i);
    const bool is_declared =
        std::any_of(facts.structural_zeros.begin(), facts.structural_zeros.end(),
                    [&](const Factor& zeros) { return contains(zeros.attributes, {attribute}); });
    if (facts.ordered[i] || is_declared) {
      values.push_back(keep_all(one_ways[i].values.size()));
    } else {
      values.push_back(
          find_rare_values(one_ways[i].values, kRareStddevs * one_ways[i].noise_stddev));
    }
  }
  return values;
}

}  // namespace

const SynthOptions& Mst::options() const {
  static const SynthOptions options;
  return options;
}

SynthPlan Mst::make_plan(const SynthConfig& config, const SynthFacts& facts) const {
  SynthPlan plan{config, facts, {}, {}, 0, 0, {}};
  const Domain& domain = facts.domain;
  const int d = domain.num_attributes();
  const double part = d > 1 ? config.rho / 3 : config.rho;
  const double one_way_stddev = stddev_for(part / d, kWhere);
  plan.events.push_back(Event::repeat(d, Event::discrete_gaussian(one_way_stddev, 1)));
  plan.settings = {{"one_way_noise_stddev", one_way_stddev}};
  plan.least_megabytes = check_one_ways_fit(domain, config.max_model_megabytes, kWhere);
  plan.most_megabytes = plan.least_megabytes;
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
        std::accumulate(cells.begin(), cells.begin() + (d - 1), 0.0) * sizeof(double) / 0x1p20;
    plan.most_megabytes = std::min(most, config.max_model_megabytes);
  }
  return plan;
}

PairScores score_pairs(const MarginalSource& records, const GraphicalModel& one_ways,
                       double most_cells, int threads) {
  PairScores result;
  for (AttributeSet& pair : sets_of_degree(one_ways.domain().num_attributes(), 2)) {
    if (one_ways.domain().num_cells(pair) > most_cells) {
      ++result.num_too_large;
    } else {
      result.pairs.push_back(std::move(pair));
    }
  }
  result.scores.resize(result.pairs.size());
  const MarginalScores scores(1);
  const TreeQueries queries = one_ways.queries();
  records.count(result.pairs, threads, [&](size_t index, std::span<const uint32_t> counts) {
    std::vector<double> expected = queries.answer(result.pairs[index]);
    for (double& count : expected) count *= one_ways.total();
    result.scores[index] = scores.score(counts, expected, 1, 0);
  });
  return result;
}

std::vector<AttributeSet> Mst::marginals(const SynthPlan& plan) const {
  const int d = plan.facts.domain.num_attributes();
  std::vector<AttributeSet> sets = sets_of_degree(d, 1);
  if (d == 1) return sets;
  for (AttributeSet& pair : sets_of_degree(d, 2)) sets.push_back(std::move(pair));
  return sets;
}

SynthOutcome Mst::run(const MarginalSource& records, const SynthPlan& plan, Charge charge,
                      RandomSource& source, SynthObserver& observer) const {
  const SynthConfig& config = plan.config;
  const int d = plan.facts.domain.num_attributes();
  SynthOutcome outcome;
  const double one_way_rho = 0.5 / std::pow(plan.events[kOneWays].events()[0].noise_stddev(), 2);

  observer.on_stage(fmt::format("measuring {} columns", d));
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
    outcome.measurements.push_back(
        {one_ways[i].clique, one_ways[i].noise_stddev, std::move(one_ways[i].values)});
  }

  Fitter fitter(domain, config, plan.facts.structural_zeros, observer);
  GraphicalModel model = fitter.fit(measurements, Fitter::kExact, nullptr);
  double rho_spent = d * one_way_rho;
  if (d > 1) {
    observer.on_stage("choosing pairs of columns");
    const PairScores scores = score_pairs(
        *pooled, model, config.max_model_megabytes * 0x1p20 / sizeof(double), config.threads);
    const MarginalScores grid(1);
    const double choice_epsilon = plan.events[kChoices].events()[0].epsilon();
    const double pair_stddev = plan.events[kPairs].events()[0].noise_stddev();
    Components components(static_cast<size_t>(d));
    double megabytes = num_cells(domain, model.tree()) * sizeof(double) / 0x1p20;
    std::vector<AttributeSet> tree;
    while (static_cast<int>(tree.size()) < d - 1) {
      std::vector<size_t> candidates;
      std::vector<int64_t> candidate_scores;
      SynthRound round;
      round.num_too_large = scores.num_too_large;
      for (size_t i = 0; i < scores.pairs.size(); ++i) {
        const AttributeSet& pair = scores.pairs[i];
        if (components.connected(pair[0], pair[1])) continue;
        const double grown = megabytes + domain.num_cells(pair) * sizeof(double) / 0x1p20;
        if (grown > config.max_model_megabytes) {
          ++round.num_too_large;
          continue;
        }
        candidates.push_back(i);
        candidate_scores.push_back(scores.scores[i]);
      }
      if (candidates.empty()) break;
      const size_t choice =
          choose_exponentially(charge.take(kChoices),
                               Sensitivity(grid.sensitivity_units(1), Norm::kMax, config.relation),
                               candidate_scores, source);
      round.chosen = scores.pairs[candidates[choice]];
      components.connect(round.chosen[0], round.chosen[1]);
      tree.push_back(round.chosen);
      megabytes += domain.num_cells(round.chosen) * sizeof(double) / 0x1p20;
      measurements.push_back(
          measure_marginal(*pooled, round.chosen, charge.take(kPairs), config.relation, source));
      outcome.measurements.push_back({round.chosen, pair_stddev, measurements.back().values,
                                      pooled_codes(values, round.chosen)});
      rho_spent += 0.5 / (pair_stddev * pair_stddev) + choice_epsilon * choice_epsilon / 8;
      round.noise_stddev = pair_stddev;
      round.epsilon = choice_epsilon;
      round.num_candidates = candidates.size();
      round.missed = noisy_distance(measurements.back(), model.marginal(round.chosen));
      round.megabytes = megabytes;
      round.rho_spent = rho_spent;
      observer.on_round(round);
      outcome.rounds.push_back(std::move(round));
    }
    observer.on_stage("fitting the tree");
    model = fitter.fit(measurements, Fitter::kFine, &model);
  }
  outcome.model = std::make_unique<GraphSynthModel>(plan.facts.domain, values, std::move(model));
  return outcome;
}

}  // namespace equinoise
