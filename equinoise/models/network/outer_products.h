#pragma once

#include <cstddef>
#include <vector>

#include "equinoise/models/network/kernels.h"

namespace equinoise {

/// How many records a sum of outer products may have: the sums of their integers stay exact.
inline constexpr size_t kMaxOuterProducts = 128;

/// The sum over records of weights[i] (inputs_i, 1) gradients_i^T, (num_inputs + 1, num_outputs).
struct OuterProducts {
  double unit = 1;
  size_t pitch = 0;          ///< from row to row, at least num_outputs
  std::vector<double> sum;   ///< in units; row num_inputs is that of the 1, the bias
  std::vector<double> ones;  ///< (num_records, pitch), what each record adds to that row
};

/// What the sum is made of. Rows are padded with zeros.
struct OuterFactors {
  size_t num_records = 0;
  size_t num_inputs = 0;
  size_t num_outputs = 0;
  size_t input_pitch = 0;
  size_t gradient_pitch = 0;
  std::vector<double> inputs;     ///< (num_records, input_pitch), column num_inputs is 1
  std::vector<double> gradients;  ///< (num_records, gradient_pitch), weighted

  /// Gives the rows their lengths and their padding.
  void resize(size_t records, size_t inputs_of_record, size_t outputs_of_record);
  double* input_row(size_t record) { return inputs.data() + record * input_pitch; }
  double* gradient_row(size_t record) { return gradients.data() + record * gradient_pitch; }
};

/// Sums on a grid, exactly.
///
/// Each factor is truncated towards zero onto a grid of its own, which never raises its norm:
/// inputs onto 2^-21, weighted gradients onto 2^-24 of the power of two below `bound`. Products are
/// integers in the unit of both. No record's product exceeds the bound, which is below 2^46 units,
/// so sums of kMaxOuterProducts of them are integers below 2^53: exact in double precision in
/// whatever order they are formed, and one matrix product forms them.
///
/// Pre: num_records <= kMaxOuterProducts; each record's weighted outer product has at most norm
/// `bound`. `factors` are used up.
void sum_exactly(OuterFactors& factors, double bound, OuterProducts& out,
                 const Kernels& kernels = widest_kernels());

/// Sums in double precision as it comes; unit 1.
void sum_plainly(OuterFactors& factors, OuterProducts& out,
                 const Kernels& kernels = widest_kernels());

}  // namespace equinoise
