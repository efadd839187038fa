// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/random/number_of_runs.h"

#include "equinoise/base/check.h"
#include "equinoise/privacy/accountants/private_selection.h"

namespace equinoise {

NumberOfRuns::NumberOfRuns(double shape, double mean) : shape_(shape) {
  constexpr const char* kWhere = "privacy.selection";
  check_interval(kWhere, "the shape of the number of runs", shape, 0, 1);
  check_interval(kWhere, "the mean number of runs", mean, kMinMean, kMaxMean);
  // The mean is taken slightly below the charged one, so that rounding log(1 / gamma) up does not
  // lead beyond the charged distribution.
  log_inverse_ = Wide(log_inverse_gamma(kWhere, shape, mean * (1 - 1e-11)));
  stay_ = -expm1(-log_inverse_);
}

int64_t NumberOfRuns::draw(RandomSource& source) const {
  constexpr int64_t kMax = int64_t{1} << 20;
  const uint64_t head = source.next();
  const uint64_t high = source.next();
  const Wide place = wide_uniform(head, 64, {high, source.next()});
  Wide probability = shape_ == 0 ? Wide(stay_ / log_inverse_)
                                 : Wide(shape_ * stay_ / expm1(shape_ * log_inverse_));
  Wide below = probability;
  int64_t runs = 1;
  for (; place >= below && runs < kMax; ++runs) {
    probability *= stay_ * (runs + shape_) / (runs + 1);
    below += probability;
  }
  return runs;
}

double NumberOfRuns::probability_of_none(double p) const {
  // The generating function at 1 - p.
  const Wide others = -log1p(-stay_ * (1 - Wide(p)));
  return static_cast<double>(shape_ == 0
                                 ? Wide(others / log_inverse_)
                                 : Wide(expm1(shape_ * others) / expm1(shape_ * log_inverse_)));
}

}  // namespace equinoise
