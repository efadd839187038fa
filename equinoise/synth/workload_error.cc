// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/workload_error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "equinoise/base/error.h"
#include "equinoise/synth/marginal_counts.h"

namespace equinoise {

namespace {

constexpr double kMaxKeptCells = 0x1p26;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double cells_of(const CodedTable& table, const std::vector<int>& set) {
  double cells = 1;
  for (const int column : set)
    cells *= static_cast<double>(table.columns[static_cast<size_t>(column)].num_values);
  return cells;
}

double half_l1(std::span<const uint32_t> a, double total_a, std::span<const uint32_t> b,
               double total_b) {
  double sum = 0;
  for (size_t cell = 0; cell < a.size(); ++cell) {
    sum +=
        std::abs(static_cast<double>(a[cell]) / total_a - static_cast<double>(b[cell]) / total_b);
  }
  return 0.5 * sum;
}

}  // namespace

std::vector<double> marginal_distances(const CodedTable& real, const CodedTable& synthetic,
                                       std::span<const std::vector<int>> sets, int threads) {
  if (real.sizes() != synthetic.sizes()) {
    throw Error(ErrorKind::kUsage, "synth.workload_error",
                "the two tables must have the same attributes");
  }
  std::vector<double> distances(sets.size());
  if (real.num_records == 0 || synthetic.num_records == 0) {
    std::fill(distances.begin(), distances.end(), real.num_records == 0 ? kNaN : 1.0);
    return distances;
  }
  const auto num_real = static_cast<double>(real.num_records);
  const auto num_synthetic = static_cast<double>(synthetic.num_records);
  for (size_t begin = 0; begin < sets.size();) {
    size_t end = begin;
    double cells = 0;
    do {
      cells += cells_of(real, sets[end++]);
    } while (end < sets.size() && cells + cells_of(real, sets[end]) <= kMaxKeptCells);
    const auto batch = sets.subspan(begin, end - begin);
    std::vector<std::vector<uint32_t>> kept(batch.size());
    count_marginals(real, batch, threads, [&](size_t index, std::span<const uint32_t> counts) {
      kept[index].assign(counts.begin(), counts.end());
    });
    count_marginals(synthetic, batch, threads, [&](size_t index, std::span<const uint32_t> counts) {
      distances[begin + index] = half_l1(kept[index], num_real, counts, num_synthetic);
    });
    begin = end;
  }
  return distances;
}

double workload_error(std::span<const double> distances) {
  if (distances.empty()) return kNaN;
  return std::accumulate(distances.begin(), distances.end(), 0.0) /
         static_cast<double>(distances.size());
}

}  // namespace equinoise
