// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/plan.h"

#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/privacy/accountants/rdp.h"
#include "tests/test_support.h"
#include "tests/train/configs.h"
#include "tests/train/seeded_run.h"

namespace equinoise::plan_test {

const TrainingFacts kFacts{36'632, 108};

TrainingConfig config_for(double epsilon) {
  TrainingConfig config;
  config.epsilon = epsilon;
  return config;
}

TEST(Plan, CalibratedNoiseMeetsTheTarget) {
  const TrainingPlan plan = plan_noisy_gradients("dpsgd", config_for(3), kFacts);
  ASSERT_TRUE(plan.privacy);
  EXPECT_LE(plan.privacy->epsilon.value(), 3);
  EXPECT_GT(plan.privacy->epsilon.value(), 2.99);
  EXPECT_EQ(plan.privacy->accountant, AccountantName::kPld);
  EXPECT_EQ(plan.privacy->epsilon.value(),
            smallest_guarantee(Relation::kZeroOut, plan.events(), Delta(1e-6)).epsilon.value());
  EXPECT_EQ(plan.by_rdp->epsilon.value(),
            rdp_epsilon(Relation::kZeroOut, plan.events(), Delta(1e-6)).value());
  EXPECT_GT(plan.by_rdp->epsilon.value(), 3);
  EXPECT_DOUBLE_EQ(plan.noise_stddev, plan.noise_multiplier * plan.config.max_grad_norm);
}

/// The default batch of 20 million records, and a rate far below.
TEST(Plan, SmallRatesSpendWhatWasAsked) {
  for (const double epsilon : {0.3, 3.0}) {
    TrainingConfig config = config_for(epsilon);
    config.batch_size = 512;
    config.num_steps = 3000;
    config.delta = 1e-9;
    const TrainingPlan plan = plan_noisy_gradients("dpsgd", config, {20'000'000, 108});
    EXPECT_EQ(plan.privacy->accountant, AccountantName::kPld);
    EXPECT_LE(plan.privacy->epsilon.value(), epsilon);
    EXPECT_GT(plan.privacy->epsilon.value(), 0.999 * epsilon);
    EXPECT_LT(plan.noise_multiplier, 0.65);
  }
  TrainingConfig config = config_for(0.01);
  config.batch_size = 10;
  config.num_steps = 1'000'000;
  const TrainingPlan plan = plan_noisy_gradients("dpsgd", config, {10'000'000, 108});
  EXPECT_LE(plan.privacy->epsilon.value(), 0.01);
  EXPECT_GT(plan.privacy->epsilon.value(), 0.00999);
}

TEST(Plan, ABudgetThatSamplersCannotKeepSpendsTheLargest) {
  const auto planned = [](TrainingConfig config) {
    return plan_noisy_gradients("dpsgd", config, kFacts);
  };
  const TrainingPlan plan = planned(config_for(1000));
  const double largest = plan.privacy->epsilon.value();
  EXPECT_GT(largest, 50);
  TrainingConfig quieter = config_for(1000);
  quieter.epsilon.reset();
  quieter.noise_multiplier = 0.98 * plan.noise_multiplier;
  const std::string refusal = error_of(ErrorKind::kUsage, [&] { planned(quieter); });
  const std::string named = "use at most epsilon ";
  ASSERT_NE(refusal.find(named), std::string::npos) << refusal;
  EXPECT_NEAR(std::stod(refusal.substr(refusal.find(named) + named.size())), largest,
              0.01 * largest);
}

TEST(Plan, NoiseHasAFloorEvenWhereDeltaWouldAllowAny) {
  TrainingConfig config = config_for(1);
  config.batch_size = 1;
  config.num_steps = 1;
  config.delta = 2e-5;
  TrainingPlan plan = plan_noisy_gradients("dpsgd", config, {100'000, 108});
  EXPECT_EQ(plan.noise_multiplier, 0.01);
  EXPECT_LE(plan.privacy->epsilon.value(), 1);
  note_unspent(config, plan);
  EXPECT_THAT(plan.notes.back(), HasSubstr("of the 1 given is spent: less noise"));
}

TEST(Plan, ATargetThatOnlyLossDistributionsCanShowIsReached) {
  TrainingConfig config = config_for(0.003);
  config.num_steps = 100;
  config.batch_size = 10;
  const TrainingPlan plan = plan_noisy_gradients("dpsgd", config, kFacts);
  EXPECT_EQ(plan.privacy->accountant, AccountantName::kPld);
  EXPECT_LE(plan.privacy->epsilon.value(), 0.003);
}

TEST(Plan, DefaultsAreAsManyAsThereAreRecordsUpToALimit) {
  for (const int64_t few : {1, 4, 303, 511}) {
    EXPECT_EQ(default_batch_size(few), few);
    EXPECT_EQ(default_num_steps(few), few);
  }
  EXPECT_EQ(default_batch_size(513), 512);
  EXPECT_EQ(default_num_steps(513), 513);
  for (const int64_t many : {3000, 36'632, 1'000'000}) {
    EXPECT_EQ(default_batch_size(many), 512);
    EXPECT_EQ(default_num_steps(many), 3000);
  }
}

TEST(Plan, NumbersBesideGradientsCostTheSamePartWhileTheirNoiseCanBeDrawn) {
  for (const double epsilon : {0.03, 0.3, 1.0, 8.0}) {
    TrainingConfig config = config_for(epsilon);
    const double alone = plan_noisy_gradients("dpsgd", config, {3750, 108}).noise_multiplier;
    for (const Event::Kind noise : {Event::Kind::kGaussian, Event::Kind::kLaplace}) {
      const TrainingPlan plan =
          plan_noisy_gradients("dpsgd_f", config, {3750, 108}, {"count", 4, std::nullopt, noise});
      EXPECT_LE(plan.privacy->epsilon.value(), epsilon);
      EXPECT_GT(plan.noise_multiplier, alone);
      // Where three times the noise is more than the samplers draw, the part is larger.
      if (epsilon >= 0.3) {
        const double part = noise == Event::Kind::kGaussian ? 1.055 : 1.15;
        EXPECT_LT(plan.noise_multiplier, part * alone);
      }
    }
  }
  // What is drawn, beside gradients with more noise than that, is what is paid for.
  TrainingConfig noisy;
  noisy.noise_multiplier = 2000;
  const TrainingPlan capped = plan_noisy_gradients("dpsgd_f", noisy, {3750, 108}, {"count", 4});
  EXPECT_EQ(capped.side_noise_stddev, 2048);
  const std::vector<Event> events = capped.events();
  EXPECT_EQ(events[0].events()[0].events()[1].noise_multiplier(), 2048);
  EXPECT_ERROR(kUsage,
               HasSubstr("the counts, whose noise can be at most 2048, may be what costs too much"),
               plan_noisy_gradients("dpsgd_f", config_for(1e-4), {3750, 108}, {"count", 4}));
}

TEST(Plan, NoiseCoversWhatRoundingAdds) {
  TrainingConfig config;
  config.noise_multiplier = 2;
  const TrainingPlan plan = plan_noisy_gradients("dpsgd", config, {36'632, 90'000, 300});
  EXPECT_DOUBLE_EQ(plan.noise_stddev, 2 * (1 + 300 * plan.grid));
  EXPECT_GT(plan.noise_stddev, 2);
  config.noise_multiplier = 1e6;
  EXPECT_THROW(plan_noisy_gradients("dpsgd", config, {36'632, 9'000'000, 3000}), Error);
  EXPECT_NO_THROW(plan_noisy_gradients("dpsgd", config, {36'632, 9'000'000, 0}));
}

TEST(Plan, ChargesTheSamplersAndTheyAreSmall) {
  const TrainingPlan plan = plan_noisy_gradients("dpsgd", config_for(3), kFacts);
  ASSERT_EQ(plan.items.size(), 2U);
  const double error = plan.items[1].event.delta();
  EXPECT_GT(error, 0);
  EXPECT_LT(error, plan.config.delta / 1000);
}

TEST(Plan, GridIsAPowerOfTwoFarBelowTheNoise) {
  const TrainingPlan plan = plan_noisy_gradients("dpsgd", config_for(3), kFacts);
  int exponent = 0;
  EXPECT_EQ(std::frexp(plan.grid, &exponent), 0.5);
  EXPECT_LT(plan.grid, plan.noise_stddev * 0x1p-29);
}

/// Before anything is paid: the loop would find out in its first step.
TEST(Plan, RefusesMoreRecordsThanExactSumsTake) {
  const TrainingConfig config = testing::stepwise_config(0x1p20, 1, 1);
  TrainingFacts facts{(int64_t{1} << 27) - 1, 108};
  facts.max_exact_units = 0x1p34;
  EXPECT_TRUE(plan_noisy_gradients("dpsgd", config, facts).privacy);
  ++facts.num_records;
  try {
    plan_noisy_gradients("dpsgd", config, facts);
    ADD_FAILURE() << "planned";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_NE(std::string_view(error.what()).find("fewer than 134217728 records"),
              std::string_view::npos);
  }
}

TEST(Plan, SumsOfBillionsFitAtAnyNoise) {
  TrainingConfig config;
  config.num_steps = 1;
  config.delta = 1e-10;
  const TrainingFacts billions{4'000'000'000, 108};
  for (const double noise_multiplier : {0.5, 0.9, 3.1, 30.0}) {
    config.noise_multiplier = noise_multiplier;
    config.batch_size = 4e7;
    const TrainingPlan plan = plan_noisy_gradients("dpsgd", config, billions);
    EXPECT_LT(2 * 4e9 * plan.bound / plan.grid, 0x1p61);
    EXPECT_LE(plan.grid, 0x1p-26 * plan.bound);
  }
}

TEST(Plan, TheGridGrowsWithAStepsBound) {
  const TrainingPlan plan = plan_noisy_gradients("dpsgd", config_for(3), kFacts);
  EXPECT_EQ(plan.grid_for(1), plan.grid);
  EXPECT_EQ(plan.grid_for(1.99), plan.grid);
  EXPECT_EQ(plan.grid_for(2), 2 * plan.grid);
  EXPECT_EQ(plan.grid_for(9), 8 * plan.grid);
}

TEST(Plan, RefusesWhatMakesNoSense) {
  const double nan = std::nan("");
  const auto refuses = [](auto change) {
    TrainingConfig config = config_for(3);
    change(config);
    EXPECT_THROW(testing::method_of("dpsgd").plan(config, kFacts), Error);
  };
  for (double bad : {0.0, -1.0, nan, 1.0 / 0.0}) {
    refuses([&](TrainingConfig& c) { c.epsilon = bad; });
    refuses([&](TrainingConfig& c) { c.max_grad_norm = bad; });
    refuses([&](TrainingConfig& c) { c.learning_rate = bad; });
    refuses([&](TrainingConfig& c) { c.batch_size = bad; });
    refuses([&](TrainingConfig& c) { c.epsilon.reset(), c.noise_multiplier = bad; });
  }
  for (double bad : {0.0, -1e-9, 1.0, 2.0, nan}) refuses([&](TrainingConfig& c) { c.delta = bad; });
  for (double bad : {1e-31, 1e31}) refuses([&](TrainingConfig& c) { c.max_grad_norm = bad; });
  refuses([](TrainingConfig& c) { c.batch_size = 1e-6; });  // below the smallest sample rate
  refuses([](TrainingConfig& c) { c.num_steps = 0; });
  refuses([](TrainingConfig& c) { c.batch_size = 1e9; });
  refuses([](TrainingConfig& c) { c.tail_average = 1.5; });
  refuses([](TrainingConfig& c) { c.epsilon.reset(); });
  refuses([](TrainingConfig& c) { c.noise_multiplier = 1; });
  refuses([](TrainingConfig& c) { c.relation = Relation::kReplaceOne; });
  refuses([](TrainingConfig& c) { c.relation = Relation::kAddRemove; });
}

}  // namespace equinoise::plan_test
