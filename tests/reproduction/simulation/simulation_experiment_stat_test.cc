// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "tests/reproduction/reproduced.h"

namespace equinoise::simulation_experiment_stat_test {

using testing::reproduced;

/// Every figure of these items against what an independent prototype measured on ten tables, each
/// with many draws of noise. The prototype's error is that of so many runs of ours, each a table
/// and one draw.
TEST(SimulationExperiment, AgreesWithThePrototype) {
  constexpr int64_t kSeeds = 100;
  // Two-sided, significance 1e-6 for each figure.
  constexpr double kCritical = 4.9;
  for (const char* name : {"000/table1", "000/two_groups", "000/replaced", "000/splits",
                           "000/figure6", "000/logistic"}) {
    const ReproductionReport report = reproduced(ReproduceRequest{.item = name, .seeds = kSeeds});
    int num_figures = 0;
    double largest = 0;
    for (const ReproductionRow& row : report.rows) {
      if (!row.target) continue;
      ++num_figures;
      const double rounding = std::pow(10.0, -row.target->decimals) / 2;
      const double distance = std::fmax(std::fabs(row.ours - row.target->mean) - rounding, 0.0);
      const double errors = distance / std::hypot(row.standard_error, row.target->standard_error);
      largest = std::fmax(largest, distance == 0 ? 0 : errors);
      EXPECT_TRUE(distance == 0 || errors <= kCritical)
          << row.name() << ": " << row.ours << ", target " << row.target->text;
    }
    std::printf("%s: seeds 0 to %d, %d figures, largest distance %.2f errors, critical %.1f\n",
                name, static_cast<int>(kSeeds) - 1, num_figures, largest, kCritical);
    EXPECT_GT(num_figures, 0);
  }
}

}  // namespace equinoise::simulation_experiment_stat_test
