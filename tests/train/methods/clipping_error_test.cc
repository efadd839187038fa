// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "equinoise/models/mlp.h"
#include "equinoise/train/gradient_sums.h"
#include "equinoise/train/registry.h"
#include "tests/small_tables.h"
#include "tests/test_support.h"
#include "tests/train/configs.h"
#include "tests/train/seeded_run.h"

namespace equinoise::clipping_error_test {

/// Every step has the length of one gradient and the direction of the other.
TEST(ClippingError, EachStepHasOneErrorOnly) {
  EncodedTable table = testing::mixed_table(300, 5);
  table.contributes[4] = 0;
  const auto model =
      make_mlp(table.feature_names, make_softmax_loss(2), {{5}, ActivationKind::kTanh});
  TrainingConfig config = testing::stepwise_config(60, 8);
  config.learning_rate = config.final_learning_rate = 0.5;
  config.tail_average = 0;
  config.max_grad_norm = 0.2;
  for (const bool keeps_magnitude_error : {true, false}) {
    const auto method =
        find_training_method(keeps_magnitude_error ? "magnitude_error" : "direction_error").make();
    const TrainingPlan plan = method->plan(config, {table.num_records, model->num_parameters()});
    EXPECT_TRUE(plan.items.empty() && !plan.privacy);

    class Steps final : public StepObserver {
     public:
      Steps(const EncodedTable& table, const Model& model, bool keeps_magnitude_error)
          : table_(table), model_(model), keeps_magnitude_error_(keeps_magnitude_error) {}
      void on_batch(const BatchView& view) override {
        sums_ = sum_gradients(table_, 0, model_, view.parameters, FlatClip(0.2), view.batch.records,
                              60);
        before_.assign(view.parameters.begin(), view.parameters.end());
      }
      void on_step(const StepView& view) override {
        std::vector<double> step;
        for (size_t j = 0; j < before_.size(); ++j)
          step.push_back((before_[j] - view.state.parameters[j]) / 0.5);
        const auto& along = keeps_magnitude_error_ ? sums_.plain : sums_.clipped;
        const auto& long_as = keeps_magnitude_error_ ? sums_.clipped : sums_.plain;
        EXPECT_NEAR(norm(step), norm(long_as), 1e-9);
        EXPECT_NEAR(inner_product(step, along), norm(step) * norm(along), 1e-9);
        // The two differ, or there would be nothing to see.
        EXPECT_LT(norm(sums_.clipped), 0.9 * norm(sums_.plain));
        EXPECT_LT(inner_product(sums_.clipped, sums_.plain),
                  (1 - 1e-6) * norm(sums_.clipped) * norm(sums_.plain));
        ++num_steps;
      }
      int num_steps = 0;

     private:
      const EncodedTable& table_;
      const Model& model_;
      bool keeps_magnitude_error_;
      GradientSums sums_;
      std::vector<double> before_;
    } steps(table, *model, keeps_magnitude_error);
    testing::run_with_seed(*method, table, *model, plan, 3, steps);
    EXPECT_EQ(steps.num_steps, 8);
  }
}

TEST(ClippingError, TakesNoGuaranteeAndNoNoise) {
  for (const char* name : {"magnitude_error", "direction_error"}) {
    const auto method = find_training_method(name).make();
    TrainingConfig config;
    config.batch_size = 10;
    config.epsilon = 1;
    EXPECT_ERROR(kUsage, HasSubstr("is not private and takes neither --epsilon"),
                 method->plan(config, {100, 5}));
    config.epsilon.reset();
    config.noise_multiplier = 1;
    EXPECT_ERROR(kUsage, HasSubstr(name), method->plan(config, {100, 5}));
  }
}

/// An empty batch, and one of records without a gradient, are no step.
TEST(ClippingError, NothingIsNoStep) {
  EncodedTable table = testing::mixed_table(20, 5);
  for (uint8_t& contributes : table.contributes) contributes = 0;
  const auto model =
      make_mlp(table.feature_names, make_softmax_loss(2), {{5}, ActivationKind::kTanh});
  const TrainingConfig config = testing::stepwise_config(5, 3);
  const std::vector<double> start = model->initial_parameters(1);
  for (const char* name : {"magnitude_error", "direction_error"}) {
    const auto method = find_training_method(name).make();
    SeededSource source(3);
    StepObserver silent;
    const TrainedModel trained = method->run(
        {table, *model, method->plan(config, {20, model->num_parameters()}),
         TrainingState::start(start), Charge::nothing(config.relation), source, silent});
    for (size_t j = 0; j < start.size(); ++j) EXPECT_DOUBLE_EQ(trained.parameters[j], start[j]);
  }
}

}  // namespace equinoise::clipping_error_test
