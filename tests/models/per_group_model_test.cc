// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/per_group_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "equinoise/models/generalised_linear.h"
#include "tests/small_tables.h"

namespace equinoise::per_group_model_test {

constexpr size_t kNumGroups = 3;
const std::vector<std::string> kNames = {"a", "b", "c"};

/// A table in groups, and models with parameters of which none is 0.
struct Case {
  explicit Case(bool softmax) : table(testing::mixed_table(60, 5)) {
    if (softmax) table.classes.emplace_back("maybe");
    for (uint32_t i = 0; i < 60; ++i) table.groups.push_back(GroupId((i * i + i / 7) % kNumGroups));
    const auto make = [&]() -> std::unique_ptr<GeneralisedLinearModel> {
      if (softmax) return std::make_unique<SoftmaxModel>(table.feature_names, table.classes);
      return std::make_unique<LogisticModel>(table.feature_names, table.classes);
    };
    base = make();
    model = std::make_unique<PerGroupModel>(make(), kNames, std::vector<double>{0.5, 0.3, 0.2});
    for (size_t j = 0; j < model->num_parameters(); ++j)
      parameters.push_back(std::sin(static_cast<double>(j + 1)));
    for (uint32_t i = 0; i < 60; ++i) {
      records.push_back(59 - i);
      weights.push_back(0.1 + 0.01 * i);
    }
  }
  std::span<const double> part(std::span<const double> all, size_t k) const {
    return all.subspan(k * base->num_parameters(), base->num_parameters());
  }
  /// The places in `records` of the members of a group, and these records.
  std::vector<size_t> places(size_t k) const {
    std::vector<size_t> found;
    for (size_t i = 0; i < records.size(); ++i)
      if (index_of(table.groups[records[i]]) == k) found.push_back(i);
    return found;
  }
  template <typename Value>
  static std::vector<Value> at(const std::vector<Value>& values,
                               const std::vector<size_t>& places) {
    std::vector<Value> picked;
    for (const size_t place : places) picked.push_back(values[place]);
    return picked;
  }

