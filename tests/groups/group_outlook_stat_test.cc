// SPDX-License-Identifier: Apache-2.0
// What the outlook expects, beside what training does to records that are as it assumes.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/groups/group_outlook.h"
#include "equinoise/models/linear.h"
#include "equinoise/models/per_group_model.h"
#include "equinoise/train/iterates.h"
#include "equinoise/train/methods/group_weighted.h"
#include "equinoise/train/registry.h"
#include "equinoise/train/tailoring/tailored_outlook.h"
#include "equinoise/train/tailoring/tailoring_options.h"

namespace equinoise::group_outlook_stat_test {
namespace {

constexpr uint64_t kSeed = 20261122;
constexpr int64_t kRecords = 2000;
constexpr size_t kFeatures = 4;
constexpr double kResidualStddev = 0.5;
constexpr double kDifference = 0.3;
constexpr int kRuns = 200;
constexpr double kTolerance =
    0.25;  // of an expected error: five standard errors of the least certain one
const std::vector<double> kShares = {0.85, 0.15};

/// A method, and what is given to it beside the run.
struct Case {
  std::string_view name;
  TailoringOptions tailoring = {};
};

std::vector<Case> cases() {
  std::vector<Case> all = {{"dpsgd"}, {"balanced"}, {"decoupled"}, {"dpse"}};
  TailoringOptions mean;
  mean.objectives = {"mean"};
  TailoringOptions tailored;
  tailored.split = SplitRule::kErrorOverSize;
  tailored.objectives = {"0.5"};
  TailoringOptions bounded;
  bounded.loss_multipliers = {0.5};
  bounded.loss_clip = 2;
  // Losses whose noise decides which group is pushed.
  TailoringOptions noisy = bounded;
  noisy.loss_clip = 100;
  for (const TailoringOptions& tailoring : {mean, tailored, bounded, noisy})
    all.push_back({"dpse", tailoring});
  return all;
}

/// The best parameters of the groups: they differ in the first one.
double best_parameter(size_t group, size_t j) {
  const double centre = 0.4 * static_cast<double>(j % 3);
  return j == 0 ? centre + (group == 0 ? kDifference : -kDifference) : centre;
}

EncodedTable make_table(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  EncodedTable table;
  table.num_records = kRecords;
  table.num_dense = table.num_features = kFeatures;
  for (size_t j = 0; j < kFeatures; ++j) table.feature_names.push_back("x" + std::to_string(j));
  table.contributes.assign(kRecords, 1);
  for (int64_t i = 0; i < kRecords; ++i) {
    const size_t group = i < std::llround(kShares[0] * kRecords) ? 0 : 1;
    table.groups.push_back(GroupId(static_cast<uint32_t>(group)));
    double target = kResidualStddev * normal(random) + best_parameter(group, kFeatures);
    for (size_t j = 0; j < kFeatures; ++j) {
      const double value = normal(random);
      table.dense.push_back(static_cast<float>(value));
      target += value * best_parameter(group, j);
    }
    table.targets.push_back(static_cast<float>(target));
  }
  return table;
}

TEST(GroupOutlookStat, IsWhatTrainingDoes) {
  TrainingConfig config;
  config.noise_multiplier = 1.5;
  config.max_grad_norm = 100;  // no gradient is clipped
  config.batch_size = 800;
  config.num_steps = 600;
  config.learning_rate = 0.3;
  config.final_learning_rate = 0.1;
  const LinearModel shared(make_table(0).feature_names);
  const PerGroupModel separate(std::make_unique<LinearModel>(make_table(0).feature_names),
                               {"many", "few"}, kShares);
  OutlookFacts outlook;
  outlook.num_parameters = kFeatures + 1;
  outlook.num_records = kRecords;
  outlook.shares = kShares;
  outlook.group_difference = kDifference;
  outlook.residual_variance = kResidualStddev * kResidualStddev;
  for (const auto& [name, tailoring] : cases()) {
    config.own.of<TailoringOptions>() = tailoring;
    // Of the whole run: as much as the others' steps cost together, but on full batches.
    config.noise_multiplier = name == "dpse" ? 0.2 : 1.5;
    config.delta = name == "dpse" ? 0.1 : 1e-6;
    const auto method = find_training_method(name).make();
    const Model& model =
        method->has_model_per_group() ? static_cast<const Model&>(separate) : shared;
    const TrainingPlan plan = method->plan(config, {kRecords,
                                                    model.num_parameters(),
                                                    0,
                                                    2,
                                                    1,
                                                    {"group", {"many", "few"}, {0.85, 0.15}},
                                                    "linear"});
    const int64_t num_averaged = config.num_steps - first_averaged_step(config);
    const double noise =
        plan.noise_stddev / (config.batch_size * std::sqrt(static_cast<double>(num_averaged)));
    const std::vector<ExpectedError> expected =
        name == "dpse" ? tailored_outlook(outlook, plan, num_averaged).errors
        : method->has_model_per_group()
            ? separate_outlook(outlook, noise)
            : shared_outlook(
                  outlook,
                  plan.group_weights.empty() ? std::vector<double>{1, 1} : plan.group_weights,
                  noise);
    std::vector<double> error(2, 0.0);
    for (int run = 0; run < kRuns; ++run) {
      const EncodedTable table = make_table(kSeed + static_cast<uint64_t>(run));
      SeededSource source(kSeed + static_cast<uint64_t>(run));
      StepObserver silent;
      const TrainedModel trained =
          method->run({table, model, plan, TrainingState::start(model.initial_parameters(0)),
                       Charge::unpaid(plan.events(), Relation::kZeroOut, source), source, silent});
      for (size_t k = 0; k < 2; ++k) {
        const size_t begin = method->has_model_per_group() ? k * (kFeatures + 1) : 0;
        for (size_t j = 0; j <= kFeatures; ++j)
          error[k] += std::pow(trained.parameters[begin + j] - best_parameter(k, j), 2) / kRuns;
      }
    }
    for (size_t k = 0; k < 2; ++k) {
      std::printf(
          "%s %s %s, group %zu: %.4f, expected %.4f (privacy %.4f, chance %.4f, others %.4f); "
          "%d runs, seed %llu, tolerance %g\n",
          std::string(name).c_str(), std::string(word_of(kSplitRules, tailoring.split)).c_str(),
          tailoring.objectives[0].c_str(), k, error[k], expected[k].total(), expected[k].noise,
          expected[k].sampling, expected[k].difference, kRuns,
          static_cast<unsigned long long>(kSeed), kTolerance);
      EXPECT_NEAR(error[k], expected[k].total(), kTolerance * expected[k].total()) << name << k;
    }
  }
}

/// Sexes, whose best parameters differ in the first one, and cities, whose differ in the second.
const std::vector<std::vector<size_t>> kGroupsOfCell = {{0, 2}, {0, 3}, {1, 2}, {1, 3}};
const std::vector<double> kCellShares = {0.6, 0.25, 0.1, 0.05};
const std::vector<double> kGroupShares = {0.85, 0.15, 0.7, 0.3};

double best_parameter_of_cell(size_t cell, size_t j) {
  const double centre = 0.4 * static_cast<double>(j % 3);
  if (j > 1) return centre;
  return centre + (kGroupsOfCell[cell][j] % 2 == 0 ? kDifference : -kDifference);
}

/// Of all members of the group.
double best_parameter_of_group(size_t group, size_t j) {
  double sum = 0;
  double share = 0;
  for (size_t c = 0; c < kCellShares.size(); ++c) {
    if (kGroupsOfCell[c][0] != group && kGroupsOfCell[c][1] != group) continue;
    sum += kCellShares[c] * best_parameter_of_cell(c, j);
    share += kCellShares[c];
  }
  return sum / share;
}

EncodedTable make_overlapping_table(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  EncodedTable table = make_table(0);
  table.groups.clear();
  table.targets.clear();
  for (size_t c = 0; c < kCellShares.size(); ++c) {
    for (int64_t i = 0; i < std::llround(kCellShares[c] * kRecords); ++i) {
      const size_t row = table.targets.size() * kFeatures;
      table.groups.push_back(GroupId(static_cast<uint32_t>(c)));
      double target = kResidualStddev * normal(random) + best_parameter_of_cell(c, kFeatures);
      for (size_t j = 0; j < kFeatures; ++j) {
        const double value = normal(random);
        table.dense[row + j] = static_cast<float>(value);
        target += value * best_parameter_of_cell(c, j);
      }
      table.targets.push_back(static_cast<float>(target));
    }
  }
  return table;
}

TEST(GroupOutlookStat, IsWhatTrainingDoesOfGroupsThatOverlap) {
  const LinearModel model(make_table(0).feature_names);
  TrainingFacts facts;
  facts.num_records = kRecords;
  facts.num_parameters = model.num_parameters();
  facts.num_groups = kCellShares.size();
  facts.groups = {"sex,city", {"a", "b", "c", "d"}, {0.6, 0.25, 0.1, 0.05}};
  facts.model = "linear";
  facts.overlapping = {{"", {"many", "few", "here", "there"}, {0.85, 0.15, 0.7, 0.3}},
                       kGroupsOfCell};
  OutlookFacts outlook;
  outlook.num_parameters = kFeatures + 1;
  outlook.num_records = kRecords;
  outlook.shares = kCellShares;
  outlook.group_difference = kDifference;
  outlook.residual_variance = kResidualStddev * kResidualStddev;
  outlook.groups_of_cell = kGroupsOfCell;
  for (const auto& [name, tailoring] : cases()) {
    if (name == "decoupled" || name == "balanced") continue;
    TrainingConfig config;
    config.noise_multiplier = name == "dpse" ? 0.2 : 1.5;
    config.delta = name == "dpse" ? 0.1 : 1e-6;
    config.max_grad_norm = 100;  // no gradient is clipped
    config.batch_size = 800;
    config.num_steps = 600;
    config.learning_rate = 0.3;
    config.final_learning_rate = 0.1;
    config.own.of<TailoringOptions>() = tailoring;
    const bool is_weighted = name == "dpsgd";
    if (is_weighted)
      config.own.of<GroupCostOptions>().weights = {{"a", 0.5}, {"b", 1}, {"c", 2}, {"d", 3}};
    const auto method = find_training_method(is_weighted ? "group_weighted" : name).make();
    const TrainingPlan plan = method->plan(config, facts);
    const int64_t num_averaged = config.num_steps - first_averaged_step(config);
    const std::vector<ExpectedError> expected =
        is_weighted
            ? shared_outlook(outlook, plan.group_weights,
                             plan.noise_stddev /
                                 (config.batch_size * std::sqrt(static_cast<double>(num_averaged))))
            : tailored_outlook(outlook, plan, num_averaged).errors;
    ASSERT_EQ(expected.size(), kGroupShares.size());
    std::vector<double> error(kGroupShares.size(), 0.0);
    for (int run = 0; run < kRuns; ++run) {
      const EncodedTable table = make_overlapping_table(kSeed + static_cast<uint64_t>(run));
      SeededSource source(kSeed + static_cast<uint64_t>(run));
      StepObserver silent;
      const TrainedModel trained =
          method->run({table, model, plan, TrainingState::start(model.initial_parameters(0)),
                       Charge::unpaid(plan.events(), Relation::kZeroOut, source), source, silent});
      for (size_t k = 0; k < error.size(); ++k) {
        for (size_t j = 0; j <= kFeatures; ++j)
          error[k] += std::pow(trained.parameters[j] - best_parameter_of_group(k, j), 2) / kRuns;
      }
    }
    for (size_t k = 0; k < error.size(); ++k) {
      std::printf(
          "%s %s %s, overlapping group %zu: %.4f, expected %.4f (privacy %.4f, chance %.4f, "
          "others %.4f); %d runs, seed %llu, tolerance %g\n",
          std::string(name).c_str(), std::string(word_of(kSplitRules, tailoring.split)).c_str(),
          tailoring.objectives[0].c_str(), k, error[k], expected[k].total(), expected[k].noise,
          expected[k].sampling, expected[k].difference, kRuns,
          static_cast<unsigned long long>(kSeed), kTolerance);
      EXPECT_NEAR(error[k], expected[k].total(), kTolerance * expected[k].total()) << name << k;
    }
  }
}

}  // namespace
}  // namespace equinoise::group_outlook_stat_test
