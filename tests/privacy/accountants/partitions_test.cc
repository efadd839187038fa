// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/partitions.h"

#include <gtest/gtest.h>

#include "tests/test_support.h"

namespace equinoise::partitions_test {

using ::testing::Pair;

Event parallel(const std::string& partition, const std::vector<std::string>& groups) {
  return Event::parallel(partition, groups, std::vector<Event>(groups.size(), Event::gaussian(1)));
}

TEST(Partitions, KnowEachDivisionOnceInWhateverOrderItIsNamed) {
  Partitions partitions;
  partitions.add("test", parallel("sex", {"Male", "Female"}));
  partitions.add("test", parallel("sex", {"Female", "Male"}));
  partitions.add("test", parallel("race", {"A"}));
  EXPECT_THAT(partitions.groups(), ElementsAre(Pair("race", ElementsAre("A")),
                                               Pair("sex", ElementsAre("Female", "Male"))));
}

TEST(Partitions, LookIntoEveryEventThatHoldsOthers) {
  Partitions partitions;
  partitions.add("test", Event::repeat(3, Event::composed({parallel("sex", {"Female", "Male"})})));
  EXPECT_THROW(partitions.add("test", Event::repeat(2, parallel("sex", {"Female"}))), Error);
}

TEST(Partitions, GroupsOfRowsOfAUnitAreNotToldApart) {
  Partitions partitions;
  partitions.add("test", Event::rows_of_unit(2, parallel("sex", {"Female", "Male"})));
  partitions.add("test", Event::rows_of_unit(3, parallel("sex", {"a"})));
  EXPECT_TRUE(partitions.groups().empty());
}

TEST(Partitions, RefuseAnotherListOfGroupsAndStayAsTheyWere) {
  for (const std::vector<std::string>& groups :
       {std::vector<std::string>{"men", "women"}, {"Female"}, {"Female", "Male", "Other"}}) {
    Partitions partitions;
    partitions.add("test", parallel("sex", {"Female", "Male"}));
    EXPECT_ERROR(kUsage, HasSubstr("the partition \"sex\" is divided into Female, Male and into"),
                 partitions.add("here", parallel("sex", groups)));
    EXPECT_THAT(partitions.groups(), ElementsAre(Pair("sex", ElementsAre("Female", "Male"))));
  }
}

}  // namespace equinoise::partitions_test
