// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/noise_reach.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "equinoise/train/iterates.h"
#include "equinoise/train/registry.h"
#include "equinoise/train/tailoring/tailoring_options.h"
#include "tests/matchers.h"
#include "tests/train/configs.h"

namespace equinoise::noise_reach_test {

/// The people of Adult by sex and race, and by sex: 36,631 to train on, 13 features and a bias.
TrainingFacts adult(bool by_race) {
  TrainingFacts facts{36'631, 108, 0, 2};
  facts.model = "logistic";
  facts.row_norm = std::sqrt(14.0);
  if (by_race) {
    facts.groups.partition = "sex,race";
    for (const double size : {13'027, 517, 185, 155, 2'308, 28'735, 1'002, 285, 251, 2'377}) {
      facts.groups.names.push_back("group " + std::to_string(static_cast<int>(size)));
      facts.groups.shares.emplace_back(size / 48'842);
    }
  } else {
    facts.groups = {"sex", {"Female", "Male"}, {16'192.0 / 48'842, 32'650.0 / 48'842}};
  }
  facts.num_groups = facts.groups.names.size();
  return facts;
}

std::optional<std::string> warning_of(const std::string& method, const TrainingConfig& config,
                                      const TrainingFacts& facts) {
  const std::unique_ptr<TrainingMethod> made = find_training_method(method).make();
  const TrainingPlan plan = made->plan(config, facts);
  return noise_warning(made->noise_reach(plan), plan);
}

TrainingConfig config_of(double epsilon) {
  TrainingConfig config;
  config.epsilon = epsilon;
  return config;
}

/// Steps along directions that have 1 in one step and 0 in all others are what noise is made of.
TEST(NoiseReach, IsWhatStepsMakeOfTheNoiseOfEach) {
  for (const double tail : {0.0, 0.5, 1.0}) {
    for (const char* optimizer : {"sgd", "momentum"}) {
      TrainingConfig config = testing::stepwise_config(1, 40);
      config.tail_average = tail;
      config.optimizer.name = optimizer;
      config.optimizer.momentum = 0.5;
      const TrainingPlan plan{"dpsgd", config, {100, 1}};
      double variance = 0;
      for (int64_t noisy = 0; noisy < config.num_steps; ++noisy) {
        Iterates iterates(plan, TrainingState::start({0.0}));
        for (int64_t step = 0; step < config.num_steps; ++step) {
          const std::vector<double> direction = {step == noisy ? 1.0 : 0.0};
          iterates.update(std::span<const double>(direction), 1);
        }
        variance += std::pow(std::move(iterates).average()[0], 2);
      }
      const double reach = reach_of_steps(config).value();
      if (std::string(optimizer) == "sgd") {
        EXPECT_NEAR(reach, std::sqrt(variance), 1e-12 * reach) << tail;
      } else {
        // What momentum keeps at the end never reaches the model.
        EXPECT_GT(reach, std::sqrt(variance)) << tail;
        EXPECT_LT(reach, 1.2 * std::sqrt(variance)) << tail;
      }
    }
  }
  TrainingConfig adam;
  adam.optimizer.name = "adam";
  EXPECT_FALSE(reach_of_steps(adam));
}

/// Largest losses of these runs were 2 to 500 times those of dpsgd.
TEST(NoiseReach, WarnsWhereGroupsAreTinyForTheNoise) {
  for (const char* method : {"mgr_w", "mgr", "ags", "balanced", "decoupled"}) {
    const std::optional<std::string> warning = warning_of(method, config_of(1), adult(true));
    ASSERT_TRUE(warning) << method;
    EXPECT_THAT(*warning, HasSubstr("group 155")) << method;
    EXPECT_THAT(*warning, HasSubstr("a larger epsilon")) << method;
  }
}

/// Largest losses of these runs were at most 1.02 times those of dpsgd.
TEST(NoiseReach, IsSilentWhereGroupsAreLarge) {
  for (const char* method : {"dpsgd", "mgr_w", "balanced", "decoupled", "group_weighted", "dpse"})
    EXPECT_FALSE(warning_of(method, config_of(1), adult(false))) << method;
  for (const char* method : {"dpsgd", "dpse", "dpsgd_f", "dpnose"})
    EXPECT_FALSE(warning_of(method, config_of(1), adult(true))) << method;
}

/// The figures are those of the noise that a run of the method adds to a step.
TEST(NoiseReach, FollowsWhatAMethodDividesBy) {
  const auto reach_of = [](const char* method, const TrainingConfig& config) {
    const std::unique_ptr<TrainingMethod> made = find_training_method(method).make();
    return made->noise_reach(made->plan(config, adult(false))).value();
  };
  const TrainingConfig config = config_of(1);
  const double alike = reach_of("dpsgd", config).parameter_stddev;
  EXPECT_NEAR(reach_of("dpsgd", config).alike_stddev, alike, 1e-6 * alike);
  EXPECT_NEAR(reach_of("decoupled", config).parameter_stddev, alike * 48'842 / 16'192,
              1e-6 * alike);
  EXPECT_NEAR(reach_of("balanced", config).parameter_stddev, alike * 48'842 / (2 * 16'192.0),
              1e-6 * alike);
  // With next to no noise on losses both groups weigh alike; with much the noisier may have all.
  const double precision = std::sqrt(1 / 0.8);
  EXPECT_GT(reach_of("mgr_w", config).parameter_stddev,
            precision * alike * 48'842 / (2 * 16'192.0));
  EXPECT_LT(reach_of("mgr_w", config).parameter_stddev, 1.05 * precision * alike * 48'842 / 16'192);
  TrainingConfig pushed = config;
  pushed.own.of<TailoringOptions>().loss_multipliers = {1};
  EXPECT_GT(reach_of("dpse", pushed).parameter_stddev, reach_of("dpse", config).parameter_stddev);
  // Both groups' sums have noise of their own.
  const NoiseReach apart = reach_of("dpse", config);
  EXPECT_NEAR(apart.parameter_stddev, std::sqrt(2.0) * apart.alike_stddev,
              1e-3 * apart.alike_stddev);
}

/// A private method without a figure would be silent however much noise it has.
TEST(NoiseReach, EveryPrivateMethodHasAFigure) {
  for (const TrainingMethodRow& row : training_methods()) {
    const std::unique_ptr<TrainingMethod> made = row.make();
    if (row.status != PrivacyStatus::kPrivate || made->traits().uses_constraints) continue;
    // What noise hides is shrunk to nothing, and their plans say so.
    const bool is_shrunk = !made->traits().steps_option.empty();
    if (is_shrunk || (!made->traits().is_stepwise && !made->traits().trains("logistic"))) continue;
    const std::optional<NoiseReach> much =
        made->noise_reach(made->plan(config_of(1), adult(false)));
    ASSERT_TRUE(much) << row.name;
    const std::optional<NoiseReach> less =
        made->noise_reach(made->plan(config_of(4), adult(false)));
    // Whatever the noise, the box holds parameters.
    EXPECT_TRUE(much->parameter_stddev > less->parameter_stddev ||
                less->parameter_stddev == TailoringOptions().box)
        << row.name;
    EXPECT_GT(less->parameter_stddev, 0) << row.name;
  }
}

/// A clip that nobody chose holds typical gradients at least half, and all of them where the noise
/// of dpsgd stays quiet.
TEST(NoiseReach, TheClipFollowsTypicalGradientsAndNoise) {
  const TrainingFacts facts = adult(false);
  const std::unique_ptr<TrainingMethod> dpsgd = find_training_method("dpsgd").make();
  double before = 0;
  for (const double epsilon : {0.1, 0.3, 1.0, 3.0, 8.0}) {
    TrainingConfig config = config_of(epsilon);
    const TrainingPlan plan = dpsgd->plan(config, facts);
    const double clip = quiet_clip(dpsgd->noise_reach(plan), plan);
    EXPECT_GE(clip, facts.row_norm / 2);
    EXPECT_LE(clip, facts.row_norm);
    EXPECT_GE(clip, before) << "less noise, a larger clip";
    before = clip;
    // It is the same whatever clip it was asked of.
    config.max_grad_norm = 5;
    const TrainingPlan wider = dpsgd->plan(config, facts);
    EXPECT_NEAR(quiet_clip(dpsgd->noise_reach(wider), wider), clip, 1e-3 * clip);
    if (clip == facts.row_norm / 2) continue;
    config.max_grad_norm = clip;
    const TrainingPlan chosen = dpsgd->plan(config, facts);
    EXPECT_LE(score_stddev(*dpsgd->noise_reach(chosen), chosen), kQuietScoreNoise * (1 + 1e-3));
  }
  EXPECT_EQ(before, facts.row_norm);
  TrainingFacts network = facts;
  network.row_norm = 0;
  const TrainingPlan plan = dpsgd->plan(config_of(1), network);
  EXPECT_EQ(quiet_clip(dpsgd->noise_reach(plan), plan), plan.config.max_grad_norm);
}

/// Rates that are lowered by the factor leave no more noise than was wanted.
TEST(NoiseReach, TheFactorOfRatesLeavesQuietModels) {
  int lowered = 0;
  for (const bool by_race : {false, true}) {
    const TrainingFacts facts = adult(by_race);
    for (const double epsilon : {0.1, 1.0, 8.0}) {
      for (const char* method :
           {"dpsgd", "balanced", "decoupled", "mgr_w", "mgr", "ags", "dpsgd_f"}) {
        TrainingConfig config = config_of(epsilon);
        const std::unique_ptr<TrainingMethod> made = find_training_method(method).make();
        const TrainingPlan plan = made->plan(config, facts);
        const std::optional<NoiseReach> reach = made->noise_reach(plan);
        ASSERT_TRUE(reach) << method;
        const double factor = quiet_factor(reach, plan);
        if (method == std::string("dpsgd")) {
          EXPECT_EQ(factor, alike_factor(reach, plan)) << epsilon;
        }
        EXPECT_LE(factor, alike_factor(reach, plan)) << method;
        if (factor == 1) {
          EXPECT_LE(score_stddev(*reach, plan), kQuietScoreNoise) << method;
          continue;
        }
        ++lowered;
        EXPECT_LT(factor, 1);
        EXPECT_GE(factor, kSlowest);
        config.learning_rate *= factor;
        config.final_learning_rate *= factor;
        const TrainingPlan slower = made->plan(config, facts);
        const NoiseReach after = *made->noise_reach(slower);
        if (factor > kSlowest) {
          EXPECT_LE(score_stddev(after, slower), kQuietScoreNoise * (1 + 1e-9)) << method;
        }
      }
    }
  }
  EXPECT_GT(lowered, 10);
}

/// Targets in other units, and clips with them, are the same regression.
TEST(NoiseReach, OfARegressionFollowsTheUnitsOfItsTarget) {
  const std::unique_ptr<TrainingMethod> dpsgd = find_training_method("dpsgd").make();
  TrainingFacts facts = adult(false);
  facts.model = "linear";
  double before = 0;
  for (const double epsilon : {0.01, 0.03, 0.1, 0.3}) {
    double clip_of_one = 0;
    double factor_of_one = 0;
    for (const double unit : {1.0, 0.25, 100.0}) {
      facts.target.spread = unit;
      const TrainingPlan asked = dpsgd->plan(config_of(epsilon), facts);
      const double clip = quiet_clip(dpsgd->noise_reach(asked), asked);
      TrainingConfig config = config_of(epsilon);
      config.max_grad_norm = clip;
      const TrainingPlan plan = dpsgd->plan(config, facts);
      const double factor = quiet_factor(dpsgd->noise_reach(plan), plan);
      EXPECT_EQ(factor, alike_factor(dpsgd->noise_reach(plan), plan));
      if (unit == 1) {
        clip_of_one = clip;
        factor_of_one = factor;
      }
      EXPECT_NEAR(clip, unit * clip_of_one, 1e-9 * clip);
      EXPECT_NEAR(factor, factor_of_one, 1e-9);
    }
    EXPECT_GE(factor_of_one, kSlowestOfNumbers);
    EXPECT_LE(factor_of_one, 1);
    EXPECT_GT(factor_of_one, before) << "less noise, a faster model: " << epsilon;
    before = factor_of_one;
  }
}

TEST(NoiseReach, NothingIsSaidWhereNothingIsKnown) {
  TrainingFacts network = adult(true);
  network.row_norm = 0;
  EXPECT_FALSE(warning_of("balanced", config_of(1), network));
  TrainingConfig adam = config_of(1);
  adam.optimizer.name = "adam";
  EXPECT_FALSE(warning_of("balanced", adam, adult(true)));
}

}  // namespace equinoise::noise_reach_test
