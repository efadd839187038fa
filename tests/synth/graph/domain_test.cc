// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/domain.h"

#include <gtest/gtest.h>

#include "tests/test_support.h"

namespace equinoise::domain_test {

TEST(Domain, KnowsItsAttributes) {
  const Domain domain({{"age", 85}, {"sex", 2}, {"race", 5}});
  EXPECT_EQ(domain.num_attributes(), 3);
  EXPECT_EQ(domain.find("race"), 2);
  EXPECT_EQ(domain.find("income"), std::nullopt);
  EXPECT_EQ(domain.all(), (AttributeSet{0, 1, 2}));
  EXPECT_EQ(domain.num_cells({0, 2}), 425);
  EXPECT_EQ(domain.num_cells({}), 1);
  EXPECT_EQ(domain.describe({0, 1}), "age, sex");
}

TEST(Domain, RefusesWhatIsNone) {
  const auto message = [](std::vector<Attribute> attributes) {
    return error_of(ErrorKind::kUsage, [&] { Domain domain(attributes); });
  };
  EXPECT_THAT(message({}), HasSubstr("at least one attribute"));
  EXPECT_THAT(message({{"", 2}}), HasSubstr("needs a name"));
  EXPECT_THAT(message({{"age", 2}, {"age", 3}}), HasSubstr("'age' is declared twice"));
  EXPECT_THAT(message({{"age", 0}}), HasSubstr("between 1 and 65536, got 0"));
  EXPECT_THAT(message({{"age", 65537}}), HasSubstr("got 65537"));
}

TEST(Domain, ChecksSets) {
  const Domain domain({{"age", 85}, {"sex", 2}});
  const auto message = [&](const AttributeSet& set) {
    return error_of(ErrorKind::kUsage, [&] { domain.check(set, "here"); });
  };
  domain.check({}, "here");
  domain.check({0, 1}, "here");
  EXPECT_THAT(message({2}), HasSubstr("[here] attribute 2 is outside the domain, which has 2"));
  EXPECT_THAT(message({-1}), HasSubstr("attribute -1 is outside"));
  EXPECT_THAT(message({1, 0}), HasSubstr("strictly increasing, got 0 after 1"));
  EXPECT_THAT(message({1, 1}), HasSubstr("strictly increasing"));
}

TEST(AttributeSets, AreSets) {
  EXPECT_EQ(union_of({0, 3}, {1, 3, 4}), (AttributeSet{0, 1, 3, 4}));
  EXPECT_EQ(intersection_of({0, 3}, {1, 3, 4}), (AttributeSet{3}));
  EXPECT_EQ(difference_of({0, 3}, {1, 3, 4}), (AttributeSet{0}));
  EXPECT_TRUE(contains({0, 3}, {}));
  EXPECT_TRUE(contains({0, 3}, {3}));
  EXPECT_FALSE(contains({0, 3}, {1}));
}

}  // namespace equinoise::domain_test
