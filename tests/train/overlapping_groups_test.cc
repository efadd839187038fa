// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/overlapping_groups.h"

#include <gtest/gtest.h>

#include "equinoise/train/methods/options.h"
#include "tests/test_support.h"

namespace equinoise::overlapping_groups_test {

const Grouping kSex = {{"sex"}, "sex", {{{"sex", "F"}}, {{"sex", "M"}}}, {}, {}};
const Grouping kRace = {
    {"race"}, "race", {{{"race", "A"}}, {{"race", "B"}}, {{"race", "C"}}}, {}, {}};

Grouping both() {
  Grouping all{{"sex", "race"}, "sex,race", {}, {}, {}};
  for (const char* sex : {"F", "M"})
    for (const char* race : {"A", "B", "C"}) all.groups.push_back({{"sex", sex}, {"race", race}});
  return all;
}

TEST(OverlappingGroups, EverybodyIsInOneIntersection) {
  EXPECT_THAT(columns_of_intersections({kSex, kRace}), ElementsAre("sex", "race"));
  EXPECT_THAT(columns_of_intersections({both(), kRace}), ElementsAre("sex", "race"));
  EXPECT_THAT(intersections_of(kSex, 1, both()), ElementsAre(3, 4, 5));
  EXPECT_THAT(intersections_of(kRace, 1, both()), ElementsAre(1, 4));
}

TEST(OverlappingGroups, IntersectionsHaveMeanWeightsAndLeastBounds) {
  TrainingConfig config;
  config.max_grad_norm = 2;
  config.own.of<GroupCostOptions>().weights = {{"F", 3}, {"B", 2}};
  config.own.of<GroupCostOptions>().clips = {{"B", 0.5}, {"M", 4}};
  config.own.of<GroupCostOptions>().epsilons = {{"F", 1}, {"C", 0.4}};
  const TrainingConfig at = at_intersections(config, {kSex, kRace}, both());
  EXPECT_EQ(at.own.of<GroupCostOptions>().weights,
            (std::map<std::string, double>{
                {"F,A", 2}, {"F,B", 2.5}, {"F,C", 2}, {"M,A", 1}, {"M,B", 1.5}, {"M,C", 1}}));
  EXPECT_EQ(at.own.of<GroupCostOptions>().clips,
            (std::map<std::string, double>{
                {"F,A", 2}, {"F,B", 0.5}, {"F,C", 2}, {"M,A", 2}, {"M,B", 0.5}, {"M,C", 2}}));
  EXPECT_EQ(at.own.of<GroupCostOptions>().epsilons,
            (std::map<std::string, double>{{"F,A", 1}, {"F,B", 1}, {"F,C", 0.4}, {"M,C", 0.4}}));
  const TrainingConfig plain = at_intersections({}, {kSex, kRace}, both());
  EXPECT_TRUE(plain.own.of<GroupCostOptions>().weights.empty());
  EXPECT_TRUE(plain.own.of<GroupCostOptions>().clips.empty());
}

TEST(OverlappingGroups, KnowsTheGroupsOfEachIntersection) {
  Grouping sex = kSex;
  sex.public_sizes = {40, 60};
  Grouping race = kRace;
  race.public_sizes = {50, std::nullopt, 20};
  const OverlappingGroups found = overlapping_groups_of({sex, race}, both(), 100);
  EXPECT_THAT(found.groups.names, ElementsAre("F", "M", "A", "B", "C"));
  EXPECT_THAT(found.groups.shares, ElementsAre(0.4, 0.6, 0.5, std::nullopt, 0.2));
  EXPECT_THAT(found.groups_of_cell,
              ElementsAre(ElementsAre(0, 2), ElementsAre(0, 3), ElementsAre(0, 4),
                          ElementsAre(1, 2), ElementsAre(1, 3), ElementsAre(1, 4)));
}

TEST(OverlappingGroups, NamesMustBeOfOneGroup) {
  TrainingConfig config;
  config.own.of<GroupCostOptions>().weights = {{"D", 3}};
  EXPECT_ERROR(kUsage, HasSubstr("no such group"), at_intersections(config, {kSex, kRace}, both()));
  Grouping other = kRace;
  other.groups[2] = {{"race", "M"}};
  config.own.of<GroupCostOptions>().weights = {{"M", 3}};
  EXPECT_ERROR(kUsage, HasSubstr("groups of several --groups have this name"),
               at_intersections(config, {kSex, other}, both()));
}

}  // namespace equinoise::overlapping_groups_test
