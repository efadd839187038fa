// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "equinoise/base/lists.h"
#include "equinoise/base/rounding.h"
#include "equinoise/models/generalised_linear.h"
#include "equinoise/train/clip_policy.h"
#include "tests/models/model_cases.h"
#include "tests/vector_maths.h"

namespace equinoise::model_test {

using testing::all_records;
using testing::make_model;
using testing::ModelCase;
using testing::table_for;
using testing::wavy_parameters;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// What every kind of model must do.
class EveryModel : public ::testing::TestWithParam<ModelCase> {
 protected:
  EncodedTable table(int64_t num_records, uint64_t seed) const {
    return table_for(GetParam(), num_records, seed);
  }
};

INSTANTIATE_TEST_SUITE_P(Models, EveryModel, ::testing::ValuesIn(testing::model_cases()),
                         ::testing::PrintToStringParamName());

/// Networks and models of cells have tests of their own.
TEST(ModelCases, EveryKindHasOne) {
  for (const ModelRow& row : model_kinds()) {
    if (row.settle != nullptr || row.facts.is_of_columns) continue;
    const std::vector<ModelCase> cases = testing::model_cases();
    EXPECT_TRUE(contains(cases, row.name, &ModelCase::kind)) << row.name;
  }
}

TEST_P(EveryModel, GradientAgreesWithFiniteDifferences) {
  const EncodedTable records_table = table(20, 3);
  const auto model = make_model(GetParam(), records_table);
  const std::vector<double> theta = wavy_parameters(*model, 0.6);
  const auto total_loss = [&](const std::vector<double>& parameters) {
    return testing::total(model->predict(records_table, parameters).loss);
  };
  const std::vector<uint32_t> records = all_records(records_table);
  PerSample samples;
  model->per_sample({records_table, records}, theta, samples);
  std::vector<double> gradient(model->num_parameters(), 0);
  model->add_weighted_sum({records_table, records}, samples, std::vector<double>(records.size(), 1),
                          gradient);
  const std::vector<std::string> names = model->parameter_names();
  ASSERT_EQ(names.size(), theta.size());
  for (size_t j = 0; j < theta.size(); ++j)
    EXPECT_NEAR(gradient[j], testing::partial(total_loss, theta, j, 1e-5), 1e-7) << names[j];
}

TEST_P(EveryModel, HessianProductsAgreeWithFiniteDifferences) {
  const EncodedTable records_table = table(20, 3);
  const auto model = make_model(GetParam(), records_table);
  const std::vector<double> theta = wavy_parameters(*model, 0.6);
  const std::vector<uint32_t> records = all_records(records_table);
  std::vector<double> weights;
  for (size_t i = 0; i < records.size(); ++i) weights.push_back(static_cast<double>(i % 3) / 2);
  const auto gradient_at = [&](const std::vector<double>& parameters) {
    PerSample samples;
    model->per_sample({records_table, records}, parameters, samples);
    std::vector<double> gradient(theta.size(), 0);
    model->add_weighted_sum({records_table, records}, samples, weights, gradient);
    return gradient;
  };
  std::vector<double> directions;
  for (size_t j = 0; j < 2 * theta.size(); ++j)
    directions.push_back(std::cos(5 * static_cast<double>(j)));
  std::vector<double> products(directions.size(), 0);
  model->add_hessian_products({records_table, records}, theta, weights, directions, products);
  for (size_t v = 0; v < 2; ++v) {
    const auto direction = std::span(directions).subspan(v * theta.size(), theta.size());
    const std::vector<double> after = gradient_at(testing::moved(theta, direction, 1e-5));
    const std::vector<double> before = gradient_at(testing::moved(theta, direction, -1e-5));
    for (size_t j = 0; j < theta.size(); ++j) {
      EXPECT_NEAR(products[v * theta.size() + j], (after[j] - before[j]) / 2e-5, 1e-7);
    }
  }
}

TEST_P(EveryModel, DirectionalDerivativesAgreeWithFiniteDifferences) {
  const EncodedTable records_table = table(20, 3);
  const auto model = make_model(GetParam(), records_table);
  const std::vector<double> theta = wavy_parameters(*model, 0.6);
  const std::vector<uint32_t> records = all_records(records_table);
  std::vector<double> direction;
  for (size_t j = 0; j < theta.size(); ++j)
    direction.push_back(std::cos(5 * static_cast<double>(j)));
  PerSample samples;
  model->per_sample({records_table, records}, theta, samples);
  std::vector<double> derivatives(records.size());
  model->directional_derivatives({records_table, records}, samples, direction, derivatives);
  const auto losses = [&](double step) {
    return model->predict(records_table, testing::moved(theta, direction, step)).loss;
  };
  const std::vector<double> after = losses(1e-5);
  const std::vector<double> before = losses(-1e-5);
  for (size_t i = 0; i < records.size(); ++i)
    EXPECT_NEAR(derivatives[i], (after[i] - before[i]) / 2e-5, 1e-8) << i;
}

TEST_P(EveryModel, PartsOfColumnsAddUpToScores) {
  const EncodedTable records_table = table(20, 3);
  const auto model = make_model(GetParam(), records_table);
  const std::vector<double> theta = wavy_parameters(*model, 0.6);
  const std::vector<double> compared = centred(theta, model->num_outputs(), records_table);
  const size_t width = model->num_outputs();
  for (size_t k = 0; k < width; ++k) {
    double constant = compared[10 * width + k];
    for (size_t j = 0; j < 3; ++j) constant += 0.5 * theta[j * width + k];
    for (uint32_t i = 0; i < 20; ++i)
      EXPECT_NEAR(testing::constant_of(*model, records_table, i, compared, k), constant, 1e-12);
    double sum = 0;
    for (size_t j = 3; j < 7; ++j) sum += compared[j * width + k];
    EXPECT_NEAR(sum, 0, 1e-12);
    EXPECT_NEAR(compared[4 * width + k] - compared[5 * width + k],
                theta[4 * width + k] - theta[5 * width + k], 1e-12);
  }
  PerSample own;
  PerSample expected;
  const std::vector<uint32_t> records = all_records(records_table);
  model->score({records_table, records}, compared, own);
  model->score({records_table, records}, theta, expected);
  for (size_t i = 0; i < own.output_gradient.size(); ++i)
    EXPECT_NEAR(own.output_gradient[i], expected.output_gradient[i], 1e-12);
  const std::vector<ScorePart> parts = model->parts(records_table, 7, compared);
  ASSERT_EQ(parts.size(), 5U);
  EXPECT_EQ(parts[1].name, "dense1");
  EXPECT_EQ(parts[3].name, records_table.feature_names[records_table.active_row(7)[0]]);
}

TEST_P(EveryModel, ResidualGradientsAgreeWithFiniteDifferences) {
  const EncodedTable records_table = table(20, 3);
  const auto model = make_model(GetParam(), records_table);
  const std::vector<double> theta = wavy_parameters(*model, 0.6);
  const std::vector<uint32_t> records = all_records(records_table);
  PerSample samples;
  model->per_sample({records_table, records}, theta, samples);
  std::vector<double> coefficients;
  for (size_t i = 0; i < samples.output_gradient.size(); ++i)
    coefficients.push_back(std::sin(7 * static_cast<double>(i)));
  const auto value_at = [&](const std::vector<double>& parameters) {
    model->per_sample({records_table, records}, parameters, samples);
    return std::inner_product(coefficients.begin(), coefficients.end(),
                              samples.output_gradient.begin(), 0.0);
  };
  std::vector<double> gradient(theta.size(), 0);
  model->add_residual_gradient({records_table, records}, theta, coefficients, gradient);
  for (size_t j = 0; j < theta.size(); ++j)
    EXPECT_NEAR(gradient[j], testing::partial(value_at, theta, j, 1e-5), 1e-8) << j;
}

/// Norms and sums against gradients that are written out in full, for batches of odd sizes at odd
/// places.
TEST_P(EveryModel, AgreesWithGradientsWrittenOut) {
  const EncodedTable records_table = table(80, 5);
  const auto model = make_model(GetParam(), records_table);
  const std::vector<double> theta = wavy_parameters(*model, 1.1);
  const std::vector<uint32_t> records = all_records(records_table);
  constexpr double kGrid = 0x1p-30;
  for (const size_t size : {0, 1, 7, 8, 9, 63}) {
    for (const size_t begin : {0, 3, 17}) {
      const auto batch = std::span(records).subspan(begin, size);
      PerSample samples;
      model->per_sample({records_table, batch}, theta, samples);
      ASSERT_EQ(samples.squared_norm.size(), size);
      std::vector<double> weights(size);
      std::vector<double> expected(model->num_parameters(), 0);
      std::vector<int64_t> expected_units(model->num_parameters(), 0);
      for (size_t i = 0; i < size; ++i) {
        weights[i] = static_cast<double>(i % 3) / 2.5;
        const std::vector<double> input = testing::input_of(records_table, batch[i]);
        const size_t num_scores = samples.output_gradient.size() / size;
        double squared = 0;
        for (size_t j = 0; j < expected.size(); ++j) {
          const double residual = samples.output_gradient[i * num_scores + j % num_scores];
          const double entry = input[j / num_scores];
          squared += residual * residual * entry * entry;
          expected[j] += weights[i] * residual * entry;
          expected_units[j] += static_cast<int64_t>(weights[i] * residual / kGrid * entry);
        }
        EXPECT_NEAR(samples.squared_norm[i], squared, 1e-13 * squared + 1e-300);
        EXPECT_GE(samples.squared_norm[i], squared);
      }
      std::vector<double> sum(model->num_parameters(), 0);
      model->add_weighted_sum({records_table, batch}, samples, weights, sum);
      for (size_t j = 0; j < sum.size(); ++j) EXPECT_NEAR(sum[j], expected[j], 1e-12) << j;
      std::vector<int64_t> units(model->num_parameters(), 0);
      model->add_weighted_sum({records_table, batch}, samples, weights, {kGrid, 1}, units);
      EXPECT_EQ(units, expected_units);
    }
  }
}

/// The bound on which the sensitivity rests: a clipped record's integer vector has norm at most C /
/// grid, in exact arithmetic. The grid is so fine that truncation hides no rounding error: C / grid
/// is an integer below 2^60.
TEST_P(EveryModel, ClippedVectorsOnTheGridNeverExceedTheBound) {
  struct Sizes {
    uint32_t num_dense;
    float feature_scale;
  };
  for (const Sizes& sizes : {Sizes{3, 1}, Sizes{3, 1e30F}, Sizes{3, 1e-30F}, Sizes{301, 7}}) {
    EncodedTable records_table = table(120, 17);
    records_table.num_dense = sizes.num_dense;
    records_table.num_active = 0;
    records_table.num_features = sizes.num_dense;
    records_table.active.clear();
    records_table.feature_names.assign(sizes.num_dense, "x");
    records_table.dense.clear();
    for (size_t i = 0; i < size_t{120} * sizes.num_dense; ++i) {
      records_table.dense.push_back(sizes.feature_scale *
                                    std::sin(static_cast<float>(i * i % 1009) + 1));
    }
    const auto model = make_model(GetParam(), records_table);
    for (const double scale : {0.0, 0.3, 30.0, 1e-200}) {
      const std::vector<double> theta =
          wavy_parameters(*model, scale / static_cast<double>(sizes.feature_scale));
      for (const double bound : {1e-40, 0.01, 0.7, 1.0, 1.7320508075688772, 1e6}) {
        const double grid = power_of_two_below(bound) * 0x1p-59;
        const auto limit = static_cast<__int128>(bound / grid);
        for (uint32_t record : all_records(records_table)) {
          PerSample samples;
          const std::vector<uint32_t> one = {record};
          model->per_sample({records_table, one}, theta, samples);
          std::vector<double> weight(1);
          FlatClip(bound).weights({samples.squared_norm}, weight);
          std::vector<int64_t> units(model->num_parameters(), 0);
          model->add_weighted_sum({records_table, one}, samples, weight, {grid, bound}, units);
          ASSERT_TRUE(testing::exact_squared_norm(units) <= limit * limit)
              << "record " << record << " bound " << bound << " scale " << scale << " features "
              << sizes.feature_scale;
        }
      }
    }
  }
}

/// A record's vector must depend on nothing but the record: not on its place in the batch, not on
/// where buffers lie in memory.
TEST_P(EveryModel, ARecordsValuesDoNotDependOnItsPlace) {
  const EncodedTable records_table = table(64, 9);
  const auto model = make_model(GetParam(), records_table);
  const std::vector<double> theta = wavy_parameters(*model, 1.7);
  const std::vector<uint32_t> records = all_records(records_table);
  PerSample whole;
  model->per_sample({records_table, records}, theta, whole);
  const size_t num_scores = whole.output_gradient.size() / records.size();
  for (size_t begin = 0; begin < records.size(); ++begin) {
    PerSample part;
    model->per_sample({records_table, std::span(records).subspan(begin)}, theta, part);
    for (size_t i = 0; i < part.squared_norm.size(); ++i)
      ASSERT_EQ(part.squared_norm[i], whole.squared_norm[begin + i]) << begin;
    for (size_t i = 0; i < part.output_gradient.size(); ++i)
      ASSERT_EQ(part.output_gradient[i], whole.output_gradient[begin * num_scores + i]) << begin;
  }
}

TEST_P(EveryModel, ARecordWithANaNOrInfinityHasNoFiniteNorm) {
  const EncodedTable clean = table(3, 1);
  const auto model = make_model(GetParam(), clean);
  const std::vector<double> theta = wavy_parameters(*model, 0.1);
  const auto expect_only_first_is_bad = [&](const EncodedTable& bad, const std::string& what) {
    PerSample samples;
    model->per_sample({bad, all_records(bad)}, theta, samples);
    EXPECT_FALSE(std::isfinite(samples.squared_norm[0])) << what;
    EXPECT_TRUE(std::isfinite(samples.squared_norm[1])) << what;
    std::vector<double> weights(3);
    FlatClip(1).weights({samples.squared_norm}, weights);
    EXPECT_EQ(weights[0], 0) << what;
    EXPECT_GT(weights[1], 0) << what;
  };
  for (const double value : {kNaN, kInfinity, -kInfinity}) {
    for (size_t j = 0; j < clean.num_dense; ++j) {
      EncodedTable bad = clean;
      bad.dense[j] = static_cast<float>(value);
      expect_only_first_is_bad(bad, "feature " + std::to_string(j));
    }
    if (clean.targets.empty()) continue;
    EncodedTable bad = clean;
    bad.targets[0] = static_cast<float>(value);
    expect_only_first_is_bad(bad, "target");
  }
}

/// One parameter at a time, so that one class alone goes wrong.
TEST_P(EveryModel, ParametersThatAreNotFiniteGiveNoFiniteNorm) {
  const EncodedTable records_table = table(1, 1);
  const auto model = make_model(GetParam(), records_table);
  const std::vector<double> input = testing::input_of(records_table, 0);
  const size_t num_scores = model->num_parameters() / input.size();
  for (size_t j = 0; j < model->num_parameters(); ++j) {
    if (input[j / num_scores] == 0) continue;
    for (const double value : {kNaN, kInfinity, -kInfinity}) {
      std::vector<double> theta = wavy_parameters(*model, 0.1);
      theta[j] = value;
      PerSample samples;
      model->per_sample({records_table, all_records(records_table)}, theta, samples);
      EXPECT_FALSE(std::isfinite(samples.squared_norm[0])) << j << " " << value;
    }
  }
}

/// Finite parameters whose scores, or whose scores' differences, leave the range of double: the
/// norm is not finite, or it is that of the residuals.
TEST_P(EveryModel, OverflowGivesNoWrongFiniteNorm) {
  const EncodedTable records_table = table(40, 2);
  const auto model = make_model(GetParam(), records_table);
  const std::vector<uint32_t> records = all_records(records_table);
  for (const double scale : {1e100, 1e155, 1e200, 1e307, 1.7e308}) {
    PerSample samples;
    model->per_sample({records_table, records}, wavy_parameters(*model, scale), samples);
    const size_t num_scores = samples.output_gradient.size() / records.size();
    for (size_t i = 0; i < records.size(); ++i) {
      if (!std::isfinite(samples.squared_norm[i])) continue;
      long double squared_input = 0;
      for (const double entry : testing::input_of(records_table, records[i]))
        squared_input += static_cast<long double>(entry) * static_cast<long double>(entry);
      long double squared = 0;
      for (size_t k = 0; k < num_scores; ++k) {
        const long double residual = samples.output_gradient[i * num_scores + k];
        squared += residual * residual;
      }
      EXPECT_GE(static_cast<long double>(samples.squared_norm[i]), squared * squared_input);
      EXPECT_LE(static_cast<long double>(samples.squared_norm[i]),
                squared * squared_input * 1.0001L + 1e-300L);
    }
  }
}

TEST_P(EveryModel, PredictsTheSameWithoutATarget) {
  const EncodedTable with_target = table(30, 4);
  const auto model = make_model(GetParam(), with_target);
  const std::vector<double> theta = wavy_parameters(*model, 0.8);
  EncodedTable without = with_target;
  without.labels.clear();
  without.targets.clear();
  without.classes.clear();
  const Predictions known = model->predict(with_target, theta);
  const Predictions unknown = model->predict(without, theta);
  EXPECT_EQ(known.outputs, unknown.outputs);
  EXPECT_EQ(known.predicted, unknown.predicted);
  EXPECT_EQ(known.loss.size(), 30U);
  EXPECT_TRUE(unknown.loss.empty());
}

TEST_P(EveryModel, PredictsTheMostProbableClass) {
  const EncodedTable records_table = table(30, 6);
  const auto model = make_model(GetParam(), records_table);
  const Predictions predictions = model->predict(records_table, wavy_parameters(*model, 0.8));
  EXPECT_EQ(predictions.num_outputs, std::max<size_t>(1, GetParam().num_classes));
  ASSERT_EQ(predictions.outputs.size(), 30 * predictions.num_outputs);
  if (GetParam().num_classes == 0) {
    EXPECT_TRUE(predictions.predicted.empty());
    return;
  }
  for (size_t i = 0; i < 30; ++i) {
    const auto row = std::span(predictions.outputs)
                         .subspan(i * predictions.num_outputs, predictions.num_outputs);
    EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-14);
    EXPECT_EQ(predictions.predicted[i], std::ranges::max_element(row) - row.begin());
    if (GetParam().kind == "hinge") continue;  // no probabilities, and another loss
    EXPECT_NEAR(predictions.loss[i], -std::log(row[records_table.labels[i]]), 1e-12);
  }
}

