// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/worst_group/worst_group_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/train/registry.h"
#include "equinoise/train/worst_group/worst_group_options.h"
#include "tests/test_support.h"
#include "tests/train/configs.h"

namespace equinoise::worst_group_plan_test {

TrainingFacts facts() {
  TrainingFacts facts{20'000, 21, 0, 3, 1, {"group", {"a", "b", "c"}, {0.2, 0.5, 0.3}}, "logistic"};
  return facts;
}

TrainingConfig config() {
  TrainingConfig config = testing::budget_config(1, 1e-5);
  config.num_steps = 300;
  config.batch_size = 4000;
  return config;
}

class WorstGroupPlan : public ::testing::TestWithParam<const char*> {
 protected:
  TrainingPlan plan(const TrainingConfig& config, const TrainingFacts& facts) const {
    return find_training_method(GetParam()).make()->plan(config, facts);
  }
  std::string refusal(const TrainingConfig& config, const TrainingFacts& facts) const {
    return error_of(ErrorKind::kUsage, [&] { plan(config, facts); });
  }
};

TEST_P(WorstGroupPlan, CostsWhatWasAskedFor) {
  for (const double epsilon : {0.25, 1.0, 4.0}) {
    TrainingConfig asked = config();
    asked.epsilon = epsilon;
    const TrainingPlan made = plan(asked, facts());
    EXPECT_LE(made.privacy->epsilon.value(), epsilon);
    EXPECT_GT(made.privacy->epsilon.value(), 0.999 * epsilon);
    EXPECT_EQ(smallest_guarantee(Relation::kZeroOut, made.events(), Delta(1e-5)).epsilon.value(),
              made.privacy->epsilon.value());
  }
}

TEST_P(WorstGroupPlan, LossesTakeAboutTheirShare) {
  const auto gradient_noise = [&](double share) {
    TrainingConfig asked = config();
    asked.own.of<WorstGroupOptions>().loss_share = share;
    return plan(asked, facts()).noise_multiplier;
  };
  const double none = gradient_noise(0.001);
  // Where noise is about Gaussian, precisions 1 / s^2 add up.
  EXPECT_NEAR(std::pow(none / gradient_noise(0.2), 2), 0.8, 0.08);
  EXPECT_NEAR(std::pow(none / gradient_noise(0.5), 2), 0.5, 0.1);
}

TEST_P(WorstGroupPlan, LossesOfARegressionAreBoundedInUnitsOfItsTarget) {
  const auto bound = [&](const TrainingConfig& config, const TrainingFacts& facts) {
    const TrainingPlan made = plan(config, facts);
    const auto found = std::ranges::find_if(
        made.settings, [](const auto& one) { return one.first == "loss_bound"; });
    return found == made.settings.end() ? std::nan("") : found->second;
  };
  EXPECT_EQ(bound(config(), facts()), 2);
  TrainingFacts regression = facts();
  regression.model = "linear";
  regression.target = {10, 3, -40, 60};
  EXPECT_EQ(bound(config(), regression), 18 * 9);
  regression.target.lower = 4;  // the range is 12, and no residual longer
  regression.target.upper = 16;
  EXPECT_EQ(bound(config(), regression), 72);
  regression.model = "mlp";  // which predicts classes or a number
  EXPECT_EQ(bound(config(), regression), 72);
  TrainingConfig chosen = config();
  chosen.own.of<WorstGroupOptions>().loss_bound = 0.5;
  EXPECT_EQ(bound(chosen, regression), 0.5);
}

TEST_P(WorstGroupPlan, RefusesWhatItCannotHonour) {
  TrainingConfig wrong = config();
  wrong.own.of<WorstGroupOptions>().loss_bound = std::nan("");
  EXPECT_THAT(refusal(wrong, facts()), HasSubstr("loss_bound"));
  wrong = config();
  wrong.own.of<WorstGroupOptions>().loss_share = 1;
  EXPECT_THAT(refusal(wrong, facts()), HasSubstr("loss_share"));
  wrong = config();
  wrong.own.of<WorstGroupOptions>().radius = 0;
  EXPECT_THAT(refusal(wrong, facts()), HasSubstr("radius must be above 0"));
  wrong = config();
  wrong.own.of<WorstGroupOptions>().group_batch_size = 4001;
  EXPECT_THAT(refusal(wrong, facts()),
              HasSubstr("smallest group, a with 4000 training records, got 4001"));
  TrainingFacts few = facts();
  few.num_groups = 1;
  EXPECT_THAT(refusal(config(), few), HasSubstr("at least two groups, got 1"));
  few.num_groups = 0;
  EXPECT_THAT(refusal(config(), few), HasSubstr("--groups sex"));
  few = facts();
  few.groups.shares[1].reset();
  EXPECT_THAT(refusal(config(), few), HasSubstr("size of group b is not declared"));
  few.groups.shares[1] = 0;
  EXPECT_THAT(refusal(config(), few), HasSubstr("nobody is in group b"));
}

/// Clipped gradients and clamped losses of networks have the sensitivity of others, but for what
/// rounding adds.
TEST_P(WorstGroupPlan, NetworksCostWhatLinearModelsDo) {
  TrainingFacts network = facts();
  network.model = "mlp";
  network.sum_error = 1 << 10;
  const TrainingPlan made = plan(config(), network);
  const TrainingPlan linear = plan(config(), facts());
  EXPECT_EQ(made.noise_multiplier, linear.noise_multiplier);
  EXPECT_EQ(made.events(), linear.events());
  EXPECT_DOUBLE_EQ(made.noise_stddev,
                   made.noise_multiplier * (made.bound + made.grid * network.sum_error));
  network.max_exact_units = 0x1p60;
  EXPECT_THAT(refusal(config(), network), HasSubstr("exact sums of 20000 records do not fit"));
}

TEST_P(WorstGroupPlan, GroupBatchesAreThoseOfTheSmallestGroup) {
  TrainingConfig asked = config();
  asked.own.of<WorstGroupOptions>().group_batch_size = 800;
  const TrainingPlan made = plan(asked, facts());
  EXPECT_DOUBLE_EQ(made.sample_rate, 0.2);
  EXPECT_DOUBLE_EQ(made.config.batch_size, 4000);
}

INSTANTIATE_TEST_SUITE_P(Methods, WorstGroupPlan, ::testing::Values("mgr_w", "mgr", "ags"));

/// Noise on losses and choices at equal zCDP: a Laplace choice costs what its released losses cost,
/// and the exponential mechanism of twice the reciprocal is as dear as a Gaussian.
TEST(Ags, BothSelectionsMeetTheBudget) {
  TrainingConfig asked = config();
  const TrainingPlan gumbel = find_training_method("ags").make()->plan(asked, facts());
  asked.own.of<WorstGroupOptions>().selection = GroupSelection::kLaplace;
  const TrainingPlan laplace = find_training_method("ags").make()->plan(asked, facts());
  EXPECT_EQ(gumbel.events()[0].events()[0].events()[1].kind(), Event::Kind::kExponential);
  EXPECT_EQ(laplace.events()[0].events()[0].events()[1].kind(), Event::Kind::kLaplace);
  EXPECT_LE(laplace.privacy->epsilon.value(), 1);
  // A scale of s records' losses against one of s / 2.
  const double gumbel_scale = 1 / gumbel.events()[0].events()[0].events()[1].epsilon();
  const double laplace_scale = laplace.events()[0].events()[0].events()[1].noise_multiplier();
  EXPECT_LT(gumbel_scale, 0.6 * laplace_scale);
}

TEST(MgrWPlan, AnEpsilonThatRoundsToZeroIsNoError) {
  TrainingConfig noisy = config();
  noisy.epsilon.reset();
  noisy.noise_multiplier = 1000;
  noisy.num_steps = 1;
  noisy.delta = 0.1;
  TrainingFacts many = facts();
  many.num_records = 2'000'000'000;
  noisy.batch_size = 4;
  const TrainingPlan plan = find_training_method("mgr_w").make()->plan(noisy, many);
  EXPECT_EQ(plan.privacy->epsilon.value(), 0);
  EXPECT_THAT(plan.notes, Contains(HasSubstr("epsilon rounds to 0")));
}

}  // namespace equinoise::worst_group_plan_test
