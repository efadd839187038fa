// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "equinoise/models/network/kernels.h"

namespace equinoise {

/// The largest number of records in a tile: sums of their integers stay exact.
inline constexpr size_t kMaxOuterProducts = 256;

/// Exact sums are in units of 2^-kUnitBits P, P the largest power of two that is <= the bound on
/// each record's weighted gradient.
inline constexpr int kUnitBits = 33;
double exact_unit(double bound);

/// Every bound is less than this many of its units.
inline constexpr double kMaxExactUnits = 0x1p34;

// Sums over a tile, in multiples of 2^kLowBits units, fit into 32 bits.
static_assert((kMaxOuterProducts << (kUnitBits + 1 - kLowBits)) <= size_t{1} << 31);
static_assert(kMaxExactUnits == static_cast<double>(uint64_t{1} << (kUnitBits + 1)));

/// The factors of the outer products of a tile's records.
struct OuterProductRecords {
  size_t num_records;
  size_t num_inputs;
  size_t num_outputs;
  const float* inputs;     ///< (num_records, num_inputs)
  const float* gradients;  ///< (num_records, num_outputs)
  const double* weights;   ///< (num_records); weight 0 skips a record, whatever its values
};

/// Adds the sum over records of weight_i (inputs_i, 1) gradients_i^T to `units`, (num_inputs + 1,
/// num_outputs), in units of exact_unit(bound). The integers that a record adds depend on that
/// record alone.
///
/// Pre: no record's weighted outer product has a norm above `bound`.
///
/// The sum is made of 16-bit integers, of which processors multiply most at a time. 2^e is the
/// least power of two that no |input| of the record, nor 1, exceeds. The factors become
///   a = inputs 2^(12-e) and b = weight gradient 2^(21+e) / P,
/// truncated towards zero, which never raises a norm, and b = 2^11 high + low, |low| < 2^11. Then
/// |a| <= 2^12, |b| < 2^23 because 2^e is below twice the record's largest input, and |a high| <
/// 2^23 because |a b| <= 2^33 bound / P < 2^34; also |a low| < 2^23. So sums of kMaxOuterProducts
/// such products stay within 32 bits, in any order, and 2^11 (sum of a high) + (sum of a low) is
/// the sum in units.
///
/// Errors: kRuntime for more than kMaxOuterProducts records.
void add_outer_products_exactly(const OuterProductRecords& records, double bound, int64_t* units,
                                const Kernels& kernels = widest_kernels());

/// The squared norm, in units, of the sum that add_outer_products_exactly adds
/// (Model::squared_sum_norm). It is computed from the records' integers, which a double holds
/// exactly, without forming the sum.
double squared_outer_products_norm(const OuterProductRecords& records, double bound,
                                   const Kernels& kernels = widest_kernels());

}  // namespace equinoise
