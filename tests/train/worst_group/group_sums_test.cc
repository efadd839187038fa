// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/worst_group/group_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "equinoise/models/registry.h"
#include "tests/small_tables.h"
#include "tests/test_support.h"

namespace equinoise::group_sums_test {

constexpr size_t kGroups = 3;

class GroupSumsTest : public ::testing::TestWithParam<std::string_view> {
 protected:
  GroupSumsTest() {
    for (int64_t i = 0; i < table_.num_records; ++i)
      table_.groups.push_back(GroupId(static_cast<uint32_t>(i % kGroups)));
    std::iota(all_.begin(), all_.end(), 0U);
    const NetworkOptions small = {{6, 5}, ActivationKind::kTanh};
    for (const ModelRow& row : model_kinds())
      if (row.name == GetParam())
        model_ = row.make({table_.feature_names, table_.classes, {}},
                          row.settle != nullptr ? row.settle(small) : small);
    for (size_t j = 0; j < model_->num_parameters(); ++j)
      parameters_.push_back(0.3 * std::sin(static_cast<double>(j)));
  }

  struct Result {
    std::vector<int64_t> gradients;
    std::vector<int64_t> losses;
  };

  Result compute(const EncodedTable& table, const std::vector<double>& factors,
                 int threads = 1) const {
    const GroupSums sums(table, *model_, kGroups, scales_, threads);
    Result result{std::vector<int64_t>(parameters_.size()), std::vector<int64_t>(kGroups)};
    sums.compute({all_}, parameters_, factors, result.gradients, result.losses);
    return result;
  }

  EncodedTable table_ = testing::mixed_table(5000, 3);
  std::unique_ptr<Model> model_;
  std::vector<uint32_t> all_ = std::vector<uint32_t>(5000);
  std::vector<double> parameters_;
  GroupSumScales scales_ = {0.5, 0x1p-30, 0.7, 0x1p-30};
};

TEST_P(GroupSumsTest, AreSumsOfClippedGradientsAndClampedLosses) {
  const Predictions predicted = model_->predict(table_, parameters_);
  std::vector<double> losses(kGroups);
  for (size_t i = 0; i < all_.size(); ++i)
    losses[i % kGroups] += std::min(predicted.loss[i], scales_.loss_bound);
  const Result result = compute(table_, {1, 0.5, 0});
  for (size_t k = 0; k < kGroups; ++k)
    EXPECT_NEAR(static_cast<double>(result.losses[k]) * scales_.loss_grid, losses[k], 1e-5);

  PerSample samples;
  model_->per_sample({table_, all_}, parameters_, samples);
  std::vector<double> weights;
  const double factors[] = {1, 0.5, 0};
  for (size_t i = 0; i < all_.size(); ++i) {
    const double norm = std::sqrt(samples.squared_norm[i]);
    weights.push_back(factors[i % kGroups] * std::min(1.0, scales_.max_grad_norm / norm));
  }
  std::vector<double> sum(parameters_.size());
  model_->add_weighted_sum({table_, all_}, samples, weights, sum);
  // Networks truncate the factors of each gradient to 16 bits.
  const double truncation =
      model_->sum_error(1) > 0 ? scales_.max_grad_norm * 0x1p-16 : scales_.gradient_grid;
  for (size_t j = 0; j < sum.size(); ++j) {
    EXPECT_NEAR(static_cast<double>(result.gradients[j]) * scales_.gradient_grid, sum[j],
                5000 * truncation);
  }
}

TEST_P(GroupSumsTest, ThreadsDoNotChangeThem) {
  const Result one = compute(table_, {1, 1, 1});
  const Result many = compute(table_, {1, 1, 1}, 5);
  EXPECT_EQ(one.gradients, many.gradients);
  EXPECT_EQ(one.losses, many.losses);
}

/// What noise must cover: one record moves its own group's sum of losses alone, by at most
/// loss_bound, and the gradients by at most max_grad_norm; extreme records attain both.
TEST_P(GroupSumsTest, ANeighbourMovesThemByAtMostTheirBounds) {
  for (uint32_t record = 0; record < 5000; record += 5) {
    for (uint32_t j = 0; j < table_.num_dense; ++j)
      table_.dense[record * table_.num_dense + j] = record % 2 == 0 ? 1e6F : -1e6F;
  }
  const std::vector<double> factors = {1, 1, 1};
  const Result before = compute(table_, factors);
  double largest_loss = 0;
  double largest_gradient = 0;
  for (uint32_t record = 0; record < 400; record += 5) {
    EncodedTable neighbour = table_;
    neighbour.contributes[record] = 0;
    const Result after = compute(neighbour, factors);
    for (size_t k = 0; k < kGroups; ++k) {
      const auto change = static_cast<double>(std::llabs(before.losses[k] - after.losses[k]));
      if (k != record % kGroups) {
        EXPECT_EQ(change, 0);
      }
      EXPECT_LE(change, scales_.loss_bound / scales_.loss_grid);
      largest_loss = std::max(largest_loss, change * scales_.loss_grid);
    }
    double squared = 0;
    for (size_t j = 0; j < before.gradients.size(); ++j)
      squared += std::pow(static_cast<double>(before.gradients[j] - after.gradients[j]), 2);
    const double rounding = model_->sum_error(scales_.gradient_grid);
    EXPECT_LE(std::sqrt(squared),
              (scales_.max_grad_norm + rounding) / scales_.gradient_grid * (1 + 1e-15));
    largest_gradient = std::max(largest_gradient, std::sqrt(squared) * scales_.gradient_grid);
  }
  EXPECT_GT(largest_loss, 0.999 * scales_.loss_bound);
  EXPECT_GT(largest_gradient, 0.999 * scales_.max_grad_norm);
}

TEST_P(GroupSumsTest, WhatIsNotFiniteOrUnknownAddsNothing) {
  EncodedTable without = table_;
  without.contributes[7] = without.contributes[8] = without.contributes[9] = 0;
  table_.dense[7 * table_.num_dense] = std::nanf("");
  table_.dense[8 * table_.num_dense] = std::numeric_limits<float>::infinity();
  table_.groups[9] = GroupId(kGroups);
  const Result got = compute(table_, {1, 1, 1});
  const Result want = compute(without, {1, 1, 1});
  EXPECT_EQ(got.gradients, want.gradients);
  EXPECT_EQ(got.losses, want.losses);
}

/// Which a network's passes over many records at once must not forget: amplification compares with
/// a table that lacks the record's place.
TEST_P(GroupSumsTest, ANullRecordMovesTheEndsOfTilesAndNothingElse) {
  const size_t null = model_->max_tile_records() / 2;
  table_.contributes[null] = 0;
  const Result with_null = compute(table_, {1, 0.5, 0.1});
  std::erase(all_, static_cast<uint32_t>(null));
  const Result without = compute(table_, {1, 0.5, 0.1});
  EXPECT_EQ(with_null.gradients, without.gradients);
  EXPECT_EQ(with_null.losses, without.losses);
}

TEST_P(GroupSumsTest, NeedATableWithGroups) {
  table_.groups.clear();
  error_of(ErrorKind::kRuntime, [&] { GroupSums(table_, *model_, kGroups, scales_, 1); });
}

INSTANTIATE_TEST_SUITE_P(Models, GroupSumsTest, ::testing::Values("logistic", "mlp"),
                         [](const auto& model) { return std::string(model.param); });

}  // namespace equinoise::group_sums_test
