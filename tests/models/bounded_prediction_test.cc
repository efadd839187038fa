// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/bounded_prediction.h"

#include <gtest/gtest.h>

#include "equinoise/models/generalised_linear.h"

namespace equinoise::bounded_prediction_test {

/// One feature, targets 0 on the scale of the table, which are 100 in their own units.
EncodedTable table_of(std::vector<float> x) {
  EncodedTable table;
  table.num_records = static_cast<int64_t>(x.size());
  table.num_dense = 1;
  table.num_features = 1;
  table.contributes.assign(x.size(), 1);
  table.targets.assign(x.size(), 0);
  table.feature_names = {"x"};
  table.dense = std::move(x);
  table.target_offset = 100;
  table.target_divisor = 10;
  table.target_lower = 90;
  table.target_upper = 120;
  return table;
}

TEST(PredictWithinBounds, NumbersBeyondBecomeTheNearerBound) {
  EncodedTable table = table_of({-5, -1, 0.5, 2, 7, 9});
  table.contributes[5] = 0;
  const LinearModel model({"x"});
  const std::vector<double> slope = {1, 0};
  const Predictions held = predict_within_bounds(model, table, slope);
  EXPECT_EQ(held.outputs, (std::vector<double>{-1, -1, 0.5, 2, 2, 2}));
  EXPECT_EQ(held.loss, (std::vector<double>{0.5, 0.5, 0.125, 2, 2, 2}));
  EXPECT_EQ(held.num_clamped, 2);
  EXPECT_EQ(model.predict(table, slope).outputs[4], 7);
  table.targets.clear();
  EXPECT_TRUE(predict_within_bounds(model, table, slope).loss.empty());
}

TEST(PredictWithinBounds, WhatIsNotFiniteStaysNoPrediction) {
  const EncodedTable table = table_of({-2, 0, 2});
  const Predictions held =
      predict_within_bounds(LinearModel({"x"}), table, std::vector<double>{1e308, 0});
  EXPECT_FALSE(held.has_prediction(0));
  EXPECT_TRUE(held.has_prediction(1));
  EXPECT_FALSE(held.has_prediction(2));
  EXPECT_EQ(held.num_clamped, 0);
}

TEST(PredictWithinBounds, ClassesAreAsTheModelGivesThem) {
  EncodedTable table = table_of({-3, 3});
  table.labels = {0, 1};
  table.classes = {"no", "yes"};
  table.targets.clear();
  const LogisticModel model({"x"}, table.classes);
  const std::vector<double> slope = {5, 0};
  EXPECT_EQ(predict_within_bounds(model, table, slope).outputs,
            model.predict(table, slope).outputs);
}

}  // namespace equinoise::bounded_prediction_test
