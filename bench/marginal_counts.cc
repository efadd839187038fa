// SPDX-License-Identifier: Apache-2.0
// What does it cost to count marginals? All 364 triples of Adult with 14 coded columns, one thread,
// each table handed over and its largest count taken; and 10 million made-up rows of the same
// columns, two threads. Adult stands among the shared vectors, see tests/shared_vectors.h.
// bench/peers/marginal_counts.py does the first with NumPy.

#include "equinoise/synth/marginal_counts.h"

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "equinoise/data/table.h"
#include "equinoise/synth/column_codes.h"

namespace equinoise {
namespace {

std::filesystem::path vectors_folder() {
  const char* given = std::getenv("EQUINOISE_SHARED");
  return (given != nullptr ? std::filesystem::path(given)
                           : std::filesystem::path(EQUINOISE_SOURCE_DIR) / "../shared") /
         "vectors/pgm";
}

CodedTable read_fixture(const std::string& name) {
  const Schema schema = load_schema({vectors_folder() / (name + "-domain.json"), 1, {}, {}});
  return encode_table(read_table(vectors_folder() / (name + ".csv"), schema, TableUse::kOther),
                      column_codes(schema, {}));
}

uint64_t consume_triples(const CodedTable& table, int threads) {
  const auto sets = sets_of_degree(static_cast<int>(table.columns.size()), 3);
  std::vector<uint32_t> largest(sets.size());
  count_marginals(table, sets, threads, [&](size_t index, std::span<const uint32_t> counts) {
    uint32_t most = 0;
    for (const uint32_t count : counts) most = std::max(most, count);
    largest[index] = most;
  });
  uint64_t sum = 0;
  for (const uint32_t count : largest) sum += count;
  return sum;
}

void BM_adult_triples(benchmark::State& state, const char* name) {
  if (!std::filesystem::exists(vectors_folder())) {
    state.SkipWithError("no shared vectors");
    return;
  }
  const CodedTable table = read_fixture(name);
  const auto threads = static_cast<int>(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(consume_triples(table, threads));
}
BENCHMARK_CAPTURE(BM_adult_triples, adult14, "adult14")
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_adult_triples, adult13, "adult13")
    ->Arg(1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void BM_ten_million_rows(benchmark::State& state) {
  constexpr size_t kRows = 10'000'000;
  CodedTable table({85, 9, 100, 16, 7, 15, 6, 5, 2, 100, 100, 99, 42, 2});
  std::mt19937 random(1);
  for (CodedColumn& column : table.columns) {
    // Small codes are more frequent, as they are in people's records.
    std::geometric_distribution<uint32_t> code(4.0 / static_cast<double>(column.num_values + 4));
    column.narrow.reserve(kRows);
    for (size_t row = 0; row < kRows; ++row)
      column.append(std::min(code(random), static_cast<uint32_t>(column.num_values - 1)));
  }
  table.num_records = kRows;
  for (auto _ : state) benchmark::DoNotOptimize(consume_triples(table, 2));
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_MB"] = static_cast<double>(usage.ru_maxrss) / 1024;
}
BENCHMARK(BM_ten_million_rows)->Unit(benchmark::kSecond)->UseRealTime()->Iterations(1);

}  // namespace
}  // namespace equinoise
