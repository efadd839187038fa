// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/network/exact_outer_products.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/base/rounding.h"
#include "equinoise/models/network/aligned_vector.h"
#include "equinoise/models/network/gram.h"

namespace equinoise {

namespace {

constexpr int kInputBits = 12;
constexpr int kGradientBits = kUnitBits - kInputBits;

// |a low| < 2^23; factors of 16 bits.
static_assert((kMaxOuterProducts << (kInputBits + kLowBits)) <= size_t{1} << 31);
static_assert(kInputBits < 15 && kLowBits < 15 && kGradientBits + 2 - kLowBits < 15);

/// The least e >= 0 with 2^e >= value.
int exponent_above(float value) {
  int exponent = 0;
  const float fraction = std::frexp(value, &exponent);
  return std::max(0, fraction == 0.5F ? exponent - 1 : exponent);
}

/// Factors for a record's values before truncation.
struct Scales {
  double input;
  double gradient;
};

/// `gradient_scale` is the factor for gradients if no input is above 1.
Scales scales_of(const OuterProductRecords& records, size_t i, double gradient_scale,
                 const Kernels& kernels) {
  const int exponent = exponent_above(
      kernels.largest_magnitude(records.inputs + i * records.num_inputs, records.num_inputs));
  // Both factors are powers of two except for the weight: the product with a value is the only
  // rounding.
  return {std::ldexp(1.0, kInputBits - exponent),
          records.weights[i] * std::ldexp(gradient_scale, exponent)};
}

/// A record's values as integers.
class Record {
 public:
  Record(size_t num_rows, size_t num_columns)
      : inputs(num_rows), high(num_columns), low(num_columns) {}

  void set_nothing() {
    std::ranges::fill(inputs, 0);
    std::ranges::fill(high, 0);
    std::ranges::fill(low, 0);
  }

  void set(const OuterProductRecords& records, size_t i, double gradient_scale,
           const Kernels& kernels) {
    const Scales scales = scales_of(records, i, gradient_scale, kernels);
    kernels.truncate(scales.input, records.inputs + i * records.num_inputs, records.num_inputs,
                     inputs.data());
    inputs[records.num_inputs] = static_cast<int32_t>(scales.input);
    kernels.truncate_in_parts(scales.gradient, records.gradients + i * records.num_outputs,
                              records.num_outputs, high.data(), low.data());
  }

  // Padded with zeros.
  std::vector<int32_t> inputs;
  std::vector<int32_t> high;
  std::vector<int32_t> low;
};

/// The factor for gradients if no input is above 1.
double gradient_scale_of(double bound) {
  return std::ldexp(1 / power_of_two_below(bound), kGradientBits);
}

}  // namespace

double exact_unit(double bound) { return std::ldexp(power_of_two_below(bound), -kUnitBits); }

void add_outer_products_exactly(const OuterProductRecords& records, double bound, int64_t* units,
                                const Kernels& kernels) {
  if (records.num_records > kMaxOuterProducts)
    throw Error(ErrorKind::kRuntime, "models.network", "too many records for an exact sum");
  const double gradient_scale = gradient_scale_of(bound);
  const size_t num_rows = round_up(records.num_inputs + 1, kernels.num_lanes);
  const size_t num_columns = round_up(records.num_outputs, kernels.num_lanes);
  // Records of weight 0 take no part.
  std::vector<size_t> chosen;
  for (size_t i = 0; i < records.num_records; ++i)
    if (records.weights[i] != 0) chosen.push_back(i);
  const size_t num_pairs = (chosen.size() + 1) / 2;
  if (num_pairs == 0) return;

  thread_local AlignedVector<int32_t> inputs;
  thread_local AlignedVector<int32_t> gradients;
  // Blocks an odd number of cache lines apart do not compete for the same places in the cache.
  const size_t input_pitch = row_pitch<int32_t>(num_pairs * kernels.num_lanes);
  const size_t gradient_pitch = row_pitch<int32_t>(num_pairs * 2 * kernels.num_lanes);
  int32_t* input_pairs = scratch(inputs, num_rows / kernels.num_lanes * input_pitch);
  int32_t* gradient_pairs = scratch(gradients, num_columns / kernels.num_lanes * gradient_pitch);
  Record pair[2] = {{num_rows, num_columns}, {num_rows, num_columns}};
  for (size_t p = 0; p < num_pairs; ++p) {
    for (size_t k = 0; k < 2; ++k) {
      if (const size_t i = 2 * p + k; i < chosen.size()) {
        pair[k].set(records, chosen[i], gradient_scale, kernels);
      } else {
        pair[k].set_nothing();
      }
    }
    const auto join = [&](const std::vector<int32_t> Record::*row, int32_t* out, size_t pitch) {
      kernels.join_pairs(
          {(pair[0].*row).data(), (pair[1].*row).data(), (pair[0].*row).size(), out, pitch});
    };
    int32_t* const high = gradient_pairs + 2 * p * kernels.num_lanes;
    join(&Record::inputs, input_pairs + p * kernels.num_lanes, input_pitch);
    join(&Record::high, high, gradient_pitch);
    join(&Record::low, high + kernels.num_lanes, gradient_pitch);
  }
  kernels.add_pair_products({input_pairs, input_pitch, gradient_pairs, gradient_pitch, num_pairs,
                             records.num_inputs + 1, records.num_outputs, units});
}

double squared_outer_products_norm(const OuterProductRecords& records, double bound,
                                   const Kernels& kernels) {
  const double gradient_scale = gradient_scale_of(bound);
  thread_local Gram inputs;
  thread_local Gram gradients;
  inputs.start(records.num_records, records.num_inputs + 1, kernels);
  gradients.start(records.num_records, records.num_outputs, kernels);
  for (size_t i = 0; i < records.num_records; ++i) {
    if (records.weights[i] == 0) continue;
    const float* given = records.inputs + i * records.num_inputs;
    const Scales scales = scales_of(records, i, gradient_scale, kernels);
    kernels.add_truncated(scales.input, given, records.num_inputs, inputs.row(i));
    inputs.row(i)[records.num_inputs] = std::trunc(scales.input);
    kernels.add_truncated(scales.gradient, records.gradients + i * records.num_outputs,
                          records.num_outputs, gradients.row(i));
  }
  inputs.multiply();
  gradients.multiply();
  return squared_sum_norm([&](size_t i, size_t j) { return inputs.at(i, j); }, gradients);
}

}  // namespace equinoise
