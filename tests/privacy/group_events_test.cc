// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/group_events.h"

#include <gtest/gtest.h>

#include <limits>

namespace equinoise::group_events_test {

using Events = std::vector<Event>;

const Event kAll = Event::gaussian(4);
const Event kFemale = Event::gaussian(1);
const Event kMale = Event::gaussian(2);
const Event kBySex = Event::parallel("sex", {"Female", "Male"}, {kFemale, kMale});
const Event kByRace = Event::parallel("race", {"A", "B"}, {Event::zcdp(1), Event::zcdp(2)});

TEST(GroupEvents, KeepsWhatIsForAllAndTheGroupsOwnPart) {
  EXPECT_EQ(events_of_group({kAll, kBySex}, "sex", "Female"), (Events{kAll, kFemale}));
  EXPECT_EQ(events_of_group({kAll, kBySex}, "sex", "Male"), (Events{kAll, kMale}));
}

TEST(GroupEvents, LeavesOtherPartitionsWhole) {
  EXPECT_EQ(events_of_group({kBySex, kByRace}, "sex", "Female"), (Events{kFemale, kByRace}));
  EXPECT_EQ(events_of_group({kBySex, kByRace}, "city", "north"), (Events{kBySex, kByRace}));
}

TEST(GroupEvents, WhoIsInNoNamedGroupMayBeInAny) {
  EXPECT_EQ(events_of_group({kAll, kBySex}, "sex", "Other"), (Events{kAll, kBySex}));
}

TEST(GroupEvents, LooksIntoEveryEventThatHoldsOthers) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto wrap_all = [&](const Event& inner) {
    return Events{Event::repeat(3, inner),
                  Event::composed({inner, kAll}),
                  Event::poisson_sampled(0.1, {kAll, inner}),
                  Event::sampled_without_replacement(0.1, {inner, kAll}),
                  Event::repeat_and_select(5, 1, inner),
                  Event::repeat_and_select(5, infinity, Event::repeat(2, inner)),
                  Event::parallel("race", {"A"}, {inner})};
  };
  EXPECT_EQ(events_of_group(wrap_all(kBySex), "sex", "Male"), wrap_all(kMale));
}

TEST(GroupEvents, WhatHoldsNothingForTheGroupGoesAway) {
  const Event nothing = Event::composed({});
  const Event women = Event::parallel("sex", {"Female", "Male"}, {kFemale, nothing});
  const Events wrapped = {
      Event::repeat(3, women), Event::composed({women}), Event::poisson_sampled(0.1, {women}),
      Event::repeat_and_select(5, 1, women), Event::parallel("race", {"A", "B"}, {women, women})};
  EXPECT_TRUE(events_of_group(wrapped, "sex", "Male").empty());
  // A partition keeps its list.
  EXPECT_EQ(events_of_group({Event::parallel("race", {"A", "B"}, {women, kAll})}, "sex", "Male"),
            (Events{Event::parallel("race", {"A", "B"}, {nothing, kAll})}));
  EXPECT_TRUE(events_of_group({Event::composed({})}, "sex", "Male").empty());
}

TEST(GroupEvents, OfOnePartitionInsideItselfOnlyTheOwnPathIsLeft) {
  const Event nested = Event::parallel("sex", {"Female", "Male"}, {kBySex, kBySex});
  EXPECT_EQ(events_of_group({nested}, "sex", "Female"), (Events{kFemale}));
}

TEST(GroupEvents, ApartAreNobodyElsesAndWhatAllPayIsOneEvent) {
  const Event nothing = Event::composed({});
  const Event women = Event::parallel("sex", {"Female", "Male"}, {kFemale, nothing});
  EXPECT_EQ(groups_apart(kAll, "1: "), kAll);
  EXPECT_EQ(groups_apart(kBySex, "1: "),
            Event::parallel("1: sex", kBySex.group_names(), kBySex.events()));
  EXPECT_EQ(groups_apart(Event::repeat(2, Event::composed({kAll, kBySex})), "1: "),
            Event::repeat(2, Event::composed({kAll, groups_apart(kBySex, "1: ")})));
  EXPECT_EQ(groups_apart(Event::parallel("race", {"A", "B"}, {kAll, kAll}), "1: "), kAll);
  EXPECT_EQ(groups_apart(women, "1: "), kFemale);
  EXPECT_EQ(groups_apart(Event::parallel("sex", {"Female"}, {nothing}), "1: "), nothing);
  // Groups within groups.
  EXPECT_EQ(groups_apart(Event::parallel("race", {"A", "B"}, {kBySex, kBySex}), "1: "),
            groups_apart(kBySex, "1: "));
  EXPECT_EQ(groups_apart(Event::parallel("race", {"A", "B"}, {kBySex, kAll}), "1: "),
            Event::parallel("1: race", {"A", "B"}, {groups_apart(kBySex, "1: "), kAll}));
  EXPECT_TRUE(groups_pay_apart({kAll, Event::repeat(2, kBySex)}));
  EXPECT_FALSE(groups_pay_apart({kAll, women}));
}

TEST(GroupEvents, AUnitMayHaveRowsInEveryGroup) {
  const Event unit = Event::rows_of_unit(3, kBySex);
  EXPECT_EQ(events_of_group({unit, kBySex}, "sex", "Female"), (std::vector{unit, kFemale}));
  EXPECT_EQ(groups_apart(Event::repeat(2, unit), "entry 1: "), Event::repeat(2, unit));
  // Though all groups draw the same, more of them may be touched than one.
  const Event same = Event::rows_of_unit(3, Event::parallel("sex", {"a", "b"}, {kMale, kMale}));
  EXPECT_EQ(groups_apart(same, "entry 1: "), same);
  EXPECT_FALSE(groups_pay_apart({unit}));
  EXPECT_TRUE(groups_pay_apart({unit, kBySex}));
}

TEST(GroupEvents, KnowsWhichGroupsAreNamed) {
  using Names = std::set<std::string>;
  EXPECT_EQ(partitions_with_group({kAll, Event::repeat(2, kBySex)}, "sex", "Male"), Names{"sex"});
  EXPECT_EQ(partitions_with_group({kAll, Event::repeat(2, kBySex)}, "sex", "A"), Names{});
  EXPECT_EQ(partitions_with_group({kBySex}, "race", "Male"), Names{});
  const auto by = [](const std::string& partition) {
    return Event::parallel(partition, {"Male"}, {Event::laplace(1)});
  };
  const std::string one = "sex#0123456789abcdef";
  const std::string two = "sex#fedcba9876543210";
  EXPECT_EQ(partitions_with_group({by(two), by("sexes"), by(one), by(one)}, "sex", "Male"),
            (Names{one, two}));
  // A column may have any name.
  EXPECT_EQ(partition_title("sex#1"), "sex#1");
  EXPECT_EQ(partition_title("sex#1#0123456789abcdef"), "sex#1");
  EXPECT_EQ(partition_title("sex#0123456789abcdeg"), "sex#0123456789abcdeg");
  EXPECT_EQ(partitions_with_group({by("sex#1#0123456789abcdef")}, "sex", "Male"), Names{});
}

}  // namespace equinoise::group_events_test
