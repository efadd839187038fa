// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/simulation/weighted_descent.h"

#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/train/tailoring/budget_split.h"
#include "tests/shared_vectors.h"
#include "tests/test_support.h"
#include "tests/train/tailoring/given_answers.h"
#include "tests/train/tailoring/population_answers.h"

namespace equinoise::weighted_descent_test {

using Values = std::vector<double>;
using Sizes = std::vector<int64_t>;

TEST(WeightedDescent, AgreesWithTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/budget_tailoring.json", "kind", "group_weighted");
  for (const auto& c : cases) {
    const std::string id = c["id"];
    const auto& want = c["expected"];
    const GroupRecords records = testing::records_of(c);
    const Relation relation = parse_relation(c["relation"].get<std::string>());
    testing::GivenAnswers answers(records, testing::model_of(c), {relation, 1, 1});
    const WeightedRelease release = {c["group_coefficients"], c["group_max_grad_norm"],
                                     c["noise_stddev"]};
    testing::expect_block(group_costs(release, relation, c["num_steps"]), want["group_rho"],
                          c["tolerance"], id);
    Values theta = c["theta"];
    Values sum(theta.size());
    answers.gradient_noise.assign(theta.size(), 0.0);
    answers.weighted_sum(theta, release.coefficients, release.max_grad_norms, 0, sum);
    testing::expect_block(sum, want["weighted_sum"], c["tolerance"], id);
    answers.gradient_noise = c["noise"].get<Values>();
    answers.weighted_sum(theta, release.coefficients, release.max_grad_norms, 0, sum);
    testing::expect_block(sum, want["noisy_sum"], c["tolerance"], id);
    take_step(c["box"], c["learning_rate"], sum, theta);
    testing::expect_block(theta, want["theta_next"], c["tolerance"], id);
  }
}

TEST(WeightedDescent, BalancesAtTheCostOfTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/budget_tailoring.json", "kind", "balanced_noise");
  for (const auto& c : cases) {
    const Relation relation = parse_relation(c["relation"].get<std::string>());
    const testing::SizedAnswers answers(c["group_sizes"], {relation, c["max_grad_norm"], 1});
    const WeightedRelease release = balanced_release(answers, c["num_steps"], c["rho"]);
    testing::expect_close(release.noise_stddev, c["expected"]["single_release_stddev"],
                          c["tolerance"], c["id"]);
    testing::expect_block(group_costs(release, relation, c["num_steps"]),
                          c["expected"]["single_release_group_rho"], c["tolerance"], c["id"]);
  }
}

/// 1.3 of the specification, without the vectors.
TEST(WeightedDescent, BalancesInOneRelease) {
  const testing::SizedAnswers answers({10000, 500}, {Relation::kZeroOut, 2, 1});
  const WeightedRelease release = balanced_release(answers, 100, 0.5);
  EXPECT_NEAR(release.noise_stddev, 0.0200, 1e-12);
  const Values costs = group_costs(release, Relation::kZeroOut, 100);
  EXPECT_NEAR(costs[0], 0.00125, 1e-15);
  EXPECT_NEAR(costs[1], 0.5, 1e-15);
}

/// Noise variance of Algorithm 3 over that of one release at equal total, the first stage taken
/// off.
TEST(WeightedDescent, SummingGroupsMultipliesTheNoise) {
  const auto ratio = [](const Values& shares) {
    const testing::SizedAnswers answers(Sizes(shares.size(), 100), {Relation::kZeroOut, 2, 1});
    const WeightedRelease summed = summed_release(answers, 100, 0.8, shares);
    EXPECT_EQ(summed.coefficients, Values(shares.size(), 1.0));
    return std::pow(summed.noise_stddev / unweighted_release(answers, 100, 1).noise_stddev, 2);
  };
  EXPECT_NEAR(ratio({.5, .5}), 5, 1e-12);
  EXPECT_NEAR(ratio({.29, .71}), 6.07, 5e-3);
  EXPECT_NEAR(ratio({.02, .98}), 63.8, 5e-2);
  EXPECT_NEAR(ratio({1.2036266e-05, 9.99987964e-01}), 1.04e5, 5e2);
  EXPECT_NEAR(ratio(Values(5, .2)), 31.25, 1e-12);
  // The split of Table 1 by error: noise-free stage one of sizes 10000 and 4 x 500.
  const Values slopes = {0, 4.33, 4.62, 4.65, 4.26};
  const Sizes sizes = {10000, 500, 500, 500, 500};
  double slope = 0;
  for (size_t k = 0; k < 5; ++k) slope += slopes[k] * static_cast<double>(sizes[k]) / 12000;
  Values variances;
  for (const double beta : slopes)
    variances.push_back(testing::clipped_square(1 + std::pow(beta - slope, 2), 4));
  EXPECT_NEAR(ratio(split_budget(SplitRule::kError, variances, sizes, 0)), 35.2, 0.5);
}

TEST(WeightedDescent, GroupsPayTheBudget) {
  const testing::SizedAnswers answers({100, 50, 10}, {Relation::kReplaceOne, 2, 1});
  const Values alone =
      group_costs(single_group_release(answers, 40, 0.3, 1), Relation::kReplaceOne, 40);
  EXPECT_EQ(alone[0], 0);
  EXPECT_NEAR(alone[1], 0.3, 1e-15);
  for (const double cost :
       group_costs(unweighted_release(answers, 40, 0.3), Relation::kReplaceOne, 40)) {
    EXPECT_NEAR(cost, 0.3, 1e-15);
  }
}

/// Where descent without noise ends, in endless groups.
TEST(WeightedDescent, ReachesTheFixedPoint) {
  struct Case {
    Sizes sizes;
    Values slopes;
    double unweighted;
    double balanced;
  };
  const Values five = {0, 4.33, 4.62, 4.65, 4.26};
  for (const Case& c : {Case{{2500, 500}, {-1, 1}, -0.7823, 0},
                        {{10000, 500}, {-1, 1}, -0.9444, 0},
                        {{50000, 500}, {-1, 1}, -0.9888, 0},
                        {{10000, 500}, {-10, 10}, -5, 0},
                        {{2500, 500}, {10, 1}, 5, 5},
                        {{10000, 500, 500, 500, 500}, five, .2843, 4.0966},
                        {{10000, 5000, 2500, 1000, 500}, five, 1.8916, 4.0966},
                        {{10000, 2000, 1500, 1000, 500}, five, .7954, 4.0966}}) {
    testing::PopulationAnswers answers(c.sizes, c.slopes, {Relation::kZeroOut, 2, 1});
    SCOPED_TRACE(::testing::Message() << c.sizes[0] << " x " << c.slopes[0]);
    DescentConfig config;
    config.num_steps = 400;
    config.step_size = {StepSize::Rule::kConstant, 0.5};
    WeightedRelease balanced = balanced_release(answers, config.num_steps, HUGE_VAL);
    EXPECT_NEAR(descend(answers, config, balanced)[0], c.balanced, 6e-5);
    WeightedRelease unweighted = unweighted_release(answers, config.num_steps, HUGE_VAL);
    double total = 0;
    for (const int64_t size : c.sizes) total += static_cast<double>(size);
    config.step_size.scale /= total;
    EXPECT_NEAR(descend(answers, config, unweighted)[0], c.unweighted, 6e-5);
  }
}

TEST(WeightedDescent, RefusesBudgetsThatAreNone) {
  const testing::SizedAnswers answers({100, 50}, {Relation::kZeroOut, 2, 1});
  for (const double bad : {0.0, -1.0, std::nan("")}) {
    error_of(ErrorKind::kUsage, [&] { unweighted_release(answers, 10, bad); });
    error_of(ErrorKind::kUsage, [&] { balanced_release(answers, 10, bad); });
    error_of(ErrorKind::kUsage, [&] { summed_release(answers, 10, 1, Values{1, bad}); });
  }
}

}  // namespace equinoise::weighted_descent_test
