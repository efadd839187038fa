// SPDX-License-Identifier: Apache-2.0
// Three records for each mistake of the published code of [YaghiniEtAl2025]: what holds of ours
// (docs/pitfalls.md).

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "equinoise/constraints/constraint_reader.h"
#include "equinoise/models/generalised_linear.h"
#include "equinoise/train/methods/raco_dp.h"
#include "tests/constraints/constraint_cases.h"
#include "tests/small_tables.h"
#include "tests/train/seeded_run.h"

namespace equinoise::raco_dp_published_test {

using testing::shared_program;

EncodedTable three_records(const std::vector<int>& labels, const std::vector<uint32_t>& groups) {
  EncodedTable table = testing::dense_table({{1}, {1}, {1}}, labels, 1);
  for (const uint32_t group : groups) table.groups.push_back(GroupId(group));
  return table;
}

/// The slopes at the scores of three records, all 0, if only the constraints that `is_active`
/// accepts have a multiplier.
template <typename IsActive>
std::vector<double> pushes(const EncodedTable& table, std::shared_ptr<const RateProgram> program,
                           const IsActive& is_active) {
  RateLagrangian rates(program, {.batch_size = 3, .hard_histogram = false, .histogram_decay = 0});
  std::vector<double> shares;
  rates.predict(std::vector<double>(3, 0.0), shares);
  std::vector<int64_t> units(rates.num_sums(), 0);
  rates.add_sums(rates.places(table), shares, {}, units);
  std::vector<double> histogram;
  for (const int64_t count : units)
    histogram.push_back(std::ldexp(static_cast<double>(count), -RateLagrangian::kUnitBits));
  std::vector<double> state = rates.state();
  for (size_t j = 0; j < program->constraints.size(); ++j)
    state[1 + j] = is_active(program->constraints[j]) ? 10 : 0;
  rates.restore(state);
  rates.take_sums(histogram);
  std::vector<double> added;
  rates.gradient(rates.places(table), shares, added);
  return added;
}

/// Keeps the noise on the two predictions of group F with the label "pos", after every batch.
class NoiseOfPair final : public StepObserver {
 public:
  NoiseOfPair(const RateProgram& program, std::vector<double> exact)
      : program_(program), exact_(std::move(exact)) {}

  void on_batch(const BatchView& view) override {
    const std::vector<double> state = view.clip.state();
    for (size_t k = 0; k < 2; ++k) {
      const auto cell = static_cast<size_t>(program_.cells_of(0, 1)[k]);
      all.push_back(state[1 + program_.constraints.size() + cell] - exact_[k]);
    }
  }

  std::vector<double> all;

 private:
  const RateProgram& program_;
  std::vector<double> exact_;
};

/// With one draw for both predictions the difference of their counts is exact: it shows whether the
/// third record is there.
TEST(PublishedRacoDp, NoiseDoesNotBroadcastOverPredictions) {
  constexpr double kScale = 2;
  const EncodedTable table = three_records({1, 1, 1}, {0, 0, 0});
  const LogisticModel model(table.feature_names, table.classes);
  TrainingConfig config;
  config.constraints = shared_program("equalized_odds:sex:0.1");
  config.noise_multiplier = 4;
  config.batch_size = 3;
  config.num_steps = 1;
  config.own.of<RateOptions>().histogram_decay = 0;
  config.own.of<RateOptions>().histogram_noise_multiplier = kScale;
  const TrainingMethod& method = testing::method_of("raco_dp");
  const TrainingPlan plan =
      method.plan(config, {table.num_records, model.num_parameters(), 0, 2, 1});
  double squared = 0;
  constexpr uint64_t kNumRuns = 400;
  for (uint64_t seed = 0; seed < kNumRuns; ++seed) {
    NoiseOfPair noise(*config.constraints, {3, 0});  // at parameters of 0 all are predicted "neg"
    testing::run_with_seed(method, table, model, plan, seed, noise);
    ASSERT_EQ(noise.all.size(), 2);
    squared += std::pow(noise.all[1] - noise.all[0], 2) / kNumRuns;
  }
  EXPECT_NEAR(squared, 2 * kScale * kScale, 0.3 * 2 * kScale * kScale) << "published: 0";
}

/// A pad instead of the third record, a woman: the mask lets it count as someone outside of every
/// group, so that it is pushed against her.
TEST(PublishedRacoDp, ARecordLessIsNoPadMore) {
  const auto program = shared_program("demographic_parity:sex:0.1");
  const auto women_first = [](const RateProgram::Constraint& constraint) {
    return constraint.text.starts_with("P(pos | sex=F)");
  };
  EncodedTable table = three_records({0, 1, 1}, {1, 1, 0});
  const double of_record = pushes(table, program, women_first)[2];
  const double of_pad = pushes(three_records({0, 1, 1}, {1, 1, 1}), program, women_first)[2];
  table.contributes[2] = 0;
  const double of_null = pushes(table, program, women_first)[2];
  const double clip = 0.5 * std::min(std::abs(of_record), std::abs(of_pad));
  const auto clipped = [clip](double slope) { return std::clamp(slope, -clip, clip); };
  ASSERT_GT(clip, 0);
  EXPECT_EQ(of_null, 0);
  EXPECT_DOUBLE_EQ(std::abs(clipped(of_record) - clipped(of_null)), clip);
  EXPECT_DOUBLE_EQ(std::abs(clipped(of_record) - clipped(of_pad)), 2 * clip) << "published";
}

/// "All others" of a group with a label are those with the same label.
TEST(PublishedRacoDp, EqualisedOddsLeaveOtherLabelsAlone) {
  const auto program = shared_program("equalized_odds:sex:0.1");
  const EncodedTable table = three_records({1, 1, 0}, {0, 1, 1});
  const std::vector<double> slopes =
      pushes(table, program, [&](const RateProgram::Constraint& constraint) {
        return program->rates[constraint.terms[0].rate].labels == std::vector<size_t>{1} &&
               constraint.text.starts_with("P(pos | sex=F");
      });
  EXPECT_GT(slopes[0], 0);
  EXPECT_LT(slopes[1], 0);
  EXPECT_EQ(slopes[2], 0) << "published: pushed as the second";
}

/// A multiplier pushes the cell that it watches, also if groups and classes are not as many.
TEST(PublishedRacoDp, MultipliersOfEqualisedOddsReachTheirOwnGroup) {
  const auto program = shared_program("equalized_odds:race:0.1");
  const EncodedTable table = three_records({1, 1, 1}, {0, 1, 2});
  const std::vector<double> slopes =
      pushes(table, program, [&](const RateProgram::Constraint& constraint) {
        return program->rates[constraint.terms[0].rate].labels == std::vector<size_t>{1} &&
               constraint.text.starts_with("P(pos | race=White");
      });
  EXPECT_GT(slopes[0], 0);
  EXPECT_LT(slopes[1], 0);
  EXPECT_LT(slopes[2], 0);
}

}  // namespace equinoise::raco_dp_published_test
