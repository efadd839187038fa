// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/random/poisson.h"

#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/base/error.h"
#include "tests/shared_vectors.h"

namespace equinoise::poisson_test {

auto into(std::vector<uint32_t>& records) {
  return [&records](uint32_t record) { records.push_back(record); };
}

TEST(PoissonSkip, AgreesWithTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/conversions.json");
  for (const auto& c : cases) {
    if (c["kind"] != "poisson_skip") continue;
    const std::vector<double> uniforms = c["uniforms"];
    size_t used = 0;
    const auto next_word = [&] {
      return static_cast<uint64_t>(std::floor(uniforms.at(used++) * 0x1p52)) << 12;
    };
    std::vector<uint32_t> records;
    poisson_skip(c["sample_rate"], c["num_records"], next_word, into(records));
    EXPECT_EQ(records, c["expected"]["indices"].get<std::vector<uint32_t>>()) << c["id"];
    EXPECT_EQ(used, c["expected"]["uniforms_used"].get<size_t>()) << c["id"];
  }
}

TEST(PoissonSkip, WideDecisionAgreesWithTheFormulaAwayFromBoundaries) {
  for (double rate : {0.5, 0.01, 1e-6}) {
    for (uint64_t position : {uint64_t{1} << 51, uint64_t{1} << 40, uint64_t{12345}}) {
      const double u = (static_cast<double>(position) + 0.5) * 0x1p-52;
      EXPECT_EQ(geometric_gap_wide(rate, position, {uint64_t{1} << 63, 0}),
                std::floor(std::log(u) / std::log1p(-rate)));
    }
  }
}

TEST(PoissonSkip, TheTopAndBottomCellsAreSafe) {
  std::vector<uint32_t> records;
  // u next to 1: gaps of zero, so everybody is drawn. u next to 0: one huge gap, so nobody is.
  poisson_skip(
      0.25, 5, [] { return ~uint64_t{0}; }, into(records));
  EXPECT_EQ(records.size(), 5U);
  records.clear();
  poisson_skip(
      0.25, 5, [] { return uint64_t{0}; }, into(records));
  EXPECT_TRUE(records.empty());
}

TEST(PoissonSample, RefusesARateThatIsNotInRange) {
  SeededSource source(1);
  std::vector<uint32_t> records;
  for (double rate : {0.0, -0.1, 1.1, std::nan(""), 0x1p-60}) {
    EXPECT_THROW(poisson_sample(rate, 10, source, records), Error) << rate;
  }
  EXPECT_THROW(poisson_sample(0.5, -1, source, records), Error);
}

TEST(PoissonSample, AnEmptyTableGivesAnEmptyBatch) {
  SeededSource source(1);
  std::vector<uint32_t> records = {1};
  poisson_sample(0.5, 0, source, records);
  EXPECT_TRUE(records.empty());
}

/// Records of counted rows, row by row, are those that are drawn without rows.
TEST(PoissonSample, OfCountedRowsIsThatOfTheirRecords) {
  const std::vector<uint32_t> row_ends = {3, 4, 400, 400, 401, 1000};
  for (const double rate : {0.002, 0.05, 0.7, 1.0}) {
    SeededSource source(7);
    SeededSource same(7);
    for (int draw = 0; draw < 200; ++draw) {
      std::vector<uint32_t> records;
      poisson_sample(rate, 1000, source, records);
      std::vector<uint32_t> rows;
      for (const uint32_t record : records) {
        const auto end = std::ranges::upper_bound(row_ends, record);
        rows.push_back(static_cast<uint32_t>(end - row_ends.begin()));
      }
      CountedBatch batch;
      poisson_sample(rate, row_ends, same, batch);
      EXPECT_EQ(batch.view().repeated(), rows) << rate;
      EXPECT_TRUE(std::ranges::is_sorted(batch.records, std::less_equal<>()) ||
                  batch.records.size() < 2)
          << rate;
    }
    EXPECT_EQ(source.next(), same.next()) << rate;
  }
}

TEST(PoissonSample, OfNoRowsIsEmpty) {
  SeededSource source(1);
  CountedBatch batch = {{1}, {1}};
  poisson_sample(0.5, std::span<const uint32_t>(), source, batch);
  EXPECT_EQ(batch.view().size(), 0U);
  poisson_sample(1, std::span<const uint32_t>(), source, batch);
  EXPECT_EQ(batch.view().size(), 0U);
}

}  // namespace equinoise::poisson_test
