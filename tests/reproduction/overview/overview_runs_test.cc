// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/overview/overview_runs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "equinoise/reproduction/item.h"
#include "tests/matchers.h"

namespace equinoise::overview_runs_test {

using Values = std::vector<double>;

TEST(Correlation, IsThatOfNumpy) {
  // numpy.corrcoef([1, 2, 3, 5], [2, 1, 4, 4])
  EXPECT_NEAR(correlation_of(Values{1, 2, 3, 5}, Values{2, 1, 4, 4}), 0.7481900559272088, 1e-12);
  EXPECT_EQ(correlation_of(Values{1, 2, 4}, Values{2, 4, 8}), 1);
  EXPECT_EQ(correlation_of(Values{1, 2, 4}, Values{-1, -2, -4}), -1);
  EXPECT_TRUE(std::isnan(correlation_of(Values{1, 1}, Values{1, 2})));
  EXPECT_TRUE(std::isnan(correlation_of(Values{}, Values{})));
}

/// A matrix of as many columns as are correlated, and shares of both groups in each bin.
TEST(OverviewItem, HasItsFigures) {
  const ReproductionItem item = find_reproduction_item("000/figure1");
  const Experiment& experiment = *item.experiment;
  EXPECT_THAT(experiment.columns(item), ElementsAre("women", "men", "all"));
  const auto metrics = [&](size_t method) {
    std::vector<std::string> names;
    for (const Figures& figures : experiment.figures(item, method, {}, nullptr))
      names.push_back(figures.metric);
    return names;
  };
  ASSERT_EQ(item.methods[1].name, "sex");
  EXPECT_EQ(metrics(1).size(), 10U);
  EXPECT_THAT(metrics(1), Contains("correlation with credit limit"));
  EXPECT_EQ(metrics(1).back(), "unexplained");
  EXPECT_EQ(item.methods[9].name, "ages");
  EXPECT_EQ(metrics(9).size(), 24U);
  EXPECT_EQ(metrics(9).front(), "women from 20");
}

}  // namespace equinoise::overview_runs_test
