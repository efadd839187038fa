// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/run_check.h"

#include <gtest/gtest.h>

#include "equinoise/base/error.h"
#include "equinoise/models/mlp.h"
#include "equinoise/train/registry.h"
#include "tests/matchers.h"
#include "tests/small_tables.h"
#include "tests/train/configs.h"
#include "tests/train/seeded_run.h"

namespace equinoise::run_check_test {

/// A table, a model for it and a plan for both.
class RunCheck : public ::testing::Test {
 protected:
  RunCheck() {
    const TrainingConfig config = testing::stepwise_config(60, 3, 1);
    plan_ = method_->plan(config, {60, model_->num_parameters(), model_->sum_error(1)});
  }

  void run() const { testing::run_with_seed(*method_, table_, *model_, plan_, 5); }

  void expect_refused() const {
    EXPECT_THAT([&] { run(); },
                ::testing::ThrowsMessage<Error>(HasSubstr("does not belong to the model")));
  }

  EncodedTable table_ = testing::mixed_table(60, 3);
  std::unique_ptr<Model> model_ =
      make_mlp(table_.feature_names, make_softmax_loss(2), {{5}, ActivationKind::kTanh});
  std::unique_ptr<TrainingMethod> method_ = find_training_method("dpsgd").make();
  TrainingPlan plan_;
};

TEST_F(RunCheck, TakesATableOfTheModel) { EXPECT_NO_THROW(run()); }

/// The last of a tile would write behind it, any other one into the next record's gradient.
TEST_F(RunCheck, RefusesALabelThatIsNoClassOfTheModel) {
  table_.labels[59] = 2;
  expect_refused();
}

TEST_F(RunCheck, RefusesAFeatureBehindTheLast) {
  table_.active[7] = table_.num_features;
  expect_refused();
}

TEST_F(RunCheck, RefusesAOneHotFeatureAmongTheNumericOnes) {
  table_.active[7] = table_.num_dense - 1;
  expect_refused();
}

/// Its norm would be taken for that of two features.
TEST_F(RunCheck, RefusesAFeatureThatIsThereTwice) {
  table_.active[7] = table_.active[6];
  expect_refused();
}

TEST_F(RunCheck, RefusesTargetsOfAnotherKind) {
  table_.targets.assign(table_.labels.begin(), table_.labels.end());
  table_.labels.clear();
  expect_refused();
}

TEST_F(RunCheck, RefusesMoreNumericFeaturesThanFeatures) {
  table_.num_dense = table_.num_features + 1;
  table_.dense.resize(60 * table_.num_dense);
  expect_refused();
}

TEST_F(RunCheck, RefusesATableWithoutTheGroupsOfThePlan) {
  method_ = find_training_method("dpsgd_f").make();
  plan_ = method_->plan(plan_.config, {60, model_->num_parameters(), model_->sum_error(1), 2});
  EXPECT_THAT([&] { run(); },
              ::testing::ThrowsMessage<Error>(HasSubstr("the table has no groups")));
}

TEST_F(RunCheck, RefusesATableOfOtherFeatures) {
  ++table_.num_features;
  expect_refused();
}

TEST_F(RunCheck, RefusesRowsThatAreMissing) {
  table_.dense.pop_back();
  expect_refused();
}

TEST_F(RunCheck, RefusesAnotherNumberOfRecordsThanPlanned) {
  table_ = testing::mixed_table(61, 3);
  EXPECT_THAT([&] { run(); },
              ::testing::ThrowsMessage<Error>(HasSubstr("does not belong to the plan")));
}

}  // namespace equinoise::run_check_test
