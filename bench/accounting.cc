// What does an account of DP-SGD cost: all default RDP orders, and the calibration of the noise?

#include <benchmark/benchmark.h>

#include "equinoise/privacy/accountants/calibration.h"
#include "equinoise/privacy/accountants/rdp.h"

namespace equinoise {
namespace {

std::vector<Event> dpsgd(double noise_multiplier) {
  return {Event::repeat(3000, Event::poisson_sampled(0.014, {Event::gaussian(noise_multiplier)}))};
}

void BM_RdpEpsilon(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(rdp_epsilon(Relation::kZeroOut, dpsgd(1.5), Delta(1e-6)));
}

void BM_RdpCalibration(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(
        smallest_noise_multiplier(Relation::kZeroOut, dpsgd, Epsilon(3), Delta(1e-6)));
}

BENCHMARK(BM_RdpEpsilon)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_RdpCalibration)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace equinoise
