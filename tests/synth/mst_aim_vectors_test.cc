// SPDX-License-Identifier: Apache-2.0
// The steps of MST and AIM on the shared vectors.

#include <gmock/gmock.h>

#include <cmath>

#include "equinoise/synth/marginal_scores.h"
#include "equinoise/synth/rare_values.h"
#include "equinoise/synth/synthesizers/synthesizers.h"
#include "tests/shared_vectors.h"
#include "tests/synth/coded_tables.h"

namespace equinoise::mst_aim_vectors_test {

using nlohmann::json;
using testing::expect_close;

/// Calls `check` for each case of a kind; fails without any.
template <typename Check>
void for_each_case(const json& cases, const std::string& kind, Check&& check) {
  int num_cases = 0;
  for (const json& item : cases) {
    if (item["kind"] != kind) continue;
    SCOPED_TRACE(item["id"].get<std::string>());
    check(item);
    ++num_cases;
  }
  EXPECT_GT(num_cases, 0) << kind;
}

TEST(SynthSteps, WeightsOfCandidates) {
  EQUINOISE_VECTORS(cases, "steps/marginals.json");
  for_each_case(cases, "aim_weights", [](const json& item) {
    Workload workload;
    for (const json& marginal : item["workload"])
      workload.push_back({marginal["attributes"].get<AttributeSet>(), marginal["weight"]});
    const std::vector<WeightedMarginal> candidates = candidates_of(workload);
    const json& expected = item["expected"]["candidates"];
    ASSERT_EQ(candidates.size(), expected.size());
    for (size_t i = 0; i < candidates.size(); ++i) {
      EXPECT_EQ(candidates[i].attributes, expected[i]["attributes"].get<AttributeSet>());
      expect_close(candidates[i].weight, expected[i]["weight"], item["tolerance"], "weight");
    }
  });
}

TEST(SynthSteps, ScoresOfAim) {
  EQUINOISE_VECTORS(cases, "steps/marginals.json");
  for_each_case(cases, "aim_scores", [](const json& item) {
    const json& candidates = item["candidates"];
    double largest = 0;
    for (const json& candidate : candidates) {
      if (candidate["kept"]) largest = std::max(largest, candidate["weight"].get<double>());
    }
    const MarginalScores grid(largest);
    const double noise = item["noise_stddev"];
    for (size_t i = 0; i < candidates.size(); ++i) {
      const auto counts = candidates[i]["marginal"].get<std::vector<uint32_t>>();
      const auto model = candidates[i]["model"].get<std::vector<double>>();
      const double weight = candidates[i]["weight"];
      const auto cells = static_cast<double>(counts.size());
      const double penalty = std::sqrt(2 / M_PI) * noise * cells;
      const double score =
          static_cast<double>(grid.score(counts, model, weight, penalty)) * grid.unit();
      // Rounded to the grid: each cell and the penalty by half a unit, the weight by 2^-16 of the
      // largest.
      const double expected = item["expected"]["scores"][i];
      const double l1 = item["expected"]["l1_distances"][i];
      const double rounding =
          weight * (cells + 1) * 0x1p-13 + largest * 0x1p-16 * (l1 + penalty) + 1e-9;
      EXPECT_NEAR(score, expected, rounding) << i;
    }
    if (item["relation"] != "replace_one") {
      expect_close(grid.sensitivity_units(largest) * grid.unit(),
                   item["expected"]["score_sensitivity"], item["tolerance"], "sensitivity");
    }
  });
}

TEST(SynthSteps, BudgetOfAim) {
  EQUINOISE_VECTORS(cases, "steps/marginals.json");
  for_each_case(cases, "aim_budget", [](const json& item) {
    const double rho = item["rho"];
    const double share = item["alpha"];
    const double num_rounds =
        item["rounds_per_attribute"].get<double>() * item["num_attributes"].get<double>();
    AimRound round = first_aim_round(rho, num_rounds, share);
    const json& expected = item["expected"];
    expect_close(round.noise_stddev, expected["initial_noise_stddev"], item["tolerance"], "noise");
    expect_close(round.epsilon, expected["initial_epsilon"], item["tolerance"], "epsilon");
    if (!item["current_noise_stddev"].is_null()) round.noise_stddev = item["current_noise_stddev"];
    if (!item["current_epsilon"].is_null()) round.epsilon = item["current_epsilon"];
    round = next_aim_round(round, rho - item["rho_used"].get<double>(), share);
    EXPECT_EQ(round.is_last, expected["last_round"].get<bool>());
    expect_close(round.noise_stddev, expected["noise_stddev"], item["tolerance"], "noise");
    expect_close(round.epsilon, expected["epsilon"], item["tolerance"], "epsilon");
  });
}

TEST(SynthSteps, AnnealingOfAim) {
  EQUINOISE_VECTORS(cases, "steps/marginals.json");
  for_each_case(cases, "aim_anneal", [](const json& item) {
    EXPECT_EQ(
        should_halve_noise(item["model_before"].get<std::vector<double>>(),
                           item["model_after"].get<std::vector<double>>(), item["noise_stddev"]),
        item["expected"]["anneal"].get<bool>());
  });
}

TEST(SynthSteps, CapacityOfAim) {
  EQUINOISE_VECTORS(cases, "steps/marginals.json");
  for_each_case(cases, "capacity", [](const json& item) {
    std::vector<Attribute> attributes;
    for (const json& size : item["domain"])
      attributes.push_back({std::to_string(attributes.size()), size});
    const Domain domain(attributes);
    const ModelSizer sizer(domain, item["cliques"].get<std::vector<AttributeSet>>());
    EXPECT_EQ(sizer.cells(), item["expected"]["cells"].get<double>());
    for (size_t i = 0; i < item["candidates"].size(); ++i) {
      EXPECT_EQ(sizer.cells_with(item["candidates"][i].get<AttributeSet>()),
                item["expected"]["candidates"][i]["cells"].get<double>());
    }
  });
}

TEST(SynthSteps, RareValuesOfMst) {
  EQUINOISE_VECTORS(cases, "steps/marginals.json");
  for_each_case(cases, "mst_compress", [](const json& item) {
    NoisyMarginal measured;
    measured.clique = {0};
    measured.values = item["noisy_counts"].get<std::vector<double>>();
    measured.noise_stddev = item["noise_stddev"];
    const RareValues values = find_rare_values(measured.values, 3 * measured.noise_stddev);
    const json& expected = item["expected"];
    EXPECT_EQ(values.kept, expected["kept"].get<std::vector<uint16_t>>());
    EXPECT_EQ(values.pooled, expected["merged"].get<std::vector<uint16_t>>());
    EXPECT_EQ(values.code_of, expected["code_map"].get<std::vector<uint16_t>>());
    EXPECT_EQ(values.num_codes(), expected["compressed_size"].get<size_t>());
    const NoisyMarginal pooled = pool(measured, values);
    ASSERT_EQ(pooled.values.size(), expected["compressed_counts"].size());
    for (size_t i = 0; i < pooled.values.size(); ++i) {
      expect_close(pooled.values[i], expected["compressed_counts"][i], item["tolerance"], "count");
    }
    EXPECT_EQ(pooled.noise_stddev, measured.noise_stddev);
    if (expected["merged_weight"].is_null()) {
      EXPECT_TRUE(pooled.weights.empty());
    } else {
      expect_close(pooled.weights.back(), expected["merged_weight"], item["tolerance"], "weight");
    }
  });
}

TEST(SynthSteps, ScoresAndNoiseOfMst) {
  EQUINOISE_VECTORS(cases, "steps/marginals.json");
  for_each_case(cases, "mst_tree", [](const json& item) {
    const auto sizes = item["domain"].get<std::vector<size_t>>();
    const CodedTable table = testing::coded_table(sizes, item["rows"]);
    std::vector<Attribute> attributes;
    std::vector<Factor> potentials;
    for (size_t i = 0; i < sizes.size(); ++i) {
      attributes.push_back({std::to_string(i), static_cast<int>(sizes[i])});
      Factor potential;
      potential.attributes = {static_cast<int>(i)};
      for (const json& count : item["one_way_model"][i])
        potential.values.push_back(std::log(count.get<double>()));
      potentials.push_back(std::move(potential));
    }
    const Domain domain(attributes);
    const GraphicalModel model(domain, potentials, item["total"]);
    const PairScores scores = score_pairs(TableMarginals(table), model, HUGE_VAL, 2);
    const json& expected = item["expected"];
    EXPECT_EQ(json(scores.pairs), expected["pairs"]);
    EXPECT_EQ(scores.num_too_large, 0U);
    // A pair that no model has room for is not even counted.
    const PairScores none = score_pairs(TableMarginals(table), model, 1, 2);
    EXPECT_EQ(none.num_too_large + none.pairs.size(), scores.pairs.size());
    for (const AttributeSet& pair : none.pairs) EXPECT_LE(domain.num_cells(pair), 1);
    for (size_t i = 0; i < scores.scores.size(); ++i) {
      const double cells = domain.num_cells(scores.pairs[i]);
      EXPECT_NEAR(static_cast<double>(scores.scores[i]) * MarginalScores(1).unit(),
                  expected["scores"][i].get<double>(), (cells + 1) * 0x1p-13);
    }
    SynthConfig config;
    config.rho = item["rho"];
    const SynthPlan plan =
        make_mst()->plan(config, {domain, std::vector<bool>(sizes.size()), table.num_records});
    EXPECT_NEAR(plan.events[0].events()[0].noise_stddev(),
                expected["one_way_noise_stddev"].get<double>(), 1e-9);
    EXPECT_NEAR(plan.events[1].events()[0].epsilon(), expected["epsilon_per_round"].get<double>(),
                1e-9);
    EXPECT_NEAR(plan.events[2].events()[0].noise_stddev(),
                expected["two_way_noise_stddev"].get<double>(), 1e-9);
  });
}

}  // namespace equinoise::mst_aim_vectors_test
