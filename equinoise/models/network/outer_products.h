// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "equinoise/models/network/aligned_vector.h"
#include "equinoise/models/network/kernels.h"

namespace equinoise {

/// The sum over records of weight_i (inputs_i, 1) gradients_i^T, (num_inputs + 1, num_outputs), in
/// double precision, one matrix product. Releases use exact_outer_products.h instead.
class OuterProducts {
 public:
  explicit OuterProducts(const Kernels& kernels = widest_kernels()) : kernels_(&kernels) {}

  void start(size_t num_records, size_t num_inputs, size_t num_outputs);

  /// Sets a record. Weight 0 skips it, whatever its values.
  void set_record(size_t record, const float* inputs, const float* gradient, double weight);

  /// Forms the sum. Pre: every record was set.
  void sum();

  /// A row of the sum, (num_outputs); row num_inputs is that of the 1, the bias. Rows are `pitch`
  /// apart.
  const double* row(size_t input) const { return sum_.data() + input * pitch_; }
  size_t pitch() const { return pitch_; }

  /// The record's weighted gradient, which it adds to the row of the 1.
  const double* gradient(size_t record) const { return gradients_.data() + record * pitch_; }

 private:
  const Kernels* kernels_;
  size_t num_records_ = 0;
  size_t num_inputs_ = 0;
  size_t num_outputs_ = 0;
  // Rows are padded with zeros.
  size_t input_pitch_ = 0;
  size_t pitch_ = 0;
  AlignedVector<double> inputs_;     // (num_records, input_pitch), then the 1
  AlignedVector<double> gradients_;  // (num_records, pitch), weighted
  AlignedVector<double> sum_;        // (input_pitch, pitch)
  std::vector<size_t> offsets_;      // (num_records), of the gradients
};

}  // namespace equinoise
