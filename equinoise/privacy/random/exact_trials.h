// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "equinoise/base/int128.h"
#include "equinoise/privacy/random/clamped_sum.h"
#include "equinoise/privacy/random/source.h"

namespace equinoise {

using BigInteger = boost::multiprecision::cpp_int;

/// numerator / denominator with numerator >= 0 and denominator > 0; need not be in lowest terms.
struct Rational {
  BigInteger numerator;
  BigInteger denominator;
};

/// 128-bit bounds on a number g >= 0: lower <= 2^64 g <= upper. An `upper` of 2^128 - 1 is no
/// bound.
struct Bounds {
  Uint128 lower;
  Uint128 upper;
};

/// The bounds of a number that is at least 2^32: a trial that it decides practically always fails.
inline constexpr Bounds kVeryLarge{Uint128{1} << 96, ~Uint128{0}};

/// The bounds of an unknown number.
inline constexpr Bounds kUnknown{0, ~Uint128{0}};

/// floor(2^64 exp(-1)).
inline constexpr uint64_t kInverseE = 0x5e2d58d8b3bcdf1a;

/// floor(2^bits exp(-1)): where two successive partial sums of 1/0! - 1/1! + 1/2! - ..., between
/// which exp(-1) lies, agree on it.
BigInteger leading_bits_of_inverse_e(int bits);

/// Independent random trials with exactly stated probabilities, made from uniform 64-bit words
/// (`NextWord` is a callable that returns one). Integer arithmetic only: nothing is rounded.
///
/// A trial with probability p compares p with a uniform real, which is drawn word by word. The
/// first word decides except with a chance of about 2^-40. If `Bounds` of p leave it open, p as a
/// fraction of arbitrary-precision integers decides, word by word. With kAlwaysExact the fraction
/// decides everything: the same function of the same words, as a reference for tests.
template <typename NextWord, bool kAlwaysExact = false>
class ExactTrials {
 public:
  explicit ExactTrials(NextWord next_word) : next_word_(std::forward<NextWord>(next_word)) {}

  /// A uniform integer below 2^count, 0 <= count <= 128.
  Uint128 bits(int count) {
    if (count == 0) return 0;
    const uint64_t high = next_word_();
    if (count <= 64) return high >> (64 - count);
    return ((Uint128{high} << 64) | next_word_()) >> (128 - count);
  }

  /// A uniform integer below `bound`, 1 <= bound <= 2^127: as many bits as bound - 1 has, drawn
  /// until they are below it.
  Uint128 below(Uint128 bound) {
    const int count = bit_width(bound - 1);
    for (;;) {
      const Uint128 value = bits(count);
      if (value < bound) return value;
    }
  }

  /// True with probability exp(-1): a uniform real is compared with its binary digits.
  bool exp_minus_one() {
    const uint64_t word = next_word_();
    if (!kAlwaysExact && word != kInverseE) return word < kInverseE;
    BigInteger drawn = word;
    for (int bits = 64;; bits += 64) {
      const BigInteger digits = leading_bits_of_inverse_e(bits);
      if (drawn != digits) return drawn < digits;
      drawn = (drawn << 64) + next_word_();
    }
  }

  /// True with probability exp(-g). `exact()` returns g as a Rational, `bounds` hold for it.
  /// [CanonneKamathSteinke2020, Alg. 1]
  template <typename Exact>
  bool exp_minus(const Bounds& bounds, Exact exact) {
    uint64_t done = 0;
    if constexpr (!kAlwaysExact) {
      const auto whole = static_cast<uint64_t>(bounds.lower >> 64);
      for (; done < whole; ++done) {
        if (!exp_minus_one()) return false;
      }
      if (static_cast<uint64_t>(bounds.upper >> 64) == whole) {
        const auto fraction = [&exact] {
          Rational g = exact();
          g.numerator %= g.denominator;
          return g;
        };
        return odd_failure(static_cast<uint64_t>(bounds.lower), static_cast<uint64_t>(bounds.upper),
                           fraction);
      }
    }
    const Rational g = exact();
    const BigInteger whole = g.numerator / g.denominator;
    for (BigInteger i = done; i < whole; ++i) {
      if (!exp_minus_one()) return false;
    }
    const auto fraction = [&] { return Rational{g.numerator % g.denominator, g.denominator}; };
    return odd_failure(0, std::numeric_limits<uint64_t>::max(), fraction);
  }

 private:
  /// Trials with probabilities g/1, g/2, g/3, ...: whether the first failure is at an odd place,
  /// which has probability exp(-g). 0 <= g < 1 and lower <= 2^64 g <= upper.
  template <typename Exact>
  bool odd_failure(uint64_t lower, uint64_t upper, Exact exact) {
    for (uint64_t k = 1;; ++k) {
      const uint64_t word = next_word_();
      bool success = false;
      if (!kAlwaysExact && word < lower / k) {
        success = true;
      } else if (!kAlwaysExact && word > upper / k) {
        success = false;
      } else {
        Rational g = exact();
        g.denominator *= k;
        success = is_below(word, std::move(g));
      }
      if (!success) return k % 2 == 1;
    }
  }

  /// Returns whether the uniform real that begins with `word` is below `g` < 1. Compares digit by
  /// digit in base 2^64.
  bool is_below(uint64_t word, Rational g) {
    for (;;) {
      g.numerator <<= 64;
      const BigInteger digit = g.numerator / g.denominator;
      g.numerator -= digit * g.denominator;
      if (digit != word) return word < digit;
      if (g.numerator == 0) return false;
      word = next_word_();
    }
  }

  NextWord next_word_;
};

/// Adds to each entry an independent draw; a sum beyond 64 bits is clamped. `kAlwaysExact`: the
/// same function of the same random words, with every decision by arbitrary-precision fractions,
/// the reference for tests.
template <bool kAlwaysExact = false, typename Distribution>
void add_draws(const Distribution& distribution, std::span<int64_t> units, RandomSource& source) {
  const auto next_word = [&source] { return source.next(); };
  ExactTrials<decltype(next_word), kAlwaysExact> trials(next_word);
  for (int64_t& unit : units) unit = clamped_sum(unit, distribution.draw(trials));
}

}  // namespace equinoise
