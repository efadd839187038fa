// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "equinoise/models/generalised_linear.h"
#include "equinoise/train/methods/options.h"
#include "equinoise/train/methods/raco_dp.h"
#include "tests/constraints/constraint_cases.h"
#include "tests/small_tables.h"
#include "tests/train/seeded_run.h"

namespace equinoise::dp_lagrangian_test {

TrainingConfig config_of(const EncodedTable& table, int64_t num_steps) {
  TrainingConfig config;
  config.noise_multiplier = 1;
  config.batch_size = 100;
  config.num_steps = num_steps;
  const ConstraintDomain domain = {{}, table.classes};
  config.constraints = testing::shared_program("fnr:0.1", domain);
  return config;
}

TrainingFacts facts_of(const EncodedTable& table) {
  const LogisticModel model(table.feature_names, table.classes);
  return {table.num_records, model.num_parameters(), 0, 1, 1, {}, model.name()};
}

/// Keeps the multiplier after every step.
class Multipliers final : public StepObserver {
 public:
  void on_step(const StepView& view) override { all.push_back(view.state.clip[1]); }
  std::vector<double> all;
};

/// What multipliers do with the histograms is post-processing.
TEST(DpLagrangian, CostsWhatRacoDpDoes) {
  const EncodedTable table = testing::mixed_table(400, 1);
  const TrainingPlan plan =
      testing::method_of("dp_lagrangian").plan(config_of(table, 200), facts_of(table));
  EXPECT_EQ(plan.events(),
            testing::method_of("raco_dp").plan(config_of(table, 200), facts_of(table)).events());
  EXPECT_EQ(plan.method, "dp_lagrangian");
  EXPECT_EQ(plan.settings.back(), (std::pair<std::string, double>("dual_interval", 10)));
}

TEST(DpLagrangian, MultipliersMoveBetweenIntervalsOnly) {
  EncodedTable table = testing::mixed_table(400, 1);
  table.groups.assign(table.labels.size(), GroupId(0));
  TrainingConfig config = config_of(table, 10);
  config.own.of<DualStepOptions>().dual_interval = 4;
  const TrainingMethod& method = testing::method_of("dp_lagrangian");
  const TrainingPlan plan = method.plan(config, facts_of(table));
  const LogisticModel model(table.feature_names, table.classes);
  Multipliers seen;
  testing::run_with_seed(method, table, model, plan, 3, seen);
  ASSERT_EQ(seen.all.size(), 10);
  for (const size_t step : {0, 1, 2}) EXPECT_EQ(seen.all[step], 0);
  for (const size_t step : {4, 5, 6}) EXPECT_EQ(seen.all[step], seen.all[3]);
  for (const size_t step : {8, 9}) EXPECT_EQ(seen.all[step], seen.all[7]);
  EXPECT_GT(seen.all[3], 0) << "at first all are predicted negative";
  EXPECT_NE(seen.all[7], seen.all[3]);
}

/// Also where a batch has less than one record of those that a rate is of.
TEST(DpLagrangian, ARunInterruptedBetweenMovesEndsAsTheOther) {
  EncodedTable table = testing::mixed_table(400, 1);
  table.groups.assign(table.labels.size(), GroupId(0));
  std::ranges::fill(table.labels, uint16_t{0});
  table.labels[7] = table.labels[99] = 1;
  TrainingConfig config = config_of(table, 14);
  config.own.of<DualStepOptions>().dual_interval = 4;
  config.own.of<RateOptions>().histogram_noise_multiplier = 0.5;
  config.tail_average = 0;
  const TrainingMethod& method = testing::method_of("dp_lagrangian");
  const TrainingPlan plan = method.plan(config, facts_of(table));
  const LogisticModel model(table.feature_names, table.classes);
  const auto run_from = [&](TrainingState from, StepObserver& observer) {
    SeededSource source(3);
    return method
        .run({table, model, plan, std::move(from),
              Charge::unpaid(plan.events(), Relation::kZeroOut, source), source, observer})
        .parameters;
  };
  testing::KeptStates states;
  const std::vector<double> whole =
      run_from(TrainingState::start(model.initial_parameters(1)), states);
  ASSERT_EQ(states.all.size(), 14);
  ASSERT_GT(states.all[3].clip[1], 0) << "the multiplier moves";
  StepObserver silent;
  for (const size_t step : {3, 4, 5, 6, 7, 8, 9})
    EXPECT_EQ(run_from(states.all[step], silent), whole) << step;
}

}  // namespace equinoise::dp_lagrangian_test
