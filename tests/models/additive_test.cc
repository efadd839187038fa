// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/additive.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "equinoise/base/error.h"
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

/// Gradients of some records are those of the whole table in cells, whatever their place.
TEST(AdditiveModel, IsALinearModelOfCells) {
  for (const testing::ModelCase& base_case :
       {testing::ModelCase{"logistic", 2}, {"softmax", 3}, {"linear", 0}}) {
    const EncodedTable table = testing::table_for(base_case, 50, 4);
    const auto made = testing::make_model({"additive", base_case.num_classes}, table);
    const auto& model = dynamic_cast<const AdditiveModel&>(*made);
    EncodedTable cells = model.in_cells(table);
    cells.feature_names.assign(cells.num_features, "x");
    const auto base = testing::make_model(base_case, cells);
    const std::vector<double> theta = testing::wavy_parameters(model, 0.7);
    const std::vector<uint32_t> records = {3, 11, 12, 40};
    const std::vector<double> weights = {1, 0.5, -2, 3};
    PerSample own;
    PerSample expected;
    model.per_sample({table, records}, theta, own);
    base->per_sample({cells, records}, theta, expected);
    EXPECT_EQ(own.output_gradient, expected.output_gradient);
    for (size_t i = 0; i < records.size(); ++i)
      EXPECT_NEAR(own.squared_norm[i], expected.squared_norm[i], 1e-12);
    const auto same = [&](const auto& add) {
      std::vector<double> sum(model.num_parameters(), 0.0);
      std::vector<double> sum_expected(sum.size(), 0.0);
      add(model, table, own, sum);
      add(*base, cells, expected, sum_expected);
      EXPECT_EQ(sum, sum_expected);
    };
    same([&](const Model& of, const EncodedTable& in, const PerSample& samples, auto& sum) {
      of.add_weighted_sum({in, records}, samples, weights, sum);
    });
    same([&](const Model& of, const EncodedTable& in, const PerSample&, auto& sum) {
      of.add_hessian_products({in, records}, theta, weights, theta, sum);
    });
    same([&](const Model& of, const EncodedTable& in, const PerSample&, auto& sum) {
      of.add_residual_gradient({in, records}, theta,
                               std::vector<double>(records.size() * of.num_outputs(), 0.3), sum);
    });
    same([&](const Model& of, const EncodedTable& in, const PerSample& samples, auto& sum) {
      of.directional_derivatives({in, records}, samples, theta, std::span(sum).first(4));
    });
    EXPECT_EQ(model.predict(table, theta).loss, base->predict(cells, theta).loss);
  }
}

/// A pair adds the parameter of the two parts that its columns' values lie in.
TEST(AdditiveModel, PairsAddATermForBothValues) {
  const EncodedTable table = testing::mixed_table(40, 3);
  const auto made = testing::make_model({"additive", 2}, table);
  std::vector<uint32_t> halves(33, 0);
  std::fill(halves.begin() + 16, halves.end(), 1U);
  const AdditivePair pair = {{1, 4}, {halves, {0, 1, 1}}};
  const auto model = dynamic_cast<const AdditiveModel&>(*made).with_pairs({pair}, table.blocks);
  ASSERT_EQ(model->num_parameters(), 3U * 33 + 7 + 4 + 1);
  const std::vector<std::string> names = model->parameter_names();
  EXPECT_EQ(names[106], "dense1=0 to 15, second=0");
  EXPECT_EQ(names[109], "dense1=16 to 32, second=1 or 1 others");
  std::vector<double> theta(model->num_parameters(), 0.0);
  for (size_t k = 0; k < 4; ++k) theta[106 + k] = static_cast<double>(k) - 1.5;
  const Predictions predictions = model->predict(table, theta);
  for (int64_t i = 0; i < table.num_records; ++i) {
    EXPECT_NEAR(testing::constant_of(*model, table, static_cast<uint32_t>(i), theta, 0),
                theta.back(), 1e-12);
    const size_t cell =
        (table.dense_row(i)[1] * 32 >= 16 ? 2U : 0U) + (table.active_row(i)[1] == 7 ? 0U : 1U);
    EXPECT_NEAR(predictions.outputs[2 * static_cast<size_t>(i) + 1],
                1 / (1 + std::exp(1.5 - static_cast<double>(cell))), 1e-12);
  }
}

TEST(AdditiveModel, RefusesPairsThatDoNotFit) {
  const EncodedTable table = testing::mixed_table(10, 3);
  const auto made = testing::make_model({"additive", 2}, table);
  const auto& model = dynamic_cast<const AdditiveModel&>(*made);
  const std::vector<uint32_t> cells(33, 0);
  for (const AdditivePair& pair :
       {AdditivePair{{1, 4}, {cells, {0, 1}}}, AdditivePair{{1, 9}, {cells, {0, 1, 1}}},
        AdditivePair{{1, 1}, {cells, cells}}, AdditivePair{{1, 4}, {cells, {0, 2, 2}}},
        AdditivePair{{1, 4}, {cells, {0, 1, 4'000'000'000U}}}, AdditivePair{{1, 4}, {}}})
    EXPECT_THROW(model.with_pairs({pair}, table.blocks), Error);
}

/// A number that is none is in no cell: nothing is predicted, and no gradient is finite.
TEST(AdditiveModel, SaysNothingOfNumbersThatAreNotFinite) {
  EncodedTable table = testing::mixed_table(6, 4);
  table.dense[3 * 2 + 1] = std::numeric_limits<float>::quiet_NaN();
  const auto model = testing::make_model({"additive", 2}, table);
  const std::vector<double> theta = testing::wavy_parameters(*model, 0.7);
  PerSample samples;
  model->per_sample({table, testing::all_records(table)}, theta, samples);
  const Predictions predictions = model->predict(table, theta);
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(std::isnan(samples.squared_norm[i]), i == 2);
    EXPECT_EQ(predictions.has_prediction(i), i != 2);
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
