// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/random/exponential_choice.h"

#include <algorithm>

#include "equinoise/privacy/random/dyadic.h"

namespace equinoise {

ExponentialChoice::ExponentialChoice(std::span<const int64_t> scores, double epsilon,
                                     double sensitivity)
    : scores_(scores), best_(*std::ranges::max_element(scores)), rate_{0, 1} {
  if (epsilon == 0) return;
  const Dyadic numerator = to_dyadic(epsilon);
  const Dyadic denominator = to_dyadic(sensitivity);
  const int exponent = numerator.exponent - denominator.exponent - 1;
  rate_ = {BigInteger(numerator.odd) << std::max(exponent, 0), BigInteger(denominator.odd)
                                                                   << std::max(-exponent, 0)};

  int power =
      63 + static_cast<int>(msb(rate_.denominator)) - static_cast<int>(msb(rate_.numerator));
  BigInteger digits = power >= 0 ? BigInteger((rate_.numerator << power) / rate_.denominator)
                                 : BigInteger(rate_.numerator / (rate_.denominator << -power));
  while (digits >= BigInteger(1) << 63) {
    --power;
    digits >>= 1;
  }
  rate_digits_ = static_cast<uint64_t>(digits);
  rate_shift_ = 64 - power;
}

}  // namespace equinoise
