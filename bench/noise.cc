// What does exactly rounded secure Gaussian noise cost beside the standard library's floats?
// 100,000 draws per run.

#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "equinoise/privacy/random/gaussian.h"

namespace equinoise {
namespace {

constexpr size_t kDraws = 100'000;

void BM_RoundedGaussian(benchmark::State& state) {
  SecureSource source;
  std::vector<int64_t> units(kDraws, 0);
  for (auto _ : state) {
    add_rounded_gaussian(0x1p30, units, source);
    benchmark::DoNotOptimize(units.data());
  }
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
}

void BM_RandomWords(benchmark::State& state) {
  SecureSource source;
  uint64_t sum = 0;
  for (auto _ : state) {
    for (size_t i = 0; i < kDraws; ++i) sum ^= source.next();
    benchmark::DoNotOptimize(sum);
  }
}

BENCHMARK(BM_RoundedGaussian)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_StandardNormal)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_RandomWords)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace equinoise
