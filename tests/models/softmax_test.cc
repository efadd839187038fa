// SPDX-License-Identifier: Apache-2.0

#include "equinoise/models/generalised_linear.h"
#include "tests/models/model_cases.h"
#include "tests/test_support.h"

namespace equinoise::softmax_test {

TEST(Softmax, ParametersAreNamedByFeatureAndClass) {
  const SoftmaxModel model({"age", "sex=F"}, {"low", "high"});
  EXPECT_THAT(model.parameter_names(), ElementsAre("age -> low", "age -> high", "sex=F -> low",
                                                   "sex=F -> high", "bias -> low", "bias -> high"));
}

/// With the first class's parameters 0 two classes are logistic regression.
TEST(Softmax, OfTwoClassesIsLogistic) {
  const EncodedTable table = testing::mixed_table(50, 8);
  const LogisticModel logistic(table.feature_names, table.classes);
  const SoftmaxModel softmax(table.feature_names, table.classes);
  const std::vector<double> theta = testing::wavy_parameters(logistic, 2);
  std::vector<double> both(2 * theta.size(), 0);
  for (size_t j = 0; j < theta.size(); ++j) both[2 * j + 1] = theta[j];
  const Predictions one = logistic.predict(table, theta);
  const Predictions two = softmax.predict(table, both);
  EXPECT_EQ(one.predicted, two.predicted);
  for (size_t i = 0; i < one.outputs.size(); ++i)
    EXPECT_NEAR(one.outputs[i], two.outputs[i], 1e-15);
  for (size_t i = 0; i < one.loss.size(); ++i) EXPECT_NEAR(one.loss[i], two.loss[i], 1e-14);
}

/// Scores whose difference overflows are still told apart.
TEST(Softmax, ScoresAtTheEndsOfTheRange) {
  EncodedTable table = testing::mixed_table(3, 1);
  table.labels = {0, 1, 2};
  table.classes = {"a", "b", "c"};
  const SoftmaxModel model(table.feature_names, table.classes);
  std::vector<double> theta(model.num_parameters(), 0);
  theta[theta.size() - 3] = -1e308;
  theta[theta.size() - 2] = 1e308;
  PerSample samples;
  model.per_sample({table, testing::all_records(table)}, theta, samples);
  EXPECT_NEAR(samples.output_gradient[0], -1, 1e-15);
  EXPECT_NEAR(samples.output_gradient[1], 1, 1e-15);
  EXPECT_LT(samples.squared_norm[1], 1e-200);
  EXPECT_NEAR(samples.output_gradient[8], -1, 1e-15);
  const Predictions predictions = model.predict(table, theta);
  EXPECT_THAT(predictions.predicted, ElementsAre(1, 1, 1));
  EXPECT_EQ(predictions.loss[0], std::numeric_limits<double>::infinity());
  EXPECT_LT(predictions.loss[1], 1e-300);
  EXPECT_EQ(predictions.loss[2], 1e308);
}

TEST(Softmax, NeedsTwoClasses) {
  EXPECT_ERROR(kInput, HasSubstr("lists 1"), SoftmaxModel({"x"}, {"only"}));
}

}  // namespace equinoise::softmax_test
