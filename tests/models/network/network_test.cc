// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/network/network.h"

#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/models/mlp.h"
#include "equinoise/models/network/exact_outer_products.h"
#include "equinoise/train/clip_policy.h"
#include "tests/small_tables.h"
#include "tests/vector_maths.h"

namespace equinoise::network_test {

using testing::all_records;
using testing::mixed_table;

std::unique_ptr<Model> network(const EncodedTable& table, const NetworkOptions& options) {
  return make_mlp(table.feature_names, make_softmax_loss(2), options);
}

class EveryActivation : public ::testing::TestWithParam<std::string> {
 protected:
  NetworkOptions options(std::vector<size_t> hidden = {9, 6}) const {
    return {std::move(hidden), value_of(kActivations, GetParam()).value()};
  }
};

INSTANTIATE_TEST_SUITE_P(Activations, EveryActivation, ::testing::Values("tanh", "relu"),
                         [](const auto& activation) { return activation.param; });

/// The sum of a tile is that of its records one by one, wherever they stand, to the unit.
TEST_P(EveryActivation, SumsOfATileAreExact) {
  const EncodedTable table = mixed_table(kMaxOuterProducts, 5);
  const auto model = network(table, options());
  const std::vector<double> theta = model->initial_parameters(7);
  const std::vector<uint32_t> records = all_records(table);
  PerSample samples;
  model->per_sample({table, records}, theta, samples);
  for (const double bound : {1.0, 0.3, 1e-30, 1e30}) {
    std::vector<double> weights(records.size());
    FlatClip(bound).weights({samples.squared_norm}, weights);
    const SumScale scale{model->exact_grid({1, bound}), bound};
    std::vector<int64_t> together(model->num_parameters(), 0);
    model->add_weighted_sum({table, records}, samples, weights, scale, together);
    std::vector<int64_t> apart(model->num_parameters(), 0);
    for (size_t i = 0; i < records.size(); ++i) {
      PerSample alone;
      model->per_sample({table, {&records[i], 1}}, theta, alone);
      EXPECT_EQ(alone.squared_norm[0], samples.squared_norm[i]);
      std::vector<int64_t> one(model->num_parameters(), 0);
      model->add_weighted_sum({table, {&records[i], 1}}, alone, {&weights[i], 1}, scale, one);
      const auto limit = static_cast<__int128>(bound / scale.grid);
      EXPECT_TRUE(testing::exact_squared_norm(one) <= limit * limit)
          << "record " << i << " at bound " << bound;
      for (size_t j = 0; j < apart.size(); ++j) apart[j] += one[j];
    }
    EXPECT_EQ(together, apart);
  }
}

/// Before anything is truncated: norms are raised by enough for every rounding on the way to the
/// weighted output gradients, in layers narrow and wide.
TEST_P(EveryActivation, WeightedGradientsOfAnySizeStayWithinTheBound) {
  const EncodedTable table = mixed_table(100, 12);
  for (const std::vector<size_t>& hidden :
       {std::vector<size_t>{1}, {9, 6}, {700}, {3, 300, 5, 40}}) {
    const auto model = network(table, options(hidden));
    const std::vector<double> theta = model->initial_parameters(10);
    PerSample samples;
    model->per_sample({table, all_records(table)}, theta, samples);
    long double closest = 0;
    for (const double bound : {1e-30, 0.001, 0.3, 1.7320508075688772}) {
      std::vector<double> weights(100);
      FlatClip(bound).weights({samples.squared_norm}, weights);
      for (size_t i = 0; i < weights.size(); ++i) {
        long double squared = 0;
        for (size_t l = 0; l < samples.gradients.size(); ++l) {
          const size_t width = samples.gradients[l].size() / 100;
          long double of_gradient = 0;
          for (size_t k = 0; k < width; ++k) {
            const double entry =
                weights[i] * static_cast<double>(samples.gradients[l][i * width + k]);
            of_gradient += static_cast<long double>(entry) * entry;
          }
          // Activations have no parameters of their own.
          if (l % 2 == 1) continue;
          long double of_input = 1;
          if (l == 0) {
            of_input += table.num_active;
            for (float value : table.dense_row(static_cast<int64_t>(i))) {
              of_input += static_cast<long double>(value) * value;
            }
          } else {
            const size_t inputs = samples.outputs[l - 1].size() / 100;
            for (size_t j = 0; j < inputs; ++j) {
              const long double value = samples.outputs[l - 1][i * inputs + j];
              of_input += value * value;
            }
          }
          squared += of_input * of_gradient;
        }
        const long double limit = static_cast<long double>(bound) * bound;
        EXPECT_LE(squared, limit) << "record " << i << " at bound " << bound;
        closest = std::max(closest, squared / limit);
      }
    }
    // No more room than rounding needs.
    EXPECT_GT(closest, 1 - 1e-11L);
  }
}

TEST_P(EveryActivation, PredictionsAreTheSameForAnyNumberOfThreads) {
  const EncodedTable table = mixed_table(1000, 14);
  const auto model = network(table, options({5}));
  const std::vector<double> theta = model->initial_parameters(12);
  const Predictions alone = model->predict(table, theta);
  EXPECT_EQ(alone.loss.size(), 1000);
  for (const int threads : {2, 3, 50}) {
    const Predictions together = model->predict(table, theta, threads);
    EXPECT_EQ(together.outputs, alone.outputs);
    EXPECT_EQ(together.loss, alone.loss);
  }
}

/// In tiles and layers of any size, where matrix products take other ways.
TEST_P(EveryActivation, NoRecordReachesAnotherInSmallTilesEither) {
  for (int64_t size = 1; size <= 9; ++size) {
    for (size_t width = 1; width <= 9; ++width) {
      const EncodedTable clean_table = mixed_table(size, 13);
      const auto model = network(clean_table, options({width, 10 - width}));
      const std::vector<double> theta = model->initial_parameters(11);
      const std::vector<uint32_t> records = all_records(clean_table);
      PerSample clean;
      model->per_sample({clean_table, records}, theta, clean);
      for (size_t bad = 0; bad < records.size(); ++bad) {
        EncodedTable table = clean_table;
        table.dense[3 * bad] = std::nanf("");
        PerSample samples;
        model->per_sample({table, records}, theta, samples);
        for (size_t i = 0; i < records.size(); ++i) {
          if (i == bad) continue;
          ASSERT_EQ(samples.squared_norm[i], clean.squared_norm[i])
              << size << " records, width " << width << ", NaN in " << bad;
        }
      }
    }
  }
}

TEST_P(EveryActivation, ASumMovesByNoMoreThanItsBound) {
  EncodedTable table = mixed_table(60, 8);
  for (size_t i = 0; i < table.dense.size(); i += 7) table.dense[i] = 1e6F;
  const auto model = network(table, options());
  const std::vector<double> theta = model->initial_parameters(8);
  const std::vector<uint32_t> records = all_records(table);
  PerSample samples;
  model->per_sample({table, records}, theta, samples);
  std::vector<double> weights(records.size());
  FlatClip(0.01).weights({samples.squared_norm}, weights);
  const SumScale scale{model->exact_grid({1, 0.01}), 0.01};
  std::vector<int64_t> all(model->num_parameters(), 0);
  model->add_weighted_sum({table, records}, samples, weights, scale, all);
  double largest = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    std::vector<double> others = weights;
    others[i] = 0;
    std::vector<int64_t> without(model->num_parameters(), 0);
    model->add_weighted_sum({table, records}, samples, others, scale, without);
    largest = std::max(largest, testing::distance(all, without) * scale.grid);
  }
  EXPECT_LE(largest, scale.bound);
  EXPECT_GT(largest, 0.99 * scale.bound);
  // Rounding each tile's sum would let a null record change it, which moves the ends of tiles.
  EXPECT_THROW(model->add_weighted_sum({table, records}, samples, weights,
                                       {2 * scale.grid, scale.bound}, all),
               Error);
}

