// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/values/spelled_number.h"

#include <gmock/gmock.h>

namespace equinoise::spelled_number_test {

std::string plain(const std::string& cell, char thousands, const std::string& unit) {
  std::string buffer;
  return std::string(plain_number(cell, thousands, unit, buffer));
}

TEST(SpelledNumberTest, MarksStandBetweenGroupsOfThree) {
  EXPECT_EQ(plain("1,234", ',', ""), "1234");
  EXPECT_EQ(plain("-12,345,678.9", ',', ""), "-12345678.9");
  EXPECT_EQ(plain("123", ',', ""), "123");
  EXPECT_EQ(plain("123456.5", ',', ""), "123456.5");
  EXPECT_EQ(plain("+1,234.5", ',', ""), "+1234.5");
  EXPECT_EQ(plain("1.234.567,5", '.', ""), "1234567,5");
  EXPECT_EQ(plain("1'234", '\'', ""), "1234");
  EXPECT_EQ(plain("1\u2019234", '\'', ""), "1234");
  EXPECT_EQ(plain("1 234 567", ' ', ""), "1234567");
  EXPECT_EQ(plain("1\u00a0234\u202f567", ' ', ""), "1234567");
  for (const std::string cell : {"1,23", "12,34", "1234,567", ",123", "1,,234", "1,2345", "1,234,5",
                                 "0.5,123", "1,234.567,8", "1,"}) {
    EXPECT_EQ(plain(cell, ',', ""), "") << cell;
  }
}

TEST(SpelledNumberTest, AUnitMayStandBeforeOrBehind) {
  EXPECT_EQ(plain("12 kg", '\0', "kg"), "12");
  EXPECT_EQ(plain("12kg", '\0', "kg"), "12");
  EXPECT_EQ(plain("12", '\0', "kg"), "12");
  EXPECT_EQ(plain("$1,200.50", ',', "$"), "1200.50");
  EXPECT_EQ(plain("-$5", '\0', "$"), "-5");
  EXPECT_EQ(plain("$ -5", '\0', "$"), "-5");
  EXPECT_EQ(plain("45%", '\0', "%"), "45");
  EXPECT_EQ(plain("7\u00a0\u20ac", '\0', "\u20ac"), "7");
  // What remains of another unit, or of a sign too many, is no number.
  EXPECT_EQ(plain("12 lb", '\0', "kg"), "12 lb");
  EXPECT_EQ(plain("-$-5", '\0', "$"), "--5");
  EXPECT_EQ(plain("+$5", '\0', "$"), "+5");
  EXPECT_EQ(plain("$ +5", '\0', "$"), "+5");
  EXPECT_EQ(plain("+$-5", '\0', "$"), "+-5");
}

TEST(SpelledNumberTest, BlanksOfAnyKindAroundACellAreNone) {
  for (const std::string cell : {"2 kg ", "2 kg\u00a0", "2 kg\u202f ", "2 kg"}) {
    const std::optional<SpelledNumber> found = parse_spelled_number(cell, '.');
    ASSERT_TRUE(found) << cell;
    EXPECT_EQ(found->unit, "kg");
    EXPECT_EQ(plain(cell, '\0', "kg"), "2") << cell;
  }
}

TEST(SpelledNumberTest, UnitsHaveNoFigures) {
  for (const std::string unit : {"kg", "$", "%", "\u20ac", "m/s", "per day"})
    EXPECT_TRUE(is_number_unit(unit)) << unit;
  for (const std::string unit :
       {"", " kg", "kg ", "m2", "-", "p.a.", "a,b", "x\ny", "much too long to be one"})
    EXPECT_FALSE(is_number_unit(unit)) << unit;
}

TEST(SpelledNumberTest, RecognisesHowANumberIsWritten) {
  const auto expect = [](const std::string& cell, double value, char thousands,
                         const std::string& unit) {
    const auto found = parse_spelled_number(cell, '.');
    ASSERT_TRUE(found) << cell;
    EXPECT_EQ(found->value, value) << cell;
    EXPECT_EQ(found->thousands, thousands) << cell;
    EXPECT_EQ(found->unit, unit) << cell;
    std::string buffer;
    EXPECT_EQ(plain_number(cell, found->thousands, found->unit, buffer), found->plain) << cell;
  };
  expect("1,234", 1234, ',', "");
  expect("-1 234.5", -1234.5, ' ', "");
  expect("12 kg", 12, '\0', "kg");
  expect("+1,234", 1234, ',', "");
  expect("+12 %", 12, '\0', "%");
  expect("3.5kg", 3.5, '\0', "kg");
  expect("$1,200", 1200, ',', "$");
  expect("-\u20ac5", -5, '\0', "\u20ac");
  expect("45%", 45, '\0', "%");
  expect("EUR 12", 12, '\0', "EUR");
  expect("12 Years", 12, '\0', "Years");
  EXPECT_EQ(parse_spelled_number("1.234,5", ',')->value, 1234.5);
  for (const std::string cell : {"",          "kg",      "12",    "-3.5",       "A12",
                                 "12A",       "12a",     "X 1",   "1,23",       "12,34",
                                 "10-20",     "90+",     "<5",    "3/4",        "192.168.100.200",
                                 "1,234'567", "$5 each", "12:30", "2024-03-01", "Room 5",
                                 "1e999 kg"}) {
    EXPECT_FALSE(parse_spelled_number(cell, '.')) << cell;
  }
}

}  // namespace equinoise::spelled_number_test
