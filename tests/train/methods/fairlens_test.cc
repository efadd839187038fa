// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/models/generalised_linear.h"
#include "equinoise/train/fairlens_sum.h"
#include "equinoise/train/methods/options.h"
#include "tests/small_tables.h"
#include "tests/test_support.h"
#include "tests/train/seeded_run.h"

namespace equinoise::fairlens_test {

/// Remembers the state after every step, and the batches.
class Recorder final : public StepObserver {
 public:
  void on_batch(const BatchView& view) override {
    batches.emplace_back(view.batch.records.begin(), view.batch.records.end());
    EXPECT_EQ(view.grid, 0);
    EXPECT_TRUE(view.sum_units.empty());
  }
  void on_step(const StepView& view) override { states.push_back(view.state); }
  std::vector<TrainingState> states;
  std::vector<std::vector<uint32_t>> batches;
};

class FairLensMethod : public ::testing::Test {
 protected:
  FairLensMethod()
      : table_(testing::mixed_table(300, 5)), model_(table_.feature_names, table_.classes) {
    for (size_t i = 0; i < table_.contributes.size(); ++i) table_.groups.push_back(GroupId(i % 2));
    config_.batch_size = 60;
    config_.num_steps = 12;
    config_.max_grad_norm = 0.5;
    config_.tail_average = 0;
  }

  TrainingFacts facts() const {
    TrainingFacts facts = {table_.num_records, model_.num_parameters(), 0, 2};
    facts.model = model_.name();
    return facts;
  }

  TrainedModel run(TrainingState start, Recorder& recorder) const {
    const TrainingMethod& method = testing::method_of("fairlens");
    SeededSource source(3);
    return method.run({table_, model_, method.plan(config_, facts()), std::move(start),
                       Charge::nothing(Relation::kZeroOut), source, recorder});
  }

  TrainingState start() const {
    return TrainingState::start(std::vector<double>(model_.num_parameters()));
  }

  EncodedTable table_;
  LogisticModel model_;
  TrainingConfig config_;
};

TEST_F(FairLensMethod, WithoutNoiseStepsFollowTheRegularisedSum) {
  config_.own.of<FairLensOptions>().clipping_penalty = 0.5;
  config_.own.of<FairLensOptions>().boundary_penalty = 2;
  config_.final_learning_rate = config_.learning_rate;
  Recorder recorder;
  run(start(), recorder);
  FairLensSum fairlens(table_, model_, {0.5, 2, 0.5, 2});
  std::vector<double> theta(model_.num_parameters());
  for (size_t t = 0; t < recorder.states.size(); ++t) {
    const std::vector<double> sum = fairlens.clipped_sum(recorder.batches[t], theta);
    for (size_t j = 0; j < theta.size(); ++j) {
      EXPECT_NEAR(recorder.states[t].parameters[j],
                  theta[j] - config_.learning_rate * sum[j] / config_.batch_size, 1e-14);
    }
    theta = recorder.states[t].parameters;
  }
}

/// Steps on empty batches are the noise alone. Critical value: 22,000 squares of normals, whose
/// mean is beyond 1 +- 0.047 with probability 1e-6. Seed 3.
TEST_F(FairLensMethod, NoiseHasTheStandardDeviationThatIsAskedFor) {
  config_.batch_size = 1e-5;
  config_.num_steps = 2000;
  config_.noise_multiplier = 3;
  config_.final_learning_rate = config_.learning_rate;
  Recorder recorder;
  run(start(), recorder);
  const double scale = config_.learning_rate * 3 * config_.max_grad_norm / config_.batch_size;
  double squares = 0;
  double sum = 0;
  std::vector<double> theta(model_.num_parameters());
  for (size_t t = 0; t < recorder.states.size(); ++t) {
    EXPECT_TRUE(recorder.batches[t].empty());
    for (size_t j = 0; j < theta.size(); ++j) {
      const double noise = (recorder.states[t].parameters[j] - theta[j]) / scale;
      squares += noise * noise;
      sum += noise;
    }
    theta = recorder.states[t].parameters;
  }
  const auto count = static_cast<double>(2000 * theta.size());
  EXPECT_NEAR(squares / count, 1, 0.047);
  EXPECT_NEAR(sum / count, 0, 4.9 / std::sqrt(count));
}

TEST_F(FairLensMethod, GoesOnWithItsNoiseFromAnyState) {
  config_.noise_multiplier = 1;
  Recorder whole;
  const std::vector<double> trained = run(start(), whole).parameters;
  for (const size_t step : {size_t{0}, size_t{5}, size_t{10}}) {
    Recorder rest;
    EXPECT_EQ(run(whole.states[step], rest).parameters, trained) << step;
  }
}

TEST_F(FairLensMethod, RefusesATargetAndNeedsGroups) {
  config_.epsilon = 3;
  EXPECT_ERROR(kUsage, HasSubstr("fairlens is not private"),
               testing::method_of("fairlens").plan(config_, facts()));
  config_.epsilon.reset();
  TrainingFacts no_groups = facts();
  no_groups.num_groups = 0;
  EXPECT_ERROR(kUsage, HasSubstr("give --groups"),
               testing::method_of("fairlens").plan(config_, no_groups));
}

}  // namespace equinoise::fairlens_test
