// SPDX-License-Identifier: Apache-2.0
// What does an account cost: RDP at the dense and at the usual orders, PLD, calibration?

#include <benchmark/benchmark.h>

#include "equinoise/privacy/accountants/calibration.h"
#include "equinoise/privacy/accountants/pld.h"
#include "equinoise/privacy/accountants/rdp.h"

namespace equinoise {
namespace {

std::vector<Event> dpsgd(double noise_multiplier) {
  return {Event::repeat(3000, Event::poisson_sampled(0.014, {Event::gaussian(noise_multiplier)}))};
}

/// Another noise each time, since costs of batches are remembered.
double next_noise(double near) {
  static int round = 0;
  return near + 1e-9 * ++round;
}

/// Argument: whether at the usual orders instead of the dense ones.
void BM_RdpEpsilon(benchmark::State& state) {
  const std::vector<double>& orders = state.range(0) == 0 ? dense_rdp_orders() : usual_rdp_orders();
  for (auto _ : state) {
    RdpAccountant accountant(Relation::kZeroOut, orders);
    for (const Event& event : dpsgd(next_noise(1.5))) accountant.compose(event);
    benchmark::DoNotOptimize(accountant.epsilon(Delta(1e-6)));
  }
}

void BM_RdpJointBatch(benchmark::State& state) {
  for (auto _ : state) {
    const Event batch =
        Event::poisson_sampled(0.018, {Event::laplace(0.5), Event::gaussian(next_noise(3))});
    benchmark::DoNotOptimize(
        rdp_epsilon(Relation::kZeroOut, {Event::repeat(1000, batch)}, Delta(1e-6)));
  }
}

void BM_RdpFixedSizeBatch(benchmark::State& state) {
  for (auto _ : state) {
    const Event batch = Event::sampled_without_replacement(0.01, {Event::gaussian(next_noise(1))});
    benchmark::DoNotOptimize(
        rdp_epsilon(Relation::kReplaceOne, {Event::repeat(1000, batch)}, Delta(1e-6)));
  }
}

void BM_RdpCalibration(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(smallest_noise_multiplier(
        {Relation::kZeroOut, Epsilon(next_noise(3)), Delta(1e-6), "rdp"}, dpsgd));
}

/// The cases of the design's table: sample rate, noise multiplier, steps.
struct Dpsgd {
  double sample_rate;
  double noise_multiplier;
  int64_t steps;
};
constexpr Dpsgd kDpsgd[] = {{0.01, 1, 1000},
                            {0.01, 1, 10'000},
                            {0.1, 2, 1000},
                            {1.0 / 214, 0.8, 12'840},
                            {2.56e-5, 0.65, 3000}};

/// Argument: the case.
void BM_PldDpsgd(benchmark::State& state) {
  const Dpsgd& c = kDpsgd[state.range(0)];
  const std::vector<Event> events = {Event::repeat(
      c.steps, Event::poisson_sampled(c.sample_rate, {Event::gaussian(c.noise_multiplier)}))};
  for (auto _ : state) {
    benchmark::DoNotOptimize(PldAccountant(Relation::kAddRemove, events).epsilon(Delta(1e-5)));
  }
}

void BM_PldJointBatch(benchmark::State& state) {
  const std::vector<Event> events = {Event::repeat(
      1000, Event::poisson_sampled(0.01776, {Event::laplace(2), Event::gaussian(4)}))};
  for (auto _ : state) {
    benchmark::DoNotOptimize(PldAccountant(Relation::kAddRemove, events).epsilon(Delta(1e-5)));
  }
}

void BM_PldCalibration(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        smallest_noise_multiplier({Relation::kZeroOut, Epsilon(3), Delta(1e-6), "pld"}, dpsgd));
  }
}

BENCHMARK(BM_RdpEpsilon)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_RdpJointBatch)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_RdpFixedSizeBatch)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_RdpCalibration)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_PldDpsgd)->DenseRange(0, 4)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_PldJointBatch)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_PldCalibration)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace equinoise
