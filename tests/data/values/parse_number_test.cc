// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/values/parse_number.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace equinoise::parse_number_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(ParseNumber, TakesWholeNumbersAndFractions) {
  EXPECT_EQ(parse_number("39"), 39);
  EXPECT_EQ(parse_number("-0.5"), -0.5);
  EXPECT_EQ(parse_number(".5"), 0.5);
  EXPECT_EQ(parse_number("1E3"), 1000);
  EXPECT_EQ(parse_number("0.1"), 0.1);
  EXPECT_EQ(parse_number("0007"), 7);
  EXPECT_EQ(parse_number("999999999999999"), 999999999999999);
  EXPECT_EQ(parse_number("9007199254740993"), 9007199254740992);
}

TEST(ParseNumber, APlusMayStandBeforeANumber) {
  for (const char* text : {"3.2", "0", ".5", "1e-3", "1e999", "inf", "1e-400"})
    EXPECT_EQ(parse_number(std::string("+") + text), parse_number(text)) << text;
  EXPECT_EQ(parse_number("+0,5", ','), 0.5);
  EXPECT_EQ(distinct_number("+1.0"), 1);
  EXPECT_EQ(distinct_number("+9007199254740993"), std::nullopt);
  EXPECT_TRUE(is_rounded_whole("+9007199254740993", 9007199254740992));
  EXPECT_FALSE(is_rounded_whole("+9007199254740992", 9007199254740992));
}

TEST(ParseNumber, WhatIsTooLargeIsInfinite) {
  const std::string digits(400, '9');
  for (const std::string& text : {std::string("inf"), std::string("Infinity"), std::string("1e309"),
                                  std::string("1e999"), digits}) {
    EXPECT_EQ(parse_number(text), kInfinity) << text;
    EXPECT_EQ(parse_number("-" + text), -kInfinity) << text;
  }
  EXPECT_EQ(parse_number("1.7976931348623157e308"), std::numeric_limits<double>::max());
}

TEST(ParseNumber, WhatIsTooSmallIsTheNearestDouble) {
  EXPECT_EQ(parse_number("1e-320"), 1e-320);
  EXPECT_EQ(parse_number("5e-324"), std::numeric_limits<double>::denorm_min());
  for (const std::string text : {"1e-400", "-1e-400", "1e-99999", "0.0", "0e999"}) {
    EXPECT_EQ(parse_number(text), 0) << text;
  }
  EXPECT_EQ(parse_number("0." + std::string(400, '0') + "1"), 0);
}

TEST(ParseNumber, WholeNumbersThatDoublesDoNotHoldAreKnown) {
  for (const char* text : {"9007199254740993", "-9007199254740993", "0009007199254740993",
                           "9223372036854775807", "18446744073709551615", "123456789012345678901"})
    EXPECT_TRUE(is_rounded_whole(text, *parse_number(text))) << text;
  for (const char* text :
       {"0", "-1", "9007199254740992", "-9007199254740994", "9223372036854775808",
        "0000000000000000", "00000000000000000007", "-0000000000000000", "1e18", "0.1",
        "1700000028.950000001", "9007199254740993.5", "100000000000000000000"})
    EXPECT_FALSE(is_rounded_whole(text, *parse_number(text))) << text;
}

TEST(ParseNumber, TextsAreComparedAsNumbersWhereDoublesTellThemApart) {
  for (const char* text : {"0", "-0.0", "01", "1.0", "1e3", "123456789.012345", "9007199254740991",
                           "9007199254740991.000", "100000000000000000000", "-99", "0e999", "inf",
                           "-Infinity", "+INF"})
    EXPECT_EQ(distinct_number(text), parse_number(text)) << text;
  for (const char* text :
       {"9007199254740992", "9007199254740993", "9007199254740993.0", "9.007199254740993e15",
        "0.12345678901234567", "1e999", "1e-999", "4e-320", "x", ""})
    EXPECT_EQ(distinct_number(text), std::nullopt) << text;
  EXPECT_EQ(distinct_number("0,50", ','), 0.5);
}

TEST(ParseNumber, AnythingElseIsNoNumber) {
  for (const char* text :
       {"",     " ",   "1 ",   " 1", "1,5", "+", "++1", "+-1", "-+1",    "+nan",    "+ 1", "1x",
        "0x10", "nan", "-NaN", "e5", ".",   "-", "1e",  "--1", "1e999x", "1e-999 ", "one"}) {
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
  }
}

}  // namespace equinoise::parse_number_test
