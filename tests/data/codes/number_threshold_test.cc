// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/codes/number_threshold.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "equinoise/base/rounding.h"
#include "equinoise/data/values/parse_number.h"
#include "equinoise/data/values/printed_number.h"

namespace equinoise::number_threshold_test {

TEST(DecimalThreshold, IsTheLeastDecimalThatIsReadAsTheNumber) {
  EXPECT_EQ(decimal_threshold(17, 0).digits, "17");
  EXPECT_EQ(decimal_threshold(17, 2).digits, "17.00");
  EXPECT_EQ(decimal_threshold(16.5, 0).digits, "17");
  EXPECT_EQ(decimal_threshold(-16.5, 0).digits, "-16");
  EXPECT_EQ(decimal_threshold(0.1, 3).digits, "0.100");
  EXPECT_EQ(decimal_threshold(-0.1, 3).digits, "-0.100");
  EXPECT_EQ(decimal_threshold(0, 2).digits, "0.00");
  EXPECT_EQ(decimal_threshold(-0.0, std::nullopt).digits, "0");
}

TEST(DecimalThreshold, KnowsWholeNumbersThatDoublesDoNotHold) {
  // 2^53 + 1 lies between 2^53, which is even and takes it, and 2^53 + 2.
  EXPECT_EQ(decimal_threshold(0x1p53, 0).digits, "9007199254740992");
  EXPECT_EQ(decimal_threshold(0x1p53 + 2, 0).digits, "9007199254740994");
  EXPECT_EQ(decimal_threshold(0x1p53 + 4, 0).digits, "9007199254740995");
}

TEST(DecimalThreshold, OfAnyLengthIsTheMiddleAndSaysWhoseItIs) {
  const DecimalThreshold even = decimal_threshold(0x1p53, std::nullopt);
  EXPECT_EQ(even.digits, "9007199254740991.5");
  EXPECT_TRUE(even.is_reached);
  const DecimalThreshold odd = decimal_threshold(0x1p53 - 1, std::nullopt);
  EXPECT_EQ(odd.digits, "9007199254740990.5");
  EXPECT_FALSE(odd.is_reached);
}

TEST(DecimalThreshold, StaysWithinTheDigitsOfAType) {
  const DecimalThreshold above = decimal_threshold(1e6, 2, 4);
  EXPECT_EQ(above.digits, "99.99");
  EXPECT_FALSE(above.is_reached);
  const DecimalThreshold below = decimal_threshold(-1e6, 2, 4);
  EXPECT_EQ(below.digits, "-99.99");
  EXPECT_TRUE(below.is_reached);
}

/// The text of a decimal number one step below another one.
std::string one_below(const std::string& digits) {
  std::string text = digits;
  const bool is_negative = text.front() == '-';
  for (auto c = text.rbegin(); c != text.rend(); ++c) {
    if (*c == '.' || *c == '-') continue;
    if (is_negative) {
      if (*c != '9') {
        ++*c;
        return text;
      }
      *c = '0';
    } else {
      if (*c != '0') {
        --*c;
        return text;
      }
      *c = '9';
    }
  }
  ADD_FAILURE() << digits;
  return text;
}

TEST(DecimalThreshold, AgreesWithReadingOnRandomNumbers) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-1e6, 1e6);
  for (int i = 0; i < 20'000; ++i) {
    const double number = i % 2 == 0 ? uniform(random) : std::floor(uniform(random)) + 0.5;
    const int num_decimals = static_cast<int>(random() % 20);
    const std::string digits = decimal_threshold(number, num_decimals).digits;
    EXPECT_GE(*parse_number(digits), number) << digits;
    if (digits.find_first_not_of("-0.") == std::string::npos) continue;
    EXPECT_LT(*parse_number(one_below(digits)), number) << digits;
    const DecimalThreshold middle = decimal_threshold(number, std::nullopt);
    EXPECT_EQ(*parse_number(middle.digits), middle.is_reached ? number : next_down(number));
  }
}

TEST(HeldDecimal, IsTheTextExactlyIfTheTypeHoldsIt) {
  EXPECT_EQ(held_decimal("1.5e-3", 5), "0.00150");
  EXPECT_EQ(held_decimal("1.5e-3", std::nullopt), "0.0015");
  EXPECT_EQ(held_decimal("+1.50", std::nullopt), "1.50");
  EXPECT_EQ(held_decimal("-007.", 0), "-7");
  EXPECT_EQ(held_decimal("12.5E+1", 0), "125");
  EXPECT_EQ(held_decimal("1.20", 1), "1.2");
  EXPECT_EQ(held_decimal("-.0", 2), "0.00");
  EXPECT_EQ(held_decimal("9007199254740993", 0), "9007199254740993");
  EXPECT_EQ(held_decimal("99.9", 1, 3), "99.9");
  for (const std::string_view other : {"", ".", "-", "x", "1,5", "1e", "1e2.5", "1e9999", "0x10"})
    EXPECT_EQ(held_decimal(other, std::nullopt), std::nullopt) << other;
  EXPECT_EQ(held_decimal("1.25", 1), std::nullopt);
  EXPECT_EQ(held_decimal("100", 1, 3), std::nullopt);
}

TEST(FloatThreshold, IsTheLeastWhoseTextReachesTheNumber) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> uniform(-100, 100);
  const auto read = [](float value) {
    PrintedNumber printed;
    return *parse_number(printed.print(value));
  };
  for (int i = 0; i < 20'000; ++i) {
    // Numbers of one decimal are the text of a float.
    const double number = i % 2 == 0 ? uniform(random) : std::round(uniform(random) * 10) / 10;
    const float threshold = float_threshold(number);
    EXPECT_GE(read(threshold), number);
    EXPECT_LT(read(std::nextafter(threshold, -kInfinity)), number);
  }
  EXPECT_EQ(float_threshold(0.1), 0.1F);
  EXPECT_EQ(float_threshold(1e39), kInfinity);
}

}  // namespace equinoise::number_threshold_test
