// SPDX-License-Identifier: Apache-2.0
// What every layer must do, seen through networks that hold it.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "equinoise/models/cnn.h"
#include "equinoise/models/mlp.h"
#include "equinoise/models/network/activation.h"
#include "equinoise/models/network/network.h"
#include "equinoise/models/network/table_dense.h"
#include "equinoise/train/clip_policy.h"
#include "tests/small_tables.h"
#include "tests/vector_maths.h"

namespace equinoise::layers_test {

using testing::all_records;
using testing::moved;

constexpr int64_t kRecords = 24;

struct NetworkCase {
  std::string name;
  uint32_t side;  ///< of images; 0: a table of features
  std::function<std::unique_ptr<Model>(const EncodedTable&)> make;

  EncodedTable table(uint64_t seed) const {
    return side > 0 ? testing::image_table(kRecords, side, seed)
                    : testing::mixed_table(kRecords, seed);
  }
};

void PrintTo(const NetworkCase& network, std::ostream* stream) { *stream << network.name; }

NetworkCase mlp_case(std::string name, const NetworkOptions& options) {
  return {std::move(name), 0, [options](const EncodedTable& table) {
            return make_mlp(table.feature_names, make_softmax_loss(2), options);
          }};
}

NetworkCase image_case(std::string name, uint32_t side, const NetworkOptions& options) {
  return {std::move(name), side, [side, options](const EncodedTable&) {
            return make_cnn("cnn", {1, side, side}, make_softmax_loss(2), options);
          }};
}

std::vector<NetworkCase> cases() {
  return {
      mlp_case("mlp", {{6, 5}, ActivationKind::kTanh}),
      mlp_case("mlp_relu", {{9, 6}, ActivationKind::kRelu}),
      {"sigmoid_scores", 0,
       [](const EncodedTable& table) {
         std::vector<std::unique_ptr<Layer>> layers;
         layers.push_back(std::make_unique<Sigmoid>(2));
         return std::make_unique<Network>("sigmoid",
                                          std::make_unique<TableDense>(table.feature_names, 2),
                                          std::move(layers), make_softmax_loss(2));
       }},
      image_case("convolutions", 9, {{}, ActivationKind::kTanh, {3, 5}, 3, PoolingKind::kNone}),
      image_case("average_pooling", 9, {{4}, ActivationKind::kTanh, {3}, 3, PoolingKind::kAverage}),
      image_case("max_pooling", 9, {{4}, ActivationKind::kTanh, {3}, 2, PoolingKind::kMax}),
      image_case("small_maps", 7, {{}, ActivationKind::kTanh, {8, 4}, 2, PoolingKind::kMax}),
      image_case("relu", 8, {{6}, ActivationKind::kRelu, {3}, 3, PoolingKind::kNone}),
      image_case("lenet", 16, lenet_options({})),
  };
}

class EveryNetwork : public ::testing::TestWithParam<NetworkCase> {
 protected:
  EveryNetwork()
      : table_(GetParam().table(3)),
        model_(GetParam().make(table_)),
        theta_(model_->initial_parameters(5)),
        records_(all_records(table_)) {}

  std::vector<double> gradient_at(const std::vector<double>& parameters,
                                  std::span<const double> weights) const {
    PerSample samples;
    std::vector<double> gradient(theta_.size(), 0);
    // In tiles as a run would have them.
    for (size_t begin = 0; begin < records_.size(); begin += tile()) {
      const auto part = std::span(records_).subspan(begin, tile());
      model_->per_sample({table_, part}, parameters, samples);
      model_->add_weighted_sum({table_, part}, samples, weights.subspan(begin, tile()), gradient);
    }
    return gradient;
  }

  /// A whole number of tiles.
  size_t tile() const { return std::min<size_t>(kRecords, model_->max_tile_records()); }

