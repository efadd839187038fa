// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/random/rounded_laplace.h"

#include "equinoise/base/check.h"
#include "equinoise/privacy/random/dyadic.h"

namespace equinoise {

namespace {

/// 1 / scale = numerator / denominator.
struct Decay {
  uint64_t numerator;
  uint64_t denominator;
};

Decay decay_of(double scale) {
  check_interval("privacy.random", "Laplace scale in grid units", scale, kMinRoundedLaplaceScale,
                 kMaxRoundedLaplaceScale);
  const auto [odd, exponent] = to_dyadic(scale);
  if (exponent >= 0) return {1, odd << exponent};  // a whole number up to 2^40
  return {uint64_t{1} << -exponent, odd};          // the exponent is at least -62
}

}  // namespace

RoundedLaplace::RoundedLaplace(double scale)
    : beyond_(decay_of(scale).numerator, decay_of(scale).denominator) {
  const auto [numerator, denominator] = decay_of(scale);
  half_ = {BigInteger(numerator), BigInteger(denominator) << 1};
  const Uint128 share = (Uint128{numerator} << 63) / denominator;
  half_bounds_ = {share, share + 1};
}

void add_rounded_laplace(double scale, std::span<int64_t> units, RandomSource& source) {
  add_draws(RoundedLaplace(scale), units, source);
}

}  // namespace equinoise
