// SPDX-License-Identifier: Apache-2.0
// How long does a pass over a large table take? Ten million records, five columns, a hundred
// strata, in memory; and how long a release of a small table, as simulations draw thousands of.

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "equinoise/means/release.h"

namespace equinoise {
namespace {

constexpr size_t kNumColumns = 5;
constexpr size_t kNumStrata = 100;

struct Records {
  std::vector<std::vector<double>> columns;
  std::vector<uint32_t> strata;

  explicit Records(size_t num_records) : columns(kNumColumns) {
    uint64_t state = 1;
    const auto next = [&state] {
      state = state * 6364136223846793005U + 1442695040888963407U;
      return static_cast<uint32_t>(state >> 33);
    };
    for (size_t i = 0; i < num_records; ++i) strata.push_back(next() % kNumStrata);
    for (std::vector<double>& column : columns)
      for (size_t i = 0; i < num_records; ++i)
        column.push_back(static_cast<double>(next() % 10'000) * 0.01);
  }
  StratifiedRecords view() const {
    return {strata.size(), {columns.begin(), columns.end()}, strata, kNumStrata};
  }
};

void run(benchmark::State& state, const char* method) {
  const auto num_records = static_cast<size_t>(state.range(0));
  const auto threads = static_cast<int>(state.range(1));
  const Records records(num_records);
  MeansQuestion question;
  for (size_t j = 0; j < kNumColumns; ++j)
    question.columns.push_back({"x" + std::to_string(j), 0, 100, 29.0});
  question.method = method;
  question.rho = 0.5;
  question.num_strata = kNumStrata;
  question.sizes.assign(kNumStrata,
                        static_cast<double>(num_records) / static_cast<double>(kNumStrata));
  question.overall_share = kDefaultOverallShare;
  const MeansPlan plan = plan_means(question);
  uint64_t seed = 0;
  for (auto _ : state) {
    SeededSource source(++seed);
    std::vector<Charge> charges;
    for (const std::vector<Event>& events : plan.events)
      charges.push_back(Charge::unpaid(events, question.config.relation, source));
    benchmark::DoNotOptimize(release_means(plan, records.view(), charges, source, threads));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetBytesProcessed(state.iterations() * state.range(0) *
                          static_cast<int64_t>((kNumColumns + 1) * sizeof(double)));
}

void BM_Bounded(benchmark::State& state) { run(state, "bounded"); }
void BM_Coinpress(benchmark::State& state) { run(state, "coinpress"); }
void BM_Joint(benchmark::State& state) { run(state, "coinpress_joint"); }
void BM_Quantile(benchmark::State& state) { run(state, "quantile"); }

BENCHMARK(BM_Bounded)
    ->Args({10'000'000, 1})
    ->Args({10'000'000, 2})
    ->Args({10'000, 1})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Coinpress)
    ->Args({10'000'000, 1})
    ->Args({10'000'000, 2})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Joint)->Args({10'000'000, 2})->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Quantile)->Args({10'000'000, 2})->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace equinoise
