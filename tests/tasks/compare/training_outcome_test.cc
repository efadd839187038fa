// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/compare/training_outcome.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace equinoise::training_outcome_test {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

TEST(TrainingOutcome, OfConstraintsIsTheLargestExcessIfAllAreAnswerable) {
  TrainingReport report;
  const auto add = [&](double value, double slack) {
    ConstraintCheck check;
    check.value.value = value;
    check.slack = slack;
    report.constraints.push_back({"", "", slack, "", check});
  };
  EXPECT_TRUE(std::isnan(figures_of_run(report, {}).violation));
  add(0.05, 0.1);
  add(0.3, 0.1);
  add(0.1, 0.1);
  EXPECT_DOUBLE_EQ(figures_of_run(report, {}).violation, 0.3 - 0.1);
  add(kUndefined, 0.1);
  add(0.9, 0.1);
  EXPECT_TRUE(std::isnan(figures_of_run(report, {}).violation));
}

}  // namespace
}  // namespace equinoise::training_outcome_test
