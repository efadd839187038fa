// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "equinoise/base/error.h"
#include "equinoise/reproduction/item.h"
#include "equinoise/reproduction/sweep/sweep_runs.h"
#include "equinoise/train/methods/options.h"
#include "equinoise/train/registry.h"
#include "tests/matchers.h"

namespace equinoise::sweep_experiment_test {

/// Of the methods of sweeps, those that are private have a budget and the others have none.
TEST(SweepExperiment, PrivateMethodsHaveABudget) {
  int num_sweeps = 0;
  for (const EmbeddedItem& embedded : reproduction_items()) {
    const ReproductionItem item = parse_reproduction_item(embedded);
    const auto* experiment =
        dynamic_cast<const ExperimentOf<ReproductionSweep>*>(item.experiment.get());
    if (experiment == nullptr) continue;
    ++num_sweeps;
    const ReproductionSweep& sweep = experiment->settings();
    ASSERT_EQ(sweep.methods.size(), item.methods.size());
    for (size_t m = 0; m < item.methods.size(); ++m) {
      const std::string& method = item.methods[m].method;
      const bool is_private = find_training_method(method).status == PrivacyStatus::kPrivate;
      for (const TrainingConfig& config : sweep.methods[m].configs)
        EXPECT_EQ(config.epsilon.has_value() || config.noise_multiplier.has_value(), is_private)
            << embedded.name << ": " << item.methods[m].name;
    }
  }
  EXPECT_GT(num_sweeps, 0);
}

/// A sweep of slacks with one more method, of that description.
ReproductionSweep sweep_with(const std::string& method, const std::string& levels = "") {
  const std::string text =
      "schema = \"\"\nsummary = \"\"\ndata = \"heart\"\nmodel = \"logistic\"\nseeds = 5\n"
      "batch_size = 128\ndelta = 1e-5\n[sweep]\nparameter = \"slack\"\nvalues = [0.5, 0.15]\n"
      "constraint = \"fnr:{}\"\nmetrics = [\"error\"]\n" +
      levels + "[methods.raco_dp]\nmethod = \"raco_dp\"\n[methods.other]\n" + method;
  const ReproductionItem item = parse_reproduction_item({"9/hearts", text});
  return dynamic_cast<const ExperimentOf<ReproductionSweep>&>(*item.experiment).settings();
}

void expect_unreadable(const std::string& method, const std::string& part,
                       const std::string& levels = "") {
  EXPECT_THAT([&] { sweep_with(method, levels); },
              ::testing::ThrowsMessage<Error>(HasSubstr(part)));
}

TEST(SweepExperiment, AMethodMayFollowAParameterOfItsOwn) {
  const ReproductionSweep sweep =
      sweep_with("method = \"dp_fermi\"\nparameter = \"penalty\"\nvalues = [1, 2, 4]\n");
  ASSERT_EQ(sweep.methods.size(), 2U);
  EXPECT_EQ(sweep.methods[0].values, (std::vector<double>{0.5, 0.15}));
  EXPECT_EQ(sweep.methods[1].parameter, "penalty");
  ASSERT_EQ(sweep.methods[1].configs.size(), 3U);
  EXPECT_EQ(sweep.methods[1].configs[2].own.of<FermiOptions>().penalty, 4);
  EXPECT_EQ(sweep_with("method = \"sgda\"\nvalues = [0.3]\n").methods[1].values,
            std::vector<double>{0.3});
}

TEST(SweepExperiment, RefusesWhatNoMethodFollows) {
  expect_unreadable("method = \"dp_fermi\"\nparameter = \"penalti\"\nvalues = [1]\n",
                    "no method has an option penalti");
  expect_unreadable("method = \"dp_fermi\"\nparameter = \"penalty\"\nvalues = [-1]\n", "penalty");
  expect_unreadable("method = \"dp_fermi\"\nparameter = \"penalty\"\n", "values");
  expect_unreadable("method = \"sgda\"\nparameter = \"push_limit\"\nvalues = [1]\n",
                    "would be left open");
  expect_unreadable("method = \"sgd\"\n", "levels need the metric training value",
                    "levels = [0.1]\n");
}

}  // namespace equinoise::sweep_experiment_test
