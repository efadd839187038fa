// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/number_cells.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "equinoise/data/encoder.h"
#include "tests/columns.h"

namespace equinoise::number_cells_test {

ColumnSchema standard(ColumnSchema column, double mean, double stddev) {
  column.scale = NumericScale::kStandard;
  column.mean = mean;
  column.stddev = stddev;
  return column;
}

size_t cell_of(const NumberCells& cells, const ColumnSchema& column, double value) {
  return cells.cell_of(scaled_number(column, value));
}

TEST(NumberCells, WholeNumbersAreCellsOfTheirOwn) {
  const ColumnSchema age = standard(testing::numeric_column("x", 17, 90, true), 38.6, 13.6);
  const NumberCells cells(age);
  ASSERT_EQ(cells.size(), 74);
  for (int at = 17; at <= 90; ++at) EXPECT_EQ(cell_of(cells, age, at), at - 17);
  EXPECT_EQ(cells.name_of(3), "x=20");
  EXPECT_NEAR(cells.position_of(0), (17 - 38.6) / 13.6, 1e-12);
  EXPECT_TRUE(cells.are_finer_than_bins());
  const NumberCells few(testing::numeric_column("x", 1, 16, true));
  EXPECT_EQ(few.size(), 16);
  EXPECT_FALSE(few.are_finer_than_bins());
}

/// An income of nobody knows how much: single amounts are apart where they can be.
TEST(NumberCells, OfASkewedColumnAreFineNearItsEnd) {
  const ColumnSchema gain = standard(testing::numeric_column("x", 0, 99'999, true), 1079, 7452);
  const NumberCells cells(gain);
  EXPECT_LT(cells.size(), 4096);
  EXPECT_GT(cells.num_bins(), 10);
  for (const double at : {0., 1., 114., 255.})
    EXPECT_NE(cell_of(cells, gain, at), cell_of(cells, gain, at + 1)) << at;
  EXPECT_NE(cell_of(cells, gain, 7298), cell_of(cells, gain, 7000));
  EXPECT_EQ(cells.bin_of(cell_of(cells, gain, 7298)), cells.bin_of(cell_of(cells, gain, 7000)));
  EXPECT_NE(cells.bin_of(0), cells.bin_of(1)) << "the end itself";
  const ColumnSchema money = standard(testing::numeric_column("x", -1000, 50'000, false), 200, 900);
  const NumberCells both(money);
  EXPECT_NE(cell_of(both, money, 0), cell_of(both, money, 0.001));
  const ColumnSchema change = standard(testing::numeric_column("x", -50'000, 50'000, true), 0, 900);
  const NumberCells around(change);
  EXPECT_EQ(around.name_of(cell_of(around, change, -49'000)), "x=-49152 to -48897");
  EXPECT_EQ(around.name_of(cell_of(around, change, -7)), "x=-7");
  EXPECT_NE(both.bin_of(cell_of(both, money, -10)), both.bin_of(cell_of(both, money, 10)));
}

TEST(NumberCells, RangesOfCellsAreTheirNumbers) {
  const NumberCells ages(testing::numeric_column("age", 17, 90, true));
  EXPECT_EQ(ages.range_of(0, 7).text, "17 to 24");
  EXPECT_EQ(ages.range_of(0, 7).from, 17);
  EXPECT_EQ(ages.range_of(0, 7).to, 25);
  EXPECT_EQ(ages.range_of(73, 73).text, "90");
  EXPECT_EQ(ages.range_of(73, 73).to, 91);
  const NumberCells wide(testing::numeric_column("x", 0, 10'000, true));
  EXPECT_EQ(wide.range_of(0, 2).text, "0 to 7");
  EXPECT_EQ(wide.range_of(3, 4).text, "8 to 12");
  EXPECT_EQ(wide.range_of(4095, 4095).text, "9998 to 10000");
  const ColumnSchema amount = standard(testing::numeric_column("x", 0, 5000, false), 40, 100);
  const NumberCells amounts(amount);
  EXPECT_EQ(amounts.range_of(0, 0).text, "0");
  EXPECT_EQ(amounts.range_of(1, 1).text.substr(0, 13), "above 0 to 0.");
  EXPECT_EQ(amounts.range_of(0, amounts.size() - 1).text, "0 to 5000");
  EXPECT_EQ(amounts.range_of(0, amounts.size() - 1).to, 5000);
}

/// Whatever the schema: every number within the bounds has a cell, larger numbers have no lower
/// ones, bins are runs of cells, and cells are few.
TEST(NumberCells, AreInOrderWhateverTheSchema) {
  std::mt19937_64 generator(7);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 300; ++trial) {
    const bool whole = trial % 2 == 0;
    const double size = std::pow(10, 3 * normal(generator));
    double lower = size * normal(generator);
    double upper = lower + size * (0.1 + std::fabs(normal(generator)));
    if (whole) {
      lower = std::floor(lower);
      upper = std::ceil(upper) + 1;
    }
    ColumnSchema column = testing::numeric_column("x", lower, upper, whole);
    if (trial % 3 > 0) {
      const double part = std::pow(0.5, std::fabs(3 * normal(generator)));
      column = standard(column, lower + part * (upper - lower), 0.8 * part * (upper - lower));
    }
    const NumberCells cells(column);
    ASSERT_GT(cells.size(), 0);
    EXPECT_LE(cells.size(), 12'000);
    EXPECT_LE(cells.num_bins(), 200);
    EXPECT_EQ(cells.bin_of(cells.size() - 1), cells.num_bins() - 1);
    for (size_t cell = 1; cell < cells.size(); ++cell) {
      const uint32_t step = cells.bin_of(cell) - cells.bin_of(cell - 1);
      EXPECT_LE(step, 1);
      EXPECT_GE(cells.position_of(cell), cells.position_of(cell - 1));
    }
    size_t before = 0;
    for (int i = 0; i <= 50; ++i) {
      const size_t cell = cell_of(cells, column, lower + i / 50. * (upper - lower));
      ASSERT_LT(cell, cells.size());
      EXPECT_GE(cell, before);
      before = cell;
    }
    EXPECT_EQ(cell_of(cells, column, lower), 0);
  }
}

}  // namespace equinoise::number_cells_test
