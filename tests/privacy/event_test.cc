// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/event.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "equinoise/base/error.h"

namespace equinoise::event_test {

TEST(Event, SurvivesJsonExactly) {
  const Event event =
      Event::composed({Event::repeat(3, Event::poisson_sampled(
                                            0.1 / 3, {Event::gaussian(1.1), Event::gaussian(7)})),
                       Event::zcdp(0.3), Event::sampler_error(0x1p-40)});
  EXPECT_EQ(Event::from_json(nlohmann::json::parse(event.to_json().dump())), event);
}

TEST(Event, RefusesParametersThatAreNotNumbersInRange) {
  const double nan = std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  for (double bad : {nan, infinity, 0.0, -1.0}) EXPECT_THROW(Event::gaussian(bad), Error) << bad;
  for (double bad : {nan, infinity, -1.0}) EXPECT_THROW(Event::zcdp(bad), Error) << bad;
  for (double bad : {nan, 1.0, -0.1}) EXPECT_THROW(Event::sampler_error(bad), Error) << bad;
  for (double bad : {nan, 0.0, 1.1})
    EXPECT_THROW(Event::poisson_sampled(bad, {Event::gaussian(1)}), Error) << bad;
  EXPECT_THROW(Event::poisson_sampled(0.1, {}), Error);
  EXPECT_THROW(Event::repeat(0, Event::gaussian(1)), Error);
}

TEST(Event, RefusesJsonThatItDoesNotUnderstand) {
  for (const char* text :
       {R"({"type": "gauss", "noise_multiplier": 1})", R"({"type": "gaussian"})",
        R"({"type": "gaussian", "sigma": 1})", R"({"type": "gaussian", "noise_multiplier": "1"})",
        R"({"type": "gaussian", "noise_multiplier": 1, "q": 0.1})",
        R"({"type": "repeat", "count": 2.5})", R"([1])", R"({"noise_multiplier": 1})"}) {
    EXPECT_THROW(Event::from_json(nlohmann::json::parse(text)), Error) << text;
  }
}

TEST(Event, DoesNotAnswerForAnotherKind) {
  EXPECT_THROW(static_cast<void>(Event::zcdp(1).noise_multiplier()), Error);
  EXPECT_THROW(static_cast<void>(Event::gaussian(1).count()), Error);
}

TEST(Event, SaysWhatItIs) {
  const Event event = Event::repeat(10, Event::poisson_sampled(0.25, {Event::gaussian(2)}));
  EXPECT_EQ(event.to_text(), "10 x Poisson batch at rate 0.25 of [Gaussian, noise multiplier 2]");
}

TEST(Event, RowsOfAUnitSurviveJsonAndSayHowMany) {
  const Event event = Event::rows_of_unit(
      5, Event::parallel("sex", {"a", "b"}, {Event::laplace(1), Event::composed({})}));
  EXPECT_EQ(Event::from_json(nlohmann::json::parse(event.to_json().dump())), event);
  EXPECT_EQ(event.rows(), 5);
  EXPECT_EQ(event.to_text(), "up to 5 rows of a unit: " + event.events()[0].to_text());
  EXPECT_EQ(Event::rows_of_unit(2, Event::laplace(1)).to_json(),
            nlohmann::json::parse(
                R"({"type": "rows_of_unit", "rows": 2,
                    "event": {"type": "laplace", "noise_multiplier": 1.0}})"));
  EXPECT_EQ(event.with_events({Event::zcdp(1)}), Event::rows_of_unit(5, Event::zcdp(1)));
}

TEST(Event, OneRowOfAUnitIsTheRow) {
  EXPECT_EQ(Event::rows_of_unit(1, Event::laplace(1)), Event::laplace(1));
  EXPECT_EQ(Event::from_json(nlohmann::json::parse(
                R"({"type": "rows_of_unit", "rows": 1, "event": {"type": "zcdp", "rho": 1}})")),
            Event::zcdp(1));
  for (const char* rows : {"0", "-1", "2.5", "1e300", "\"2\""}) {
    EXPECT_THROW(Event::from_json(nlohmann::json::parse(
                     std::string(R"({"type": "rows_of_unit", "event": {"type": "zcdp", "rho": 1},
                                     "rows": )") +
                     rows + "}")),
                 Error)
        << rows;
  }
}

TEST(Event, TellsGroupsThatDrawTheSameTogether) {
  const Event event = Event::parallel("sex", {"a", "b", "c"},
                                      {Event::laplace(1), Event::laplace(2), Event::laplace(1)});
  const std::string text = event.to_text();
  EXPECT_NE(text.find("sex=a; c: " + Event::laplace(1).to_text() +
                      ", sex=b: " + Event::laplace(2).to_text()),
            std::string::npos)
      << text;
}

/// A ledger must be able to read what it was given.
TEST(Event, RefusesWhatItsJsonWouldNotGiveBack) {
  Event deep = Event::gaussian(1);
  EXPECT_THROW(
      {
        for (int i = 0; i < 40; ++i) deep = Event::repeat(1, deep);
      },
      Error);
  EXPECT_EQ(Event::from_json(deep.to_json()), deep);
  EXPECT_THROW(Event::discrete_gaussian(1, (int64_t{1} << 53) + 1), Error);
  EXPECT_THROW(Event::repeat((int64_t{1} << 53) + 1, Event::gaussian(1)), Error);
}

}  // namespace equinoise::event_test
