// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/failure_events.h"

#include <gtest/gtest.h>

#include "tests/test_support.h"

namespace equinoise::failure_events_test {

using Events = std::vector<Event>;

TEST(FailureEvents, LeavesWhatCannotFailAsItIs) {
  const Events events = {Event::repeat(3, Event::gaussian(1)),
                         Event::poisson_sampled(0.1, {Event::gaussian(1)})};
  const SplitEvents parts = split_failures(events);
  EXPECT_EQ(parts.ideal, events);
  EXPECT_EQ(parts.sampler_error, 0);
  EXPECT_EQ(parts.delta, 0);
}

TEST(FailureEvents, AddsUpWhatFails) {
  const SplitEvents parts = split_failures(
      {Event::gaussian(1), Event::sampler_error(0x1p-40), Event::approx_dp(2, 0x1p-20),
       Event::repeat(
           8, Event::composed({Event::sampler_error(0x1p-40), Event::approx_dp(1, 0x1p-20)}))});
  EXPECT_EQ(parts.ideal, (Events{Event::gaussian(1), Event::pure(2),
                                 Event::repeat(8, Event::composed({Event::pure(1)}))}));
  EXPECT_GE(parts.sampler_error, 9 * 0x1p-40);
  EXPECT_NEAR(parts.sampler_error, 9 * 0x1p-40, 1e-24);
  EXPECT_GE(parts.delta, 9 * 0x1p-20);
  EXPECT_NEAR(parts.delta, 9 * 0x1p-20, 1e-18);
}

TEST(FailureEvents, OfRowsOfAUnitThoseOfAllGroupsThatMayBeTouched) {
  const auto strata = [](const std::vector<Event>& events) {
    return Event::parallel("stratum", {"a", "b", "c"},
                           std::vector<Event>(3, Event::composed(events)));
  };
  const Event failing = strata({Event::gaussian(1), Event::sampler_error(0x1p-40)});
  for (const auto& [rows, num_touched] : {std::pair{2, 2}, {3, 3}, {9, 3}}) {
    const SplitEvents parts = split_failures({Event::repeat(
        4, Event::rows_of_unit(rows, Event::composed({failing, Event::sampler_error(0x1p-40)})))});
    const double exact = 4 * (num_touched + 1) * 0x1p-40;
    EXPECT_GE(parts.sampler_error, exact);
    EXPECT_NEAR(parts.sampler_error, exact, 1e-24);
    EXPECT_EQ(parts.ideal, Events{Event::repeat(
                               4, Event::composed({Event::rows_of_unit(
                                      rows, Event::composed({strata({Event::gaussian(1)})}))}))});
  }
  EXPECT_THROW(split_failures({Event::rows_of_unit(2, Event::approx_dp(1, 1e-6))}), Error);
}

TEST(FailureEvents, NothingStaysNothing) {
  const Event nothing = Event::composed({});
  EXPECT_TRUE(split_failures({nothing, Event::sampler_error(0x1p-40)}).ideal.empty());
  const Event group = Event::composed({Event::gaussian(1), Event::sampler_error(0x1p-40)});
  EXPECT_EQ(
      split_failures({Event::parallel("sex", {"a", "b"}, {group, nothing})}).ideal,
      Events{Event::parallel("sex", {"a", "b"}, {Event::composed({Event::gaussian(1)}), nothing})});
}

TEST(FailureEvents, OfGroupsTheMostProbableFailureCounts) {
  const SplitEvents parts = split_failures({Event::parallel(
      "sex", {"Female", "Male"},
      {Event::approx_dp(1, 1e-7),
       Event::composed({Event::approx_dp(2, 1e-9), Event::sampler_error(1e-20)})})});
  EXPECT_EQ(parts.ideal, (Events{Event::parallel("sex", {"Female", "Male"},
                                                 {Event::composed({Event::pure(1)}),
                                                  Event::composed({Event::pure(2)})})}));
  EXPECT_GE(parts.delta, 1e-7);
  EXPECT_DOUBLE_EQ(parts.delta, 1e-7);
  EXPECT_GE(parts.sampler_error, 1e-20);
  EXPECT_DOUBLE_EQ(parts.sampler_error, 1e-20);
}

/// Of the best of several runs each may differ from the stated one.
TEST(FailureEvents, OfASelectionAsManyRunsCountAsThereAreOnAverage) {
  const SplitEvents parts = split_failures({Event::repeat_and_select(
      8, 0, Event::composed({Event::gaussian(1), Event::sampler_error(0x1p-40)}))});
  EXPECT_EQ(parts.ideal,
            (Events{Event::repeat_and_select(8, 0, Event::composed({Event::gaussian(1)}))}));
  EXPECT_GE(parts.sampler_error, 8 * 0x1p-40);
  EXPECT_NEAR(parts.sampler_error, 8 * 0x1p-40, 1e-24);
}

TEST(FailureEvents, RefusesFailuresThatABatchOrASelectionChanges) {
  const Event failing = Event::approx_dp(1, 1e-7);
  for (const Event& event :
       {Event::poisson_sampled(0.1, {Event::gaussian(1), failing}),
        Event::sampled_without_replacement(0.1, {failing}), Event::repeat_and_select(5, 1, failing),
        Event::repeat(2, Event::poisson_sampled(0.1, {Event::sampler_error(1e-9)}))}) {
    error_of(ErrorKind::kUsage, [&] { split_failures({event}); });
  }
}

}  // namespace equinoise::failure_events_test
