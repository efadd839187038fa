// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace equinoise {

/// A sum with an error that does not grow with the number of terms. [Neumaier1974]
class CompensatedSum {
 public:
  void add(double term) {
    const double sum = sum_ + term;
    error_ += std::fabs(sum_) >= std::fabs(term) ? (sum_ - sum) + term : (term - sum) + sum_;
    sum_ = sum;
  }
  double value() const { return sum_ + error_; }

 private:
  double sum_ = 0;
  double error_ = 0;
};

}  // namespace equinoise
