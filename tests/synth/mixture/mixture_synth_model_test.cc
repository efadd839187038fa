// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/mixture/mixture_synth_model.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/synth/mixture/mixture_cases.h"
#include "tests/test_support.h"

namespace equinoise::mixture_synth_model_test {

constexpr size_t kComponents = 40;

class MixtureModel : public ::testing::Test {
 protected:
  AttributeBlocks blocks = testing::blocks_with_zeros();
  std::vector<float> mixture = testing::random_mixture(blocks, kComponents, 1);
  std::unique_ptr<MixtureSynthModel> model =
      MixtureSynthModel::of_probabilities(blocks, mixture, 5000);

  double share(const AttributeSet& set, const std::vector<uint32_t>& codes) const {
    return testing::share_by_brute_force(blocks, mixture, set, codes);
  }
};

TEST_F(MixtureModel, ProbabilitiesAreThoseOfTheMixture) {
  EXPECT_EQ(model->probability({}), 1);
  EXPECT_NEAR(model->probability({{1, 2}}), share({1}, {2}), 1e-6);
  EXPECT_NEAR(model->probability({{2, 0}, {0, 1}, {3, 3}}), share({0, 2, 3}, {1, 0, 3}), 1e-6);
  EXPECT_EQ(model->probability({{0, 1}, {2, 1}}), 0) << "declared impossible";
  EXPECT_EQ(model->probability({{0, 1}, {0, 0}}), 0);
  EXPECT_EQ(model->total(), 5000);
  EXPECT_EQ(model->megabytes(), 40 * 12 * 4.0 / 0x1p20);
}

TEST_F(MixtureModel, SharesOfATableAreProbabilities) {
  const AttributeSet set = {0, 2, 3};
  const std::vector<double> shares = model->shares(set);
  ASSERT_EQ(static_cast<double>(shares.size()), model->domain().num_cells(set));
  size_t cell = 0;
  for (int a = 0; a < model->domain().num_codes(0); ++a)
    for (int b = 0; b < model->domain().num_codes(2); ++b)
      for (int c = 0; c < model->domain().num_codes(3); ++c)
        EXPECT_NEAR(shares[cell++], model->probability({{0, a}, {2, b}, {3, c}}), 1e-6);
}

TEST_F(MixtureModel, RowsAgreeWithProbabilities) {
  constexpr size_t kRows = 60'000;
  for (const RowDraw draw : {RowDraw::kRound, RowDraw::kSample}) {
    SeededSource source(2);
    const CodedRows rows = model->rows(kRows, draw, {}, source)->next(kRows);
    const auto check = [&](const AttributeSet& set, double slack) {
      std::vector<double> counts(static_cast<size_t>(blocks.domain().num_cells(set)), 0);
      for (size_t row = 0; row < kRows; ++row) {
        size_t cell = 0;
        for (const int attribute : set)
          cell = cell * static_cast<size_t>(blocks.domain().num_codes(attribute)) +
                 rows.columns[static_cast<size_t>(attribute)][row];
        ++counts[cell];
      }
      for (size_t cell = 0; cell < counts.size(); ++cell) {
        const double expected =
            kRows * share(set, testing::codes_of_cell(blocks.domain(), set, cell));
        EXPECT_NEAR(counts[cell], expected, slack) << cell;
      }
    };
    // Six standard deviations of independent rows are at most 735: two-sided 2e-9 a cell, some 60
    // cells (significance 1e-6, seed 2, n 60,000).
    const double slack = 6 * std::sqrt(kRows / 4.0);
    check({0, 2}, draw == RowDraw::kRound ? 3 : slack);
    check({1}, draw == RowDraw::kRound ? 3 : slack);
    check({0, 1, 3}, slack);
    check({2, 3}, slack);
  }
}

TEST_F(MixtureModel, GivenCodesReweighTheComponents) {
  SeededSource source(3);
  constexpr size_t kRows = 40'000;
  const CodedRows rows = model->rows(kRows, RowDraw::kRound, {{3, 2}, {0, 1}}, source)->next(kRows);
  size_t count = 0;
  for (size_t row = 0; row < kRows; ++row) {
    ASSERT_EQ(rows.columns[3][row], 2);
    ASSERT_EQ(rows.columns[0][row], 1);
    ASSERT_NE(rows.columns[2][row], 1);
    count += rows.columns[1][row] == 1 ? 1 : 0;
  }
  const double expected = kRows * share({0, 1, 3}, {1, 1, 2}) / share({0, 3}, {1, 2});
  EXPECT_NEAR(static_cast<double>(count), expected, 3);
  EXPECT_ERROR(kUsage, HasSubstr("no record has these codes together"),
               model->rows(5, RowDraw::kRound, {{0, 1}, {2, 1}}, source));
  EXPECT_THROW(model->probability({{4, 0}}), Error);
  EXPECT_THROW(model->probability({{0, 2}}), Error);
  EXPECT_EQ(model->rows(0, RowDraw::kRound, {}, source)->next(0).num_rows, 0U);
}

TEST_F(MixtureModel, RowsComeInRandomOrder) {
  SeededSource source(4);
  const CodedRows rows = model->rows(10'000, RowDraw::kRound, {}, source)->next(10'000);
  // The first half has what the second has: 6 standard deviations of a hypergeometric count.
  size_t first = 0;
  size_t all = 0;
  for (size_t row = 0; row < 10'000; ++row) {
    all += rows.columns[1][row] == 0 ? 1 : 0;
    first += row < 5000 && rows.columns[1][row] == 0 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(first), static_cast<double>(all) / 2, 300);
}

TEST_F(MixtureModel, ComesBackFromJson) {
  const nlohmann::ordered_json json = model->to_json();
  EXPECT_EQ(json.at("kind"), "mixture");
  const nlohmann::json read = nlohmann::json::parse(json.dump());
  const auto again = mixture_synth_model_from_json(read, blocks.domain(), "here");
  EXPECT_EQ(again->to_json().dump(), json.dump());
  SeededSource one(5);
  SeededSource two(5);
  EXPECT_EQ(again->rows(100, RowDraw::kRound, {{1, 1}}, one)->next(100).columns,
            model->rows(100, RowDraw::kRound, {{1, 1}}, two)->next(100).columns);
}

TEST_F(MixtureModel, DamagedFilesAreRefused) {
  const nlohmann::json good = nlohmann::json::parse(model->to_json().dump());
  const auto refuse = [&](const nlohmann::json& json) {
    EXPECT_ERROR(kInput, HasSubstr("here"),
                 mixture_synth_model_from_json(json, blocks.domain(), "here"));
  };
  for (const char* key : {"total", "blocks", "components", "weights"}) {
    nlohmann::json bad = good;
    bad.erase(key);
    refuse(bad);
    bad[key] = "text";
    SCOPED_TRACE(key);
    refuse(bad);
  }
  nlohmann::json bad = good;
  bad["weights"].erase(0);
  refuse(bad);
  bad = good;
  bad["components"] = 0;
  refuse(bad);
  bad = good;
  bad["total"] = 0.5;
  refuse(bad);
  bad = good;
  for (size_t i = 0; i < blocks.sizes()[0]; ++i) bad["weights"][i] = 0U;
  refuse(bad);
  bad = good;
  bad["weights"][0] = -1;
  refuse(bad);
  bad = good;
  bad["blocks"][0]["cells"][0] = 99;
  refuse(bad);
}

}  // namespace equinoise::mixture_synth_model_test