/// Of every kind of model, and with a weight of 0 among the others.
TEST(Model, AddsEqualRecordsAtOnceAsOneByOne) {
  std::vector<ModelCase> cases = testing::model_cases();
  cases.push_back({"mlp", 2});
  cases.push_back({"additive", 2});
  for (const ModelCase& kind : cases) {
    const EncodedTable table = table_for(kind, 9, 5);
    const auto model = make_model(kind, table);
    const std::vector<double> parameters = wavy_parameters(*model, 0.3);
    const std::vector<uint32_t> records = all_records(table);
    const std::vector<uint32_t> counts = {1, 2, 3, 1, 64, 7, 1, 40, 5};
    std::vector<double> weights = {1, 0.5, 0.25, 1, 0.3, 0.7, 0, 0.9, 1};
    const SumScale scale{model->exact_grid({0x1p-20, 4}), 4};
    PerSample samples;
    model->per_sample({table, records}, parameters, samples);
    for (size_t i = 0; i < weights.size(); ++i)
      weights[i] *= std::min(1.0, 4 / std::sqrt(samples.squared_norm[i]));
    std::vector<int64_t> counted(model->num_parameters(), 11);
    model->add_counted_sum(table, {records, counts}, samples, weights, scale, counted);

    std::vector<uint32_t> repeated;
    std::vector<double> repeated_weights;
    for (size_t i = 0; i < records.size(); ++i) {
      repeated.insert(repeated.end(), counts[i], records[i]);
      repeated_weights.insert(repeated_weights.end(), counts[i], weights[i]);
    }
    std::vector<int64_t> one_by_one(model->num_parameters(), 11);
    model->per_sample({table, repeated}, parameters, samples);
    model->add_weighted_sum({table, repeated}, samples, repeated_weights, scale, one_by_one);
    EXPECT_EQ(counted, one_by_one) << kind;
  }
}

}  // namespace equinoise::model_test
