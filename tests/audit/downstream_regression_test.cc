// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/downstream_regression.h"

#include <gtest/gtest.h>

#include <cmath>

namespace equinoise::downstream_regression_test {

/// Targets 2 x + 1 of x = 0, 1, ..., 999 thousandths.
EncodedTable line() {
  EncodedTable table;
  table.num_records = 1000;
  table.num_dense = 1;
  table.num_features = 1;
  table.feature_names = {"x"};
  for (int i = 0; i < 1000; ++i) {
    table.dense.push_back(static_cast<float>(i) / 1000);
    table.targets.push_back(2 * table.dense.back() + 1);
    table.contributes.push_back(1);
  }
  return table;
}

TEST(DownstreamRegression, FindsALineButForTheRidge) {
  const EncodedTable table = line();
  const std::vector<double> parameters = fit_linear(table);
  ASSERT_EQ(parameters.size(), 2U);
  // The sum of squares of x around its mean is 83.3.
  EXPECT_NEAR(parameters[0], 2 * 83.3 / 84.3, 1e-3);
  EXPECT_NEAR(parameters[0] / 2 + parameters[1], 2, 2e-3);
  const std::vector<GroupId> groups(1000, GroupId{0});
  const DownstreamRegression result = test_regression(parameters, table, groups, 2);
  EXPECT_GT(result.overall.r_squared.value, 0.999);
  EXPECT_NEAR(result.groups[0].rmse.value, result.overall.rmse.value, 1e-12);
  EXPECT_TRUE(std::isnan(result.groups[1].rmse.value));
}

TEST(DownstreamRegression, CountsRecordsByWeightAndWithoutAnyIsZero) {
  EncodedTable table = line();
  // A record of weight 0 for all but scale is one that does not contribute.
  table.targets[5] = 1e6F;
  table.contributes[5] = 0;
  const std::vector<double> without = fit_linear(table);
  EXPECT_NEAR(without[0], 2 * 83.3 / 84.3, 2e-3);
  table.weights.assign(1000, 7);
  EXPECT_NEAR(fit_linear(table)[0], without[0], 1e-9);
  table.contributes.assign(1000, 0);
  EXPECT_EQ(fit_linear(table), (std::vector<double>{0, 0}));
}

}  // namespace equinoise::downstream_regression_test
