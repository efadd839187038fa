// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/network/gram.h"

#include <algorithm>

namespace equinoise {

void Gram::start(size_t num_rows, size_t width, const Kernels& kernels) {
  kernels_ = &kernels;
  num_rows_ = num_rows;
  pitch_ = round_up(width, kernels_->num_lanes);
  product_pitch_ = round_up(num_rows, kernels_->num_rows);
  rows_.resize(product_pitch_ * pitch_);
  products_.resize(product_pitch_ * product_pitch_);
  std::ranges::fill(rows_, 0.0);
}

void Gram::multiply() {
  kernels_->multiply_pairs({rows_.data(), pitch_, num_rows_, products_.data(), product_pitch_});
}

}  // namespace equinoise
