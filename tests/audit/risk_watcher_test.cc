// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/risk_watcher.h"

#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/models/mlp.h"
#include "equinoise/train/registry.h"
#include "tests/small_tables.h"
#include "tests/train/configs.h"

namespace equinoise::risk_watcher_test {

/// What is told of each watched step is what excessive_risk() tells of it.
TEST(RiskWatcher, TellsOfEveryStepThatIsDue) {
  EncodedTable table = testing::mixed_table(200, 3);
  for (size_t i = 0; i < 200; ++i) table.groups.push_back(GroupId(i % 5 == 0 ? 1 : 0));
  const auto model =
      make_mlp(table.feature_names, make_softmax_loss(2), {{6}, ActivationKind::kTanh});
  TrainingConfig config = testing::stepwise_config(50, 7, 2);
  config.learning_rate = 0.4;
  config.final_learning_rate = 0.1;
  config.max_grad_norm = 0.5;
  const auto method = find_training_method("dpsgd_f").make();
  TrainingFacts facts;
  facts.num_records = table.num_records;
  facts.num_parameters = model->num_parameters();
  facts.sum_error = model->sum_error(1);
  facts.num_groups = 2;
  const TrainingPlan plan = method->plan(config, facts);
  const RiskEffort effort{4, 1, false, 1};

  class Watch final : public StepObserver {
   public:
    Watch(RiskWatcher given, const EncodedTable& table, const Model& model,
          const RiskEffort& effort)
        : watcher(std::move(given)), table_(table), model_(model), effort_(effort) {}
    void on_batch(const BatchView& view) override {
      watcher.on_batch(view);
      if (view.step % 3 != 0) return;
      const double rate = 0.4 - 0.3 * static_cast<double>(view.step) / 6;
      const StepSetting step{
          sum_gradients(table_, 2, model_, view.parameters, view.clip, view.batch.records, 50), 50,
          rate, 2 * view.clip.bound()};
      expected.push_back(
          excessive_risk(table_, 2, model_, view.parameters, view.clip, step, effort_));
    }
    RiskWatcher watcher;
    std::vector<ExcessiveRisk> expected;

   private:
    const EncodedTable& table_;
    const Model& model_;
    const RiskEffort& effort_;
  };
  Watch watch(RiskWatcher(table, table, 2, *model, plan, 3, effort), table, *model, effort);
  SeededSource source(3);
  method->run({table, *model, plan, TrainingState::start(model->initial_parameters(1)),
               Charge::unpaid(plan.events(), plan.config.relation, source), source, watch});
  const std::vector<RiskPoint>& points = watch.watcher.points();
  ASSERT_EQ(points.size(), 3U);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(points[i].step, static_cast<int64_t>(3 * i));
    for (size_t a = 0; a < 2; ++a) {
      const GroupRisk& told = points[i].risk.groups[a];
      const GroupRisk& expected = watch.expected[i].groups[a];
      EXPECT_NEAR(told.direction, expected.direction, 1e-12 * std::fabs(expected.direction));
      EXPECT_NEAR(told.noise, expected.noise, 1e-12 * std::fabs(expected.noise));
      EXPECT_NE(told.noise, 0);
    }
  }
}

/// An error leaves the looks that were taken, and the run as it is.
TEST(RiskWatcher, AnErrorEndsTheWatchingAndNothingElse) {
  EncodedTable table = testing::mixed_table(50, 3);
  for (size_t i = 0; i < 50; ++i) table.groups.push_back(GroupId(i % 2));
  EncodedTable judged = table;
  const auto model =
      make_mlp(table.feature_names, make_softmax_loss(2), {{3}, ActivationKind::kTanh});
  const TrainingConfig config = testing::stepwise_config(10, 10);
  const TrainingPlan plan =
      find_training_method("sgd").make()->plan(config, {50, model->num_parameters()});
  RiskWatcher watcher(table, judged, 2, *model, plan, 1, {2, 1, false, 1});
  const std::vector<uint32_t> batch = {1, 4, 8};
  const std::vector<double> parameters = model->initial_parameters(1);
  const FlatClip clip(1);
  const auto at = [&](int64_t step) { return BatchView{step, {batch}, parameters, clip, {}, 0}; };
  watcher.try_batch(at(0));
  EXPECT_EQ(watcher.why_ended(), "");
  judged.groups.clear();
  EXPECT_THROW(watcher.on_batch(at(1)), Error);
  watcher.try_batch(at(1));
  EXPECT_EQ(watcher.why_ended().find("the explanations end before step 1: "), 0U);
  judged.groups = table.groups;
  watcher.try_batch(at(2));
  EXPECT_EQ(watcher.points().size(), 1U);
}

}  // namespace equinoise::risk_watcher_test
