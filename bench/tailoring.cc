// SPDX-License-Identifier: Apache-2.0
// How long does a trial of two-group regression take? Records are drawn anew, as in the paper's
// experiments: 10,000 and 500 of them, 100 steps. The paper has 1,000 trials for each figure.

#include <benchmark/benchmark.h>

#include <vector>

#include "equinoise/reproduction/simulation/simulated_regression.h"

namespace equinoise {
namespace {

GroupRecords draw(uint64_t seed) {
  const std::vector<int64_t> sizes = {10000, 500};
  SimulationNoise random(seed, 0);
  std::vector<double> features;
  std::vector<double> targets;
  for (size_t k = 0; k < sizes.size(); ++k) {
    for (int64_t i = 0; i < sizes[k]; ++i) {
      features.push_back(random.normal());
      targets.push_back((k == 0 ? -1 : 1) * features.back() + random.normal());
    }
  }
  return GroupRecords::disjoint(1, sizes, std::move(features), std::move(targets));
}

/// DPNoSE and DPSE (Algorithm 3 with its first stage) on the same records.
void BM_TrialOfBoth(benchmark::State& state) {
  const SimulationSettings settings;
  const SimulatedMethod without;
  SimulatedMethod with;
  with.algorithm = TailoringAlgorithm::kSummed;
  with.split = SplitRule::kError;
  uint64_t seed = 0;
  for (auto _ : state) {
    const GroupRecords records = draw(seed);
    SimulationNoise noise(seed++, 1);
    SimulatedStageOneAnswers stage_one(records, settings.stage_one);
    stage_one.use(noise);
    benchmark::DoNotOptimize(run_simulated(without, settings, records, 2, nullptr, noise));
    benchmark::DoNotOptimize(run_simulated(with, settings, records, 2, &stage_one, noise));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_TrialOfBoth)->Unit(benchmark::kMillisecond);

/// One step over all records.
void BM_Step(benchmark::State& state) {
  const GroupRecords records = draw(0);
  std::vector<double> sum(1);
  for (auto _ : state) {
    for (size_t k = 0; k < 2; ++k) {
      records.gradient_sum(RegressionModel::kLinear, k, std::vector<double>{0.3}, 2, sum);
      benchmark::DoNotOptimize(sum.data());
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(records.targets().size()));
}
BENCHMARK(BM_Step);

}  // namespace
}  // namespace equinoise
