// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "equinoise/models/network/aligned_vector.h"
#include "equinoise/models/network/kernels.h"

namespace equinoise {

/// The inner products of all pairs of some rows, in double precision.
class Gram {
 public:
  /// Rows of `width` zeros.
  void start(size_t num_rows, size_t width, const Kernels& kernels = widest_kernels());
  double* row(size_t i) { return rows_.data() + i * pitch_; }

  /// Pre: rows are set.
  void multiply();

  /// The product of rows i and j <= i.
  double at(size_t i, size_t j) const { return products_[i * product_pitch_ + j]; }

  size_t num_rows() const { return num_rows_; }

 private:
  const Kernels* kernels_ = nullptr;
  size_t num_rows_ = 0;
  size_t pitch_ = 0;          // whole registers
  size_t product_pitch_ = 0;  // whole blocks of rows
  AlignedVector<double> rows_;
  AlignedVector<double> products_;
};

/// The squared norm of the sum of outer products x_i y_i^T: the sum over i and j of <x_i, x_j>
/// <y_i, y_j>. of_left(i, j <= i) is <x_i, x_j>.
///
/// With n values in x and y together, and r outer products, it differs from the exact one by at
/// most (n + r^2 + 2) 2^-53 of the square of the sum of the products' norms, except for terms of
/// higher order.
template <typename OfLeft>
double squared_sum_norm(const OfLeft& of_left, const Gram& right) {
  double squared = 0;
  for (size_t i = 0; i < right.num_rows(); ++i)
    for (size_t j = 0; j <= i; ++j) squared += (j < i ? 2 : 1) * of_left(i, j) * right.at(i, j);
  return squared;
}

}  // namespace equinoise
