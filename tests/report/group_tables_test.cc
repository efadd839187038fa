// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/group_tables.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/matchers.h"

namespace equinoise::group_tables_test {

Metrics with(double accuracy, double selection_rate, double rmse = NAN) {
  Metrics metrics;
  metrics.accuracy = {accuracy, {accuracy - 0.01, accuracy + 0.01}};
  metrics.selection_rate = {selection_rate, {selection_rate - 0.02, selection_rate + 0.02}};
  metrics.rmse = {rmse, {rmse - 1, rmse + 1}};
  return metrics;
}

const std::vector<std::string> kClasses = {"0", "1"};

TEST(GroupLines, NameTheWorstGroupWithItsInterval) {
  const Metrics all = with(0.8, 0.3, 20);
  const std::vector<GroupFigures> groups = {{{{"sex", "F"}}, with(0.9, 0.5, 10)},
                                            {{{"sex", "M"}, {"race", "B"}}, with(0.7, 0.1, 30)}};
  const std::string worst =
      "The accuracy is lowest for sex = M, race = B: 70.0 % [69.0, 71.0]; overall it is 80.0 % "
      "[79.0, 81.0].";
  EXPECT_EQ(groups_line(groups, all, "y", {"0", "1", "2"}), worst);
  EXPECT_THAT(groups_line(groups, all, "y", {}),
              HasSubstr("is largest for sex = M, race = B: 30.0 [29.0, 31.0]"));
  EXPECT_EQ(groups_line(groups, all, "y", kClasses),
            worst +
                " y = 1 is predicted for 30.0 % [28.0, 32.0] overall: 10.0 % [8.0, 12.0] of "
                "sex = M, race = B, 50.0 % [48.0, 52.0] of sex = F.");
  const std::vector<GroupFigures> many(6, groups[0]);
  EXPECT_THAT(groups_line(many, all, "y", kClasses), HasSubstr("overall: from 50.0 %"));
}

/// Nobody in a group: there is no figure, so that it is neither the worst nor the best.
TEST(GroupLines, LeaveOutGroupsWithoutAFigure) {
  const Metrics nobody = with(NAN, NAN);
  const std::vector<GroupFigures> groups = {{{{"sex", "F"}}, nobody}};
  EXPECT_EQ(groups_line(groups, with(0.8, 0.3), "y", kClasses),
            "y = 1 is predicted for 30.0 % [28.0, 32.0] overall.");
  EXPECT_EQ(groups_line(groups, nobody, "y", kClasses), "");
}

}  // namespace equinoise::group_tables_test
