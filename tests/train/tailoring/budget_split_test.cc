// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/tailoring/budget_split.h"

#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/reproduction/simulation/simulated_answers.h"
#include "equinoise/train/tailoring/sensitivities.h"
#include "tests/shared_vectors.h"
#include "tests/test_support.h"
#include "tests/train/tailoring/given_answers.h"
#include "tests/vector_cases.h"

namespace equinoise::budget_split_test {

using Sizes = std::vector<int64_t>;
using Values = std::vector<double>;

TEST(BudgetSplit, AgreesWithTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/budget_tailoring.json");
  for (const auto& c : testing::cases_with(cases, "kind", "weights")) {
    for (const auto& [letter, name] :
         {std::pair("A", "error"), std::pair("B", "error_over_size"), std::pair("C", "root_error"),
          std::pair("U", "uniform"), std::pair("N", "inverse_size")}) {
      const SplitRule rule = parse_split_rule(name);
      EXPECT_EQ(word_of(kSplitRules, rule), name);
      const auto split = [&](double min_weight) {
        return split_budget(rule, c["group_variance"].get<Values>(), c["group_sizes"].get<Sizes>(),
                            min_weight);
      };
      const auto& want = c["expected"]["weights"][letter];
      testing::expect_block(split(0), want["uncapped"], c["tolerance"], c["id"]);
      testing::expect_block(split(c["min_weight"]), want["capped"], c["tolerance"], c["id"]);
    }
  }
}

/// Table 4 of the paper: slopes and sizes alike, residual variances 10 and 10000 by root_error.
TEST(BudgetSplit, HasTheLimitsOfThePapersTables) {
  const Sizes equal = {1000, 1000};
  EXPECT_NEAR(split_budget(SplitRule::kRootError, Values{10, 10000}, equal, 0)[0], .0306534, 5e-8);
  EXPECT_NEAR(split_budget(SplitRule::kError, Values{10, 10000}, equal, 0)[0], .000999, 5e-7);
  // The standard errors that the paper prints are split linearly there, and by squares in Table 2.
  EXPECT_NEAR(3.16276276 / (3.16276276 + 100.01852322), .03065248, 5e-8);
  const Values squares = {std::pow(.00043513, 2) * 8000000, std::pow(.12542164, 2) * 500};
  const Values table2 = split_budget(SplitRule::kErrorOverSize, squares, Sizes{8000000, 500}, 0);
  EXPECT_NEAR(table2[0], 1.20362660e-05, 5e-10);
  // Of equal variances that is 500 / n.
  EXPECT_NEAR(split_budget(SplitRule::kErrorOverSize, Values{1, 1}, Sizes{8000000, 500}, 0)[0],
              6.25e-5, 5e-9);
}

/// Noise of separate means where budgets of both groups add up to 1.
TEST(BudgetSplit, GivesMeansTheirNoise) {
  const Sizes sizes = {10000, 500};
  const auto expect_noise = [&](const Values& weights, double first, double second) {
    const Values want = {first, second};
    for (size_t k = 0; k < 2; ++k) {
      const double got =
          noise_stddev(gradient_mean_sensitivity(Relation::kZeroOut, 1, sizes[k]), weights[k]);
      EXPECT_NEAR(got, want[k], 5e-4 * want[k]);
    }
  };
  expect_noise(split_budget(SplitRule::kUniform, {}, sizes, 0), 1.00e-4, 2.00e-3);
  expect_noise(split_budget(SplitRule::kInverseSize, {}, sizes, 0), 3.24e-4, 1.449e-3);
  // Equal noise: variances 1 / n_k^2.
  expect_noise(split_budget(SplitRule::kErrorOverSize, Values{1. / 10000, 1. / 500}, sizes, 0),
               1.416e-3, 1.416e-3);
  expect_noise(Values{1, 1}, 7.07e-5, 1.414e-3);
}

TEST(BudgetSplit, RaisesSmallSharesToTheFloor) {
  const Sizes sizes = {10000, 500};
  const Values weights =
      split_budget(SplitRule::kErrorOverSize, Values{1, 1}, sizes, default_min_weight(2));
  EXPECT_NEAR(weights[0], .1 / (.1 + 500. / 525 * 1), 1e-3);
  EXPECT_NEAR(weights[0] + weights[1], 1, 1e-15);
}

TEST(BudgetSplit, WhatIsAboveACapGoesToTheOthers) {
  const Values capped = cap_shares({0.7, 0.2, 0.1}, Values(3, 0.5));
  EXPECT_EQ(capped[0], 0.5);
  EXPECT_NEAR(capped[1], 0.5 * 2 / 3, 1e-15);
  EXPECT_NEAR(capped[2], 0.5 / 3, 1e-15);
  // What goes to the second group takes it above the cap, too.
  const Values twice = cap_shares({0.6, 0.3, 0.1}, Values(3, 0.4));
  EXPECT_EQ(twice[0], 0.4);
  EXPECT_EQ(twice[1], 0.4);
  EXPECT_NEAR(twice[2], 0.2, 1e-15);
  EXPECT_EQ(cap_shares({0.7, 0.3}, Values{1, 1}), (Values{0.7, 0.3}));
  EXPECT_NEAR(cap_shares({0.7, 0.3}, Values(2, 0.5))[1], 0.5, 1e-15);
  for (const double bad : {0.49, 0.0, -1.0, 1.1, std::nan("")})
    error_of(ErrorKind::kUsage, [&] { cap_shares({0.7, 0.3}, Values(2, bad)); });
  // Each group with a cap of its own.
  const Values own = cap_shares({0.7, 0.2, 0.1}, Values{0.1, 1, 0.25});
  EXPECT_EQ(own[0], 0.1);
  EXPECT_NEAR(own[1], 0.65, 1e-15);
  EXPECT_EQ(own[2], 0.25);
  EXPECT_ERROR(kUsage, HasSubstr("would add up to 0.9, less than 1"),
               cap_shares({0.7, 0.3}, Values{0.2, 0.7}));
  error_of(ErrorKind::kUsage, [] { cap_shares({0.7, 0.3}, Values{1}); });
  error_of(ErrorKind::kUsage, [] { cap_shares({0.7, 0.3}, Values{0, 1}); });
}

/// No errors give a group more than largest_shares, less than min_share or its cap; and some give
/// it as much.
TEST(BudgetSplit, KnowsTheMostAndTheLeastThatAGroupMayGet) {
  EXPECT_NEAR(largest_shares(Values{1, 1}, default_min_weight(2))[0], 1 / 1.1, 1e-15);
  EXPECT_EQ(largest_shares(Values{1}, default_min_weight(1))[0], 1);
  SimulationNoise random(5, 0);
  for (const Values& caps :
       {Values{1, 1}, Values{0.6, 0.6}, Values{0.05, 1}, Values{0.3, 0.7}, Values{1, 1, 1},
        Values{0.01, 1, 1}, Values{0.4, 0.4, 0.4}, Values{0.05, 0.02, 1, 0.3, 0.5}}) {
    const size_t num_groups = caps.size();
    const double min_weight = default_min_weight(num_groups);
    const Values most = largest_shares(caps, min_weight);
    const double least = min_share(num_groups, min_weight);
    const Sizes sizes(num_groups, 100);
    const auto shares_of = [&](const Values& errors) {
      return cap_shares(split_budget(SplitRule::kError, errors, sizes, min_weight), caps);
    };
    for (int i = 0; i < 2000; ++i) {
      Values errors;
      for (size_t k = 0; k < num_groups; ++k) errors.push_back(std::pow(10, 8 * random.uniform()));
      const Values shares = shares_of(errors);
      for (size_t k = 0; k < num_groups; ++k) {
        EXPECT_LE(shares[k], most[k] * (1 + 1e-14));
        EXPECT_GE(shares[k], std::min(least, caps[k]) * (1 - 1e-14));
      }
    }
    for (size_t k = 0; k < num_groups; ++k) {
      Values errors(num_groups, 1e-200);
      errors[k] = 1e100;
      EXPECT_NEAR(shares_of(errors)[k], most[k], 1e-14);
    }
  }
}

/// Groups of sex and of race, of which somebody is in one each.
TEST(BudgetSplit, KnowsTheMostThatGroupsTogetherMayGet) {
  SimulationNoise random(6, 0);
  const std::vector<std::vector<size_t>> patterns = {{0, 2}, {0, 3}, {0, 4},
                                                     {1, 2}, {1, 3}, {1, 4}};
  constexpr size_t kGroups = 5;
  const double min_weight = default_min_weight(kGroups);
  const double least = min_share(kGroups, min_weight);
  const Sizes sizes(kGroups, 100);
  for (const Values& caps : {Values{1, 1, 1, 1, 1}, Values{0.3, 0.3, 0.3, 0.3, 0.3},
                             Values{0.05, 0.02, 1, 0.3, 0.5}, Values{0.01, 1, 0.1, 0.4, 0.01}}) {
    for (const std::vector<size_t>& pattern : patterns) {
      const double most = largest_sum(pattern, caps, min_weight);
      for (int i = 0; i < 2000; ++i) {
        Values errors;
        for (size_t k = 0; k < kGroups; ++k) errors.push_back(std::pow(10, 8 * random.uniform()));
        const Values shares =
            cap_shares(split_budget(SplitRule::kError, errors, sizes, min_weight), caps);
        EXPECT_LE(shares[pattern[0]] + shares[pattern[1]], most * (1 + 1e-14));
      }
      if (caps[0] < 1) continue;
      // Where one of them has everything, and less than both could have one by one.
      Values errors(kGroups, 1e-200);
      errors[pattern[0]] = 1e100;
      const Values shares = split_budget(SplitRule::kError, errors, sizes, min_weight);
      EXPECT_NEAR(shares[pattern[0]] + shares[pattern[1]], most, 1e-14);
      EXPECT_NEAR(most, 1 - 3 * least, 1e-14);
    }
  }
  EXPECT_NEAR(largest_sum(std::vector<size_t>{0, 2}, Values{0.3, 0.3, 0.3, 0.3, 0.3}, min_weight),
              0.6, 1e-15);
  EXPECT_EQ(largest_sum(std::vector<size_t>{0}, Values{1}, default_min_weight(1)), 1);
}

TEST(BudgetSplit, RefusesWhatCannotBeSplit) {
  const Sizes sizes = {10, 20};
  EXPECT_ERROR(kUsage, HasSubstr("error_over_size"), parse_split_rule("eror"));
  for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    error_of(ErrorKind::kUsage, [&] { split_budget(SplitRule::kError, Values{1, bad}, sizes, 0); });
  }
  error_of(ErrorKind::kUsage, [&] { split_budget(SplitRule::kError, Values{1}, sizes, 0); });
  error_of(ErrorKind::kUsage, [&] { split_budget(SplitRule::kUniform, {}, Sizes{10, 0}, 0); });
  error_of(ErrorKind::kUsage, [&] { split_budget(SplitRule::kUniform, {}, Sizes{}, 0); });
  error_of(ErrorKind::kUsage, [&] { split_budget(SplitRule::kUniform, {}, sizes, 0.6); });
  error_of(ErrorKind::kUsage, [&] { split_budget(SplitRule::kUniform, {}, sizes, -0.1); });
  EXPECT_TRUE(needs_errors(SplitRule::kRootError));
  EXPECT_FALSE(needs_errors(SplitRule::kInverseSize));
}

/// A record of a group that weighs w pays for w times its clip: rho follows the square.
TEST(WeightsOfShares, HaveSharesAsTheirSquares) {
  const std::vector<double> weights = weights_of_shares(Values{0.9, 0.1}, Sizes{100, 900});
  EXPECT_NEAR(weights[0] * weights[0] / (weights[1] * weights[1]), 9, 1e-12);
  EXPECT_NEAR(0.1 * weights[0] + 0.9 * weights[1], 1, 1e-12);
}

}  // namespace equinoise::budget_split_test
