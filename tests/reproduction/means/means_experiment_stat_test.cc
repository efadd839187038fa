// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "tests/reproduction/reproduced.h"

namespace equinoise::means_experiment_stat_test {

using testing::reproduced;

/// Every figure of these items against an independent prototype, whose errors are not known but for
/// some: they are taken to be ours, as if it had as many mixtures. Curves follow from no seed and
/// agree to the last digit; the floored one was simulated there.
TEST(MeansExperiment, AgreesWithThePrototype) {
  constexpr int64_t kSeeds = 50;
  // Two-sided, significance 1e-6 for each figure.
  constexpr double kCritical = 4.9;
  for (const char* name :
       {"002/figure1", "002/figure3", "002/figure3_small_budget", "002/figure6"}) {
    const ReproductionReport report =
        reproduced(ReproduceRequest{.item = name, .seeds = kSeeds, .threads = 2});
    int num_figures = 0;
    double largest = 0;
    for (const ReproductionRow& row : report.rows) {
      if (!row.target) continue;
      ++num_figures;
      const double rounding = std::pow(10.0, -row.target->decimals) / 2;
      const double distance = std::fmax(std::fabs(row.ours - row.target->mean) - rounding, 0.0);
      if (row.standard_error == 0) {
        EXPECT_LE(distance, kCritical * row.target->standard_error + 1e-9)
            << row.name() << ": " << row.ours;
        continue;
      }
      const double theirs =
          row.target->standard_error > 0 ? row.target->standard_error : row.standard_error;
      const double errors = distance / std::hypot(row.standard_error, theirs);
      largest = std::fmax(largest, errors);
      EXPECT_LE(errors, kCritical)
          << row.name() << ": " << row.ours << ", target " << row.target->text;
    }
    std::printf("%s: seeds 0 to %d, %d figures, largest distance %.2f errors, critical %.1f\n",
                name, static_cast<int>(kSeeds) - 1, num_figures, largest, kCritical);
    EXPECT_GT(num_figures, 0);
  }
}

}  // namespace equinoise::means_experiment_stat_test
