// SPDX-License-Identifier: Apache-2.0
// What does exact secure noise cost beside the standard library's floats? 100,000 draws per run;
// compare items_per_second within one run.

#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "equinoise/privacy/random/discrete_gaussian.h"
#include "equinoise/privacy/random/discrete_gaussian_scan.h"
#include "equinoise/privacy/random/discrete_gaussian_table.h"
#include "equinoise/privacy/random/discrete_laplace.h"
#include "equinoise/privacy/random/exponential_choice.h"
#include "equinoise/privacy/random/gaussian.h"
#include "equinoise/privacy/random/rounded_laplace.h"

namespace equinoise {
namespace {

constexpr size_t kDraws = 100'000;

template <typename AddNoise>
void measure(benchmark::State& state, size_t draws, AddNoise add_noise) {
  SecureSource source;
  std::vector<int64_t> units(draws, 0);
  for (auto _ : state) {
    add_noise(units, source);
    benchmark::DoNotOptimize(units.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(draws));
}

/// Not secure and not exact: the yardstick only.
void BM_StandardNormal(benchmark::State& state) {
  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal;
  std::vector<double> values(kDraws, 0);
  for (auto _ : state) {
    for (double& value : values) value += normal(generator);
    benchmark::DoNotOptimize(values.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kDraws));
}

void BM_RandomWords(benchmark::State& state) {
  measure(state, kDraws, [](auto& units, RandomSource& source) {
    for (int64_t& unit : units) unit ^= static_cast<int64_t>(source.next());
  });
}

void BM_RoundedGaussian(benchmark::State& state) {
  measure(state, kDraws,
          [](auto& units, RandomSource& source) { add_rounded_gaussian(0x1p30, units, source); });
}

/// Argument: the standard deviation.
void BM_DiscreteGaussian(benchmark::State& state) {
  const auto stddev = static_cast<double>(state.range(0)) * 1.1;
  measure(state, kDraws, [stddev](auto& units, RandomSource& source) {
    add_discrete_gaussian(stddev, units, source);
  });
}

void BM_DiscreteGaussianTable(benchmark::State& state) {
  const DiscreteGaussianTable table(static_cast<double>(state.range(0)));
  measure(state, kDraws,
          [&table](auto& units, RandomSource& source) { table.add_noise(units, source); });
}

/// Of fixed latency: for single releases.
void BM_DiscreteGaussianScan(benchmark::State& state) {
  const DiscreteGaussianScan scan(static_cast<double>(state.range(0)));
  measure(state, 1'000,
          [&scan](auto& units, RandomSource& source) { scan.add_noise(units, source); });
}

/// Making a table, per table.
void BM_DiscreteGaussianMasses(benchmark::State& state) {
  for (auto _ : state) {
    const DiscreteGaussianTable table(static_cast<double>(state.range(0)));
    benchmark::DoNotOptimize(&table);
  }
  state.SetItemsProcessed(state.iterations());
}

/// Argument: the scale.
void BM_DiscreteLaplace(benchmark::State& state) {
  const double decay = 1 / static_cast<double>(state.range(0));
  measure(state, kDraws, [decay](auto& units, RandomSource& source) {
    add_discrete_laplace(decay, units, source);
  });
}

void BM_RoundedLaplace(benchmark::State& state) {
  const auto scale = static_cast<double>(state.range(0)) * 1.1;
  measure(state, kDraws, [scale](auto& units, RandomSource& source) {
    add_rounded_laplace(scale, units, source);
  });
}

/// One choice among so many candidates of which one stands out, the slowest case; per candidate.
void BM_ExponentialChoice(benchmark::State& state) {
  std::vector<int64_t> scores(static_cast<size_t>(state.range(0)), 0);
  scores[scores.size() / 2] = 1'000;
  SecureSource source;
  const auto next_word = [&source] { return source.next(); };
  ExactTrials<decltype(next_word)> trials(next_word);
  for (auto _ : state) {
    const ExponentialChoice choice(scores, 1, 1);
    benchmark::DoNotOptimize(choice.draw(trials));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

BENCHMARK(BM_StandardNormal)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_RandomWords)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_RoundedGaussian)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_DiscreteGaussian)->Arg(4)->Arg(1'000)->Arg(1 << 20)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_DiscreteGaussianTable)->Arg(4)->Arg(64)->Arg(1'024)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_DiscreteGaussianScan)->Arg(4)->Arg(64)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_DiscreteGaussianMasses)->Arg(64)->Arg(1'024)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_DiscreteLaplace)->Arg(4)->Arg(1'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_RoundedLaplace)->Arg(4)->Arg(1'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_ExponentialChoice)->Arg(100)->Arg(10'000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace equinoise
