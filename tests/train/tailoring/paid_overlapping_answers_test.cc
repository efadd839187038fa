// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/tailoring/paid_overlapping_answers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/models/generalised_linear.h"
#include "equinoise/train/tailoring/noise_on_grid.h"
#include "tests/small_tables.h"
#include "tests/vector_maths.h"

namespace equinoise::paid_overlapping_answers_test {

using testing::distance;

constexpr int64_t kRecords = 90;
constexpr size_t kGroups = 5;
constexpr size_t kCells = 6;

/// Two groups and three: everybody is in one of each.
const std::vector<std::vector<size_t>> kGroupsOfCell = {{0, 2}, {0, 3}, {0, 4},
                                                        {1, 2}, {1, 3}, {1, 4}};
const std::vector<int64_t> kSizes = {45, 45, 30, 30, 30};

/// Costs of answers, some far from others; of those of a cell the sums are up to 5e12.
const std::vector<double> kCosts = {1e12, 2e10, 4e12, 3e11, 1e12};

constexpr double kClip = 0.8;
constexpr double kLossClip = 0.6;
const StageOneBounds kBounds = {Relation::kZeroOut, 1.5, 1.2, 0.9};

/// Records of every cell, some of them extreme: short and long rows, targets far away.
EncodedTable records_with_extremes() {
  EncodedTable table = testing::mixed_table(kRecords, 9);
  for (int64_t i = 0; i < kRecords; ++i) {
    table.groups.push_back(GroupId(static_cast<uint32_t>(i % 6)));
    table.targets.push_back(static_cast<float>(i % 7) - 3);
    if (i % 5 == 0) table.targets.back() = i % 2 == 0 ? 1e5F : -1e5F;
    for (uint32_t j = 0; j < table.num_dense && i % 4 == 0; ++j)
      table.dense[static_cast<size_t>(i) * table.num_dense + j] = 1e4F;
  }
  return table;
}

EncodedTable numbers_of(EncodedTable table) {
  table.labels.clear();
  table.classes.clear();
  return table;
}

EncodedTable classes_of(EncodedTable table) {
  table.targets.clear();
  return table;
}

AnsweredRecords answered(const EncodedTable& table, const Model& model) {
  return {table, model, kSizes, 2, kGroupsOfCell};
}

double sum_over(size_t cell, const std::vector<double>& of_groups) {
  double sum = 0;
  for (const size_t group : kGroupsOfCell[cell]) sum += of_groups[group];
  return sum;
}

Event gaussian_of(double rho) { return Event::gaussian(1 / std::sqrt(2 * rho)); }

/// What one step and the residuals cost each cell: the sum over its groups.
Charge charge(const std::vector<double>& costs) {
  std::vector<Event> cells;
  std::vector<std::string> names;
  for (size_t c = 0; c < kCells; ++c) {
    const Event answer = gaussian_of(sum_over(c, costs));
    cells.push_back(Event::composed({Event::poisson_sampled(1, {answer, answer}), answer, answer}));
    names.push_back(std::to_string(c));
  }
  return Charge::unpaid({Event::parallel("sex,race", names, cells)}, Relation::kZeroOut,
                        SeededSource(1));
}

/// Everything that is released of a table, hardly noisy: (groups) of numbers each.
using Sums = std::vector<std::vector<double>>;
struct Releases {
  Sums gradients;
  Sums losses;
  Sums residuals;
};

Releases releases_of(const EncodedTable& table, const Model& model,
                     const std::vector<double>& parameters) {
  SeededSource source(7);
  const AnsweredRecords records = answered(table, model);
  Charge paid = charge(kCosts);
  Releases releases;
  PaidOverlappingAnswers answers(records, {Relation::kZeroOut, kClip, kLossClip}, 0x1p-40, source);
  answers.begin_step(paid.next_batches(0), parameters, kCosts);
  for (size_t k = 0; k < kGroups; ++k) {
    const auto size = static_cast<double>(kSizes[k]);
    std::vector<double>& gradient = releases.gradients.emplace_back(model.num_parameters());
    answers.gradient_mean(k, parameters, kCosts[k], gradient);
    for (double& entry : gradient) entry *= size;
    releases.losses.push_back({answers.loss_mean(k, parameters, kCosts[k]) * size});
  }
  PaidStageOneAnswers stage_one(records, kBounds, paid, source);
  for (const double sum : stage_one.residual_sums(parameters, 1e12))
    releases.residuals.push_back({sum});
  return releases;
}

/// A record that becomes null moves the sums of its cell's groups by at most `bound` each, some by
/// as much, and no other group's: so that, with noise of rho_k on a sensitivity of `bound` for each
/// group, the cell pays the sum of its groups' rho.
void expect_moves(const std::vector<std::pair<size_t, std::pair<Sums, Sums>>>& neighbours,
                  double bound, const char* release) {
  constexpr double kNoise = 1e-4;
  std::vector<double> largest(kCells, 0.0);
  for (const auto& [cell, sums] : neighbours) {
    const auto& groups = kGroupsOfCell[cell];
    double joint = 0;
    for (size_t k = 0; k < kGroups; ++k) {
      const double moved = distance(sums.first[k], sums.second[k]);
      if (!contains(groups, k)) {
        EXPECT_NEAR(moved, 0, kNoise) << release;
        continue;
      }
      EXPECT_LE(moved, bound + kNoise) << release;
      joint += moved * moved;
    }
    largest[cell] = std::max(largest[cell], std::sqrt(joint));
  }
  for (const double joint : largest) EXPECT_GE(joint, 1.3 * bound) << release;
  EXPECT_NEAR(*std::ranges::max_element(largest), std::sqrt(2.0) * bound, 2e-4) << release;
}

void expect_sensitivities(const EncodedTable& table, const Model& model) {
  const std::vector<double> parameters(model.num_parameters(), 0.4);
  const Releases before = releases_of(table, model, parameters);
  std::vector<std::pair<size_t, std::pair<Sums, Sums>>> gradients;
  std::vector<std::pair<size_t, std::pair<Sums, Sums>>> losses;
  std::vector<std::pair<size_t, std::pair<Sums, Sums>>> residuals;
  for (size_t record = 0; record < static_cast<size_t>(kRecords); ++record) {
    EncodedTable neighbour = table;
    neighbour.contributes[record] = 0;
    const Releases after = releases_of(neighbour, model, parameters);
    const size_t cell = index_of(table.groups[record]);
    gradients.push_back({cell, {before.gradients, after.gradients}});
    losses.push_back({cell, {before.losses, after.losses}});
    residuals.push_back({cell, {before.residuals, after.residuals}});
  }
  expect_moves(gradients, kClip, "gradients");
  expect_moves(losses, kLossClip, "losses");
  expect_moves(residuals, kBounds.residual_clip * kBounds.residual_clip, "residual sums");
}

TEST(PaidOverlappingAnswers, NeighboursMoveTheGroupsOfTheirCellAlone) {
  const EncodedTable numbers = numbers_of(records_with_extremes());
  expect_sensitivities(numbers, LinearModel(numbers.feature_names));
  const EncodedTable classes = classes_of(records_with_extremes());
  expect_sensitivities(classes, LogisticModel(classes.feature_names, classes.classes));
}

/// The mean square of what is released of each group where nobody takes part: the noise alone,
/// (groups) of gradients and then of losses.
std::vector<double> noise_of(const std::vector<double>& asked, const std::vector<double>& paid,
                             int num_runs) {
  EncodedTable nobody = numbers_of(records_with_extremes());
  std::ranges::fill(nobody.contributes, uint8_t{0});
  const LinearModel model(nobody.feature_names);
  const std::vector<double> parameters(model.num_parameters(), 0.4);
  const AnsweredRecords records = answered(nobody, model);
  std::vector<double> squares(2 * kGroups, 0.0);
  std::vector<double> gradient(parameters.size());
  for (int run = 0; run < num_runs; ++run) {
    SeededSource source(static_cast<uint64_t>(1000 + run));
    Charge charged = charge(paid);
    PaidOverlappingAnswers answers(records, {Relation::kZeroOut, kClip, kLossClip}, 0x1p-30,
                                   source);
    answers.begin_step(charged.next_batches(0), parameters, asked);
    for (size_t k = 0; k < kGroups; ++k) {
      const auto size = static_cast<double>(kSizes[k]);
      answers.gradient_mean(k, parameters, asked[k], gradient);
      for (const double entry : gradient) {
        squares[k] += std::pow(entry * size, 2) /
                      (static_cast<double>(gradient.size()) * static_cast<double>(num_runs));
      }
      squares[kGroups + k] +=
          std::pow(answers.loss_mean(k, parameters, asked[k]) * size, 2) / num_runs;
    }
  }
  return squares;
}

/// Every group's noise is that of its own rho, whatever the others have and were paid for.
TEST(PaidOverlappingAnswers, EveryGroupHasTheNoiseOfItsCost) {
  constexpr int kRuns = 600;
  const std::vector<double> asked = {0.5, 0.02, 2, 0.3, 0.1};
  for (const double reserve : {1.0, 1.7}) {
    std::vector<double> paid = asked;
    for (double& rho : paid) rho *= reserve;
    const std::vector<double> squares = noise_of(asked, paid, kRuns);
    for (size_t k = 0; k < kGroups; ++k) {
      // 600 runs of 11 numbers or of one, seeds 1000..1599: relative standard errors of
      // sqrt(2 / 6600) and sqrt(2 / 600); at significance 1e-6, for 20 comparisons, 5.5 of them.
      EXPECT_NEAR(squares[k] / (kClip * kClip / (2 * asked[k])), 1,
                  5.5 * std::sqrt(2.0 / (kRuns * 11)));
      EXPECT_NEAR(squares[kGroups + k] / (kLossClip * kLossClip / (2 * asked[k])), 1,
                  5.5 * std::sqrt(2.0 / kRuns));
    }
  }
}

/// Whoever asks for more than was paid for has the noise that was: the groups of the cell for which
/// that matters most decide.
TEST(PaidOverlappingAnswers, NoCellHasLessNoiseThanItsPermit) {
  constexpr int kRuns = 600;
  const std::vector<double> asked = {4, 4, 4, 4, 4};
  const std::vector<double> paid = {1, 1, 1, 1, 2};
  const std::vector<double> squares = noise_of(asked, paid, kRuns);
  // Cells of two groups that paid for 2 in all: noise of sqrt(2) clips over sqrt(2 * 2).
  for (size_t k = 0; k < kGroups; ++k)
    EXPECT_NEAR(squares[k] / (kClip * kClip / 2), 1, 5.5 * std::sqrt(2.0 / (kRuns * 11)));
}

TEST(PaidOverlappingAnswers, AgreeWithDisjointAnswersAboutEachGrouping) {
  EncodedTable table = classes_of(records_with_extremes());
  const LogisticModel model(table.feature_names, table.classes);
  const std::vector<double> parameters(model.num_parameters(), 0.2);
  const Releases joint = releases_of(table, model, parameters);
  for (const size_t first : {size_t{0}, size_t{2}}) {
    const size_t num_groups = first == 0 ? 2 : 3;
    EncodedTable disjoint = table;
    for (GroupId& cell : disjoint.groups) {
      const size_t group = kGroupsOfCell[index_of(cell)][first == 0 ? 0 : 1];
      cell = GroupId(static_cast<uint32_t>(group - first));
    }
    const AnsweredRecords records{
        disjoint,
        model,
        {kSizes.begin() + static_cast<std::ptrdiff_t>(first),
         kSizes.begin() + static_cast<std::ptrdiff_t>(first + num_groups)},
        1};
    SeededSource source(5);
    const Event answer = gaussian_of(1e12);
    std::vector<std::string> names;
    for (size_t k = 0; k < num_groups; ++k) names.push_back(std::to_string(k));
    Charge paid = Charge::unpaid(
        {Event::parallel("one", names,
                         std::vector(num_groups, Event::poisson_sampled(1, {answer, answer})))},
        Relation::kZeroOut, source);
    PaidGroupAnswers answers(records, {Relation::kZeroOut, kClip, kLossClip}, 0x1p-40, source);
    answers.begin_step(paid.next_batches(0), parameters, std::vector(num_groups, 1e12));
    for (size_t k = 0; k < num_groups; ++k) {
      const auto size = static_cast<double>(kSizes[first + k]);
      std::vector<double> gradient(parameters.size());
      answers.gradient_mean(k, parameters, 1e12, gradient);
      for (size_t j = 0; j < gradient.size(); ++j)
        EXPECT_NEAR(gradient[j] * size, joint.gradients[first + k][j], 1e-4);
      EXPECT_NEAR(answers.loss_mean(k, parameters, 1e12) * size, joint.losses[first + k][0], 1e-4);
    }
  }
}

TEST(PaidOverlappingAnswers, RefuseWhatIsNotPaidFor) {
  const EncodedTable table = numbers_of(records_with_extremes());
  const LinearModel model(table.feature_names);
  const AnsweredRecords records = answered(table, model);
  SeededSource source(7);
  Charge paid = charge(kCosts);
  PaidOverlappingAnswers answers(records, {Relation::kZeroOut, kClip, kLossClip}, 0x1p-40, source);
  const std::vector<double> parameters(model.num_parameters(), 0.3);
  std::vector<double> mean(model.num_parameters());
  std::vector<BatchPermit> permits = paid.next_batches(0);
  EXPECT_THROW(answers.begin_step(std::move(permits), parameters, {}), Error);
  paid = charge(kCosts);
  permits = paid.next_batches(0);
  permits.pop_back();
  EXPECT_THROW(answers.begin_step(std::move(permits), parameters, kCosts), Error);
  paid = charge(kCosts);
  std::vector<double> nothing = kCosts;
  nothing[3] = 0;
  EXPECT_THROW(answers.begin_step(paid.next_batches(0), parameters, nothing), Error);
  paid = charge(kCosts);
  answers.begin_step(paid.next_batches(0), parameters, kCosts);
  EXPECT_THROW(answers.gradient_mean(0, std::vector<double>(mean.size()), kCosts[0], mean), Error);
  EXPECT_THROW(answers.gradient_mean(0, parameters, 2 * kCosts[0], mean), Error);
  EXPECT_THROW(answers.loss_mean(0, parameters, 2 * kCosts[0]), Error);
  std::vector<Permit> too_few = paid.take_each(1);
  too_few.pop_back();
  EXPECT_THROW(answers.loss_means(std::move(too_few), parameters, kCosts), Error);
  const AnsweredRecords disjoint{table, model, kSizes, 1};
  EXPECT_THROW(
      PaidOverlappingAnswers(disjoint, {Relation::kZeroOut, kClip, kLossClip}, 0x1p-40, source),
      Error);
}

}  // namespace equinoise::paid_overlapping_answers_test
