// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/compare/option_grid.h"

#include <gtest/gtest.h>

#include "equinoise/report/compare/compare_report.h"
#include "equinoise/tasks/compare/training_grid.h"
#include "tests/test_support.h"

namespace equinoise::option_grid_test {

std::vector<std::string> points(const OptionGrid& grid, const std::string& method) {
  std::vector<std::string> texts;
  for (const auto& point : grid.points_of(method)) texts.push_back(options_in_words(point));
  return texts;
}

/// Uses the grid for a method at all of its points.
void use_all(OptionGrid& grid, const std::string& method) {
  for (const auto& point : grid.points_of(method)) grid.use(method, point, "");
}

std::string refusal(const std::vector<GridOption>& grid,
                    const std::vector<std::string>& given = {}) {
  return error_of(ErrorKind::kUsage, [&] { OptionGrid(training_scope({}), grid, given); });
}

TEST(OptionGrid, HasEveryCombinationOfWhatAMethodFollows) {
  const std::vector<GridOption> options = {{"max_grad_norm", {"0.5", "1"}},
                                           {"steps", {"100", "2e2"}}};
  OptionGrid grid(training_scope({}), options, {});
  EXPECT_THAT(points(grid, "dpsgd"),
              ElementsAre("max_grad_norm=0.5 steps=100", "max_grad_norm=0.5 steps=200",
                          "max_grad_norm=1.0 steps=100", "max_grad_norm=1.0 steps=200"));
  EXPECT_THAT(points(grid, "sgd"), ElementsAre("steps=100", "steps=200"));
  use_all(grid, "dpsgd");
  grid.require_used("");
}

/// Two rows that are one and the same run would look like two findings.
TEST(OptionGrid, LeavesOutWhatDoesNothing) {
  const std::vector<GridOption> options = {{"optimizer", {"sgd", "momentum"}},
                                           {"momentum", {"0.5", "0.9"}}};
  OptionGrid grid(training_scope({}), options, {});
  EXPECT_THAT(points(grid, "dpsgd"), ElementsAre("optimizer=sgd", "optimizer=momentum momentum=0.5",
                                                 "optimizer=momentum momentum=0.9"));
}

TEST(OptionGrid, RefusesWhatNoMethodFollows) {
  const std::vector<GridOption> options = {{"momentum", {"0.5"}}};
  OptionGrid alone(training_scope({}), options, {});
  use_all(alone, "dpsgd");
  EXPECT_ERROR(
      kUsage,
      HasAll("momentum has no effect on the methods that are compared", "; not compared is x"),
      alone.require_used("; not compared is x"));
  const std::vector<std::string> given = {"max_grad_norm"};
  OptionGrid of_others(training_scope({}), {}, given);
  use_all(of_others, "sgd");
  error_of(ErrorKind::kUsage, [&] { of_others.require_used(""); });
}

/// Else one number of steps for all would leave out methods that could be compared.
TEST(OptionGrid, HasNoStepsForMethodsThatCountTheirOwn) {
  const std::vector<std::string> given = {"steps"};
  OptionGrid grid(training_scope({}), {}, given);
  use_all(grid, "dpgam");
  grid.use("sufficient_statistics", {}, "steps");
  EXPECT_ERROR(kUsage, HasSubstr("steps"), grid.require_used(""));
  use_all(grid, "dpsgd");
  grid.require_used("");
}

TEST(OptionGrid, RefusesNamesAndValues) {
  EXPECT_THAT(refusal({{"max_grad_nrm", {"1"}}}), HasSubstr("did you mean max_grad_norm?"));
  EXPECT_THAT(refusal({{"epsilon", {"1"}}}), HasSubstr("list several in --epsilon"));
  EXPECT_THAT(refusal({{"max_grad_norm", {"0"}}}), HasSubstr("max_grad_norm"));
  EXPECT_THAT(refusal({{"max_grad_norm", {"one"}}}), HasSubstr("one is no number"));
  EXPECT_THAT(refusal({{"max_grad_norm", {"1", "1.0"}}}), HasSubstr("1.0 is repeated"));
  EXPECT_THAT(refusal({{"steps", {"1.5"}}}), HasSubstr("no whole number"));
  EXPECT_THAT(refusal({{"steps", {"0", "5"}}}), HasSubstr("steps"));
  EXPECT_THAT(refusal({{"optimizer", {"adm"}}}), HasSubstr("optimizer"));
  EXPECT_THAT(refusal({{"steps", {"10"}}, {"steps", {"20"}}}), HasSubstr("steps is given twice"));
  EXPECT_THAT(refusal({{"steps", {"10"}}}, {"steps"}), HasSubstr("steps is given twice"));
}

}  // namespace equinoise::option_grid_test
