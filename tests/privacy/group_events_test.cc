#include "equinoise/privacy/group_events.h"

#include <gtest/gtest.h>

#include <limits>

namespace equinoise {
namespace {

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

}  // namespace
}  // namespace equinoise
