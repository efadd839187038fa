// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/budget.h"

#include <gtest/gtest.h>

#include "tests/test_support.h"

namespace equinoise::budget_test {

TEST(GroupCap, IsReadWithAnyPunctuationInTheGroup) {
  const GroupCap plain = parse_group_cap("sex=Female:1.5");
  EXPECT_EQ(plain.partition, "sex");
  EXPECT_EQ(plain.group, "Female");
  EXPECT_EQ(plain.epsilon.value(), 1.5);
  const GroupCap odd = parse_group_cap("sex,time=a=b:c, d:1e-3");
  EXPECT_EQ(odd.partition, "sex,time");
  EXPECT_EQ(odd.group, "a=b:c, d");
  EXPECT_EQ(odd.epsilon.value(), 1e-3);
}

TEST(GroupCap, AnythingElseIsRefusedShowingTheForm) {
  for (const std::string text : {"", "sex", "sex=Female", "sex:1", "=Female:1", "sex=:1",
                                 "sex=Female:", "sex=Female:x", "sex=Female:1x", "sex=Female: 1"}) {
    EXPECT_ERROR(kUsage, HasSubstr("sex=Female:1.5"), parse_group_cap(text)) << text;
  }
  for (const std::string text : {"sex=F:0", "sex=F:-1", "sex=F:nan", "sex=F:inf"}) {
    EXPECT_ERROR(kUsage, HasSubstr("the cap of sex=F"), parse_group_cap(text)) << text;
  }
}

TEST(Budget, EveryFieldIsChecked) {
  const Budget good{Epsilon(3), Delta(1e-6), Relation::kZeroOut};
  EXPECT_NO_THROW(check_budget(good));
  const auto refused = [](Budget budget, const std::string& says) {
    EXPECT_ERROR(kUsage, HasSubstr(says), check_budget(budget));
  };
  Budget wrong = good;
  wrong.epsilon = Epsilon(0);
  refused(wrong, "epsilon");
  wrong = good;
  wrong.delta = Delta(0);
  refused(wrong, "delta");
  wrong = good;
  wrong.unit = "";
  refused(wrong, "protects a unit");
  wrong = good;
  wrong.accountant = "rpd";
  refused(wrong, "did you mean \"rdp\"");
  wrong = good;
  wrong.group_caps = {{"sex", "Female", Epsilon(0)}};
  refused(wrong, "the cap of sex=Female");
  wrong.group_caps = {{"", "Female", Epsilon(1)}};
  refused(wrong, "needs a partition and a group");
  wrong.group_caps = {{"sex", "Female", Epsilon(1)}, {"sex", "Female", Epsilon(2)}};
  refused(wrong, "two caps for group sex=Female");
}

}  // namespace equinoise::budget_test
