// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/account.h"

#include <gtest/gtest.h>

#include "equinoise/base/error.h"

namespace equinoise::account_test {

using nlohmann::json;

AccountQuestion question(json events) {
  AccountQuestion asked;
  asked.events = std::move(events);
  return asked;
}

const json kGaussian = {{{"type", "gaussian"}, {"noise_multiplier", 2}}};

json dpsgd(const json& noise, const json& count) {
  const json batch = {{"type", "poisson_sampled"},
                      {"q", 0.01},
                      {"events", {{{"type", "gaussian"}, {"noise_multiplier", noise}}}}};
  return {{{"type", "repeat"}, {"count", count}, {"event", batch}}};
}

TEST(Account, EpsilonAndDeltaAreInverse) {
  AccountQuestion asked = question(kGaussian);
  asked.delta = 1e-5;
  asked.epsilon = account_epsilon(asked).epsilon;
  EXPECT_NEAR(account_delta(asked).delta / 1e-5, 1, 1e-9);
}

TEST(Account, NoiseAndStepsMeetTheTargetByEachAccountant) {
  for (const char* accountant : {"rdp", "pld"}) {
    AccountQuestion asked = question(dpsgd("?", 500));
    asked.accountant = accountant;
    asked.epsilon = 1;
    asked.delta = 1e-6;
    const AccountAnswer noise = account_noise(asked);
    EXPECT_LE(noise.epsilon, 1);
    EXPECT_GT(noise.epsilon, 0.999);
    asked.events = dpsgd(*noise.noise, "?");
    EXPECT_EQ(account_steps(asked).steps, 500) << accountant;
  }
}

TEST(Account, ComparesAllAccountantsAndSaysWhoHasNoAnswer) {
  AccountQuestion asked = question(dpsgd(1, 10));
  asked.delta = 1e-6;
  const std::vector<ComparedAccount> rows = compare_accountants(asked).rows;
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_FALSE(rows[0].epsilon);
  EXPECT_NE(rows[0].refusal.find("zCDP cannot bound"), std::string::npos) << rows[0].refusal;
  EXPECT_LT(*rows[2].epsilon, *rows[1].epsilon);
}

/// Each names the field or the place.
TEST(Account, RefusalsNameWhatIsWrong) {
  const struct {
    json events;
    std::optional<double> epsilon;
    std::optional<double> delta;
    std::string named;
  } cases[] = {
      {json::array(), 1, 1e-6, "nothing to solve for"},
      {kGaussian, 1, 1e-6, "nothing to solve for"},
      {dpsgd(1, "?"), 1, 1e-6, "not for count"},
      {dpsgd("?", 10), {}, 1e-6, "epsilon"},
      {dpsgd("?", 10), 1, {}, "delta"},
      {dpsgd("?", 10), 1, 2, "delta"},
      {dpsgd("?", 0), 1, 1e-6, "events[0] (repeat): count"},
      {{{{"type", "gaussian"}, {"noise_multiplier", "?"}, {"rho", 1}}},
       1,
       1e-6,
       "events[0] (gaussian): there is no parameter \"rho\""},
  };
  for (const auto& c : cases) {
    AccountQuestion asked = question(c.events);
    asked.epsilon = c.epsilon;
    asked.delta = c.delta;
    try {
      account_noise(asked);
      ADD_FAILURE() << c.named;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_NE(std::string(error.what()).find(c.named), std::string::npos) << error.what();
    }
  }
}

TEST(Account, OneStepTooManyIsSaid) {
  AccountQuestion asked = question(dpsgd(0.5, "?"));
  asked.epsilon = 1e-4;
  asked.delta = 1e-8;
  EXPECT_THROW(account_steps(asked), Error);
}

}  // namespace equinoise::account_test
