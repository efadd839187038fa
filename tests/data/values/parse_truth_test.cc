// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/values/parse_truth.h"

#include <gmock/gmock.h>

namespace equinoise::parse_truth_test {

TEST(ParseTruth, InTheUsualSpellings) {
  for (const char* text : {"true", "True", "TRUE", "t", "T", "yes", "Y", "on", "1"})
    EXPECT_EQ(parse_truth(text), true) << text;
  for (const char* text : {"false", "False", "F", "no", "No", "n", "off", "0"})
    EXPECT_EQ(parse_truth(text), false) << text;
  for (const char* text : {"", "2", "tru", "truee", " true", "M", "none", "-1", "1.0"})
    EXPECT_EQ(parse_truth(text), std::nullopt) << text;
}

TEST(ParseTruth, APairHasOneSpelling) {
  for (const auto& [a, b] : {std::pair("T", "F"), {"false", "TRUE"}, {"no", "Yes"}, {"0", "1"}})
    EXPECT_TRUE(are_truth_pair(a, b)) << a << b;
  for (const auto& [a, b] : {std::pair("T", "N"), {"yes", "false"}, {"1", "n"}, {"T", "T"}})
    EXPECT_FALSE(are_truth_pair(a, b)) << a << b;
}

TEST(ParseTruth, OnlyTrueAndFalseAreTheWords) {
  EXPECT_TRUE(are_true_and_false("TRUE", "FALSE"));
  EXPECT_TRUE(are_true_and_false("false", "True"));
  for (const auto& [a, b] : {std::pair("T", "F"), {"yes", "no"}, {"1", "0"}, {"true", "no"}})
    EXPECT_FALSE(are_true_and_false(a, b)) << a << b;
}

}  // namespace equinoise::parse_truth_test
