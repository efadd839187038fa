#include "equinoise/privacy/accountants/calibration.h"

#include <gtest/gtest.h>

#include "equinoise/base/error.h"
#include "equinoise/privacy/accountants/rdp.h"
#include "tests/shared_vectors.h"

namespace equinoise {
namespace {

/// Puts `value` where the vector has "?".
Event fill(nlohmann::json event, double value) {
  const std::string text = event.dump();
  const std::string open = "\"?\"";
  const size_t place = text.find(open);
  nlohmann::json number = value;
  return Event::from_json(nlohmann::json::parse(place == std::string::npos
                                                    ? text
                                                    : text.substr(0, place) + number.dump() +
                                                          text.substr(place + open.size())));
}

TEST(Calibration, AgreesWithTheVectors) {
  EQUINOISE_VECTORS(cases, "accounting/calibration.json");
  int checked = 0;
  for (const auto& c : cases) {
    if (c["accountant"] != "rdp" || c["solve_for"] != "sigma") continue;
    ++checked;
    const auto events = [&](double noise) {
      std::vector<Event> list;
      for (const auto& event : c["events"]) list.push_back(fill(event, noise));
      return list;
    };
    const Delta delta(c["delta"].get<double>());
    const double noise = smallest_noise_multiplier(Relation::kZeroOut, events,
                                                   Epsilon(c["epsilon"].get<double>()), delta);
    EXPECT_GE(noise, c["tolerance"]["at_least"].get<double>()) << c["id"];
    EXPECT_LE(noise, c["tolerance"]["at_most"].get<double>()) << c["id"];
    EXPECT_LE(rdp_epsilon(Relation::kZeroOut, events(noise), delta).value(),
              c["epsilon"].get<double>())
        << c["id"];
  }
  EXPECT_GT(checked, 0);
}

std::vector<Event> dpsgd(double noise, int64_t steps) {
  return {Event::repeat(steps, Event::poisson_sampled(0.01, {Event::gaussian(noise)}))};
}

TEST(Calibration, ReturnedNoiseMeetsTheTargetAndALittleLessDoesNot) {
  const Delta delta(1e-6);
  for (double epsilon : {0.3, 1.0, 8.0}) {
    const auto events = [](double noise) { return dpsgd(noise, 1000); };
    const double noise =
        smallest_noise_multiplier(Relation::kZeroOut, events, Epsilon(epsilon), delta);
    EXPECT_LE(rdp_epsilon(Relation::kZeroOut, events(noise), delta).value(), epsilon);
    EXPECT_GT(rdp_epsilon(Relation::kZeroOut, events(noise * 0.9999), delta).value(), epsilon);
  }
}

TEST(Calibration, ReturnedStepsMeetTheTargetAndOneMoreDoesNot) {
  const Delta delta(1e-6);
  const auto events = [](int64_t steps) { return dpsgd(1.2, steps); };
  const int64_t steps = largest_num_steps(Relation::kZeroOut, events, Epsilon(2), delta);
  EXPECT_LE(rdp_epsilon(Relation::kZeroOut, events(steps), delta).value(), 2);
  EXPECT_GT(rdp_epsilon(Relation::kZeroOut, events(steps + 1), delta).value(), 2);
  EXPECT_EQ(largest_num_steps(Relation::kZeroOut, events, Epsilon(1e-4), delta), 0);
}

TEST(Calibration, SaysWhenNoNoiseIsEnough) {
  const auto events = [](double noise) {
    return std::vector<Event>{Event::gaussian(noise), Event::zcdp(10)};
  };
  EXPECT_THROW(smallest_noise_multiplier(Relation::kZeroOut, events, Epsilon(1), Delta(1e-6)),
               Error);
}

}  // namespace
}  // namespace equinoise
