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

void BM_RdpJointBatch(benchmark::State& state) {
  const std::vector<Event> events = {Event::repeat(
      1000, Event::poisson_sampled(0.018, {Event::laplace(0.5), Event::gaussian(3)}))};
  for (auto _ : state)
    benchmark::DoNotOptimize(rdp_epsilon(Relation::kZeroOut, events, Delta(1e-6)));
}

void BM_RdpFixedSizeBatch(benchmark::State& state) {
  const std::vector<Event> events = {
      Event::repeat(1000, Event::sampled_without_replacement(0.01, {Event::gaussian(1)}))};
  for (auto _ : state)
    benchmark::DoNotOptimize(rdp_epsilon(Relation::kReplaceOne, events, Delta(1e-6)));
}

void BM_RdpCalibration(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(
        smallest_noise_multiplier({Relation::kZeroOut, Epsilon(3), Delta(1e-6)}, dpsgd));
}

BENCHMARK(BM_RdpEpsilon)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_RdpJointBatch)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_RdpFixedSizeBatch)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_RdpCalibration)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace equinoise
