// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/random/discrete_laplace.h"

#include "equinoise/base/check.h"
#include "equinoise/privacy/random/clamped_sum.h"
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

template <bool kAlwaysExact>
void add_laplace_units(double decay, std::span<int64_t> units, RandomSource& source) {
  const DiscreteLaplace distribution(decay);
  const auto next_word = [&source] { return source.next(); };
  ExactTrials<decltype(next_word), kAlwaysExact> trials(next_word);
  for (int64_t& unit : units) unit = clamped_sum(unit, distribution.draw(trials));
}

}  // namespace

DiscreteLaplace::DiscreteLaplace(double decay) : magnitude_(make_magnitude(decay)) {}

void add_discrete_laplace(double decay, std::span<int64_t> units, RandomSource& source) {
  add_laplace_units<false>(decay, units, source);
}

void add_discrete_laplace_by_fractions(double decay, std::span<int64_t> units,
                                       RandomSource& source) {
  add_laplace_units<true>(decay, units, source);
}

}  // namespace equinoise
