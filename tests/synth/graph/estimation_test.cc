// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/estimation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/synth/graph/graph_cases.h"
#include "tests/test_support.h"

namespace equinoise::estimation_test {

using ::equinoise::testing::GraphFile;
using ::equinoise::testing::max_difference;

/// The loss by its definition.
double loss_of(const GraphicalModel& model, const std::vector<NoisyMarginal>& measurements) {
  double loss = 0;
  for (const NoisyMarginal& m : measurements) {
    const std::vector<double> counts = model.marginal(m.clique);
    for (size_t i = 0; i < counts.size(); ++i) {
      const double weight = m.weights.empty() ? 1 : m.weights[i];
      loss += 0.5 * std::pow((weight * counts[i] - m.values[i]) / m.noise_stddev, 2);
    }
  }
  return loss;
}

TEST(Estimation, ReachesTheOptimaOfTheVectors) {
  const std::vector<GraphFile> files = testing::graph_files("est_", ".json");
  if (files.empty()) GTEST_SKIP() << "no shared vectors";
  for (const GraphFile& file : files) {
    const nlohmann::json problems = file.content.contains("problems")
                                        ? file.content.at("problems")
                                        : nlohmann::json::array({file.content});
    for (const nlohmann::json& problem : problems) {
      SCOPED_TRACE(file.name);
      const Domain domain = testing::graph_domain(problem);
      const std::vector<NoisyMarginal> measurements = testing::measurements_of(domain, problem);
      EstimationOptions options;
      options.total = problem.at("total").get<double>();
      if (problem.contains("optimal_loss")) {
        options.gap_tolerance = 1e-6;
        options.relative_gap_tolerance = 0;
        options.stall_tolerance = 0;
      }
      const ModelEstimate estimate = estimate_model(domain, measurements, options);
      EXPECT_NEAR(loss_of(estimate.model, measurements), estimate.loss,
                  1e-9 * estimate.loss + 1e-9);
      EXPECT_EQ(estimate.model.total(), *options.total);
      EXPECT_GE(estimate.gap_bound, 0);
      EXPECT_LE(estimate.gap_bound, estimate.loss);
      EXPECT_FALSE(estimate.interrupted);
      if (problem.contains("optimal_loss")) {
        const double optimum = problem.at("optimal_loss");
        EXPECT_NEAR(estimate.loss, optimum, 1e-4 * std::max(1.0, optimum));
        EXPECT_LE(estimate.loss - estimate.gap_bound, optimum + 1e-6);
        for (const nlohmann::json& marginal : problem.at("optimal_marginals")) {
          const Factor want = testing::table_of(domain, marginal, "mu");
          EXPECT_LE(max_difference(estimate.model.marginal(want.attributes), want.values),
                    2e-3 * *options.total);
        }
      }
      if (problem.contains("near_optimal")) {
        const double near = problem.at("near_optimal").at("loss");
        const double gap = problem.at("near_optimal").at("duality_gap_upper_bound");
        EXPECT_LE(estimate.loss, problem.at("result").at("final_loss").get<double>());
        EXPECT_LE(estimate.loss, problem.at("long_result").at("final_loss").get<double>());
        EXPECT_LE(estimate.loss, 1.01 * near);
        EXPECT_GE(estimate.loss, near - gap);
        EXPECT_LE(estimate.loss - estimate.gap_bound, near);
      }
    }
  }
}

Domain small_domain() { return Domain({{"a", 2}, {"b", 3}, {"c", 4}}); }

/// Exact marginals of a product distribution with 120 records: a (1/4, 3/4), b uniform, c 1:2:3:4.
std::vector<NoisyMarginal> exact_measurements() {
  NoisyMarginal ab{{0, 1}, 1.0, {10, 10, 10, 30, 30, 30}, {}};
  NoisyMarginal bc{{1, 2}, 2.0, {}, {}};
  for (int b = 0; b < 3; ++b) {
    for (int c = 0; c < 4; ++c) bc.values.push_back(4.0 * (c + 1));
  }
  return {ab, bc};
}

TEST(Estimation, FindsExactMarginals) {
  const Domain domain = small_domain();
  const std::vector<NoisyMarginal> measurements = exact_measurements();
  EstimationOptions options;
  options.gap_tolerance = 1e-8;
  options.relative_gap_tolerance = 0;
  const ModelEstimate estimate = estimate_model(domain, measurements, options);
  EXPECT_NEAR(estimate.model.total(), 120, 1e-12);
  EXPECT_LE(estimate.loss, 1e-8);
  EXPECT_LE(estimate.gap_bound, estimate.loss);
  // Of all distributions with these marginals the model is the one in which a and c are independent
  // given b.
  const std::vector<double> joint = estimate.model.marginal({0, 1, 2});
  for (int a = 0; a < 2; ++a) {
    for (int b = 0; b < 3; ++b) {
      for (int c = 0; c < 4; ++c) {
        EXPECT_NEAR(joint[(a * 3 + b) * 4 + c], (a == 0 ? 0.25 : 0.75) * 4 * (c + 1), 1e-3);
      }
    }
  }
}

TEST(Estimation, CountsRepeatedMeasurementsByTheirPrecision) {
  // Two measurements of one marginal with total 10: the optimum is their weighted mean.
  const Domain domain({{"a", 2}});
  const std::vector<NoisyMarginal> measurements = {{{0}, 1.0, {2, 8}, {}}, {{0}, 2.0, {7, 3}, {}}};
  EstimationOptions options;
  options.gap_tolerance = 1e-10;
  options.relative_gap_tolerance = 0;
  options.total = 10;
  const ModelEstimate estimate = estimate_model(domain, measurements, options);
  EXPECT_NEAR(estimate.model.marginal({0})[0], 3.0, 1e-4);  // (4 * 2 + 1 * 7) / 5
  EXPECT_NEAR(estimate.loss, 1.0 + 4.0, 1e-6);
}

TEST(Estimation, TakesWeightsOfCells) {
  // The second cell stands for four merged values: it was measured as half their sum.
  const Domain domain({{"a", 2}});
  const std::vector<NoisyMarginal> measurements = {{{0}, 1.0, {6, 2}, {1.0, 0.5}}};
  EXPECT_NEAR(estimated_total(measurements), 10, 1e-12);
  EstimationOptions options;
  options.gap_tolerance = 1e-10;
  options.relative_gap_tolerance = 0;
  const ModelEstimate estimate = estimate_model(domain, measurements, options);
  EXPECT_NEAR(estimate.model.marginal({0})[1], 4.0, 1e-4);
  EXPECT_NEAR(estimate.loss, loss_of(estimate.model, measurements), 1e-12);
}

TEST(Estimation, IgnoresCellsThatWereNotMeasured) {
  const Domain domain({{"a", 3}});
  const std::vector<NoisyMarginal> measurements = {{{0}, 1.0, {5, 3, 0}, {1.0, 1.0, 0.0}}};
  EstimationOptions options;
  options.total = 20;
  options.gap_tolerance = 1e-8;
  options.relative_gap_tolerance = 0;
  const ModelEstimate estimate = estimate_model(domain, measurements, options);
  EXPECT_LE(max_difference(estimate.model.marginal({0}), std::vector<double>{5, 3, 12}), 1e-3);
  EXPECT_EQ(estimated_total(measurements), 1.0);  // nothing says how many there are
}

TEST(Estimation, WeighsTotalsByTheirVariance) {
  // Sums 100 with variance 4 * 2 and 130 with variance 1 * 3: weights 3 : 8.
  const std::vector<NoisyMarginal> measurements = {{{0}, 2.0, {40, 60}, {}},
                                                   {{1}, 1.0, {50, 50, 30}, {}}};
  EXPECT_NEAR(estimated_total(measurements), (100.0 * 3 + 130.0 * 8) / 11, 1e-12);
  EXPECT_EQ(estimated_total({{{0}, 1.0, {-50, -20}, {}}}), 1.0);
}

TEST(Estimation, StartsFromAnEarlierModel) {
  const Domain domain = small_domain();
  std::vector<NoisyMarginal> measurements = exact_measurements();
  measurements[0].values = {12, 7, 11, 28, 33, 29};
  EstimationOptions options;
  options.gap_tolerance = 1e-6;
  options.relative_gap_tolerance = 0;
  options.stall_tolerance = 0;
  const ModelEstimate cold = estimate_model(domain, measurements, options);
  const ModelEstimate warm = estimate_model(domain, measurements, options, &cold.model);
  EXPECT_LT(warm.iterations, cold.iterations);
  EXPECT_NEAR(warm.loss, cold.loss, 1e-5);
  // A potential over (a, b) becomes part of one over (a, b, c).
  measurements.push_back({{0, 1, 2}, 1.0, std::vector<double>(24, 5.0), {}});
  const ModelEstimate larger = estimate_model(domain, measurements, options, &cold.model);
  const ModelEstimate afresh = estimate_model(domain, measurements, options);
  EXPECT_NEAR(larger.loss, afresh.loss, 1e-4);
  const Domain other({{"a", 2}, {"b", 3}, {"c", 5}});
  EXPECT_ERROR(
      kUsage, HasSubstr("another domain"),
      static_cast<void>(estimate_model(other, {{{0}, 1.0, {1, 2}, {}}}, options, &cold.model)));
}

TEST(Estimation, KeepsDeclaredZeros) {
  const Domain domain = small_domain();
  EstimationOptions options;
  Factor zeros = constant_factor(domain, {0, 2}, 0.0);
  zeros.values[0] = kLogZero;  // a = 0 with c = 0
  options.fixed_potentials = {zeros};
  const ModelEstimate estimate = estimate_model(domain, exact_measurements(), options);
  const std::vector<double> pair = estimate.model.marginal({0, 2});
  EXPECT_EQ(pair[0], 0);
  EXPECT_NEAR(pair[4], estimate.model.marginal({2})[0], 1e-9);
  EXPECT_EQ(estimate.model.tree().cliques, (std::vector<AttributeSet>{{0, 1, 2}}));
  // They stay when a model with them is the start.
  const ModelEstimate again =
      estimate_model(domain, exact_measurements(), options, &estimate.model);
  EXPECT_EQ(again.model.marginal({0, 2})[0], 0);
  std::ranges::fill(options.fixed_potentials[0].values, kLogZero);
  EXPECT_ERROR(kUsage, HasSubstr("structural zeros leave no possible record"),
               static_cast<void>(estimate_model(domain, exact_measurements(), options)));
}

/// With the potentials of a model fixed only what was measured moves: b given a stays as it was.
TEST(Estimation, StaysNearestToAModelWhosePotentialsAreFixed) {
  const Domain domain({{"a", 2}, {"b", 2}});
  const GraphicalModel prior(domain, {{{0, 1}, {std::log(4), 0, 0, std::log(2)}}}, 80);
  EstimationOptions options;
  options.fixed_potentials = prior.potentials();
  options.total = 80;
  options.gap_tolerance = 1e-9;
  options.relative_gap_tolerance = 1e-9;
  const std::vector<NoisyMarginal> halves = {{{0}, 1.0, {40, 40}, {}}};
  const ModelEstimate estimate = estimate_model(domain, halves, options);
  const std::vector<double> expected = {32, 8, 40.0 / 3, 80.0 / 3};
  const auto expect_nearest = [&](const ModelEstimate& result) {
    const std::vector<double> pair = result.model.marginal({0, 1});
    for (size_t cell = 0; cell < 4; ++cell) EXPECT_NEAR(pair[cell], expected[cell], 1e-3);
  };
  expect_nearest(estimate);
  // Fixed potentials that come again with the start do not count twice.
  options.max_iterations = 0;
  expect_nearest(estimate_model(domain, halves, options, &estimate.model));
}

TEST(Estimation, EndsWhenTold) {
  const Domain domain = small_domain();
  std::vector<NoisyMarginal> measurements = exact_measurements();
  measurements[0].values = {12, 7, 11, 28, 33, 29};
  EstimationOptions options;
  options.gap_tolerance = 0;
  options.relative_gap_tolerance = 0;
  options.stall_tolerance = 0;
  int calls = 0;
  options.on_progress = [&](const EstimationProgress& progress) {
    EXPECT_GE(progress.gap_bound, 0);
    return ++calls < 2;
  };
  const ModelEstimate estimate = estimate_model(domain, measurements, options);
  EXPECT_EQ(calls, 2);
  EXPECT_TRUE(estimate.interrupted);
  EXPECT_EQ(estimate.iterations, 20);
  EXPECT_NEAR(loss_of(estimate.model, measurements), estimate.loss, 1e-9);
}

TEST(Estimation, RefusesBadMeasurements) {
  const Domain domain = small_domain();
  const auto message = [&](const std::vector<NoisyMarginal>& measurements) {
    return error_of(ErrorKind::kUsage, [&] {
      static_cast<void>(estimate_model(domain, measurements, EstimationOptions()));
    });
  };
  EXPECT_THAT(message({}), HasSubstr("no measurements"));
  EXPECT_THAT(message({{{0}, 1.0, {1, 2}, {}}, {{3}, 1.0, {1}, {}}}),
              HasSubstr("[synth.estimation.measurements[1]] attribute 3 is outside the domain"));
  EXPECT_THAT(message({{{0}, 1.0, {1, 2, 3}, {}}}), HasSubstr("a must have 2 values, got 3"));
  EXPECT_THAT(message({{{0}, 1.0, {1, 2}, {1.0}}}), HasSubstr("2 weights or none, got 1"));
  EXPECT_THAT(message({{{0}, 0.0, {1, 2}, {}}}),
              HasSubstr("noise must be from 1e-60 to 1e+60, got 0"));
  EXPECT_THAT(message({{{0}, std::nan(""), {1, 2}, {}}}), HasSubstr("its noise must be"));
  EXPECT_THAT(message({{{0}, 1.0, {1, std::nan("")}, {}}}),
              HasSubstr("its values, and their ratios to its noise, must be at most 1e+60"));
  EXPECT_THAT(message({{{0}, 1.0, {1, 2}, {1.0, -1.0}}}),
              HasSubstr("weights must be finite and >="));
  EstimationOptions options;
  options.total = 0;
  EXPECT_ERROR(kUsage, HasSubstr("total must be > 0 and at most 1e+60, got 0"),
               static_cast<void>(estimate_model(domain, {{{0}, 1.0, {1, 2}, {}}}, options)));
  options.total = 10;
  options.max_cells = 5;
  EXPECT_ERROR(kUsage, HasSubstr("more than 5; its largest clique is (c)"),
               static_cast<void>(estimate_model(domain, {{{0}, 1.0, {1, 2}, {}}}, options)));
}

}  // namespace equinoise::estimation_test
