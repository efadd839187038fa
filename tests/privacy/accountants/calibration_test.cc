// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/calibration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/privacy/accountants/rdp.h"
#include "tests/privacy/accountants/accounting_vectors.h"

namespace equinoise::calibration_test {

/// Puts `value` where the vector has "?".
Event fill(nlohmann::json event, double value) {
  const std::string text = event.dump();
  const std::string open = "\"?\"";
  const size_t place = text.find(open);
  const bool whole = value == std::floor(value);
  const nlohmann::json number =
      whole ? nlohmann::json(static_cast<int64_t>(value)) : nlohmann::json(value);
  return Event::from_json(nlohmann::json::parse(place == std::string::npos
                                                    ? text
                                                    : text.substr(0, place) + number.dump() +
                                                          text.substr(place + open.size())));
}

double epsilon_by(std::string_view accountant, Relation relation, const std::vector<Event>& events,
                  Delta delta) {
  return find_accountant(accountant).make(relation, events)->epsilon(delta).value();
}

TEST(Calibration, NoiseAgreesWithTheVectors) {
  EQUINOISE_VECTORS(cases, "accounting/calibration.json", "solve_for", "sigma");
  for (const auto& c : cases) {
    const std::string accountant = c["accountant"] == "rdp" ? "rdp" : "pld";
    const auto events = [&](double noise) {
      std::vector<Event> list;
      for (const auto& event : c["events"]) list.push_back(fill(event, noise));
      return list;
    };
    const PrivacyTarget target{testing::relation_of(c), Epsilon(c["epsilon"].get<double>()),
                               Delta(c["delta"].get<double>()), accountant};
    const double noise = smallest_noise_multiplier(target, events);
    const double at_least = c["tolerance"]["at_least"];
    if (accountant == "rdp") {
      // The bound is that of the reference's orders. More may need less noise, never less than PLD.
      RdpAccountant usual(target.relation, usual_rdp_orders());
      for (const Event& event : events(at_least)) usual.compose(event);
      EXPECT_GE(usual.epsilon(target.delta).value(), target.epsilon.value()) << c["id"];
      PrivacyTarget tightest = target;
      tightest.accountant = "pld";
      EXPECT_GE(noise, smallest_noise_multiplier(tightest, events)) << c["id"];
    } else {
      EXPECT_GE(noise, at_least) << c["id"];
    }
    EXPECT_LE(noise, c["tolerance"]["at_most"].get<double>()) << c["id"];
    EXPECT_LE(epsilon_by(accountant, target.relation, events(noise), target.delta),
              target.epsilon.value())
        << c["id"];
  }
}

TEST(Calibration, StepsAgreeWithTheVectors) {
  int checked = 0;
  for (const char* file : {"accounting/calibration.json", "accounting/raco_max_steps.json"}) {
    EQUINOISE_VECTORS(cases, file);
    for (const auto& c : cases) {
      const bool sampled_once = c.contains("max_steps");
      if (!sampled_once && c["solve_for"] != "steps") continue;
      ++checked;
      const auto events = [&](int64_t steps) {
        std::vector<Event> list;
        for (const auto& event : c["events"]) {
          list.push_back(sampled_once ? Event::repeat(steps, Event::from_json(event))
                                      : fill(event, static_cast<double>(steps)));
        }
        return list;
      };
      const PrivacyTarget target{
          testing::relation_of(c),
          Epsilon(c[sampled_once ? "target_epsilon" : "epsilon"].get<double>()),
          Delta(c["delta"].get<double>()), "pld"};
      const int64_t steps = largest_num_steps(target, events);
      EXPECT_GE(steps, c["tolerance"]["at_least"].get<int64_t>()) << c["id"];
      EXPECT_LE(steps, c["tolerance"]["at_most"].get<int64_t>()) << c["id"];
      EXPECT_LE(epsilon_by("pld", target.relation, events(steps), target.delta),
                target.epsilon.value())
          << c["id"];
    }
  }
  EXPECT_GT(checked, 0);
}

std::vector<Event> dpsgd(double noise, int64_t steps) {
  return {Event::repeat(steps, Event::poisson_sampled(0.01, {Event::gaussian(noise)}))};
}

TEST(Calibration, ReturnedNoiseMeetsTheTargetAndALittleLessDoesNot) {
  const Delta delta(1e-6);
  for (const char* accountant : {"rdp", "pld"}) {
    for (double epsilon : {0.3, 1.0, 8.0}) {
      const auto events = [](double noise) { return dpsgd(noise, 1000); };
      const double noise = smallest_noise_multiplier(
          {Relation::kZeroOut, Epsilon(epsilon), delta, accountant}, events);
      EXPECT_LE(epsilon_by(accountant, Relation::kZeroOut, events(noise), delta), epsilon);
      EXPECT_GT(epsilon_by(accountant, Relation::kZeroOut, events(noise * 0.9999), delta), epsilon);
    }
  }
}

TEST(Calibration, ReturnedStepsMeetTheTargetAndOneMoreDoesNot) {
  const Delta delta(1e-6);
  for (const char* accountant : {"rdp", "pld"}) {
    const auto events = [](int64_t steps) { return dpsgd(1.2, steps); };
    const int64_t steps =
        largest_num_steps({Relation::kZeroOut, Epsilon(2), delta, accountant}, events);
    EXPECT_LE(epsilon_by(accountant, Relation::kZeroOut, events(steps), delta), 2);
    EXPECT_GT(epsilon_by(accountant, Relation::kZeroOut, events(steps + 1), delta), 2);
    EXPECT_EQ(largest_num_steps({Relation::kZeroOut, Epsilon(1e-4), delta, accountant}, events), 0);
  }
}

TEST(Calibration, SaysWhenNoNoiseIsEnough) {
  const auto events = [](double noise) {
    return std::vector<Event>{Event::gaussian(noise), Event::zcdp(10)};
  };
  EXPECT_THROW(smallest_noise_multiplier({Relation::kZeroOut, Epsilon(1), Delta(1e-6)}, events),
               Error);
}

TEST(Calibration, NamesTheEventThatTheAccountantRefuses) {
  const auto events = [](double noise) {
    return std::vector<Event>{Event::gaussian(noise), Event::zcdp(0.01)};
  };
  try {
    smallest_noise_multiplier({Relation::kZeroOut, Epsilon(1), Delta(1e-6), "pld"}, events);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("zCDP, rho 0.01"), std::string::npos) << error.what();
  }
}

/// A delta above the probability of being drawn at all bounds any noise.
TEST(Calibration, NoiseThatNeverCostsTooMuchStopsAtTheLeast) {
  const auto events = [](double noise) {
    return std::vector<Event>{Event::poisson_sampled(1e-6, {Event::gaussian(noise)})};
  };
  const double noise =
      smallest_noise_multiplier({Relation::kZeroOut, Epsilon(1), Delta(1e-5), "pld"}, events);
  EXPECT_LE(noise, 1e-3);
  EXPECT_GE(noise, 0x1p-10);
}

}  // namespace equinoise::calibration_test
