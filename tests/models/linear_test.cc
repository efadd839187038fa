// SPDX-License-Identifier: Apache-2.0

#include "equinoise/models/generalised_linear.h"
#include "tests/matchers.h"
#include "tests/models/model_cases.h"

namespace equinoise::linear_test {

TEST(Linear, LossIsHalfTheSquaredResidual) {
  EncodedTable table;
  table.num_records = 2;
  table.num_dense = table.num_features = 1;
  table.feature_names = {"x"};
  table.dense = {2, -1};
  table.targets = {1, 1.5};
  const LinearModel model(table.feature_names);
  EXPECT_THAT(model.parameter_names(), ElementsAre("x", "bias"));
  const std::vector<double> theta = {0.5, 0.25};
  const Predictions predictions = model.predict(table, theta);
  EXPECT_THAT(predictions.outputs, ElementsAre(1.25, -0.25));
  EXPECT_THAT(predictions.loss, ElementsAre(0.03125, 1.53125));
  PerSample samples;
  model.per_sample({table, testing::all_records(table)}, theta, samples);
  EXPECT_THAT(samples.output_gradient, ElementsAre(0.25, -1.75));
}

}  // namespace equinoise::linear_test
