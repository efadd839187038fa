// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/random/discrete_gaussian.h"

#include <algorithm>
#include <cmath>

#include "equinoise/base/check.h"
#include "equinoise/privacy/random/dyadic.h"

namespace equinoise {

namespace {

/// The power of two nearest to `stddev` (as a ratio), but at least 1.
int log2_of_width(double stddev) {
  int exponent = 0;
  const double fraction = std::frexp(stddev, &exponent);
  return std::max(0, fraction < 0.7071 ? exponent - 1 : exponent);
}

}  // namespace

DiscreteGaussian::DiscreteGaussian(double stddev) {
  check_interval("privacy.random", "discrete Gaussian stddev in grid units", stddev,
                 kMinDiscreteGaussianStddev, kMaxDiscreteGaussianStddev);
  const auto [odd, exponent] = to_dyadic(stddev);
  variance_ = BigInteger(odd) * odd;
  if (exponent >= 0) variance_ <<= 2 * exponent;
  variance_bits_ = std::max(0, -2 * exponent);
  log_width_ = log2_of_width(stddev);

  const BigInteger one = 1;
  const BigInteger centre = (variance_ << 64) / (one << (variance_bits_ + 2 * log_width_));
  centre_ = static_cast<Uint128>(centre);
  // width^2 / (2 stddev^2) = numerator / (2 variance_); scaled by 2^power, 63 bits are left.
  const BigInteger numerator = one << (variance_bits_ + 2 * log_width_);
  const BigInteger denominator = variance_ << 1;
  int power = 63 + static_cast<int>(msb(denominator)) - static_cast<int>(msb(numerator));
  BigInteger scaled = (numerator << power) / denominator;
  while (scaled >= (one << 63)) {
    --power;
    scaled >>= 1;
  }
  curvature_ = static_cast<uint64_t>(scaled);
  curvature_shift_ = power - 20;
}

Rational DiscreteGaussian::exact(uint64_t u, uint64_t v) const {
  // Identity with y = u + width v:
  // (y - variance/width)^2 / (2 variance) = (width y - variance)^2 / (2 variance width^2).
  const BigInteger one = 1;
  const BigInteger y = (BigInteger(v) << log_width_) + u;
  const BigInteger distance = (y << (log_width_ + variance_bits_)) - variance_;
  const BigInteger denominator = variance_ << (variance_bits_ + 1 + 2 * log_width_);
  const BigInteger from_u = BigInteger(u) * (denominator >> log_width_);
  return {distance * distance + from_u, denominator};
}

void add_discrete_gaussian(double stddev, std::span<int64_t> units, RandomSource& source) {
  add_draws(DiscreteGaussian(stddev), units, source);
}

}  // namespace equinoise
