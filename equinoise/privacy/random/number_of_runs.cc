#include "equinoise/privacy/random/number_of_runs.h"

#include <cmath>

#include "equinoise/base/check.h"
#include "equinoise/privacy/accountants/private_selection.h"

namespace equinoise {

NumberOfRuns::NumberOfRuns(double shape, double mean) : shape_(shape) {
  constexpr const char* kWhere = "privacy.selection";
  check_interval(kWhere, "the shape of the number of runs", shape, 0, 1);
  check_interval(kWhere, "the mean number of runs", mean, kLeastMean, kMostMean);
  // A little below the mean that accountants are told, whose gamma is rounded to our disadvantage.
  const double log_inverse = log_inverse_gamma(kWhere, shape, mean * (1 - 1e-11));
  stay_ = -std::expm1(-log_inverse);
  probability_ = shape == 0 ? stay_ / log_inverse : shape * stay_ / std::expm1(shape * log_inverse);
}

int64_t NumberOfRuns::draw(RandomSource& source) const {
  constexpr int64_t kMost = int64_t{1} << 20;
  const long double place = std::ldexp(static_cast<long double>(source.next()), -64);
  long double probability = probability_;
  long double below = probability;
  int64_t runs = 1;
  for (; place >= below && runs < kMost; ++runs) {
    const auto done = static_cast<long double>(runs);
    probability *= stay_ * (done + shape_) / (done + 1);
    below += probability;
  }
  return runs;
}

double NumberOfRuns::probability_of_none(double p) const {
  // The generating function at 1 - p.
  const double others = -std::log1p(-stay_ * (1 - p));
  const double all = -std::log1p(-stay_);
  return shape_ == 0 ? others / all : std::expm1(shape_ * others) / std::expm1(shape_ * all);
}

}  // namespace equinoise