  EncodedTable table;
  std::unique_ptr<GeneralisedLinearModel> base;
  std::unique_ptr<PerGroupModel> model;
  std::vector<double> parameters;
  std::vector<uint32_t> records;
  std::vector<double> weights;
};

TEST(PerGroupModel, IsAModelOfItsOwnForEachGroup) {
  for (const bool softmax : {false, true}) {
    const Case given(softmax);
    PerSample samples;
    given.model->per_sample({given.table, given.records}, given.parameters, samples);
    std::vector<int64_t> units(given.model->num_parameters(), 0);
    std::vector<double> sum(given.model->num_parameters(), 0.0);
    const SumScale scale{0x1p-20, 100};
    given.model->add_weighted_sum({given.table, given.records}, samples, given.weights, scale,
                                  units);
    given.model->add_weighted_sum({given.table, given.records}, samples, given.weights, sum);
    for (size_t k = 0; k < kNumGroups; ++k) {
      const std::vector<size_t> places = given.places(k);
      ASSERT_FALSE(places.empty());
      const std::vector<uint32_t> members = Case::at(given.records, places);
      const std::vector<double> weights = Case::at(given.weights, places);
      PerSample own;
      given.base->per_sample({given.table, members}, given.part(given.parameters, k), own);
      const size_t width = given.base->num_outputs();
      for (size_t i = 0; i < places.size(); ++i) {
        EXPECT_EQ(samples.squared_norm[places[i]], own.squared_norm[i]);
        for (size_t s = 0; s < width; ++s)
          EXPECT_EQ(samples.output_gradient[places[i] * width + s],
                    own.output_gradient[i * width + s]);
      }
      std::vector<int64_t> own_units(given.base->num_parameters(), 0);
      std::vector<double> own_sum(given.base->num_parameters(), 0.0);
      given.base->add_weighted_sum({given.table, members}, own, weights, scale, own_units);
      given.base->add_weighted_sum({given.table, members}, own, weights, own_sum);
      for (size_t j = 0; j < own_sum.size(); ++j) {
        EXPECT_EQ(units[k * own_sum.size() + j], own_units[j]);
        EXPECT_EQ(sum[k * own_sum.size() + j], own_sum[j]);
      }
    }
  }
}

TEST(PerGroupModel, DerivativesAreThoseOfEachModel) {
  const Case given(false);
  PerSample samples;
  given.model->per_sample({given.table, given.records}, given.parameters, samples);
  std::vector<double> directions;
  for (size_t j = 0; j < 2 * given.model->num_parameters(); ++j)
    directions.push_back(std::cos(static_cast<double>(j)));
  const size_t size = given.model->num_parameters();
  std::vector<double> products(directions.size(), 0.0);
  given.model->add_hessian_products({given.table, given.records}, given.parameters, given.weights,
                                    directions, products);
  std::vector<double> slopes(given.records.size());
  const std::span<const double> first = std::span<const double>(directions).first(size);
  given.model->directional_derivatives({given.table, given.records}, samples, first, slopes);
  std::vector<double> residual(size, 0.0);
  given.model->add_residual_gradient({given.table, given.records}, given.parameters, given.weights,
                                     residual);
  for (size_t k = 0; k < kNumGroups; ++k) {
    const std::vector<size_t> places = given.places(k);
    const std::vector<uint32_t> members = Case::at(given.records, places);
    const std::vector<double> weights = Case::at(given.weights, places);
    const std::span<const double> theta = given.part(given.parameters, k);
    PerSample own;
    given.base->per_sample({given.table, members}, theta, own);
    const size_t own_size = given.base->num_parameters();
    for (const size_t direction : {0, 1}) {
      std::vector<double> product(own_size, 0.0);
      given.base->add_hessian_products(
          {given.table, members}, theta, weights,
          given.part(std::span<const double>(directions).subspan(direction * size, size), k),
          product);
      for (size_t j = 0; j < own_size; ++j)
        EXPECT_NEAR(products[direction * size + k * own_size + j], product[j], 1e-12);
    }
    std::vector<double> own_slopes(members.size());
    given.base->directional_derivatives({given.table, members}, own, given.part(first, k),
                                        own_slopes);
    for (size_t i = 0; i < places.size(); ++i) EXPECT_EQ(slopes[places[i]], own_slopes[i]);
    std::vector<double> own_residual(own_size, 0.0);
    given.base->add_residual_gradient({given.table, members}, theta, weights, own_residual);
    for (size_t j = 0; j < own_size; ++j)
      EXPECT_NEAR(residual[k * own_size + j], own_residual[j], 1e-12);
  }
}

TEST(PerGroupModel, PredictsByTheModelOfTheGroup) {
  const Case given(false);
  const Predictions all = given.model->predict(given.table, given.parameters);
  for (size_t k = 0; k < kNumGroups; ++k) {
    const Predictions own = given.base->predict(given.table, given.part(given.parameters, k));
    for (size_t i = 0; i < 60; ++i) {
      if (index_of(given.table.groups[i]) != k) continue;
      EXPECT_EQ(all.outputs[2 * i + 1], own.outputs[2 * i + 1]);
      EXPECT_EQ(all.predicted[i], own.predicted[i]);
      EXPECT_EQ(all.loss[i], own.loss[i]);
    }
  }
}

TEST(PerGroupModel, PartsAreThoseOfTheModelOfTheGroup) {
  const Case given(true);
  const std::vector<double> compared =
      centred(given.parameters, given.base->num_outputs(), given.table);
  for (size_t k = 0; k < kNumGroups; ++k) {
    const std::vector<double> own(given.part(given.parameters, k).begin(),
                                  given.part(given.parameters, k).end());
    const std::vector<double> own_compared = centred(own, given.base->num_outputs(), given.table);
    for (const size_t place : given.places(k)) {
      const uint32_t record = given.records[place];
      const std::vector<ScorePart> parts = given.model->parts(given.table, record, compared);
      const std::vector<ScorePart> expected = given.base->parts(given.table, record, own_compared);
      ASSERT_EQ(parts.size(), expected.size());
      for (size_t c = 0; c < parts.size(); ++c) {
        EXPECT_EQ(parts[c].value, expected[c].value);
        EXPECT_TRUE(std::ranges::equal(parts[c].weights, expected[c].weights));
      }
    }
  }
}

TEST(PerGroupModel, ARecordOfNoKnownGroupHasNoScore) {
  Case given(false);
  given.table.groups[7] = GroupId(kNumGroups);
  PerSample samples;
  given.model->per_sample({given.table, given.records}, given.parameters, samples);
  EXPECT_TRUE(std::isnan(samples.squared_norm[59 - 7]));
  EXPECT_TRUE(std::isnan(given.model->predict(given.table, given.parameters).outputs[14]));
}

TEST(PerGroupModel, StartsWhereEachModelDoes) {
  const PerGroupModel model(std::make_unique<LinearModel>(std::vector<std::string>{"x"}, 0.5),
                            {"a", "b"});
  EXPECT_EQ(model.initial_parameters(1), (std::vector<double>{0, 0.5, 0, 0.5}));
}

TEST(PerGroupModel, NamesAndStepsAreThoseOfTheGroups) {
  const Case given(false);
  const std::vector<std::string> names = given.model->parameter_names();
  ASSERT_EQ(names.size(), given.model->num_parameters());
  EXPECT_EQ(names[0], "a: " + given.table.feature_names[0]);
  EXPECT_EQ(names.back(), "c: bias");
  const std::span<const double> scales = given.model->step_scales();
  ASSERT_EQ(scales.size(), names.size());
  EXPECT_EQ(scales.front(), 2);
  EXPECT_EQ(scales.back(), 5);
}

}  // namespace equinoise::per_group_model_test
