// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/additive/column_bins.h"

#include <algorithm>
#include <cmath>

namespace equinoise {

namespace {

constexpr double kMinAtom = 0.0005;  // of the records
constexpr double kTimesMean = 2;
constexpr double kMinStandardErrors = 3;
constexpr double kMinBin = 0.002;  // of the records

}  // namespace

ColumnBins column_bins(const NumberCells& cells, std::span<const double> coarse,
                       std::span<const double> fine, const CountNoise& noise, double num_records) {
  std::vector<double> counts(coarse.begin(), coarse.end());
  std::vector<size_t> num_cells(cells.num_bins(), 0);
  for (size_t cell = 0; cell < cells.size(); ++cell) ++num_cells[cells.bin_of(cell)];

  std::vector<size_t> point_masses;
  const double min_atom =
      std::max(std::sqrt(2 * std::log(static_cast<double>(cells.size()))) * noise.fine,
               kMinAtom * num_records);
  for (size_t cell = 0; cell < fine.size(); ++cell) {
    const uint32_t bin = cells.bin_of(cell);
    if (num_cells[bin] < 2 || !(fine[cell] > min_atom)) continue;
    const double mean = std::max(coarse[bin], 0.0) / static_cast<double>(num_cells[bin]);
    if (fine[cell] > kTimesMean * mean) point_masses.push_back(cell);
  }
  for (const size_t cell : point_masses) counts[cells.bin_of(cell)] -= fine[cell];

  ColumnBins found;
  std::vector<uint32_t> of_bin(counts.size(), 0);
  const double min_bin = std::max(kMinStandardErrors * noise.coarse, kMinBin * num_records);
  double held = 0;
  for (size_t bin = 0; bin < counts.size(); ++bin) {
    of_bin[bin] = static_cast<uint32_t>(found.counts.size());
    held += counts[bin];
    if (held < min_bin) continue;
    found.counts.push_back(held);
    held = 0;
  }
  // The last bin takes the remaining cells.
  if (found.counts.empty()) found.counts.push_back(0);
  found.counts.back() += held;
  const auto last = static_cast<uint32_t>(found.counts.size() - 1);
  for (uint32_t& bin : of_bin) bin = std::min(bin, last);

  for (size_t cell = 0; cell < cells.size(); ++cell)
    found.of_cell.push_back(of_bin[cells.bin_of(cell)]);
  for (const size_t cell : point_masses) {
    found.of_cell[cell] = static_cast<uint32_t>(found.counts.size());
    found.counts.push_back(fine[cell]);
  }
  return found;
}

}  // namespace equinoise
