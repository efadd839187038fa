// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/tailoring/group_function.h"

#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/train/tailoring/group_loss_descent.h"
#include "tests/test_support.h"
#include "tests/train/tailoring/population_answers.h"

namespace equinoise::group_function_test {

using Values = std::vector<double>;
using Sizes = std::vector<int64_t>;

GroupFunction parse(const std::string& text) { return parse_group_function("here", "it", text); }

double value_at(const GroupFunction& function, const Values& losses, const Sizes& sizes) {
  const Values weights = weights_at(function, losses, sizes);
  double value = 0;
  for (size_t k = 0; k < losses.size(); ++k) value += weights[k] * losses[k];
  return value;
}

TEST(GroupFunction, IsReadFromWords) {
  EXPECT_EQ(parse("population"), parse("0"));
  EXPECT_EQ(parse("mean"), parse("1"));
  EXPECT_EQ(parse("largest"), parse("quantile:1"));
  EXPECT_EQ(parse("quantile:0.25").quantile, 0.25);
  EXPECT_TRUE(parse("sum").is_sum);
  for (const char* text : {"", "max", "-0.1", "1.1", "nan", "quantile:", "quantile:0",
                           "quantile:1.5", "quantile:nan", "Largest"}) {
    EXPECT_ERROR(kUsage, HasSubstr("it must be population, mean"), parse(text)) << text;
  }
}

TEST(GroupFunction, WeighsGroups) {
  const Sizes sizes = {60, 30, 10};
  const Values losses = {0.2, 0.7, 0.4};
  EXPECT_THAT(weights_at(parse("population"), losses, sizes), ElementsAre(0.6, 0.3, 0.1));
  EXPECT_THAT(weights_at(parse("sum"), losses, sizes), ElementsAre(1, 1, 1));
  EXPECT_DOUBLE_EQ(weights_at(parse("0.5"), losses, sizes)[2], 0.5 * 0.1 + 0.5 / 3);
  EXPECT_THAT(weights_at(parse("largest"), losses, sizes), ElementsAre(0, 1, 0));
  EXPECT_THAT(weights_at(parse("quantile:0.5"), losses, sizes), ElementsAre(0, 0, 1));
  EXPECT_THAT(weights_at(parse("quantile:0.1"), losses, sizes), ElementsAre(1, 0, 0));
  // Of equal losses the first.
  EXPECT_THAT(weights_at(parse("largest"), Values{0.4, 0.4, 0.1}, sizes), ElementsAre(1, 0, 0));
}

/// A share that is a whole number of groups is that number, whatever its last bit.
TEST(GroupFunction, QuantilesCountGroups) {
  for (size_t num_groups = 1; num_groups <= 60; ++num_groups) {
    for (size_t rank = 1; rank <= num_groups; ++rank) {
      EXPECT_EQ(
          groups_below(static_cast<double>(rank) / static_cast<double>(num_groups), num_groups),
          rank - 1);
    }
  }
  EXPECT_EQ(groups_below(0.9, 10), 8U);
  EXPECT_EQ(groups_below(1e-9, 10), 0U);
  EXPECT_EQ(groups_below(0.91, 10), 9U);
}

/// Their weights are gradients, and add up to how much the function can change where every loss
/// changes by 1.
TEST(GroupFunction, WeightsAreItsGradient) {
  const Sizes sizes = {60, 30, 10};
  const Values losses = {0.2, 0.7, 0.4};
  for (const char* text : {"population", "mean", "0.3", "sum", "largest", "quantile:0.5"}) {
    const Values weights = weights_at(parse(text), losses, sizes);
    double lipschitz = 0;
    for (size_t k = 0; k < losses.size(); ++k) {
      Values moved = losses;
      moved[k] += 1e-6;
      EXPECT_NEAR(
          (value_at(parse(text), moved, sizes) - value_at(parse(text), losses, sizes)) / 1e-6,
          weights[k], 1e-6)
          << text << k;
      lipschitz += weights[k];
    }
    EXPECT_NEAR(lipschitz, parse(text).is_sum ? 3 : 1, 1e-12) << text;
  }
}

constexpr double kSlopes[] = {-1, 0.5, 2};
const Sizes kSizes = {1000, 300, 100};

/// The groups' losses of one parameter, as PopulationAnswers have them without clips.
Values losses_at(double parameter) {
  Values losses;
  for (const double slope : kSlopes) losses.push_back(1 + std::pow(parameter - slope, 2));
  return losses;
}

double found_by_descent(const std::string& objective, const std::string& constraint, double bound,
                        double multiplier) {
  testing::PopulationAnswers answers(kSizes, {kSlopes[0], kSlopes[1], kSlopes[2]},
                                     {Relation::kZeroOut, 1e6, 1e6});
  DescentConfig config;
  config.num_steps = 600;
  config.step_size = {StepSize::Rule::kInverseRoot, 0.06};
  GroupLossConfig loss;
  const GroupFunction function = parse(objective);
  loss.objective_quantile = function.quantile;
  if (!function.quantile) loss.objective = mean_weights(function, kSizes);
  loss.group_rho.assign(kSizes.size(), HUGE_VAL);
  loss.lagrange_multiplier = multiplier;
  loss.loss_bounds.assign(kSizes.size(), bound);
  loss.constraint = parse(constraint);
  return descend(answers, config, loss)[0];
}

/// The smallest value of the objective at any parameter that keeps the constraint, looked for
/// everywhere.
double best_of_all(const std::string& objective, const std::string& constraint, double bound) {
  double best = HUGE_VAL;
  for (int i = -3000; i <= 4000; ++i) {
    const Values losses = losses_at(i / 1000.0);
    if (value_at(parse(constraint), losses, kSizes) > bound) continue;
    best = std::min(best, value_at(parse(objective), losses, kSizes));
  }
  return best;
}

TEST(GroupFunction, DescentFindsWhatIsSmallest) {
  for (const char* objective :
       {"population", "mean", "0.5", "sum", "largest", "quantile:0.5", "quantile:0.9"}) {
    const double found = found_by_descent(objective, "largest", 0, 0);
    EXPECT_NEAR(value_at(parse(objective), losses_at(found), kSizes),
                best_of_all(objective, "largest", HUGE_VAL), 0.03)
        << objective;
  }
}

TEST(GroupFunction, DescentKeepsTheConstraint) {
  const auto expect_kept = [](const std::string& objective, const std::string& constraint,
                              double bound) {
    const double free = found_by_descent(objective, constraint, bound, 0);
    EXPECT_GT(value_at(parse(constraint), losses_at(free), kSizes), bound + 0.1) << constraint;
    const double found = found_by_descent(objective, constraint, bound, 3);
    EXPECT_NEAR(value_at(parse(constraint), losses_at(found), kSizes), bound, 0.15) << constraint;
    EXPECT_NEAR(value_at(parse(objective), losses_at(found), kSizes),
                best_of_all(objective, constraint, bound), 0.06)
        << constraint;
  };
  expect_kept("population", "largest", 5);
  expect_kept("population", "mean", 3);
  expect_kept("population", "quantile:0.5", 1.7);
  expect_kept("largest", "population", 2.6);
}

}  // namespace equinoise::group_function_test
