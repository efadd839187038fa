// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/additive/column_histograms.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/models/model_cases.h"
#include "tests/vector_maths.h"

namespace equinoise::column_histograms_test {
namespace {

constexpr TargetScale kBounds = {1, 0.5, 0, 2, false};

EncodedTable table_of(int64_t num_records) {
  EncodedTable table = testing::table_for({"additive", 0}, num_records, 3);
  for (size_t i = 0; i < table.targets.size(); ++i)
    table.targets[i] = 0.4F + 0.01F * static_cast<float>(i % 11);
  return table;
}

/// A record that becomes null, whatever its target is: no more than the sensitivity, which is
/// attained with the target at a bound.
TEST(ColumnHistograms, ARecordChangesThemByNoMoreThanTheSensitivity) {
  EncodedTable table = table_of(30);
  const auto made = testing::make_model({"additive", 0}, table);
  const auto& model = dynamic_cast<const AdditiveModel&>(*made);
  for (const TargetScale& target : {TargetScale(), kBounds}) {
    double largest = 0;
    for (const float value : {0.0F, 0.3F, 1.0F, 2.0F, 7.0F, -1.0F, std::nanf("")}) {
      table.targets[4] = value;
      table.contributes[4] = 1;
      const EncodedTable cells = model.in_cells(table);
      const ColumnHistograms histograms(model, cells, target);
      const std::vector<int64_t> with = histograms.count(cells, 1);
      table.contributes[4] = 0;
      const std::vector<int64_t> without = histograms.count(model.in_cells(table), 1);
      const double change = testing::distance(with, without);
      EXPECT_LE(change, histograms.sensitivity());
      largest = std::max(largest, change / histograms.sensitivity());
    }
    EXPECT_GT(largest, 0.99);
  }
}

TEST(ColumnHistograms, TellTheTargetWhereOnlyItsBoundsAreKnown) {
  const EncodedTable table = table_of(1100);
  const auto made = testing::make_model({"additive", 0}, table);
  const auto& model = dynamic_cast<const AdditiveModel&>(*made);
  const EncodedTable cells = model.in_cells(table);
  const ColumnHistograms histograms(model, cells, kBounds);
  const std::vector<int64_t> counts = histograms.count(cells, 1);
  const TargetScale exact = histograms.target(counts, 0, 1100);
  EXPECT_NEAR(exact.middle, 0.45, 0.003);
  EXPECT_NEAR(exact.spread, std::sqrt(0.001), 0.02);
  // With noise the spread is larger, so that residuals are not cut off, but never above the public
  // one.
  EXPECT_GT(histograms.target(counts, 1, 1100).spread, exact.spread);
  EXPECT_EQ(histograms.target(counts, 1e6, 1100).spread, kBounds.spread);
  const ColumnHistograms plain(model, cells, {});
  EXPECT_EQ(plain.target(plain.count(cells, 1), 0, 1100).middle, TargetScale().middle);
}

}  // namespace
}  // namespace equinoise::column_histograms_test
