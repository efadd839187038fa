// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/training/stage_one_weights.h"

#include <gtest/gtest.h>

#include "equinoise/base/error.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "tests/train/configs.h"

namespace equinoise::stage_one_weights_test {

constexpr uint32_t kRecords = 4000;

/// Two classes by the sign of the first feature; in the second group, a tenth, one label in three
/// is the other one.
EncodedTable make_table() {
  EncodedTable table;
  table.num_records = kRecords;
  table.num_dense = table.num_features = 2;
  table.feature_names = {"a", "b"};
  table.classes = {"no", "yes"};
  table.contributes.assign(kRecords, 1);
  for (uint32_t i = 0; i < kRecords; ++i) {
    const bool is_positive = i % 2 == 0;
    const bool is_hard = i % 10 == 7;
    table.dense.push_back(is_positive ? 1 : -1);
    table.dense.push_back(static_cast<float>(i % 7) / 7);
    const bool is_flipped = is_hard && i % 3 == 0;
    table.labels.push_back(is_positive != is_flipped ? 1 : 0);
    table.groups.push_back(GroupId(is_hard ? 1 : 0));
  }
  return table;
}

const PublicGroups kGroups = {"group", {"easy", "hard"}, {0.9, 0.1}};

TrainingConfig second_stage() { return testing::stepwise_config(400, 100); }

StageOneWeights choose(SplitRule rule, uint64_t seed = 1) {
  return choose_weights({2, rule}, second_stage(), kGroups, make_table(), seed, [] {});
}

TEST(StageOneWeights, TheGroupThatIsFittedWorseCountsMore) {
  for (const SplitRule rule : {SplitRule::kError, SplitRule::kErrorOverSize}) {
    const StageOneWeights chosen = choose(rule);
    EXPECT_GT(chosen.weights.at("hard"), 1.5 * chosen.weights.at("easy"));
    EXPECT_NEAR(0.9 * chosen.weights.at("easy") + 0.1 * chosen.weights.at("hard"), 1, 1e-12);
  }
}

TEST(StageOneWeights, SquaresOfWeightsAreShares) {
  const StageOneWeights uniform = choose(SplitRule::kUniform);
  EXPECT_NEAR(uniform.weights.at("easy"), 1, 1e-12);
  EXPECT_NEAR(uniform.weights.at("hard"), 1, 1e-12);
  // Shares 0.1 and 0.9, the first being the floor of a fifth of an equal share, 0.1.
  const StageOneWeights by_size = choose(SplitRule::kInverseSize);
  EXPECT_NEAR(by_size.weights.at("hard") / by_size.weights.at("easy"), 3, 1e-12);
}

TEST(StageOneWeights, CostsWhatItMay) {
  const StageOneWeights chosen = choose(SplitRule::kError);
  const double epsilon =
      smallest_guarantee(Relation::kZeroOut, chosen.events, Delta(1e-6)).epsilon.value();
  EXPECT_LE(epsilon, 2);
  EXPECT_GT(epsilon, 1.9);
}

TEST(StageOneWeights, FollowsTheSeed) {
  EXPECT_EQ(choose(SplitRule::kError).weights, choose(SplitRule::kError).weights);
  EXPECT_NE(choose(SplitRule::kError).weights, choose(SplitRule::kError, 2).weights);
}

TEST(StageOneWeights, StopsWhenItIsTold) {
  EXPECT_THROW(choose_weights({2, SplitRule::kError}, second_stage(), kGroups, make_table(), 1,
                              [] { throw Error(ErrorKind::kRuntime, "tests", "stop"); }),
               Error);
}

}  // namespace equinoise::stage_one_weights_test
