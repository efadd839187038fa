// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/unit_events.h"

#include <gtest/gtest.h>

#include "equinoise/base/error.h"

namespace equinoise::unit_events_test {

using Events = std::vector<Event>;

const Event kStrata =
    Event::parallel("stratum", {"a", "b"}, {Event::laplace(1), Event::laplace(2)});

TEST(UnitEvents, AListOfRowsIsOneEventOfAUnit) {
  EXPECT_EQ(for_unit(3, {kStrata}), Events{Event::rows_of_unit(3, kStrata)});
  EXPECT_EQ(for_unit(3, {kStrata, Event::laplace(4)}),
            Events{Event::rows_of_unit(3, Event::composed({kStrata, Event::laplace(4)}))});
}

TEST(UnitEvents, WhereAUnitHasOneRowNothingChanges) {
  const Events events = {kStrata, Event::laplace(4)};
  EXPECT_EQ(for_unit(1, events), events);
  EXPECT_EQ(for_unit(5, {}), Events{});
  EXPECT_THROW(for_unit(0, events), Error);
}

TEST(UnitEvents, WhatIsDrawnIsWhatWasPlannedForRows) {
  for (const Events& events :
       {Events{kStrata}, Events{kStrata, Event::laplace(4)}, Events{Event::composed({kStrata})},
        Events{Event::composed({})}, Events{Event::repeat(3, kStrata)}, Events{}}) {
    EXPECT_EQ(of_rows(for_unit(7, events)), events);
    EXPECT_EQ(of_rows(events), events) << "of rows already";
  }
}

TEST(UnitEvents, ItemsAreUnfoldedEachByItself) {
  const Event list = Event::composed({Event::laplace(1), Event::laplace(2)});
  EXPECT_EQ(
      of_rows({Event::gaussian(1), Event::rows_of_unit(3, list), Event::rows_of_unit(3, kStrata)}),
      (Events{Event::gaussian(1), list, kStrata}));
}

}  // namespace equinoise::unit_events_test
