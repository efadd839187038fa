// SPDX-License-Identifier: Apache-2.0

#include <cmath>

#include "equinoise/audit/group_metrics.h"
#include "equinoise/models/generalised_linear.h"
#include "equinoise/train/registry.h"
#include "tests/models/model_cases.h"
#include "tests/small_tables.h"
#include "tests/test_support.h"

namespace equinoise::hinge_test {

/// Scores 0.5 x + 0.25: 1.25, -0.25, 0.75 and 1 exactly.
EncodedTable four_records() {
  EncodedTable table;
  table.num_records = 4;
  table.num_dense = table.num_features = 1;
  table.feature_names = {"x"};
  table.classes = {"no", "yes"};
  table.dense = {2, -1, 1, 1.5};
  table.labels = {1, 0, 0, 1};
  return table;
}

TEST(Hinge, LossIsWhatTheMarginLacksOfOne) {
  const EncodedTable table = four_records();
  const HingeModel model(table.feature_names, table.classes);
  const std::vector<double> theta = {0.5, 0.25};
  const Predictions predictions = model.predict(table, theta);
  EXPECT_THAT(predictions.loss, ElementsAre(0, 0.75, 1.75, 0));
  EXPECT_THAT(predictions.predicted, ElementsAre(1, 0, 1, 1));
  EXPECT_THAT(predictions.outputs, ElementsAre(0, 1, 1, 0, 0, 1, 0, 1));
}

/// At the kink the gradient is one of the subgradients: no line below the loss is steeper.
TEST(Hinge, GradientIsASubgradient) {
  const EncodedTable table = four_records();
  const HingeModel model(table.feature_names, table.classes);
  const std::vector<double> theta = {0.5, 0.25};
  PerSample samples;
  model.per_sample({table, testing::all_records(table)}, theta, samples);
  EXPECT_THAT(samples.output_gradient, ElementsAre(0, 1, 1, 0));
  const std::vector<double> here = model.predict(table, theta).loss;
  for (const double step : {-2.0, -0.1, 0.1, 2.0}) {
    const std::vector<double> there = model.predict(table, std::vector{0.5, 0.25 + step}).loss;
    for (size_t i = 0; i < here.size(); ++i)
      EXPECT_GE(there[i], here[i] + step * samples.output_gradient[i]) << i << " " << step;
  }
}

/// It has always one of its classes, so that only its outputs can say that it means nothing.
TEST(Hinge, AScoreThatIsNoNumberChoosesNothing) {
  const EncodedTable table = four_records();
  const HingeModel model({"x"}, {"no", "yes"});
  const double nan = std::nan("");
  EXPECT_THAT(model.predict(table, std::vector{0.5, 0.25}).outputs,
              ElementsAre(0, 1, 1, 0, 0, 1, 0, 1));
  for (const double output : model.predict(table, std::vector{nan, 0.0}).outputs)
    EXPECT_TRUE(std::isnan(output));
}

/// What counts probabilities must not take a choice for one.
TEST(Hinge, ChoicesAreNoProbabilities) {
  const EncodedTable table = testing::mixed_table(50, 1);
  const HingeModel model(table.feature_names, table.classes);
  std::vector<double> parameters(model.num_parameters(), 0.3);
  parameters.back() = -0.5;
  const Metrics metrics = overall_metrics(table, model.predict(table, parameters));
  EXPECT_TRUE(std::isfinite(metrics.accuracy.value));
  EXPECT_TRUE(std::isnan(metrics.auc.value));
  EXPECT_TRUE(std::isnan(metrics.calibration_gap.value));
}

TEST(Hinge, NeedsTwoClasses) {
  EXPECT_ERROR(kInput, HasSubstr("two values, the schema lists 3; use softmax"),
               HingeModel({"x"}, {"a", "b", "c"}));
}

/// Methods that follow noisy subgradients take it, those that rest on second derivatives or on
/// probabilities do not.
TEST(Hinge, IsForMethodsOfSubgradients) {
  for (const char* name :
       {"dpsgd", "balanced", "group_weighted", "mgr_w", "mgr", "ags", "oco_exp3"})
    EXPECT_TRUE(find_training_method(name).trains("hinge")) << name;
  for (const char* name : {"phased_erm", "fairlens", "dpse"})
    EXPECT_FALSE(find_training_method(name).trains("hinge")) << name;
  TrainingFacts facts{1000, 3, 0, 2, 1, {"group", {"a", "b"}, {0.5, 0.5}}, "hinge"};
  TrainingConfig config;
  config.noise_multiplier = 1;
  EXPECT_ERROR(kUsage, HasSubstr("got hinge; use mgr_w"),
               find_training_method("phased_erm").make()->plan(config, facts));
  config.batch_size = 100;
  config.noise_multiplier.reset();
  EXPECT_ERROR(kUsage, HasSubstr("second derivatives, which the loss of a hinge model"),
               find_training_method("fairlens").make()->plan(config, facts));
}

}  // namespace equinoise::hinge_test