/// Values that are no numbers stay with their record.
TEST_P(EveryActivation, ARecordWithoutANormChangesNoOther) {
  EncodedTable table = mixed_table(50, 9);
  const auto model = network(table, options());
  const std::vector<double> theta = model->initial_parameters(9);
  const std::vector<uint32_t> records = all_records(table);
  PerSample clean;
  model->per_sample({table, records}, theta, clean);
  table.dense[3 * 17] = std::nanf("");
  table.dense[3 * 30] = INFINITY;
  PerSample samples;
  model->per_sample({table, records}, theta, samples);
  std::vector<double> weights(records.size());
  FlatClip(1).weights({samples.squared_norm}, weights);
  EXPECT_EQ(weights[17], 0);
  EXPECT_EQ(weights[30], 0);
  for (size_t i = 0; i < records.size(); ++i) {
    if (i == 17 || i == 30) continue;
    EXPECT_EQ(samples.squared_norm[i], clean.squared_norm[i]);
  }
  std::vector<int64_t> units(model->num_parameters(), 0);
  std::vector<int64_t> expected(model->num_parameters(), 0);
  const SumScale scale{model->exact_grid({1, 1}), 1};
  model->add_weighted_sum({table, records}, samples, weights, scale, units);
  model->add_weighted_sum({table, records}, clean, weights, scale, expected);
  EXPECT_EQ(units, expected);
}

TEST(Network, StartsWithinTheBoundsOfTorchAndDependsOnItsSeed) {
  const EncodedTable table = mixed_table(10, 1);
  const auto model = network(table, {{50}, ActivationKind::kTanh});
  const std::vector<double> start = model->initial_parameters(1);
  EXPECT_EQ(start, model->initial_parameters(1));
  EXPECT_NE(start, model->initial_parameters(2));
  const size_t first = 11 * 50;  // 10 features and the bias
  double largest = 0;
  for (size_t j = 0; j < first; ++j) largest = std::max(largest, std::fabs(start[j]));
  EXPECT_LE(largest, 1 / std::sqrt(10));
  EXPECT_GT(largest, 0.95 / std::sqrt(10));
  largest = 0;
  for (size_t j = first; j < start.size(); ++j) largest = std::max(largest, std::fabs(start[j]));
  EXPECT_LE(largest, 1 / std::sqrt(50));
  EXPECT_GT(largest, 0.95 / std::sqrt(50));
}

TEST(Network, NamesItsParametersByLayer) {
  const EncodedTable table = mixed_table(10, 1);
  const std::vector<std::string> names =
      network(table, {{2}, ActivationKind::kRelu})->parameter_names();
  EXPECT_EQ(names[1], "layer1 " + table.feature_names[0] + " -> 1");
  EXPECT_EQ(names[20], "layer1 bias -> 0");
  EXPECT_EQ(names[22], "layer2 0 -> 0");
  EXPECT_EQ(names.back(), "layer2 bias -> 1");
}

}  // namespace equinoise::network_test
