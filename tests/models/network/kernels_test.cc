// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/network/kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <vector>

#include "equinoise/models/network/matrix_product.h"
#include "equinoise/models/network/outer_products.h"
#include "tests/models/network/every_width.h"

namespace equinoise::kernels_test {

using KernelsTest = EveryWidth;

std::vector<float> wavy(size_t size, double step) {
  std::vector<float> values(size);
  for (size_t i = 0; i < size; ++i)
    values[i] = static_cast<float>(std::sin(step * static_cast<double>(i) + 1));
  return values;
}

TEST_P(KernelsTest, SquaredNormIsTheSumOfSquares) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{31}, size_t{32}, size_t{100}}) {
    const std::vector<float> values = wavy(size, 0.7);
    double expected = 0;
    for (const float value : values) expected += static_cast<double>(value) * value;
    EXPECT_NEAR(GetParam()->squared_norm(values.data(), size), expected, 1e-13) << size;
  }
  // The square of the largest float is finite in double precision.
  const std::vector<float> large(40, 0x1.fffffep127F);
  EXPECT_TRUE(std::isfinite(GetParam()->squared_norm(large.data(), large.size())));
}

/// Bit for bit, whatever the width: these integers are what privacy rests on.
TEST_P(KernelsTest, IntegersAreTruncatedAndAddedExactly) {
  const size_t size = 37;
  const std::vector<float> values = wavy(size, 1.1);
  std::vector<double> sum(size, 3);
  GetParam()->add_truncated(-1000.7, values.data(), size, sum.data());
  std::vector<double> whole(size);
  for (size_t j = 0; j < size; ++j) whole[j] = 0x1.23456789abcp50 * (static_cast<double>(j) - 17);
  std::vector<int64_t> units(size, int64_t{1} << 60);
  GetParam()->add_integers(whole.data(), size, units.data());
  std::vector<int32_t> truncated(size);
  GetParam()->truncate(1e9, values.data(), size, truncated.data());
  std::vector<int32_t> high(size);
  std::vector<int32_t> low(size);
  GetParam()->truncate_in_parts(1e9, values.data(), size, high.data(), low.data());
  std::vector<int32_t> row(size, 5);
  GetParam()->add_row(truncated.data(), size, row.data());
  std::vector<int64_t> multiple(size, -7);
  GetParam()->add_multiple(1 << 20, truncated.data(), size, multiple.data());
  for (size_t j = 0; j < size; ++j) {
    EXPECT_EQ(sum[j], 3 + std::trunc(-1000.7 * static_cast<double>(values[j]))) << j;
    EXPECT_EQ(units[j] - (int64_t{1} << 60), static_cast<int64_t>(whole[j])) << j;
    EXPECT_EQ(truncated[j], std::trunc(1e9 * static_cast<double>(values[j]))) << j;
    EXPECT_EQ(high[j] * (1 << kLowBits) + low[j], truncated[j]) << j;
    EXPECT_LT(std::abs(low[j]), 1 << kLowBits) << j;
    EXPECT_GE(int64_t{high[j]} * low[j], 0) << j;
    EXPECT_EQ(row[j], 5 + truncated[j]) << j;
    EXPECT_EQ(multiple[j], (int64_t{truncated[j]} << 20) - 7) << j;
  }
}

TEST_P(KernelsTest, MatrixProductsAgreeWithTheDefinition) {
  struct Size {
    size_t num_rows, depth, width;
  };
  for (const auto& [num_rows, depth, width] :
       {Size{1, 1, 1}, {3, 5, 2}, {8, 16, 16}, {9, 20, 31}, {17, 3, 96}, {5, 40, 130}}) {
    const std::vector<float> left = wavy(num_rows * depth, 0.7);
    const std::vector<float> right = wavy(depth * width, 1.3);
    std::vector<float> turned(depth * width);
    for (size_t t = 0; t < depth; ++t) {
      for (size_t p = 0; p < width; ++p) turned[p * depth + t] = right[t * width + p];
    }
    std::vector<float> product(num_rows * width, NAN);
    multiply(num_rows, depth, width, left.data(), right.data(), product.data(), *GetParam());
    std::vector<float> other(num_rows * width, NAN);
    multiply_transposed(num_rows, depth, width, left.data(), turned.data(), other.data(),
                        *GetParam());
    for (size_t i = 0; i < num_rows; ++i) {
      for (size_t p = 0; p < width; ++p) {
        double expected = 0;
        for (size_t t = 0; t < depth; ++t)
          expected += static_cast<double>(left[i * depth + t]) * right[t * width + p];
        ASSERT_NEAR(product[i * width + p], expected, 1e-5) << i << " " << p;
        ASSERT_NEAR(other[i * width + p], expected, 1e-5) << i << " " << p;
      }
    }
  }
}

TEST_P(KernelsTest, PairsAreJoinedInBlocks) {
  const size_t lanes = GetParam()->num_lanes;
  std::vector<int32_t> first(2 * lanes);
  std::vector<int32_t> second(2 * lanes);
  for (size_t i = 0; i < 2 * lanes; ++i) {
    first[i] = static_cast<int32_t>(1000 * i) - 8192;
    second[i] = 2047 - static_cast<int32_t>(100 * i);
  }
  std::vector<int32_t> out(3 * lanes, 7);
  GetParam()->join_pairs({first.data(), second.data(), 2 * lanes, out.data(), 2 * lanes});
  for (size_t i = 0; i < 2 * lanes; ++i) {
    const auto pair = static_cast<uint32_t>(out[i / lanes * 2 * lanes + i % lanes]);
    EXPECT_EQ(static_cast<int16_t>(pair & 0xffff), first[i]);
    EXPECT_EQ(static_cast<int16_t>(pair >> 16), second[i]);
  }
  EXPECT_EQ(out[lanes], 7);
}

