#include "equinoise/models/network/kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "equinoise/models/network/matrix_product.h"
#include "equinoise/models/network/outer_products.h"
#include "tests/models/network/every_width.h"

namespace equinoise {
namespace {

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
TEST_P(KernelsTest, IntegersAreTruncatedAndRoundedExactly) {
  const size_t size = 37;
  const std::vector<float> values = wavy(size, 1.1);
  std::vector<double> sum(size, 3);
  GetParam()->add_truncated(-1000.7, values.data(), size, sum.data());
  std::vector<int64_t> units(size, int64_t{1} << 60);
  std::vector<double> halves(size);
  for (size_t j = 0; j < size; ++j) halves[j] = static_cast<double>(j) - 17;
  halves[0] = 0x1p54;
  GetParam()->add_rounded(0.5, halves.data(), size, units.data());
  for (size_t j = 0; j < size; ++j) {
    EXPECT_EQ(sum[j], 3 + std::trunc(-1000.7 * static_cast<double>(values[j]))) << j;
    EXPECT_EQ(units[j] - (int64_t{1} << 60), static_cast<int64_t>(std::nearbyint(halves[j] / 2)))
        << j;
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

/// Sums of integers: no width may differ in a single bit.
TEST_P(KernelsTest, OuterProductsAreExact) {
  for (const size_t num_outputs : {size_t{1}, size_t{8}, size_t{10}, size_t{33}}) {
    const size_t num_records = 5;
    const size_t num_inputs = 11;
    OuterFactors factors;
    factors.resize(num_records, num_inputs, num_outputs);
    const std::vector<float> inputs = wavy(num_records * num_inputs, 0.3);
    const std::vector<float> gradients = wavy(num_records * num_outputs, 0.9);
    std::vector<double> expected((num_inputs + 1) * num_outputs, 0);
    for (size_t i = 0; i < num_records; ++i) {
      for (size_t j = 0; j <= num_inputs; ++j) {
        const double input = j < num_inputs ? inputs[i * num_inputs + j] : 1;
        factors.input_row(i)[j] = input;
        for (size_t k = 0; k < num_outputs; ++k) {
          const double gradient = gradients[i * num_outputs + k] / 16.0;
          factors.gradient_row(i)[k] = gradient;
          expected[j * num_outputs + k] +=
              std::trunc(input * 0x1p21) * std::trunc(gradient * 0x1p24);
        }
      }
    }
    OuterProducts products;
    sum_exactly(factors, 1.5, products, *GetParam());
    EXPECT_EQ(products.unit, 0x1p-45);
    for (size_t j = 0; j <= num_inputs; ++j) {
      for (size_t k = 0; k < num_outputs; ++k)
        ASSERT_EQ(products.sum[j * products.pitch + k], expected[j * num_outputs + k]) << j;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryWidth, KernelsTest, ::testing::Values(&kKernelsV3, &kKernelsV4),
                         width_name);

}  // namespace
}  // namespace equinoise