  EncodedTable table_;
  std::unique_ptr<Model> model_;
  std::vector<double> theta_;
  std::vector<uint32_t> records_;
};

INSTANTIATE_TEST_SUITE_P(Networks, EveryNetwork, ::testing::ValuesIn(cases()),
                         [](const auto& network) { return network.param.name; });

double largest(std::span<const double> values) {
  double result = 0;
  for (double value : values) result = std::max(result, std::fabs(value));
  return result;
}

/// Directions that move everything a little, so that differences stay above single precision.
std::vector<double> directions_for(size_t size, size_t count) {
  std::vector<double> directions;
  for (size_t j = 0; j < count * size; ++j)
    directions.push_back(std::cos(5 * static_cast<double>(j)));
  return directions;
}

TEST_P(EveryNetwork, GradientsAgreeWithFiniteDifferences) {
  const std::vector<double> gradient = gradient_at(theta_, std::vector<double>(kRecords, 1));
  const auto loss_at = [&](const std::vector<double>& parameters) {
    return testing::total(model_->predict(table_, parameters).loss);
  };
  ASSERT_EQ(model_->parameter_names().size(), theta_.size());
  // Each parameter of small networks, some of large ones.
  const size_t stride = 1 + theta_.size() / 500;
  const double scale = largest(gradient);
  for (size_t j = 0; j < theta_.size(); j += stride) {
    EXPECT_NEAR(gradient[j], testing::partial(loss_at, theta_, j, 4e-4), 4e-3 + 2e-3 * scale)
        << model_->parameter_names()[j];
  }
}

TEST_P(EveryNetwork, HessianProductsAgreeWithFiniteDifferences) {
  std::vector<double> weights;
  for (int64_t i = 0; i < kRecords; ++i) weights.push_back(0.25 * static_cast<double>(i % 5));
  const std::vector<double> directions = directions_for(theta_.size(), 2);
  std::vector<double> products(directions.size(), 0);
  model_->add_hessian_products({table_, records_}, theta_, weights, directions, products);
  for (size_t v = 0; v < 2; ++v) {
    const auto direction = std::span(directions).subspan(v * theta_.size(), theta_.size());
    const auto product = std::span(products).subspan(v * theta_.size(), theta_.size());
    constexpr double kStep = 1e-4;
    const std::vector<double> after = gradient_at(moved(theta_, direction, kStep), weights);
    const std::vector<double> before = gradient_at(moved(theta_, direction, -kStep), weights);
    for (size_t j = 0; j < theta_.size(); ++j) {
      EXPECT_NEAR(product[j], (after[j] - before[j]) / (2 * kStep), 0.02 * largest(product) + 0.02);
    }
  }
}

TEST_P(EveryNetwork, DirectionalDerivativesAreThoseOfGradientsWrittenOut) {
  const std::vector<double> direction = directions_for(theta_.size(), 1);
  const auto part = std::span(records_).first(tile());
  PerSample samples;
  model_->per_sample({table_, part}, theta_, samples);
  std::vector<double> derivatives(tile());
  model_->directional_derivatives({table_, part}, samples, direction, derivatives);
  const double scale = largest(derivatives);
  EXPECT_GT(scale, 0);
  for (size_t i = 0; i < tile(); ++i) {
    PerSample one;
    std::vector<double> gradient(theta_.size(), 0);
    model_->per_sample({table_, part.subspan(i, 1)}, theta_, one);
    model_->add_weighted_sum({table_, part.subspan(i, 1)}, one, std::vector<double>{1}, gradient);
    EXPECT_NEAR(derivatives[i],
                std::inner_product(gradient.begin(), gradient.end(), direction.begin(), 0.0),
                1e-4 * scale)
        << i;
  }
}

TEST_P(EveryNetwork, ResidualGradientsAgreeWithFiniteDifferences) {
  const auto part = std::span(records_).first(tile());
  std::vector<double> coefficients;
  for (size_t i = 0; i < 2 * tile(); ++i)
    coefficients.push_back(std::sin(7 * static_cast<double>(i)));
  PerSample samples;
  const auto value_at = [&](const std::vector<double>& parameters) {
    model_->per_sample({table_, part}, parameters, samples);
    return std::inner_product(coefficients.begin(), coefficients.end(),
                              samples.output_gradient.begin(), 0.0);
  };
  std::vector<double> gradient(theta_.size(), 0);
  model_->add_residual_gradient({table_, part}, theta_, coefficients, gradient);
  const double scale = largest(gradient);
  EXPECT_GT(scale, 0);
  const size_t stride = 1 + theta_.size() / 500;
  for (size_t j = 0; j < theta_.size(); j += stride) {
    EXPECT_NEAR(gradient[j], testing::partial(value_at, theta_, j, 4e-4), 4e-3 + 2e-3 * scale)
        << model_->parameter_names()[j];
  }
}

/// Norms and sums of a tile against each record by itself.
TEST_P(EveryNetwork, NormsAndSumsAreThoseOfGradientsWrittenOut) {
  PerSample samples;
  const auto part = std::span(records_).first(tile());
  model_->per_sample({table_, part}, theta_, samples);
  std::vector<double> weights(tile());
  std::vector<double> expected(theta_.size(), 0);
  for (size_t i = 0; i < tile(); ++i) {
    weights[i] = static_cast<double>(i % 4) / 2.5;
    PerSample one;
    std::vector<double> gradient(theta_.size(), 0);
    model_->per_sample({table_, part.subspan(i, 1)}, theta_, one);
    model_->add_weighted_sum({table_, part.subspan(i, 1)}, one, std::vector<double>{1}, gradient);
    double squared = 0;
    for (size_t j = 0; j < gradient.size(); ++j) {
      squared += gradient[j] * gradient[j];
      expected[j] += weights[i] * gradient[j];
    }
    EXPECT_GE(one.squared_norm[0], squared);
    EXPECT_NEAR(samples.squared_norm[i], squared, 1e-5 * squared);
  }
  std::vector<double> sum(theta_.size(), 0);
  model_->add_weighted_sum({table_, part}, samples, weights, sum);
  for (size_t j = 0; j < sum.size(); ++j) EXPECT_NEAR(sum[j], expected[j], 1e-5) << j;
}

/// What leaving out any record of a tile changes is what the record adds alone, wherever it stands,
/// and no more than the bound.
TEST_P(EveryNetwork, ASumMovesByWhatARecordAddsAloneWithinTheBound) {
  PerSample samples;
  const auto part = std::span(records_).first(tile());
  model_->per_sample({table_, part}, theta_, samples);
  for (const double bound : {1e-20, 0.01, 3.0}) {
    std::vector<double> weights(tile());
    FlatClip(bound).weights({samples.squared_norm}, weights);
    const SumScale scale{model_->exact_grid({1, bound}), bound};
    std::vector<int64_t> all(theta_.size(), 0);
    model_->add_weighted_sum({table_, part}, samples, weights, scale, all);
    for (size_t i = 0; i < tile(); ++i) {
      std::vector<double> others = weights;
      others[i] = 0;
      std::vector<int64_t> change(theta_.size(), 0);
      model_->add_weighted_sum({table_, part}, samples, others, scale, change);
      long double squared = 0;
      for (size_t j = 0; j < all.size(); ++j) {
        change[j] = all[j] - change[j];
        squared += static_cast<long double>(change[j]) * static_cast<long double>(change[j]);
      }
      const auto moved_by = static_cast<double>(std::sqrt(squared)) * scale.grid;
      EXPECT_LE(moved_by, bound) << i;
      if (samples.squared_norm[i] > bound * bound) {
        EXPECT_GT(moved_by, 0.999 * bound);
      }
      PerSample alone;
      model_->per_sample({table_, part.subspan(i, 1)}, theta_, alone);
      EXPECT_EQ(alone.squared_norm[0], samples.squared_norm[i]) << i;
      std::vector<int64_t> one(theta_.size(), 0);
      model_->add_weighted_sum({table_, part.subspan(i, 1)}, alone, {&weights[i], 1}, scale, one);
      EXPECT_EQ(one, change) << i;
    }
  }
}

/// Also where they cancel: every record stands next to itself with other labels.
TEST_P(EveryNetwork, NormsOfSumsAreThoseOfTheIntegersThatAreAdded) {
  EncodedTable table = table_;
  for (size_t i = 0; i + 1 < table.labels.size(); i += 2) {
    std::copy_n(table.dense.data() + i * table.num_dense, table.num_dense,
                table.dense.data() + (i + 1) * table.num_dense);
    table.labels[i] = 0;
    table.labels[i + 1] = 1;
  }
  PerSample samples;
  const auto part = std::span(records_).first(tile());
  model_->per_sample({table, part}, theta_, samples);
  ASSERT_TRUE(model_->has_sum_norms());
  for (const double bound : {1e-20, 0.3}) {
    const SumScale scale{model_->exact_grid({1, bound}), bound};
    std::vector<double> weights(tile());
    FlatClip(bound).weights({samples.squared_norm}, weights);
    for (size_t place = 0; place < tile(); ++place) {
      for (size_t size = 1; size <= tile() - place; ++size) {
        // In a batch of their own, so that only its place differs.
        const auto rows = part.subspan(place, size);
        const auto own = std::span(weights).subspan(place, size);
        PerSample alone;
        model_->per_sample({table, rows}, theta_, alone);
        std::vector<int64_t> units(theta_.size(), 0);
        model_->add_weighted_sum({table, rows}, alone, own, scale, units);
        const __int128 squared = testing::exact_squared_norm(units);
        const double found = model_->squared_sum_norm({table, rows}, samples, place, own, scale);
        EXPECT_EQ(found, model_->squared_sum_norm({table, rows}, alone, 0, own, scale));
        EXPECT_TRUE(static_cast<__int128>(found) >= squared) << place << " " << size;
        const double all = static_cast<double>(size) * bound / scale.grid;
        EXPECT_NEAR(found, static_cast<double>(squared), 1e-11 * all * all);
      }
    }
  }
}

TEST_P(EveryNetwork, ARecordWithoutANormChangesNoOther) {
  PerSample clean;
  const auto part = std::span(records_).first(tile());
  model_->per_sample({table_, part}, theta_, clean);
  for (size_t bad = 0; bad < tile(); bad += 5) {
    EncodedTable damaged = table_;
    std::fill_n(damaged.dense.data() + bad * table_.num_dense, table_.num_dense, std::nanf(""));
    PerSample samples;
    model_->per_sample({damaged, part}, theta_, samples);
    EXPECT_FALSE(std::isfinite(samples.squared_norm[bad]));
    std::vector<double> weights(tile());
    FlatClip(1).weights({samples.squared_norm}, weights);
    std::vector<int64_t> units(theta_.size(), 0);
    model_->add_weighted_sum({damaged, part}, samples, weights, {model_->exact_grid({1, 1}), 1},
                             units);
    std::vector<double> clean_weights(tile());
    FlatClip(1).weights({clean.squared_norm}, clean_weights);
    clean_weights[bad] = 0;
    EXPECT_EQ(weights, clean_weights);
    std::vector<int64_t> expected(theta_.size(), 0);
    model_->add_weighted_sum({table_, part}, clean, clean_weights, {model_->exact_grid({1, 1}), 1},
                             expected);
    EXPECT_EQ(units, expected);
  }
}

}  // namespace equinoise::layers_test
