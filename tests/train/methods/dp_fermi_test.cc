// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "equinoise/base/error.h"
#include "equinoise/models/generalised_linear.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/train/methods/options.h"
#include "tests/matchers.h"
#include "tests/small_tables.h"
#include "tests/train/configs.h"
#include "tests/train/seeded_run.h"

namespace equinoise::dp_fermi_test {

TrainingFacts facts_of_two() {
  TrainingFacts facts{2000, 11, 0, 2, 1, {"group", {"a", "b"}, {0.25, 0.75}}};
  facts.model = "logistic";
  return facts;
}

TrainingConfig config_with_noise() { return testing::stepwise_config(200, 300, 2); }

void expect_refused(const TrainingFacts& facts, const std::string& part) {
  EXPECT_THAT([&] { testing::method_of("dp_fermi").plan(config_with_noise(), facts); },
              ::testing::ThrowsMessage<Error>(HasSubstr(part)));
}

/// Both sums of a step cost as one Gaussian whose precision is theirs together.
TEST(DpFermi, AStepIsOneGaussianRelease) {
  TrainingConfig config = config_with_noise();
  config.own.of<FermiOptions>().ascent_noise_ratio = 1.5;
  const TrainingPlan plan = testing::method_of("dp_fermi").plan(config, facts_of_two());
  EXPECT_NEAR(plan.side_noise_multiplier, 3, 1e-12);
  const double both = 1 / std::sqrt(1 / 4.0 + 1 / 9.0);
  const std::vector<Event> alone = {
      Event::repeat(300, Event::poisson_sampled(0.1, {Event::gaussian(both)})),
      plan.events().back()};
  const double epsilon =
      smallest_guarantee(Relation::kZeroOut, alone, plan.privacy->delta).epsilon.value();
  EXPECT_NEAR(plan.privacy->epsilon.value(), epsilon, 1e-3 * epsilon);
  EXPECT_GE(plan.privacy->epsilon.value(), epsilon * (1 - 1e-9));
}

TEST(DpFermi, RefusesWhatItCannotPenalise) {
  TrainingFacts facts = facts_of_two();
  facts.num_groups = 0;
  facts.groups = {};
  expect_refused(facts, "give --groups");
  facts = facts_of_two();
  facts.groups.shares[1].reset();
  expect_refused(facts, "the public size of group b is not declared");
  facts.groups.shares[1] = 0;
  expect_refused(facts, "nobody is in group b");
  for (const char* model : {"linear", "hinge", "mlp", "cnn", "additive"}) {
    facts = facts_of_two();
    facts.model = model;
    expect_refused(facts, std::string("not ") + model);
  }
}

/// Of records that contribute nothing W moves by the noise that is paid for alone: that of a sum
/// whose part of a record is at most 1, times ascent_rate ascent_clip / batch_size.
TEST(DpFermi, TheStepOfWHasTheNoiseThatIsPaidFor) {
  EncodedTable table = testing::mixed_table(2000, 5);
  table.groups.assign(table.labels.size(), GroupId(0));
  std::ranges::fill(table.contributes, uint8_t{0});
  const LogisticModel model(table.feature_names, table.classes);
  TrainingFacts facts = facts_of_two();
  facts.num_parameters = model.num_parameters();
  TrainingConfig config = config_with_noise();
  config.num_steps = 1;
  auto& own = config.own.of<FermiOptions>();
  own.ascent_rate = 0.01;
  own.ascent_radius = 100;  // no ball
  own.ascent_clip = 3;
  const TrainingPlan plan = testing::method_of("dp_fermi").plan(config, facts);
  const double planned = plan.items[0].event.events()[0].events()[1].noise_multiplier();
  class Last final : public StepObserver {
   public:
    void on_step(const StepView& view) override { w = view.state.clip; }
    std::vector<double> w;
  };
  constexpr uint64_t kSeed = 20261128;
  constexpr int kRuns = 1000;
  const std::vector<double> start = {std::sqrt(0.25), std::sqrt(0.25), std::sqrt(0.75),
                                     std::sqrt(0.75)};
  double squares = 0;
  for (int i = 0; i < kRuns; ++i) {
    Last last;
    testing::run_with_seed(testing::method_of("dp_fermi"), table, model, plan,
                           kSeed + static_cast<uint64_t>(i), last);
    ASSERT_EQ(last.w.size(), start.size());
    for (size_t j = 0; j < start.size(); ++j)
      squares += std::pow((last.w[j] - start[j]) * 200 / (0.01 * 3), 2);
  }
  // Chi-squared of 4,000 degrees of freedom: 4.9 deviations at significance 1e-6.
  const double ratio = squares / (4 * kRuns) / (planned * planned);
  const double critical = 4.9 * std::sqrt(2.0 / (4 * kRuns));
  std::printf("seeds from %llu, %d runs, significance 1e-6, ratio %.4f, critical 1 +- %.4f\n",
              static_cast<unsigned long long>(kSeed), kRuns, ratio, critical);
  EXPECT_NEAR(ratio, 1, critical);
}

/// A table whose groups differ in a feature that tells the label: the penalty closes the gap
/// between mean predictions, whatever the groups' sizes.
TEST(DpFermi, ClosesTheGapBetweenGroups) {
  EncodedTable table = testing::mixed_table(2000, 5);
  for (size_t i = 0; i < table.contributes.size(); ++i) {
    const bool is_first = i % 4 == 0;
    table.groups.push_back(GroupId(is_first ? 0 : 1));
    table.dense[i * table.num_dense] *= is_first ? 1.0F : 0.2F;
    table.labels[i] = table.dense[i * table.num_dense] > 0.3F ? 1 : 0;
  }
  const LogisticModel model(table.feature_names, table.classes);
  const auto gap_at = [&](double penalty) {
    TrainingConfig config = config_with_noise();
    config.noise_multiplier = 1;
    config.own.of<FermiOptions>().penalty = penalty;
    const TrainingPlan plan = testing::method_of("dp_fermi").plan(config, facts_of_two());
    const TrainedModel trained =
        testing::run_with_seed(testing::method_of("dp_fermi"), table, model, plan, 20261128);
    const Predictions predictions = model.predict(table, trained.parameters);
    double means[2] = {};
    for (size_t i = 0; i < table.groups.size(); ++i)
      means[index_of(table.groups[i])] += predictions.outputs[2 * i + 1];
    return std::fabs(means[0] / 500 - means[1] / 1500);
  };
  const double without = gap_at(0);
  const double little = gap_at(0.5);
  const double much = gap_at(5);
  EXPECT_GT(without, 0.2);
  EXPECT_LT(little, 0.9 * without);
  EXPECT_LT(much, 0.25 * without);
}

}  // namespace equinoise::dp_fermi_test
