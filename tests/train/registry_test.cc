// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "equinoise/train/optimizer.h"
#include "equinoise/train/optimizers.h"
#include "tests/test_support.h"

namespace equinoise::registry_test {
namespace {

using ::testing::HasSubstr;

TEST(TrainingRegistry, ARowFollowsItsOptions) {
  const TrainingMethodRow& row = find_training_method("dpsgd_global");
  for (const char* option : {"batch_size", "optimizer", "max_grad_norm", "strict_bound"})
    EXPECT_TRUE(row.follows(option)) << option;
  for (const char* option : {"threshold", "strict", "--strict-bound", "epsilon", ""})
    EXPECT_FALSE(row.follows(option)) << option;
}

TEST(TrainingRegistry, WhoLooksAtAllRecordsFollowsNoBatchSize) {
  for (const TrainingMethodRow& row : training_methods()) {
    const auto method = row.make();
    if (method->takes_full_batches() || !method->is_stepwise()) {
      EXPECT_FALSE(row.follows("batch_size")) << row.name;
    }
  }
}

TEST(TrainingRegistry, AnUnknownNameIsRefusedWithTheNearest) {
  EXPECT_THAT(error_of(ErrorKind::kUsage, [] { find_training_method("dpsdg"); }),
              HasSubstr("did you mean \"dpsgd\"?"));
}

/// What is told of a rule in reports is what can be chosen of it.
TEST(Optimizers, FollowTheOptionsOfTheirSettings) {
  for (const OptimizerRow& row : optimizers()) {
    OptimizerConfig config;
    config.name = row.name;
    std::vector<std::string> followed;
    for (const TrainingOption& option : step_options()) {
      const std::vector<std::string_view>& words = option.facts.on_words;
      if (std::find(words.begin(), words.end(), row.name) != words.end())
        followed.emplace_back(option.facts.name);
    }
    std::vector<std::string> told;
    for (const auto& [name, value] : optimizer_settings(config)) told.push_back(name);
    EXPECT_EQ(told, followed) << row.name;
    EXPECT_EQ(optimizer_state_size(config, 10), 10 * row.numbers_per_parameter);
    EXPECT_EQ(default_learning_rate(config), row.default_learning_rate);
  }
}

}  // namespace
}  // namespace equinoise::registry_test
