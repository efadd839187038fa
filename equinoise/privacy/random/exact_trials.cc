// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/random/exact_trials.h"

namespace equinoise {

BigInteger leading_bits_of_inverse_e(int bits) {
  // The n-th partial sum is numerator / n!.
  BigInteger numerator = 1;
  BigInteger factorial = 1;
  BigInteger previous = -1;
  for (unsigned n = 1;; ++n) {
    numerator = numerator * n + (n % 2 == 0 ? 1 : -1);
    factorial *= n;
    BigInteger leading = (numerator << bits) / factorial;
    if (leading == previous) return leading;
    previous = std::move(leading);
  }
}

}  // namespace equinoise
