// SPDX-License-Identifier: Apache-2.0

#include "equinoise/models/generalised_linear.h"
#include "tests/models/model_cases.h"
#include "tests/test_support.h"

namespace equinoise::logistic_test {

TEST(Logistic, LossOfHugeLogitsIsTheirSize) {
  EncodedTable table = testing::mixed_table(2, 1);
  table.labels = {0, 1};
  const LogisticModel model(table.feature_names, table.classes);
  std::vector<double> theta(model.num_parameters(), 0);
  theta.back() = 1e300;
  const Predictions predictions = model.predict(table, theta);
  EXPECT_EQ(predictions.loss, std::vector<double>({1e300, 0}));
  EXPECT_EQ(predictions.predicted, std::vector<uint16_t>({1, 1}));
}

TEST(Logistic, NeedsTwoClasses) {
  EXPECT_ERROR(kInput, HasSubstr("lists 1"), LogisticModel({"x"}, {"only"}));
  EXPECT_ERROR(kInput, HasSubstr("lists 3"), LogisticModel({"x"}, {"a", "b", "c"}));
}

}  // namespace equinoise::logistic_test
