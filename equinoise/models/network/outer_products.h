#pragma once

#include <cstddef>
#include <vector>

#include "equinoise/models/network/aligned_vector.h"
#include "equinoise/models/network/kernels.h"

namespace equinoise {

/// How many records a sum of outer products may have: the sums of their integers stay exact.
inline constexpr size_t kMaxOuterProducts = 256;

/// The sum over records of weight_i (inputs_i, 1) gradients_i^T, (num_inputs + 1, num_outputs).
///
/// On a grid it is exact. Each factor is truncated towards zero onto a grid of its own, which never
/// raises its norm: inputs onto 2^-21, weighted gradients onto 2^-23 of the power of two below a
/// bound. Products are integers in the unit of both. No record's product exceeds the bound, which
/// is below 2^45 units, so sums of kMaxOuterProducts of them are integers below 2^53: exact in
/// double precision in whatever order they are formed, and one matrix product forms them.
class OuterProducts {
 public:
  explicit OuterProducts(const Kernels& kernels = widest_kernels()) : kernels_(&kernels) {}

  /// Begins an exact sum in which each record's weighted outer product has at most norm `bound`.
  /// Errors: kRuntime for more than kMaxOuterProducts records.
  void start_exactly(size_t num_records, size_t num_inputs, size_t num_outputs, double bound);

  /// Begins a sum in double precision as it comes; the unit is 1.
  void start_plainly(size_t num_records, size_t num_inputs, size_t num_outputs);

  /// Of weight 0 the record is left out, whatever its values.
  void set_record(size_t record, const float* inputs, const float* gradient, double weight);

  /// Forms the sum. Pre: every record was set.
  void sum();

  double unit() const { return unit_; }
  /// Of the sum, in units, (num_outputs); row num_inputs is that of the 1, the bias. Rows stand
  /// `pitch` apart.
  const double* row(size_t input) const { return sum_.data() + input * pitch_; }
  size_t pitch() const { return pitch_; }

  /// What the record adds to the row of the 1, in units, is this times its `gradient` row.
  double one() const { return input_scale_; }
  const double* gradient(size_t record) const { return gradients_.data() + record * pitch_; }

 private:
  void start(size_t num_records, size_t num_inputs, size_t num_outputs);

  const Kernels* kernels_;
  size_t num_records_ = 0;
  size_t num_inputs_ = 0;
  size_t num_outputs_ = 0;
  bool exact_ = false;
  double input_scale_ = 1;
  double gradient_scale_ = 1;
  double unit_ = 1;
  // Rows are padded with zeros.
  size_t input_pitch_ = 0;
  size_t pitch_ = 0;
  AlignedVector<double> inputs_;     // (num_records, input_pitch), scaled, then the 1
  AlignedVector<double> gradients_;  // (num_records, pitch), scaled and weighted
  AlignedVector<double> sum_;        // (input_pitch, pitch)
  std::vector<size_t> offsets_;      // (num_records), of the gradients
};

}  // namespace equinoise
