// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/tailoring/paid_answers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/models/generalised_linear.h"
#include "equinoise/reproduction/simulation/simulated_answers.h"
#include "equinoise/train/tailoring/sensitivities.h"
#include "tests/small_tables.h"
#include "tests/vector_maths.h"

namespace equinoise::paid_answers_test {

using testing::distance;

constexpr int64_t kRecords = 60;
constexpr double kRho = 1e12;  // hardly any noise
const std::vector<int64_t> kSizes = {40, 20};
const std::vector<double> kCosts = {kRho, kRho};

/// Records of two groups, some of them extreme: short and long rows, targets far away.
EncodedTable records_with_extremes() {
  EncodedTable table = testing::mixed_table(kRecords, 9);
  for (int64_t i = 0; i < kRecords; ++i) {
    table.groups.push_back(GroupId(i % 3 == 0 ? 1 : 0));
    table.targets.push_back(static_cast<float>(i % 7) - 3);
    if (i % 5 == 0) table.targets.back() = i % 2 == 0 ? 1e5F : -1e5F;
    for (uint32_t j = 0; j < table.num_dense && i % 4 == 0; ++j)
      table.dense[static_cast<size_t>(i) * table.num_dense + j] = 1e4F;
  }
  return table;
}

Event group_event() {
  const Event answer = Event::gaussian(1 / std::sqrt(2 * kRho));
  return Event::composed({Event::repeat(1000, Event::poisson_sampled(1, {answer, answer})),
                          Event::repeat(1000, answer), Event::repeat(1000, answer)});
}

Charge charge(const Event& group = group_event()) {
  return Charge::unpaid({Event::parallel("sex", {"a", "b"}, {group, group})}, Relation::kZeroOut,
                        SeededSource(1));
}

/// Everything that is released of a table, hardly noisy.
struct Releases {
  std::vector<double> moments;     ///< upper triangle of X^T X, X^T Y
  std::vector<double> first_step;  ///< of descent in stage one, the sum of all gradients
  std::vector<double> residual_sums;
  std::vector<double> gradient_sums;  ///< (groups, parameters)
  std::vector<double> loss_sums;
};

constexpr double kClip = 0.8;
const StageOneBounds kBounds = {Relation::kZeroOut, 1.5, 1.2, 0.9};

Releases releases_of(const EncodedTable& table, const Model& model,
                     const std::vector<double>& parameters) {
  SeededSource source(7);
  const AnsweredRecords records{table, model, kSizes, 2};
  Charge paid = charge();
  Releases releases;
  PaidStageOneAnswers stage_one(records, kBounds, paid, source);
  if (!table.targets.empty()) {
    const NoisyMoments moments = stage_one.moments(MomentRelease::kJoint, kRho);
    const size_t size = model.num_parameters();
    for (size_t i = 0; i < size; ++i)
      for (size_t j = i; j < size; ++j) releases.moments.push_back(moments.xtx[i * size + j]);
    append(releases.moments, moments.xty);
  }
  releases.first_step = stage_one.descend(1, static_cast<double>(kRecords), kClip, kRho);
  releases.residual_sums = stage_one.residual_sums(parameters, kRho);
  PaidGroupAnswers answers(records, {Relation::kZeroOut, kClip, 0.6}, 0x1p-40, source);
  answers.begin_step(paid.next_batches(0), parameters, kCosts);
  for (size_t k = 0; k < kSizes.size(); ++k) {
    std::vector<double> mean(model.num_parameters());
    answers.gradient_mean(k, parameters, kRho, mean);
    for (const double entry : mean)
      releases.gradient_sums.push_back(entry * static_cast<double>(kSizes[k]));
    releases.loss_sums.push_back(answers.loss_mean(k, parameters, kRho) *
                                 static_cast<double>(kSizes[k]));
  }
  return releases;
}

/// Neighbours under zero_out move each release by at most what it is paid for, and some attain it.
void expect_sensitivities(const EncodedTable& table, const Model& model,
                          const StageOneBounds& bounds) {
  constexpr double kNoise = 1e-4;
  const std::vector<double> parameters(model.num_parameters(), 0.4);
  const Releases before = releases_of(table, model, parameters);
  double moments = 0;
  double steps = 0;
  double residuals = 0;
  double gradients = 0;
  double losses = 0;
  for (size_t record = 0; record < static_cast<size_t>(kRecords); ++record) {
    EncodedTable neighbour = table;
    neighbour.contributes[record] = 0;
    const Releases after = releases_of(neighbour, model, parameters);
    const size_t other = 1 - index_of(table.groups[record]);
    EXPECT_NEAR(before.residual_sums[other], after.residual_sums[other], kNoise);
    EXPECT_NEAR(before.loss_sums[other], after.loss_sums[other], kNoise);
    moments = std::max(moments, distance(before.moments, after.moments));
    steps = std::max(steps, distance(before.first_step, after.first_step));
    residuals = std::max(residuals, distance(before.residual_sums, after.residual_sums));
    gradients = std::max(gradients, distance(before.gradient_sums, after.gradient_sums));
    losses = std::max(losses, distance(before.loss_sums, after.loss_sums));
  }
  const auto expect_attained = [&](double found, double bound, const char* release) {
    EXPECT_LE(found, bound + kNoise) << release;
    EXPECT_GE(found, bound - kNoise) << release;
  };
  if (!table.targets.empty()) {
    // X^T X attains it for rows along one axis only.
    const double bound =
        joint_moment_sensitivity(bounds.relation, bounds.feature_norm_bound, bounds.target_bound)
            .value();
    EXPECT_LE(moments, bound + kNoise);
    EXPECT_GE(moments, 0.7 * bound);
  }
  expect_attained(steps, kClip, "a step of stage one");
  expect_attained(residuals, bounds.residual_clip * bounds.residual_clip, "residual sums");
  expect_attained(gradients, kClip, "gradients");
  expect_attained(losses, 0.6, "losses");
}

TEST(PaidAnswers, NeighboursMoveEachReleaseByItsSensitivityAtMost) {
  EncodedTable numbers = records_with_extremes();
  numbers.labels.clear();
  numbers.classes.clear();
  expect_sensitivities(numbers, LinearModel(numbers.feature_names), kBounds);
  EncodedTable classes = records_with_extremes();
  classes.targets.clear();
  expect_sensitivities(classes, LogisticModel(classes.feature_names, classes.classes), kBounds);
}

TEST(PaidAnswers, AgreeWithSimulationOnTheSameRecords) {
  EncodedTable table = testing::mixed_table(kRecords, 9);
  table.labels.clear();
  table.classes.clear();
  const LinearModel model(table.feature_names);
  std::vector<double> features;
  std::vector<double> targets;
  for (int64_t i = 0; i < kRecords; ++i) {
    table.groups.push_back(GroupId(i < kSizes[0] ? 0 : 1));
    table.targets.push_back(0.1F * static_cast<float>(i % 9));
    const std::vector<double> row = testing::feature_row(table, i);
    append(features, row);
    targets.push_back(static_cast<double>(table.targets.back()));
  }
  const size_t size = model.num_parameters();
  const GroupRecords records = GroupRecords::disjoint(size, kSizes, features, targets);
  const StageOneBounds bounds = {Relation::kZeroOut, 4, 4, 0.9};
  SimulationNoise noise(1, 1);
  SimulatedStageOneAnswers simulated(records, bounds);
  simulated.use(noise);
  SeededSource source(7);
  const AnsweredRecords answered{table, model, kSizes, 1};
  Charge paid = charge();
  PaidStageOneAnswers stage_one(answered, bounds, paid, source);
  StageOneConfig config;
  config.rho = kRho;
  config.max_groups = 1;
  const StageOneResult got = run_stage_one(stage_one, config);
  const StageOneResult want = run_stage_one(simulated, config);
  EXPECT_EQ(got.ridge > 0, want.ridge > 0);
  for (size_t k = 0; k < 2; ++k) EXPECT_NEAR(got.group_variances[k], want.group_variances[k], 1e-3);
  const NoisyMoments a = stage_one.moments(MomentRelease::kJoint, kRho);
  const NoisyMoments b = simulated.moments(MomentRelease::kJoint, kRho);
  for (size_t j = 0; j < a.xtx.size(); ++j) EXPECT_NEAR(a.xtx[j], b.xtx[j], 1e-3);
  for (size_t j = 0; j < size; ++j) EXPECT_NEAR(a.xty[j], b.xty[j], 1e-3);

  // Losses here are half of those there, and so are gradients.
  SimulatedGroupAnswers wanted(records, RegressionModel::kLinear,
                               {Relation::kZeroOut, 2 * kClip, 2 * 0.6}, noise);
  PaidGroupAnswers answers(answered, {Relation::kZeroOut, kClip, 0.6}, 0x1p-40, source);
  const std::vector<double> parameters(size, 0.3);
  answers.begin_step(paid.next_batches(0), parameters, kCosts);
  for (size_t k = 0; k < 2; ++k) {
    std::vector<double> mean(size);
    std::vector<double> twice(size);
    answers.gradient_mean(k, parameters, kRho, mean);
    wanted.gradient_mean(k, parameters, kRho, twice);
    for (size_t j = 0; j < size; ++j) EXPECT_NEAR(2 * mean[j], twice[j], 1e-5);
    EXPECT_NEAR(2 * answers.loss_mean(k, parameters, kRho), wanted.loss_mean(k, parameters, kRho),
                1e-5);
  }
}

TEST(PaidAnswers, RefuseWhatIsNotPaidFor) {
  const EncodedTable table = records_with_extremes();
  const LinearModel model(table.feature_names);
  SeededSource source(7);
  const AnsweredRecords records{table, model, kSizes, 1};
  const Event gaussian = Event::gaussian(1);
  Charge paid = charge(Event::composed(
      {Event::repeat(2, Event::poisson_sampled(1, {gaussian})), gaussian, gaussian}));
  PaidGroupAnswers answers(records, {Relation::kZeroOut, kClip, 0.6}, 0x1p-20, source);
  const std::vector<double> parameters(model.num_parameters(), 0.3);
  std::vector<double> mean(model.num_parameters());
  answers.begin_step(paid.next_batches(0), parameters, kCosts);
  EXPECT_THROW(answers.gradient_mean(0, std::vector<double>(mean.size()), 0.5, mean), Error);
  answers.gradient_mean(0, parameters, 0.5, mean);
  EXPECT_THROW(answers.gradient_mean(0, parameters, 0.5, mean), Error) << "asked twice";
  EXPECT_THROW(answers.loss_mean(0, parameters, 0.5), Error) << "no event pays for losses";
  PaidStageOneAnswers stage_one(records, kBounds, paid, source);
  EXPECT_THROW(stage_one.moments(MomentRelease::kSeparate, 0.5), Error);
  stage_one.moments(MomentRelease::kJoint, 0.5);
  EXPECT_THROW(stage_one.moments(MomentRelease::kJoint, 0.5), Error);
  EncodedTable without = table;
  without.groups.clear();
  const AnsweredRecords ungrouped{without, model, kSizes, 1};
  EXPECT_THROW(PaidStageOneAnswers(ungrouped, kBounds, paid, source), Error);
}

TEST(PaidGroupAnswers, LossesThatOverflowCountAsTheLargest) {
  EncodedTable table = records_with_extremes();
  const LinearModel model(table.feature_names);
  const std::vector<double> parameters(model.num_parameters());
  const auto loss_sum = [&] {
    SeededSource source(7);
    Charge paid = charge();
    const AnsweredRecords records{table, model, kSizes, 2};
    PaidGroupAnswers answers(records, {Relation::kZeroOut, kClip, 0.6}, 0x1p-40, source);
    answers.begin_step(paid.next_batches(0), parameters, kCosts);
    return answers.loss_mean(1, parameters, kRho) * static_cast<double>(kSizes[1]);
  };
  table.targets[0] = 0;  // of the second group
  const double without = loss_sum();
  for (const float target : {HUGE_VALF, std::nanf("")}) {
    table.targets[0] = target;
    EXPECT_NEAR(loss_sum(), without + 0.6, 1e-4);
  }
}

}  // namespace equinoise::paid_answers_test
