// SPDX-License-Identifier: Apache-2.0
#include "equinoise/constraints/aim_margin.h"

#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/constraints/constraint_reader.h"

namespace equinoise::aim_margin_test {

const ConstraintDomain kDomain = {
    {{"sex", {"F", "M"}}, {"race", {"a", "b", "c"}}}, {"no", "yes"}, "y"};

/// Of 1,000 records; sizes by race are not known.
std::optional<int64_t> size_of(const GroupLabel& group) {
  if (group == GroupLabel{{"sex", "F"}}) return 200;
  if (group == GroupLabel{{"sex", "M"}}) return 800;
  return std::nullopt;
}

double stddev_of(const std::string& text, double num_records) {
  return sampling_stddev(parse_constraint(text, kDomain)[0], kDomain, num_records, 1000, size_of);
}

TEST(SamplingStddev, IsThatOfRatesOfAHalf) {
  // Of 750 records 150 are of women, 600 of men.
  EXPECT_NEAR(stddev_of("demographic_parity:sex:0.05", 750), std::sqrt(0.25 / 150 + 0.25 / 600),
              1e-12);
  // Of each label half as many.
  EXPECT_NEAR(stddev_of("fpr:sex=F:0.1", 750), std::sqrt(0.25 / 75), 1e-12);
}

TEST(SamplingStddev, CountsTheLabelWhereItsSizeIsPublic) {
  const auto of = [](const std::string& text) {
    return sampling_stddev(parse_constraint(text, kDomain)[0], kDomain, 500, 1000,
                           [](const GroupLabel& group) -> std::optional<int64_t> {
                             if (group == GroupLabel{{"sex", "F"}, {"y", "yes"}}) return 20;
                             if (group == GroupLabel{{"y", "no"}}) return 800;
                             return size_of(group);
                           });
  };
  EXPECT_NEAR(of("fnr:sex=F:0.1"), std::sqrt(0.25 / 10), 1e-12);
  EXPECT_NEAR(of("fpr:0.1"), std::sqrt(0.25 / 400), 1e-12);
  EXPECT_NEAR(of("fpr:sex=F:0.1"), std::sqrt(0.25 / 50), 1e-12);
}

TEST(SamplingStddev, TakesGroupsOfUnknownSizeToBeEquallyLarge) {
  // A third against the other two thirds.
  EXPECT_NEAR(stddev_of("demographic_parity:race:0.05", 900), std::sqrt(0.25 / 300 + 0.25 / 600),
              1e-12);
  EXPECT_LT(stddev_of("demographic_parity:race:0.05", 0.001), 1);
}

TEST(IsAboutNobody, FollowsThePublicSizes) {
  const auto is_about = [](const std::string& text, int64_t num_women) {
    return is_about_nobody(parse_constraint(text, kDomain)[0], kDomain,
                           [&](const GroupLabel& group) -> std::optional<int64_t> {
                             if (group == GroupLabel{{"sex", "F"}}) return num_women;
                             return std::nullopt;
                           });
  };
  for (const char* text : {"demographic_parity:sex:0.05", "fnr:sex=F:0.1"}) {
    EXPECT_TRUE(is_about(text, 0)) << text;
    EXPECT_FALSE(is_about(text, 1)) << text;
  }
  for (const char* text : {"fnr:sex=M:0.1", "fnr:0.1", "demographic_parity:race:0.05"})
    EXPECT_FALSE(is_about(text, 0)) << text;
}

TEST(AimMargin, IsAtMostHalfOfTheSlack) {
  EXPECT_EQ(aim_margin(0.05, 0.01), 0.01);
  EXPECT_EQ(aim_margin(0.05, 0.04), 0.025);
  EXPECT_EQ(aim_margin(0, 0.04), 0);
  EXPECT_EQ(aim_margin(-0.3, 0.04), 0);
}

}  // namespace equinoise::aim_margin_test
