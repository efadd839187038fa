// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/workload_error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "equinoise/base/error.h"
#include "equinoise/base/fixed_point.h"
#include "equinoise/base/parallel.h"
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

/// (cells) 1 for the cells of a marginal with missing cells, which count no records; empty: none.
std::vector<uint8_t> gap_cells(const CodedTable& table, const std::vector<int>& set,
                               std::span<const int> gaps) {
  const auto gap_of = [&](int column) {
    return gaps.empty() ? -1 : gaps[static_cast<size_t>(column)];
  };
  if (std::ranges::none_of(set, [&](int column) { return gap_of(column) >= 0; })) return {};
  std::vector<uint8_t> is_gap = {0};
  for (const int column : set) {
    std::vector<uint8_t> longer;
    for (const uint8_t before : is_gap) {
      for (size_t code = 0; code < table.columns[static_cast<size_t>(column)].num_values; ++code)
        longer.push_back(before != 0 || static_cast<int>(code) == gap_of(column) ? 1 : 0);
    }
    is_gap = std::move(longer);
  }
  return is_gap;
}

/// The weights of records in the cells of a marginal.
class WeighedMarginal {
 public:
  WeighedMarginal(const WeighedTable& weighed, const std::vector<int>& set,
                  std::span<const int> gaps)
      : scale_(weighed.weights.empty() ? 1 : std::ranges::max(weighed.weights)),
        sums_(static_cast<size_t>(cells_of(weighed.table, set))) {
    const std::vector<uint8_t> is_gap = gap_cells(weighed.table, set, gaps);
    for (size_t row = 0; row < weighed.table.num_records; ++row) {
      size_t cell = 0;
      for (const int column : set) {
        const CodedColumn& codes = weighed.table.columns[static_cast<size_t>(column)];
        cell = cell * codes.num_values + codes.code(row);
      }
      if (!is_gap.empty() && is_gap[cell] != 0) continue;
      const double weight = weighed.weights.empty() ? 1 : weighed.weights[row];
      const Int128 sum = scale_.units(weight, weighed.table.count_of(row));
      sums_[cell] += sum;
      total_ += sum;
    }
  }

  size_t num_cells() const { return sums_.size(); }
  bool is_empty() const { return total_ == 0; }
  /// The share of all records in a cell.
  double share(size_t cell) const { return scale_.value(sums_[cell]) / scale_.value(total_); }

 private:
  FixedPoint scale_;
  std::vector<Int128> sums_;
  Int128 total_ = 0;
};

/// The distances where one of the tables has weights.
std::vector<double> weighed_distances(const WeighedTable& real, const WeighedTable& synthetic,
                                      std::span<const std::vector<int>> sets, int threads) {
  std::vector<double> distances(sets.size());
  for (const std::vector<int>& set : sets) {
    if (cells_of(real.table, set) > static_cast<double>(kMaxMarginalCells))
      throw Error(
          ErrorKind::kUsage, "synth.workload_error",
          "a marginal has more cells than are counted; take a lower --degree or fewer bins");
  }
  parallel_for(sets.size(), threads, [&](size_t index) {
    const WeighedMarginal truth(real, sets[index], real.gaps);
    const WeighedMarginal told(synthetic, sets[index], real.gaps);
    if (truth.is_empty() || told.is_empty()) {
      distances[index] = truth.is_empty() ? kNaN : 1;
      return;
    }
    double sum = 0;
    for (size_t cell = 0; cell < truth.num_cells(); ++cell)
      sum += std::abs(truth.share(cell) - told.share(cell));
    distances[index] = 0.5 * sum;
  });
  return distances;
}

/// Half the L1 distance over cells without gaps; NaN if `a` has no records there, and 1 if only `b`
/// has none.
double half_l1(std::vector<uint32_t> a, std::vector<uint32_t> b, std::span<const uint8_t> is_gap) {
  for (size_t cell = 0; cell < is_gap.size(); ++cell)
    if (is_gap[cell] != 0) a[cell] = b[cell] = 0;
  const auto total_a = static_cast<double>(std::accumulate(a.begin(), a.end(), uint64_t{0}));
  const auto total_b = static_cast<double>(std::accumulate(b.begin(), b.end(), uint64_t{0}));
  if (total_a == 0 || total_b == 0) return total_a == 0 ? kNaN : 1;
  double sum = 0;
  for (size_t cell = 0; cell < a.size(); ++cell) {
    sum +=
        std::abs(static_cast<double>(a[cell]) / total_a - static_cast<double>(b[cell]) / total_b);
  }
  return 0.5 * sum;
}

}  // namespace

std::vector<double> marginal_distances(const WeighedTable& weighed_real,
                                       const WeighedTable& weighed_synthetic,
                                       std::span<const std::vector<int>> sets, int threads) {
  const CodedTable& real = weighed_real.table;
  const CodedTable& synthetic = weighed_synthetic.table;
  if (real.sizes() != synthetic.sizes()) {
    throw Error(ErrorKind::kUsage, "synth.workload_error",
                "the two tables must have the same attributes");
  }
  std::vector<double> distances(sets.size());
  if (real.num_records == 0 || synthetic.num_records == 0) {
    std::ranges::fill(distances, real.num_records == 0 ? kNaN : 1.0);
    return distances;
  }
  if (!weighed_real.weights.empty() || !weighed_synthetic.weights.empty())
    return weighed_distances(weighed_real, weighed_synthetic, sets, threads);
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
      distances[begin + index] = half_l1(std::move(kept[index]), {counts.begin(), counts.end()},
                                         gap_cells(real, batch[index], weighed_real.gaps));
    });
    begin = end;
  }
  return distances;
}

double workload_error(std::span<const double> distances) {
  double sum = 0;
  size_t count = 0;
  for (const double distance : distances) {
    if (std::isnan(distance)) continue;
    sum += distance;
    ++count;
  }
  return count == 0 ? kNaN : sum / static_cast<double>(count);
}

}  // namespace equinoise
