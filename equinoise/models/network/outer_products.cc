// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/network/outer_products.h"

#include <algorithm>

namespace equinoise {

namespace {

/// Padded rows are whole blocks and whole registers of any width.
constexpr size_t kPadding = 8;

size_t padded(size_t size) { return round_up(size, kPadding); }

}  // namespace

void OuterProducts::start(size_t num_records, size_t num_inputs, size_t num_outputs) {
  num_records_ = num_records;
  num_inputs_ = num_inputs;
  num_outputs_ = num_outputs;
  input_pitch_ = padded(num_inputs + 1);
  pitch_ = row_pitch<double>(num_outputs);
  inputs_.resize(num_records * input_pitch_);
  gradients_.resize(num_records * pitch_);
  offsets_.resize(num_records);
  for (size_t i = 0; i < num_records; ++i) offsets_[i] = i * pitch_;
}

void OuterProducts::set_record(size_t record, const float* inputs, const float* gradient,
                               double weight) {
  double* input_row = inputs_.data() + record * input_pitch_;
  double* gradient_row = gradients_.data() + record * pitch_;
  if (weight == 0) {
    std::fill_n(input_row, input_pitch_, 0.0);
    std::fill_n(gradient_row, pitch_, 0.0);
    return;
  }
  kernels_->scale(1, inputs, num_inputs_, input_row);
  input_row[num_inputs_] = 1;
  std::fill(input_row + num_inputs_ + 1, input_row + input_pitch_, 0.0);
  kernels_->scale(weight, gradient, num_outputs_, gradient_row);
  std::fill(gradient_row + num_outputs_, gradient_row + pitch_, 0.0);
}

void OuterProducts::sum() {
  sum_.resize(input_pitch_ * pitch_);
  // A few columns of the gradients stay in the innermost cache.
  const size_t width = padded(num_outputs_);
  const size_t columns = kernels_->num_vectors * kernels_->num_lanes / 2;
  for (size_t k = 0; k < width; k += columns) {
    for (size_t j = 0; j < input_pitch_; j += kernels_->num_rows) {
      kernels_->sum_rows_double({inputs_.data() + j, input_pitch_, gradients_.data() + k,
                                 offsets_.data(), num_records_, std::min(columns, width - k),
                                 sum_.data() + j * pitch_ + k, pitch_});
    }
  }
}

}  // namespace equinoise
