// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/network/exact_outer_products.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/base/rounding.h"
#include "tests/models/network/every_width.h"

namespace equinoise::exact_outer_products_test {

using ExactOuterProducts = EveryWidth;

/// A tile whose weighted outer products attain the bound, or nearly so; every fifth record has
/// inputs far above 1, every seventh ones far below, and some have weight 0 and no numbers.
struct Tile {
  Tile(size_t num_records, size_t num_inputs, size_t num_outputs, double bound)
      : inputs(num_records * num_inputs),
        gradients(num_records * num_outputs),
        weights(num_records),
        given{num_records,   num_inputs,       num_outputs,
              inputs.data(), gradients.data(), weights.data()} {
    std::mt19937_64 generator(num_records + 31 * num_outputs);
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (size_t i = 0; i < num_records; ++i) {
      const float size = i % 5 == 0 ? 1e6F : i % 7 == 0 ? 1e-6F : 1;
      double input_norm = 1;
      double gradient_norm = 0;
      for (size_t j = 0; j < num_inputs; ++j) {
        float& value = inputs[i * num_inputs + j] = size * uniform(generator);
        input_norm += static_cast<double>(value) * value;
      }
      for (size_t k = 0; k < num_outputs; ++k) {
        float& value = gradients[i * num_outputs + k] = uniform(generator) / 3;
        gradient_norm += static_cast<double>(value) * value;
      }
      weights[i] = bound / std::sqrt(input_norm * gradient_norm) * (1 - 1e-12);
      if (i % 11 != 3) continue;
      weights[i] = 0;
      std::fill_n(inputs.begin() + static_cast<std::ptrdiff_t>(i * num_inputs), num_inputs,
                  INFINITY);
      std::fill_n(gradients.begin() + static_cast<std::ptrdiff_t>(i * num_outputs), num_outputs,
                  NAN);
    }
  }

  /// What the header says that record i adds, in units.
  std::vector<int64_t> units_of(size_t i, double bound) const {
    std::vector<int64_t> units((given.num_inputs + 1) * given.num_outputs, 0);
    if (weights[i] == 0) return units;
    const auto input = [&](size_t j) {
      return j < given.num_inputs ? static_cast<double>(inputs[i * given.num_inputs + j]) : 1;
    };
    double power = 1;
    for (size_t j = 0; j < given.num_inputs; ++j)
      while (power < std::fabs(input(j))) power *= 2;
    for (size_t j = 0; j <= given.num_inputs; ++j) {
      for (size_t k = 0; k < given.num_outputs; ++k) {
        const double gradient =
            weights[i] * static_cast<double>(gradients[i * given.num_outputs + k]);
        units[j * given.num_outputs + k] =
            static_cast<int64_t>(std::trunc(input(j) / power * 0x1p12)) *
            static_cast<int64_t>(std::trunc(gradient * power / power_of_two_below(bound) * 0x1p21));
      }
    }
    return units;
  }

  std::vector<float> inputs;
  std::vector<float> gradients;
  std::vector<double> weights;
  OuterProductRecords given;
};

/// To the unit, whatever the width of registers, the sizes and the bound.
TEST_P(ExactOuterProducts, AreTheSumOfWhatEachRecordAdds) {
  struct Size {
    size_t num_records, num_inputs, num_outputs;
  };
  for (const auto& [num_records, num_inputs, num_outputs] :
       {Size{1, 1, 1}, {5, 11, 8}, {6, 0, 10}, {7, 15, 33}, {kMaxOuterProducts, 16, 5}}) {
    for (const double bound : {1.0, 1.5, std::nextafter(2.0, 1.0), 1e-30, 1e30}) {
      const Tile tile(num_records, num_inputs, num_outputs, bound);
      // Beside what is there already.
      std::vector<int64_t> expected((num_inputs + 1) * num_outputs, int64_t{1} << 60);
      std::vector<int64_t> units = expected;
      for (size_t i = 0; i < num_records; ++i) {
        const std::vector<int64_t> one = tile.units_of(i, bound);
        long double squared = 0;
        for (size_t j = 0; j < one.size(); ++j) {
          expected[j] += one[j];
          squared += static_cast<long double>(one[j]) * static_cast<long double>(one[j]);
        }
        EXPECT_LE(std::sqrt(squared) * exact_unit(bound), bound);
      }
      add_outer_products_exactly(tile.given, bound, units.data(), *GetParam());
      ASSERT_EQ(units, expected) << num_records << " records, bound " << bound;
    }
  }
}

TEST_P(ExactOuterProducts, NormsOfSumsAreThoseOfTheIntegers) {
  for (const size_t num_records : {size_t{1}, size_t{2}, size_t{7}, kMaxOuterProducts}) {
    for (const double bound : {1.5, 1e-30}) {
      const Tile tile(num_records, 19, 6, bound);
      std::vector<int64_t> units(size_t{20} * 6, 0);
      add_outer_products_exactly(tile.given, bound, units.data(), *GetParam());
      long double squared = 0;
      for (const int64_t unit : units) squared += static_cast<long double>(unit) * unit;
      const auto sum_of_norms = static_cast<double>(num_records) * bound / exact_unit(bound);
      EXPECT_NEAR(squared_outer_products_norm(tile.given, bound, *GetParam()),
                  static_cast<double>(squared), 1e-14 * sum_of_norms * sum_of_norms);
    }
  }
}

/// The largest products that a bound allows, all of one sign, fill 32 bits.
TEST_P(ExactOuterProducts, TheMostRecordsOfTheLargestProductsStayExact) {
  const double bound = std::nextafter(2.0, 1.0);
  for (const float input : {1.0F, 4096.0F, 0x1.fffffep11F}) {
    const double gradient = bound / std::sqrt(1 + static_cast<double>(input) * input);
    for (const float sign : {1.0F, -1.0F}) {
      const std::vector<float> inputs(kMaxOuterProducts, input);
      const std::vector<float> gradients(kMaxOuterProducts,
                                         sign * std::nextafter(static_cast<float>(gradient), 0.0F));
      const std::vector<double> weights(kMaxOuterProducts, 1);
      std::vector<int64_t> all(2, 0);
      add_outer_products_exactly(
          {kMaxOuterProducts, 1, 1, inputs.data(), gradients.data(), weights.data()}, bound,
          all.data(), *GetParam());
      std::vector<int64_t> one(2, 0);
      add_outer_products_exactly({1, 1, 1, inputs.data(), gradients.data(), weights.data()}, bound,
                                 one.data(), *GetParam());
      constexpr auto kCount = static_cast<int64_t>(kMaxOuterProducts);
      EXPECT_EQ(all[0], kCount * one[0]);
      EXPECT_EQ(all[1], kCount * one[1]);
      EXPECT_NEAR(static_cast<double>(one[0]) * exact_unit(bound),
                  static_cast<double>(input) * static_cast<double>(gradients[0]), 1e-3);
    }
  }
}

TEST_P(ExactOuterProducts, RefuseMoreRecordsThanTheirIntegersHold) {
  const Tile tile(kMaxOuterProducts + 1, 1, 1, 1);
  std::vector<int64_t> units(2, 0);
  EXPECT_THROW(add_outer_products_exactly(tile.given, 1, units.data(), *GetParam()), Error);
}

INSTANTIATE_TEST_SUITE_P(EveryWidth, ExactOuterProducts,
                         ::testing::Values(&kKernelsV3, &kKernelsV4, &kKernelsV4Vnni), width_name);

}  // namespace equinoise::exact_outer_products_test
