// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/registry.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "equinoise/base/lists.h"
#include "equinoise/train/methods/options.h"
#include "equinoise/train/methods/raco_dp.h"
#include "equinoise/train/optimizer.h"
#include "equinoise/train/tailoring/tailoring_options.h"
#include "tests/test_support.h"

namespace equinoise::registry_test {
namespace {

TEST(TrainingRegistry, ARowFollowsItsOptions) {
  const TrainingMethodRow& row = find_training_method("dpsgd_global");
  for (const char* option : {"batch_size", "optimizer", "max_grad_norm", "strict_bound"})
    EXPECT_TRUE(row.follows(option)) << option;
  for (const char* option : {"threshold", "strict", "--strict-bound", "epsilon", ""})
    EXPECT_FALSE(row.follows(option)) << option;
}

TEST(TrainingRegistry, AConfigurationWithoutTheOptionsOfOthers) {
  TrainingConfig config;
  config.own.of<GroupCostOptions>().weights = {{"Female", 2}};
  config.own.of<RateOptions>().max_multiplier = 7;
  config.own.of<TailoringOptions>().split = SplitRule::kError;
  config.own.of<TailoringOptions>().max_shares = {{"Female", 0.3}};
  config.learning_rate = 0.2;
  const TrainingConfig of_dpse = find_training_method("dpse").followed(config);
  EXPECT_TRUE(of_dpse.own.of<GroupCostOptions>().weights.empty());
  EXPECT_EQ(of_dpse.own.of<RateOptions>().max_multiplier, RateOptions().max_multiplier);
  EXPECT_EQ(of_dpse.own.of<TailoringOptions>().split, SplitRule::kError);
  EXPECT_EQ(of_dpse.own.of<TailoringOptions>().max_shares,
            config.own.of<TailoringOptions>().max_shares);
  EXPECT_EQ(of_dpse.learning_rate, 0.2);
  const TrainingConfig of_sgd = find_training_method("sgd").followed(config);
  EXPECT_EQ(of_sgd.own.of<TailoringOptions>().split, SplitRule::kUniform);
  EXPECT_TRUE(of_sgd.own.of<TailoringOptions>().max_shares.empty());
  EXPECT_EQ(of_sgd.learning_rate, 0.2);
}

TEST(TrainingRegistry, OptionsOfOthersAreRefused) {
  TrainingConfig config;
  config.own.of<GroupCostOptions>().epsilons = {{"Female", 0.5}};
  config.learning_rate = 0.2;
  EXPECT_NO_THROW(check_followed("test", find_training_method("group_weighted"), config));
  EXPECT_ERROR(kUsage,
               HasSubstr("group_epsilon has no effect with dpsgd; only group_weighted, balanced"),
               check_followed("test", find_training_method("dpsgd"), config));
  EXPECT_NO_THROW(check_followed("test", find_training_method("phased_erm"), TrainingConfig()));
}

/// Each class has traits of its own and not those of the class it extends.
TEST(TrainingRegistry, EachMethodHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (const TrainingMethodRow& row : training_methods()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(row.make()->traits().name, row.name);
  }
}

TEST(TrainingRegistry, WhoLooksAtAllRecordsFollowsNoBatchSize) {
  for (const TrainingMethodRow& row : training_methods()) {
    // It looks at all records once, after the steps on batches.
    if (row.name == "dp_postprocess") continue;
    if (row.takes_full_batches || !row.is_stepwise) {
      EXPECT_FALSE(row.follows("batch_size")) << row.name;
    }
  }
}

TEST(TrainingRegistry, AnUnknownNameIsRefusedWithTheNearest) {
  EXPECT_ERROR(kUsage, HasSubstr("did you mean \"dpsgd\"?"), find_training_method("dpsdg"));
}

/// What is told of a rule in reports is what can be chosen of it.
TEST(Optimizers, FollowTheOptionsOfTheirSettings) {
  for (const OptimizerRow& row : optimizers()) {
    OptimizerConfig config;
    config.name = row.name;
    std::vector<std::string> followed;
    for (const TrainingOption& option : step_options()) {
      const std::vector<std::string_view>& words = option.facts.on_words;
      if (contains(words, row.name)) followed.emplace_back(option.facts.name);
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
