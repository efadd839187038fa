// SPDX-License-Identifier: Apache-2.0
#include "equinoise/base/nearest_name.h"

#include <gtest/gtest.h>

namespace equinoise::nearest_name_test {

TEST(NearestName, ProposesCloseWordsOnly) {
  const std::vector<std::string> names = {"--epsilon", "--delta", "--data"};
  EXPECT_EQ(nearest_name("--epsilom", names), "--epsilon");
  EXPECT_EQ(nearest_name("--dleta", names), "--delta");
  EXPECT_EQ(nearest_name("--verbose", names), "");
  EXPECT_EQ(nearest_name("--by", {"--na", "--data"}), "") << "another word";
  EXPECT_EQ(nearest_name("sx", {"sex", "race"}), "sex");
  EXPECT_EQ(nearest_name("mts", {"aim", "mst"}), "mst");
}

TEST(NearestName, ProposesAnotherCaseFirst) {
  EXPECT_EQ(nearest_name("g", {"v", "G"}), "G");
  EXPECT_EQ(nearest_name("income", {"incomes", "INCOME"}), "INCOME");
}

}  // namespace equinoise::nearest_name_test
