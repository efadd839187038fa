// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/random/exact_trials.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "equinoise/privacy/random/wide.h"

namespace equinoise::exact_trials_test {

/// Words from a list; asking for more than it has fails the test.
class Script {
 public:
  explicit Script(std::vector<uint64_t> words) : words_(std::move(words)) {}
  uint64_t operator()() {
    if (next_ == words_.size()) {
      ADD_FAILURE() << "more words were drawn than expected";
      throw std::out_of_range("script");
    }
    return words_[next_++];
  }
  size_t drawn() const { return next_; }

 private:
  std::vector<uint64_t> words_;
  size_t next_ = 0;
};

constexpr uint64_t kMax = ~uint64_t{0};

/// The outcome of exp_minus(numerator / denominator) on these words, all of which must be used; the
/// 128-bit path with tight and with useless bounds, and the fractions, must agree.
bool exp_minus(BigInteger numerator, BigInteger denominator, const std::vector<uint64_t>& words) {
  const auto exact = [&] { return Rational{numerator, denominator}; };
  const BigInteger scaled = (numerator << 64) / denominator;
  const Bounds tight{static_cast<Uint128>(scaled), static_cast<Uint128>(scaled) + 1};
  const Bounds loose{tight.lower > 1000 ? tight.lower - 1000 : 0, tight.upper + 1000};
  std::vector<bool> outcomes;
  for (const Bounds& bounds : {tight, loose, kUnknown}) {
    Script script(words);
    ExactTrials<Script&> trials(script);
    outcomes.push_back(trials.exp_minus(bounds, exact));
    EXPECT_EQ(script.drawn(), words.size());
  }
  Script script(words);
  ExactTrials<Script&, true> trials(script);
  outcomes.push_back(trials.exp_minus(kUnknown, exact));
  EXPECT_EQ(script.drawn(), words.size());
  EXPECT_EQ(outcomes, std::vector<bool>(4, outcomes[0]));
  return outcomes[0];
}

TEST(ExactTrials, FailuresAtOddPlacesAreSuccesses) {
  // g = 3/4: thresholds 3/4, 3/8, 1/4, 3/16 of 2^64.
  const uint64_t quarter = uint64_t{1} << 62;
  EXPECT_TRUE(exp_minus(3, 4, {3 * quarter}));
  EXPECT_FALSE(exp_minus(3, 4, {3 * quarter - 1, quarter + quarter / 2}));
  EXPECT_TRUE(exp_minus(3, 4, {3 * quarter - 1, quarter + quarter / 2 - 1, quarter}));
  EXPECT_FALSE(exp_minus(3, 4, {0, 0, quarter - 1, 3 * (quarter / 4)}));
  EXPECT_TRUE(exp_minus(3, 4, {0, 0, 0, 0, kMax}));
}

TEST(ExactTrials, TheWordsAfterATieDecide) {
  // 2^64 / 3 = ...5555.33: a first word of 0x5555... ties, and so on for every further digit.
  const uint64_t third = kMax / 3;
  EXPECT_FALSE(exp_minus(1, 3, {third, third - 1, kMax}));
  EXPECT_TRUE(exp_minus(1, 3, {third, third + 1}));
  EXPECT_FALSE(exp_minus(1, 3, {third, third, third, third - 1, kMax}));
  EXPECT_TRUE(exp_minus(1, 3, {third, third, third, kMax}));
  // A dyadic number ends: a tie with all of it is not below it.
  EXPECT_TRUE(exp_minus(1, 2, {uint64_t{1} << 63}));
  EXPECT_FALSE(exp_minus(BigInteger(1), BigInteger(1) << 128, {0, 0, kMax}));
  EXPECT_TRUE(exp_minus(BigInteger(1), BigInteger(1) << 128, {0, 1}));
}

TEST(ExactTrials, InverseEHasItsDigits) {
  EXPECT_EQ(leading_bits_of_inverse_e(64), kInverseE);
  const Wide inverse_e = exp(Wide(-1));
  for (int bits : {1, 2, 64, 128, 192}) {
    EXPECT_EQ(Wide(leading_bits_of_inverse_e(bits)), floor(ldexp(inverse_e, bits))) << bits;
  }
}

TEST(ExactTrials, InverseEIsComparedWordByWord) {
  const auto second = static_cast<uint64_t>(leading_bits_of_inverse_e(128) & kMax);
  for (const auto& [words, expected] :
       std::vector<std::pair<std::vector<uint64_t>, bool>>{{{kInverseE - 1}, true},
                                                           {{kInverseE + 1}, false},
                                                           {{kInverseE, second - 1}, true},
                                                           {{kInverseE, second + 1}, false},
                                                           {{kInverseE, second, 0}, true},
                                                           {{kInverseE, second, kMax}, false}}) {
    Script script(words);
    ExactTrials<Script&> trials(script);
    EXPECT_EQ(trials.exp_minus_one(), expected);
    EXPECT_EQ(script.drawn(), words.size());
    Script same(words);
    ExactTrials<Script&, true> by_fractions(same);
    EXPECT_EQ(by_fractions.exp_minus_one(), expected);
    EXPECT_EQ(same.drawn(), words.size());
  }
}

TEST(ExactTrials, WholePartsAreTrialsOfTheirOwn) {
  // 5/2: two trials of exp(-1), then 1/2.
  const uint64_t half = uint64_t{1} << 63;
  EXPECT_FALSE(exp_minus(5, 2, {kInverseE + 1}));
  EXPECT_FALSE(exp_minus(5, 2, {0, kInverseE + 1}));
  EXPECT_TRUE(exp_minus(5, 2, {0, kInverseE - 1, half}));
  EXPECT_FALSE(exp_minus(5, 2, {0, 0, half - 1, half}));
  // 2 and 0 have no fraction: its first threshold is 0.
  EXPECT_TRUE(exp_minus(2, 1, {0, 0, 7}));
  EXPECT_TRUE(exp_minus(0, 1, {7}));
  EXPECT_TRUE(exp_minus(0, 1, {0}));
}

TEST(ExactTrials, UniformIntegersUseTheLeadingBits) {
  Script script({0xfedcba9876543210ULL, 0x0123456789abcdefULL, 0xfedcba9876543210ULL,
                 0xc000000000000000ULL, 0x8000000000000000ULL});
  ExactTrials<Script&> trials(script);
  EXPECT_EQ(trials.bits(0), Uint128{0});
  EXPECT_EQ(script.drawn(), 0U);
  EXPECT_EQ(trials.bits(12), Uint128{0xfed});
  EXPECT_EQ(trials.bits(128), (Uint128{0x0123456789abcdefULL} << 64) | 0xfedcba9876543210ULL);
  EXPECT_EQ(trials.below(3), Uint128{2}) << "3 is drawn again";
  EXPECT_EQ(trials.below(1), Uint128{0});
  EXPECT_EQ(script.drawn(), 5U);
}

}  // namespace equinoise::exact_trials_test
