// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/compare/run_figures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace equinoise::run_figures_test {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

CompareRun run_with(std::vector<double> groups) {
  CompareRun run;
  run.groups = std::move(groups);
  return run;
}

std::vector<CompareGroup> groups_by(const std::vector<std::string>& columns) {
  std::vector<CompareGroup> groups;
  for (const std::string& name : columns) groups.push_back({{}, name, 100, true});
  return groups;
}

TEST(RunFigures, HasTheWorstOfAllGroupsAndTheGapWithinAGrouping) {
  CompareRun run = run_with({0.1, 0.2, 0.5, 0.6});
  set_group_figures(groups_by({"sex", "sex", "race", "race"}), run);
  EXPECT_DOUBLE_EQ(run.worst_group, 0.6);
  EXPECT_DOUBLE_EQ(run.gap, 0.1);
}

TEST(RunFigures, LeavesOutGroupsThatAreNotCounted) {
  std::vector<CompareGroup> groups = groups_by({"sex", "sex", "sex"});
  groups[2].is_counted = false;
  CompareRun run = run_with({0.1, 0.2, kUndefined});
  set_group_figures(groups, run);
  EXPECT_DOUBLE_EQ(run.worst_group, 0.2);
  EXPECT_DOUBLE_EQ(run.gap, 0.2 - 0.1);
  groups[1].is_counted = false;
  set_group_figures(groups, run);
  EXPECT_DOUBLE_EQ(run.worst_group, 0.1);
  EXPECT_TRUE(std::isnan(run.gap));
}

TEST(RunFigures, IsUndefinedWhereACountedGroupIs) {
  CompareRun run = run_with({0.1, kUndefined});
  set_group_figures(groups_by({"sex", "sex"}), run);
  EXPECT_TRUE(std::isnan(run.worst_group));
  EXPECT_TRUE(std::isnan(run.gap));
  set_group_figures({}, run);
  EXPECT_TRUE(std::isnan(run.worst_group));
}

TEST(RunFigures, IsReadBackWithWhatIsUndefined) {
  CompareRun run = run_with({0.25, kUndefined});
  run.seconds = 2;
  run.violation_low = 0.125;
  run.private_verdict = "unclear";
  const CompareRun found = run_from_json(run_to_json(run), "");
  EXPECT_TRUE(std::isnan(found.overall));
  EXPECT_TRUE(std::isnan(found.violation));
  EXPECT_EQ(found.groups[0], 0.25);
  EXPECT_TRUE(std::isnan(found.groups[1]));
  EXPECT_EQ(found.seconds, 2);
  EXPECT_EQ(found.violation_low, 0.125);
  EXPECT_EQ(found.private_verdict, "unclear");
  run.by_metric = {{"error", {0.5, {0.25, 0.75}}}, {"loss", {0.125, {kUndefined, 1}}}};
  EXPECT_EQ(run_from_json(run_to_json(run), "error").groups[1], 0.75);
  EXPECT_EQ(run_from_json(run_to_json(run), "loss").overall, 0.125);
}

}  // namespace equinoise::run_figures_test
