// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/selection_bound.h"

#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/synth/fit.h"
#include "equinoise/synth/marginal_counts.h"
#include "equinoise/synth/registry.h"
#include "tests/synth/coded_tables.h"
#include "tests/synth/synthesizer_runs.h"

namespace equinoise::selection_bound_test {

TEST(DistanceBounds, AreWhatTheArgumentSays) {
  const Domain domain({{"a", 2}, {"b", 3}, {"c", 5}});
  const MeasuredChoice choice = {{{{0, 1}, 2}, {{0, 2}, 1}}, 0, 0.5, 10, 300};
  const std::vector<double> bounds = distance_bounds(domain, choice, 0.05);
  const double u = std::log(2 / 0.05);
  const double chosen = 300 + std::sqrt(2 * u * 6) * 10;
  const double lost = 2 * 2 / 0.5 * (std::log(2) + u);
  // The rounding of the grid is below a hundredth of a record.
  EXPECT_NEAR(bounds[0], chosen + lost / 2, 0.01);
  EXPECT_NEAR(bounds[1], noise_l1(10, 10) + 2 * (chosen - noise_l1(10, 6)) + lost, 0.01);
  EXPECT_GT(bounds[0], chosen + lost / 2);
}

TEST(DistanceBounds, HoldForModelsOfAim) {
  const std::vector<size_t> sizes = {4, 3, 5, 2};
  CodedTable table = testing::random_table(sizes, 4000, 7);
  // The last column follows the first, so that there is something to miss.
  for (size_t record = 0; record < table.num_records; ++record)
    table.columns[3].narrow[record] = table.columns[0].narrow[record] % 2;
  const SynthFacts facts = testing::facts_of(table);
  SynthConfig config;
  config.rho = 0.01;
  config.workload = all_marginals(facts.domain, 2);
  const std::unique_ptr<Synthesizer> method = find_synthesizer("aim").make();
  const SynthPlan plan = method->plan(config, facts);
  constexpr int kRuns = 60;
  int num_missed = 0;
  size_t num_bounds = 0;
  double tightest = HUGE_VAL;
  for (uint64_t seed = 1; seed <= kRuns; ++seed) {
    const SynthOutcome outcome = testing::run_unpaid(*method, table, plan, seed);
    bool holds = true;
    for (const MarginalBound& bound : outcome.bounds) {
      const std::vector<uint32_t> truth = count_marginal(table, bound.attributes);
      // Rows of the model are as many as it holds, so its probabilities are its counts.
      double distance = 0;
      for (size_t cell = 0; cell < truth.size(); ++cell) {
        const auto second = static_cast<size_t>(facts.domain.num_codes(bound.attributes[1]));
        const Evidence codes = {{bound.attributes[0], static_cast<int>(cell / second)},
                                {bound.attributes[1], static_cast<int>(cell % second)}};
        distance += std::abs(outcome.model->total() * outcome.model->probability(codes) -
                             static_cast<double>(truth[cell]));
      }
      holds = holds && distance <= bound.records;
      tightest = std::min(tightest, bound.records);
    }
    num_missed += holds ? 0 : 1;
    num_bounds += outcome.bounds.size();
  }
  // At most 3 of 60 are expected to miss; 14 have a chance below 1e-6 then.
  EXPECT_LT(num_missed, 14);
  EXPECT_GT(num_bounds, 5U * kRuns);
  EXPECT_LT(tightest, 4000);  // and say something
}

}  // namespace equinoise::selection_bound_test
