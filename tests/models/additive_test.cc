// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/additive.h"

#include <gtest/gtest.h>

#include "equinoise/models/registry.h"
#include "tests/models/model_cases.h"

namespace equinoise::additive_test {
namespace {

/// Every value of every column adds what its parameter says.
TEST(AdditiveModel, ScoresAreSumsOverColumns) {
  const EncodedTable table = testing::mixed_table(40, 3);
  const auto made = testing::make_model({"additive", 2}, table);
  const auto& model = dynamic_cast<const AdditiveModel&>(*made);
  ASSERT_EQ(model.num_parameters(), 3U * 33 + 7 + 1);
  EXPECT_EQ(model.parameter_names()[40], "dense1=7");
  EXPECT_EQ(model.parameter_names()[100], "first=1");
  EXPECT_EQ(model.num_features(), table.num_features);
  const std::vector<double> theta = testing::wavy_parameters(model, 0.4);
  const Predictions predictions = model.predict(table, theta);
  for (int64_t i = 0; i < table.num_records; ++i) {
    double score = theta.back();
    for (size_t j = 0; j < 3; ++j)
      score += theta[33 * j + static_cast<size_t>(32 * table.dense_row(i)[j])];
    for (const uint32_t feature : table.active_row(i)) score += theta[feature + 3 * 33 - 3];
    EXPECT_NEAR(predictions.outputs[2 * static_cast<size_t>(i) + 1], 1 / (1 + std::exp(-score)),
                1e-12);
  }
}

TEST(AdditiveModel, TablesInCellsKeepWhatTheyAreOf) {
  EncodedTable table = testing::mixed_table(10, 5);
  for (uint32_t i = 0; i < 10; ++i) table.groups.push_back(GroupId(i % 3));
  table.contributes[4] = 0;
  const auto made = testing::make_model({"additive", 2}, table);
  const EncodedTable cells = dynamic_cast<const AdditiveModel&>(*made).in_cells(table);
  EXPECT_EQ(cells.num_dense, 0);
  EXPECT_EQ(cells.num_active, 5);
  EXPECT_EQ(cells.num_features, 3U * 33 + 7);
  EXPECT_EQ(cells.blocks, (std::vector<uint32_t>{0, 33, 66, 99, 103}));
  EXPECT_EQ(cells.labels, table.labels);
  EXPECT_EQ(cells.groups, table.groups);
  EXPECT_EQ(cells.contributes, table.contributes);
}

}  // namespace
}  // namespace equinoise::additive_test
