// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "equinoise/base/error.h"
#include "equinoise/models/additive.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/train/methods/options.h"
#include "tests/models/model_cases.h"
#include "tests/train/seeded_run.h"

namespace equinoise::dpgam_test {
namespace {

using ::testing::HasSubstr;
using testing::method_of;
using ::testing::ThrowsMessage;

TrainingFacts facts_of(const EncodedTable& table, const Model& model) {
  TrainingFacts facts{table.num_records, model.num_parameters()};
  facts.model = "additive";
  facts.num_outputs = model.num_outputs();
  return facts;
}

TrainingConfig config_of(double epsilon) {
  TrainingConfig config;
  config.epsilon = epsilon;
  config.delta = 1e-6;
  return config;
}

/// Histograms and rounds are one Gaussian after another, so that all of it costs what one of the
/// plan's multiplier costs: 4.22 at epsilon 1 and delta 1e-6 by the exact condition of
/// [BalleWang2018].
TEST(DpGam, CostsOneGaussianInParts) {
  const EncodedTable table = testing::mixed_table(2000, 1);
  const auto model = testing::make_model({"additive", 2}, table);
  for (const double share : {0.2, 0.6}) {
    TrainingConfig config = config_of(1);
    config.own.of<GamOptions>().histogram_share = share;
    config.own.of<GamOptions>().pairs = {"none"};
    const TrainingPlan plan = method_of("dpgam").plan(config, facts_of(table, *model));
    EXPECT_NEAR(plan.noise_multiplier, 4.22, 0.02);
    EXPECT_LE(plan.privacy->epsilon.value(), 1);
    EXPECT_GT(plan.privacy->epsilon.value(), 0.99);
    ASSERT_EQ(plan.items.size(), 3);
    EXPECT_NEAR(plan.items[0].event.noise_multiplier(), plan.noise_multiplier / std::sqrt(share),
                1e-9);
    EXPECT_EQ(plan.items[1].event.count(), 50);
    EXPECT_NEAR(plan.items[1].event.events()[0].noise_multiplier(),
                plan.noise_multiplier * std::sqrt(50 / (1 - share)), 1e-6);
  }
}

/// The choice of pairs is a Gaussian of its own, and the whole costs the same.
TEST(DpGam, PaysForTheChoiceOfPairs) {
  const EncodedTable table = testing::mixed_table(2000, 1);
  const auto model = testing::make_model({"additive", 2}, table);
  const TrainingPlan plan = method_of("dpgam").plan(config_of(1), facts_of(table, *model));
  EXPECT_NEAR(plan.noise_multiplier, 4.22, 0.02);
  EXPECT_LE(plan.privacy->epsilon.value(), 1);
  ASSERT_EQ(plan.items.size(), 4);
  double precision = 50 / std::pow(plan.items[2].event.events()[0].noise_multiplier(), 2);
  for (size_t k = 0; k < 2; ++k) precision += std::pow(plan.items[k].event.noise_multiplier(), -2);
  EXPECT_NEAR(std::pow(precision, -0.5), plan.noise_multiplier, 1e-9);
}

TrainedModel run(const TrainingMethod& method, const EncodedTable& table, const Model& model,
                 const TrainingConfig& config, uint64_t seed, const TrainingFacts& facts) {
  const TrainingPlan plan = method.plan(config, facts);
  SeededSource source(seed);
  StepObserver silent;
  Charge charge = plan.events().empty() ? Charge::nothing(Relation::kZeroOut)
                                        : Charge::unpaid(plan.events(), Relation::kZeroOut, source);
  return method.run({table, model, plan, TrainingState::start(model.initial_parameters(1)),
                     std::move(charge), source, silent});
}

TrainedModel run(const TrainingMethod& method, const EncodedTable& table, const Model& model,
                 const TrainingConfig& config, uint64_t seed) {
  return run(method, table, model, config, seed, facts_of(table, model));
}

double loss_of(const EncodedTable& table, const Model& model, const std::vector<double>& at) {
  double sum = 0;
  for (const double one : model.predict(table, at).loss) sum += one;
  return sum / static_cast<double>(table.num_records);
}

TEST(DpGam, LearnsFromEveryKindOfTargetAndNearlyAsMuchAsWithoutNoise) {
  for (const size_t num_classes : {0U, 2U, 3U}) {
    const testing::ModelCase kind = {"additive", num_classes};
    const EncodedTable table = testing::table_for(kind, 20'000, 2);
    const auto model = testing::make_model(kind, table);
    const double start = loss_of(table, *model, model->initial_parameters(1));
    const double without = loss_of(
        table, *model, run(method_of("gam"), table, *model, TrainingConfig(), 1).parameters);
    const double with =
        loss_of(table, *model, run(method_of("dpgam"), table, *model, config_of(3), 4).parameters);
    EXPECT_LT(with, start) << num_classes;
    EXPECT_GT(start - with, 0.7 * (start - without)) << num_classes;
  }
}

/// Classes that follow from two columns together: whether dense0 is large, or first is below 2, but
/// not both.
EncodedTable exclusive_table(int64_t num_records) {
  EncodedTable table = testing::mixed_table(num_records, 5);
  for (size_t i = 0; i < table.labels.size(); ++i) {
    const bool is_one = (table.dense[3 * i] > 0.5F) != (table.active[2 * i] < 5);
    table.labels[i] = is_one != (i % 5 == 0) ? 1 : 0;
  }
  return table;
}

TEST(DpGam, GivesATermToPairsThatItFindsOrThatAreNamed) {
  const EncodedTable table = exclusive_table(20'000);
  const auto model = testing::make_model({"additive", 2}, table);
  TrainingFacts facts = facts_of(table, *model);
  facts.columns = {"dense0", "dense1", "dense2", "first", "second"};
  const auto trained = [&](std::vector<std::string> pairs) {
    TrainingConfig config = config_of(1);
    config.own.of<GamOptions>().pairs = std::move(pairs);
    return run(method_of("dpgam"), table, *model, config, 3, facts);
  };
  const TrainedModel none = trained({"none"});
  EXPECT_EQ(none.model, nullptr);
  const double without = loss_of(table, *model, none.parameters);
  for (const std::string pairs : {"auto", "first*dense0"}) {
    const TrainedModel found = trained({pairs});
    ASSERT_NE(found.model, nullptr) << pairs;
    const auto& with = dynamic_cast<const AdditiveModel&>(*found.model);
    ASSERT_EQ(with.pairs().size(), 1);
    EXPECT_EQ(std::set<size_t>(with.pairs()[0].columns.begin(), with.pairs()[0].columns.end()),
              (std::set<size_t>{0, 3}));
    EXPECT_LT(loss_of(table, with, found.parameters), without - 0.08) << pairs;
  }
}

/// dense0 acts together with first; it stays monotone, and is in no pair.
TEST(DpGam, MonotoneColumnsAreInNoPair) {
  const EncodedTable table = exclusive_table(20'000);
  const auto model = testing::make_model({"additive", 2}, table);
  TrainingFacts facts = facts_of(table, *model);
  facts.columns = {"dense0", "dense1", "dense2", "first", "second"};
  facts.num_numbers = 3;
  TrainingConfig config = config_of(1);
  facts.directions = {1, 0, 0};
  const TrainedModel trained = run(method_of("dpgam"), table, *model, config, 3, facts);
  if (trained.model != nullptr) {
    const auto& with = dynamic_cast<const AdditiveModel&>(*trained.model);
    for (const AdditivePair& pair : with.pairs()) EXPECT_NE(pair.columns[0], 0);
  }
  for (size_t cell = 1; cell < 33; ++cell)
    EXPECT_GE(trained.parameters[cell], trained.parameters[cell - 1]);
  config.own.of<GamOptions>().pairs = {"dense0*first"};
  EXPECT_THAT([&] { method_of("dpgam").plan(config, facts); },
              ThrowsMessage<Error>(HasSubstr("monotone")));
  facts.columns = {"dense0", "first"};
  facts.num_numbers = 1;
  facts.directions = {1};
  config.own.of<GamOptions>().pairs = {"auto"};
  EXPECT_EQ(method_of("dpgam").plan(config, facts).items.size(), 3)
      << "no two columns are left for a pair";
  facts.directions.clear();
  config.own.of<GamOptions>().pairs = {"dense0*first", "first*dense0"};
  EXPECT_THAT([&] { method_of("dpgam").plan(config, facts); },
              ThrowsMessage<Error>(HasSubstr("twice")));
}

/// Whatever histograms take, pairs and rounds share the rest, and all of it is the budget.
TEST(DpGam, SharesAddUpAtBothEndsOfTheHistograms) {
  const EncodedTable table = exclusive_table(2000);
  const auto model = testing::make_model({"additive", 2}, table);
  TrainingFacts facts = facts_of(table, *model);
  facts.columns = {"dense0", "dense1", "dense2", "first", "second"};
  for (const double share : {0.01, 0.2, 0.9}) {
    TrainingConfig config = config_of(1);
    config.own.of<GamOptions>().histogram_share = share;
    const TrainingPlan plan = method_of("dpgam").plan(config, facts);
    ASSERT_EQ(plan.items.size(), 4);
    const Guarantee one = smallest_guarantee(
        Relation::kZeroOut, {Event::gaussian(plan.noise_multiplier)}, plan.privacy->delta);
    EXPECT_NEAR(plan.privacy->epsilon.value(), one.epsilon.value(), 1e-5);
  }
}

/// Terms are differences to the mean record of their shares, straight within their parts.
TEST(DpGam, HandsOutTheTermsOfItsColumns) {
  const EncodedTable table = testing::mixed_table(5000, 4);
  const auto model = testing::make_model({"additive", 2}, table);
  const TrainedModel trained = run(method_of("dpgam"), table, *model, config_of(1), 4);
  ASSERT_EQ(trained.terms.size(), table.num_dense + table.num_active);
  size_t first_cell = 0;
  for (size_t c = 0; c < trained.terms.size(); ++c) {
    const AdditiveTerm& term = trained.terms[c];
    EXPECT_EQ(term.columns, std::vector{c});
    EXPECT_EQ(term.first_cell, first_cell);
    const std::span<const double> added =
        std::span(trained.parameters).subspan(first_cell, term.shares.size());
    double share = 0;
    double mean = 0;
    for (size_t k = 0; k < added.size(); ++k) {
      EXPECT_GT(term.shares[k], 0);
      share += term.shares[k];
      mean += term.shares[k] * added[k];
      if (k > 1 && term.parts[k] == term.parts[k - 2]) {
        EXPECT_NEAR(added[k] - added[k - 1], added[k - 1] - added[k - 2], 1e-3);
      }
    }
    EXPECT_NEAR(share, 1, 1e-9);
    EXPECT_NEAR(mean, 0, 1e-9);
    first_cell += added.size();
  }
  EXPECT_EQ(first_cell + 1, trained.parameters.size());
}

TEST(DpGam, KeepsColumnsMonotone) {
  const EncodedTable table = testing::mixed_table(5000, 4);
  const auto model = testing::make_model({"additive", 2}, table);
  TrainingFacts facts = facts_of(table, *model);
  facts.columns = {"a", "b", "c", "first", "second"};
  facts.num_numbers = 3;
  for (const double sign : {1.0, -1.0}) {
    facts.directions = {sign, 0, sign};
    const TrainedModel trained = run(method_of("dpgam"), table, *model, config_of(1), 4, facts);
    for (const size_t c : {0U, 2U}) {
      const AdditiveTerm& term = trained.terms[c];
      double mean = term.shares[0] * trained.parameters[term.first_cell];
      for (size_t k = 1; k < term.shares.size(); ++k) {
        const double added = trained.parameters[term.first_cell + k];
        EXPECT_GE(sign * added, sign * trained.parameters[term.first_cell + k - 1]);
        mean += term.shares[k] * added;
      }
      EXPECT_NEAR(mean, 0, 1e-9);
    }
  }
  facts.num_outputs = 3;
  EXPECT_THAT([&] { method_of("dpgam").plan(config_of(1), facts); },
              ThrowsMessage<Error>(HasSubstr("two classes")));
}

/// Null records take part in nothing: what they hold is not even counted.
TEST(DpGam, NullRecordsChangeNothing) {
  const testing::ModelCase kind = {"additive", 2};
  EncodedTable table = testing::table_for(kind, 500, 2);
  for (size_t i = 0; i < 500; i += 3) table.contributes[i] = 0;
  const auto model = testing::make_model(kind, table);
  EncodedTable other = table;
  for (size_t i = 0; i < 500; i += 3) {
    other.labels[i] = static_cast<uint16_t>(1 - other.labels[i]);
    other.dense[3 * i] = 0.5F;
    other.active[2 * i] = 3;
  }
  EXPECT_EQ(run(method_of("dpgam"), table, *model, config_of(2), 9).parameters,
            run(method_of("dpgam"), other, *model, config_of(2), 9).parameters);
}

TEST(DpGam, RefusesWhatItCannotDo) {
  const EncodedTable table = testing::mixed_table(200, 1);
  const auto model = testing::make_model({"additive", 2}, table);
  TrainingFacts facts = facts_of(table, *model);
  EXPECT_THAT([&] { method_of("dpgam").plan(TrainingConfig(), facts); },
              ThrowsMessage<Error>(HasSubstr("epsilon")));
  EXPECT_THAT([&] { method_of("gam").plan(config_of(1), facts); },
              ThrowsMessage<Error>(HasSubstr("dpgam")));
  TrainingConfig noisy;
  noisy.noise_multiplier = 1e5;
  EXPECT_THAT([&] { method_of("dpgam").plan(noisy, facts); },
              ThrowsMessage<Error>(HasSubstr("limit")));
  EXPECT_EQ(method_of("dpgam").plan(config_of(0.01), facts).notes.size(), 1);
  for (const std::string pairs : {"dense0", "dense0*dense0", "dense0*third", ""}) {
    TrainingConfig config = config_of(1);
    config.own.of<GamOptions>().pairs = {pairs};
    facts.columns = {"dense0", "dense1"};
    EXPECT_THAT([&] { method_of("dpgam").plan(config, facts); },
                ThrowsMessage<Error>(HasSubstr("dense0, dense1")));
  }
  facts.num_records = 20'000;
  EXPECT_TRUE(method_of("dpgam").plan(config_of(1), facts).notes.empty());
  EncodedTable broken = table;
  broken.blocks.clear();
  EXPECT_THROW(run(method_of("dpgam"), broken, *model, config_of(1), 3), Error);
  facts.model = "logistic";
  EXPECT_THAT([&] { method_of("dpgam").plan(config_of(1), facts); },
              ThrowsMessage<Error>(HasSubstr("leave --model out")));
}

}  // namespace
}  // namespace equinoise::dpgam_test
