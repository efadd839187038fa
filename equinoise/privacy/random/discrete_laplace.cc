// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/random/discrete_laplace.h"

#include "equinoise/base/check.h"
#include "equinoise/privacy/random/dyadic.h"

namespace equinoise {

namespace {

Geometric make_magnitude(double decay) {
  check_interval("privacy.random", "discrete Laplace decay", decay, kMinDiscreteLaplaceDecay,
                 kMaxDiscreteLaplaceDecay);
  const auto [odd, exponent] = to_dyadic(decay);
  if (exponent >= 0) return {odd << exponent, 1};
  return {odd, Uint128{1} << -exponent};
}

}  // namespace

DiscreteLaplace::DiscreteLaplace(double decay) : magnitude_(make_magnitude(decay)) {}

void add_discrete_laplace(double decay, std::span<int64_t> units, RandomSource& source) {
  add_draws(DiscreteLaplace(decay), units, source);
}

}  // namespace equinoise
