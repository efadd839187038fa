// SPDX-License-Identifier: Apache-2.0
// Distinguishing games with every private method that trains on units of several rows: a unit all
// of whose rows are extreme, in a table that is empty but for it. What an adversary shows must stay
// below the claim, and must exceed it where rows are clipped one by one.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "equinoise/base/error.h"
#include "equinoise/models/per_group_model.h"
#include "equinoise/models/registry.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/train/methods/options.h"
#include "equinoise/train/registry.h"
#include "tests/conformance/empirical_privacy.h"
#include "tests/conformance/scaled_weights.h"
#include "tests/train/configs.h"

namespace equinoise::unit_privacy_stat_test {

using testing::empirical_epsilon;
using testing::EmpiricalPrivacy;

constexpr double kSignificance = 1e-6;
constexpr uint64_t kSeed = 20261128;
constexpr double kDelta = 0.01;
constexpr double kClip = 0.8;
constexpr int64_t kUnits = 8;
constexpr uint32_t kRows = 6;  // of the canary
constexpr int kPlays = 8000;   // of each table

/// Units without rows that contribute; the sixth has rows that all pull alike, or none either.
EncodedTable table_of(bool with_canary) {
  EncodedTable table;
  table.num_dense = table.num_features = 2;
  table.feature_names = {"a", "b"};
  table.classes = {"no", "yes"};
  table.unit_begin = {0};
  for (uint32_t unit = 0; unit < kUnits; ++unit) {
    const bool is_canary = unit == 5;
    const uint32_t num_rows = is_canary ? (with_canary ? kRows : 0) : unit % 3;
    for (uint32_t i = 0; i < num_rows; ++i) {
      table.dense.insert(table.dense.end(), {3, -4});
      table.labels.push_back(is_canary ? 1 : 0);
      table.groups.push_back(GroupId{0});
      table.contributes.push_back(is_canary ? 1 : 0);
    }
    table.unit_begin.push_back(table.unit_begin.back() + num_rows);
  }
  table.num_records = table.unit_begin.back();
  return table;
}

struct Result {
  EmpiricalPrivacy found;
  double claim;
};

Result play(const TrainingMethod& claimed, const TrainingMethod& method, uint64_t seed) {
  const EncodedTable tables[] = {table_of(false), table_of(true)};
  std::unique_ptr<Model> model =
      model_kinds()[0].make({tables[0].feature_names, tables[0].classes}, {});
  if (claimed.traits().has_model_per_group) model = make_per_group(std::move(model), {"all"});
  TrainingConfig config = testing::stepwise_config(kUnits / 2.0, 4);
  config.noise_multiplier = 2;  // an epsilon near 1
  config.delta = kDelta;
  config.learning_rate = config.final_learning_rate = 1e-6;
  config.tail_average = 0;
  config.max_grad_norm = kClip;
  // Methods that scale up to a strict bound, or drop what is beyond: the canary is just within.
  config.own.of<StrictBoundOptions>().strict_bound = kRows * std::sqrt(26) / 2 * (1 + 1e-6);
  config.own.of<DpSgdFOptions>().max_threshold = kClip;
  const TrainingFacts facts{kUnits,       model->num_parameters(), 0, 1, 1, {"group", {"all"}, {1}},
                            model->name()};
  const TrainingPlan claim = claimed.plan(config, facts);
  const TrainingPlan plan = method.plan(config, facts);
  std::vector<double> scores[2];
  for (int i = 0; i < 2 * kPlays; ++i) {
    SeededSource source(seed + static_cast<uint64_t>(i));
    StepObserver silent;
    const TrainedModel trained =
        method.run({tables[i % 2], *model, plan,
                    TrainingState::start(std::vector<double>(facts.num_parameters)),
                    Charge::unpaid(plan.events(), config.relation, source), source, silent});
    // The canary's gradient at the start is along (3, -4, 1), against its label.
    scores[i % 2].push_back(3 * trained.parameters[0] - 4 * trained.parameters[1] +
                            trained.parameters[2]);
  }
  double least = claim.privacy->epsilon.value();
  for (const AccountantRow& row : accountant_rows()) {
    try {
      least = std::min(
          least, row.make(config.relation, claim.events_of(0))->epsilon(Delta(kDelta)).value());
    } catch (const Error&) {
      // This accountant has no bound for such events.
    }
  }
  return {empirical_epsilon(scores[1], scores[0], kDelta, kSignificance), least};
}

void tell(std::string_view method, const Result& result) {
  std::printf(
      "%s: epsilon at least %.4f, claim %.4f at delta %g; %d plays of each table, "
      "significance %g, seed %llu\n",
      std::string(method).c_str(), result.found.epsilon, result.claim, kDelta, kPlays,
      kSignificance, static_cast<unsigned long long>(kSeed));
}

/// dpsgd with a fraction of the noise that it claims, as if each row of a unit were one.
class NoiseOfRows final : public NoisyGradientMethod {
  const MethodTraits& traits() const override { return find_training_method("dpsgd"); }
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    TrainingConfig of_rows = config;
    *of_rows.noise_multiplier /= kRows;
    return plan_noisy_gradients("dpsgd", of_rows, facts);
  }
  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts&) const override {
    return std::make_unique<FlatClip>(config.max_grad_norm);
  }
};

TEST(UnitPrivacy, AUnitOfExtremeRowsStaysBelowTheClaim) {
  for (const TrainingMethodRow& row : training_methods()) {
    const auto method = row.make();
    if (!method->traits().supports_units || row.status != PrivacyStatus::kPrivate) continue;
    const Result result = play(*method, *method, kSeed);
    tell(row.name, result);
    EXPECT_LE(result.found.epsilon, result.claim) << row.name;
    EXPECT_GT(result.found.epsilon, 0.15 * result.claim) << row.name;
  }
}

TEST(UnitPrivacy, NoiseOfRowsIsCaughtAndWeightsOfRowsAreCut) {
  const auto dpsgd = find_training_method("dpsgd").make();
  const Result of_noise = play(*dpsgd, NoiseOfRows(), kSeed + 1);
  tell("noise of rows", of_noise);
  EXPECT_GT(of_noise.found.epsilon, of_noise.claim);
  const Result of_weights = play(*dpsgd, testing::ScaledWeights(kRows), kSeed + 1);
  tell("rows clipped apart", of_weights);
  EXPECT_LE(of_weights.found.epsilon, of_weights.claim);
}

}  // namespace equinoise::unit_privacy_stat_test