TEST_P(KernelsTest, TheLargestMagnitudeIsFoundAnywhere) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{16}, size_t{37}}) {
    for (size_t place = 0; place < size; ++place) {
      std::vector<float> values = wavy(size, 1.1);
      values[place] = place % 2 == 0 ? -3.0F : 3.0F;
      EXPECT_EQ(GetParam()->largest_magnitude(values.data(), size), 3);
    }
  }
  EXPECT_EQ(GetParam()->largest_magnitude(nullptr, 0), 0);
}

TEST_P(KernelsTest, OuterProductsAgreeWithTheDefinition) {
  for (const size_t num_outputs : {size_t{1}, size_t{8}, size_t{10}, size_t{33}}) {
    const size_t num_records = 5;
    const size_t num_inputs = 11;
    std::vector<float> inputs = wavy(num_records * num_inputs, 0.3);
    std::vector<float> gradients = wavy(num_records * num_outputs, 0.9);
    // Record 3 has weight 0: whatever its values.
    std::fill_n(inputs.data() + 3 * num_inputs, num_inputs, INFINITY);
    std::fill_n(gradients.data() + 3 * num_outputs, num_outputs, NAN);
    OuterProducts products(*GetParam());
    products.start(num_records, num_inputs, num_outputs);
    std::vector<double> expected((num_inputs + 1) * num_outputs, 0);
    for (size_t i = 0; i < num_records; ++i) {
      const double weight = i == 3 ? 0 : 0.1;
      products.set_record(i, inputs.data() + i * num_inputs, gradients.data() + i * num_outputs,
                          weight);
      if (weight == 0) continue;
      for (size_t j = 0; j <= num_inputs; ++j) {
        const double input = j < num_inputs ? inputs[i * num_inputs + j] : 1;
        for (size_t k = 0; k < num_outputs; ++k) {
          expected[j * num_outputs + k] +=
              input * weight * static_cast<double>(gradients[i * num_outputs + k]);
        }
      }
    }
    products.sum();
    for (size_t j = 0; j <= num_inputs; ++j) {
      for (size_t k = 0; k < num_outputs; ++k)
        ASSERT_NEAR(products.row(j)[k], expected[j * num_outputs + k], 1e-14) << j;
    }
    for (size_t k = 0; k < num_outputs; ++k)
      EXPECT_EQ(products.gradient(1)[k], 0.1 * static_cast<double>(gradients[num_outputs + k]));
  }
}

TEST_P(KernelsTest, SumsOfOneRowAgreeWithTheDefinition) {
  const std::vector<float> source = wavy(2000, 0.7);
  const std::vector<size_t> offsets = {1000, 3, 500};
  const std::vector<float> weights = {1, -0.5F, 2};
  for (const size_t width : {size_t{1}, size_t{16}, size_t{127}, size_t{300}}) {
    std::vector<float> out(width + 1, 7);
    GetParam()->sum_row(weights.data(), source.data(), offsets.data(), 3, width, out.data());
    for (size_t p = 0; p < width; ++p)
      EXPECT_NEAR(out[p], source[1000 + p] - 0.5F * source[3 + p] + 2 * source[500 + p], 1e-6) << p;
    EXPECT_EQ(out[width], 7);
  }
}

TEST_P(KernelsTest, RowsAreCopiedAndNothingBehindThem) {
  for (const size_t columns : {size_t{1}, size_t{7}, size_t{16}, size_t{24}, size_t{33}}) {
    const size_t num_rows = 5;
    const std::vector<float> from = wavy(num_rows * columns, 0.7);
    const size_t pitch = columns + 2;
    std::vector<float> spread(num_rows * pitch, 0);
    spread[(num_rows - 1) * pitch + columns] = 7;
    GetParam()->copy_rows({from.data(), columns, spread.data(), pitch, num_rows, columns, 0});
    std::vector<float> back(num_rows * columns + 1, 7);
    GetParam()->copy_rows({spread.data(), pitch, back.data(), columns, num_rows, columns, 0.5F});
    for (size_t y = 0; y < num_rows; ++y) {
      for (size_t x = 0; x < columns; ++x) {
        EXPECT_EQ(spread[y * pitch + x], from[y * columns + x]) << columns;
        EXPECT_EQ(back[y * columns + x], from[y * columns + x] + 0.5F) << columns;
      }
      EXPECT_EQ(spread[y * pitch + columns], y + 1 < num_rows ? 0 : 7) << columns;
    }
    EXPECT_EQ(back.back(), 7);
  }
}

TEST_P(KernelsTest, ScalesAndSums) {
  const size_t size = 37;
  const std::vector<float> values = wavy(size, 1.1);
  std::vector<double> scaled(size);
  GetParam()->scale(-3, values.data(), size, scaled.data());
  std::vector<double> sum(size, 1);
  GetParam()->add_scaled(2, scaled.data(), size, sum.data());
  double total = 0;
  for (size_t j = 0; j < size; ++j) {
    EXPECT_EQ(scaled[j], -3 * static_cast<double>(values[j]));
    EXPECT_EQ(sum[j], 1 + 2 * scaled[j]);
    total += static_cast<double>(values[j]);
  }
  EXPECT_NEAR(GetParam()->sum(values.data(), size), total, 1e-13);
}

INSTANTIATE_TEST_SUITE_P(EveryWidth, KernelsTest,
                         ::testing::Values(&kKernelsV3, &kKernelsV4, &kKernelsV4Vnni), width_name);

}  // namespace equinoise::kernels_test
