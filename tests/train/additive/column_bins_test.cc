// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/additive/column_bins.h"

#include <gtest/gtest.h>

#include <numeric>

namespace equinoise::column_bins_test {
namespace {

/// Whole numbers from 0 to 399, in 64 bins of about 6.
NumberCells cells_of_numbers() {
  ColumnSchema column;
  column.name = "x";
  column.type = ColumnType::kNumeric;
  column.upper = 399;
  column.whole = true;
  return NumberCells(column);
}

struct Counts {
  std::vector<double> coarse;
  std::vector<double> fine;
};

Counts counts_of(const NumberCells& cells, std::vector<double> fine) {
  Counts counts{std::vector<double>(cells.num_bins(), 0.0), std::move(fine)};
  for (size_t cell = 0; cell < cells.size(); ++cell)
    counts.coarse[cells.bin_of(cell)] += counts.fine[cell];
  return counts;
}

TEST(ColumnBins, ValuesThatManyHaveAreBinsOfTheirOwn) {
  const NumberCells cells = cells_of_numbers();
  std::vector<double> fine(cells.size(), 10);
  fine[250] = 900;
  const Counts counts = counts_of(cells, fine);
  const ColumnBins bins = column_bins(cells, counts.coarse, counts.fine, {3, 1}, 5000);
  EXPECT_EQ(bins.counts[bins.of_cell[250]], 900);
  EXPECT_NE(bins.of_cell[250], bins.of_cell[251]);
  EXPECT_EQ(bins.of_cell[251], bins.of_cell[252]);
  EXPECT_EQ(std::accumulate(bins.counts.begin(), bins.counts.end(), 0.0), 10 * 399 + 900);
  // Not where noise may have done it.
  const ColumnBins noisy = column_bins(cells, counts.coarse, counts.fine, {900, 300}, 5000);
  EXPECT_EQ(noisy.of_cell[250], noisy.of_cell[251]);
}

TEST(ColumnBins, AreUnitedUntilTheyHoldWhatNoiseDoesNotHide) {
  const NumberCells cells = cells_of_numbers();
  const Counts counts = counts_of(cells, std::vector<double>(cells.size(), 10));
  const ColumnBins bins = column_bins(cells, counts.coarse, {}, {100, 0}, 4000);
  EXPECT_GT(bins.counts.size(), 5);
  for (const double count : bins.counts) EXPECT_GE(count, 300);
  for (size_t cell = 1; cell < cells.size(); ++cell)
    EXPECT_LE(bins.of_cell[cell] - bins.of_cell[cell - 1], 1);
  // Nobody at all, or fewer than noise: one bin.
  for (const double count : {0.0, -3.0}) {
    const Counts none = counts_of(cells, std::vector<double>(cells.size(), count));
    EXPECT_EQ(column_bins(cells, none.coarse, none.fine, {100, 30}, 4000).counts.size(), 1);
  }
}

}  // namespace
}  // namespace equinoise::column_bins_test
