// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/random/poisson.h"

#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/base/error.h"
#include "tests/shared_vectors.h"

namespace equinoise::poisson_test {
namespace {

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
    poisson_skip(c["sample_rate"], c["num_records"], next_word, records);
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
      0.25, 5, [] { return ~uint64_t{0}; }, records);
  EXPECT_EQ(records.size(), 5U);
  poisson_skip(
      0.25, 5, [] { return uint64_t{0}; }, records);
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

}  // namespace
}  // namespace equinoise::poisson_test
