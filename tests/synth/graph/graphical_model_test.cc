// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/graphical_model.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/synth/graph/graph_cases.h"
#include "tests/test_support.h"

namespace equinoise::graphical_model_test {

using ::equinoise::testing::max_difference;
using ::equinoise::testing::RandomGraph;

TEST(GraphicalModel, AnswersForAnySet) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const RandomGraph graph = testing::random_graph(seed);
    const GraphicalModel model(graph.domain, graph.potentials, 100.0);
    std::vector<AttributeSet> sets;
    for (int bits = 0; bits < 1 << graph.domain.num_attributes(); ++bits) {
      AttributeSet set;
      for (int a = 0; a < graph.domain.num_attributes(); ++a) {
        if ((bits >> a) & 1) set.push_back(a);
      }
      sets.push_back(set);
    }
    const std::vector<std::vector<double>> together = model.marginals(sets, 3);
    for (size_t i = 0; i < sets.size(); ++i) {
      std::vector<double> want = testing::summed_records(graph, sets[i]);
      for (double& p : want) p *= 100;
      ASSERT_LE(max_difference(together[i], want), 1e-10) << seed;
      ASSERT_EQ(together[i], model.marginal(sets[i])) << seed;
    }
  }
}

/// Probabilities below what has an inverse count as 0, not as something that is no number.
TEST(GraphicalModel, AnswersWhereAlmostNothingIs) {
  const Domain domain({{"a", 2}, {"b", 2}, {"c", 2}});
  const GraphicalModel model(
      domain, {{{0, 1}, {0, -715, 0, -716}}, {{1, 2}, {0, 1, 0, 1}}, {{1}, {0, 0}}}, 10);
  const std::vector<double> pair = model.marginal({0, 2});
  double sum = 0;
  for (const double count : pair) sum += count;
  EXPECT_NEAR(sum, 10, 1e-9);
}

TEST(GraphicalModel, ConditionsOnEvidence) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const RandomGraph graph = testing::random_graph(seed);
    const GraphicalModel model(graph.domain, graph.potentials, 50.0);
    const AttributeSet all = graph.domain.all();
    const std::vector<double> joint = model.marginal(all);
    const int attribute = static_cast<int>(seed % all.size());
    const std::vector<double> codes = model.marginal({attribute});
    const int code = static_cast<int>(std::ranges::max_element(codes) - codes.begin());
    const GraphicalModel given = model.given({{attribute, code}});
    EXPECT_NEAR(given.total(), codes[code], 1e-9);
    // The joint table with everything else struck out.
    Factor want{all, joint};
    Factor only = constant_factor(graph.domain, {attribute}, 0.0);
    only.values[code] = 1;
    Broadcast(graph.domain, all, {attribute}).multiply_into(want.values, only.values);
    ASSERT_LE(max_difference(given.marginal(all), want.values), 1e-9) << seed;
    // And with each code's records weighed.
    std::vector<double> weights(codes.size());
    for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<double>(i % 3) / 2;
    weights[static_cast<size_t>(code)] = 0.25;
    only.values = weights;
    want.values = joint;
    Broadcast(graph.domain, all, {attribute}).multiply_into(want.values, only.values);
    const GraphicalModel weighed = model.given({{attribute, 0, weights}});
    ASSERT_LE(max_difference(weighed.marginal(all), want.values), 1e-9) << seed;
  }
}

TEST(GraphicalModel, RefusesImpossibleEvidence) {
  const Domain domain({{"age", 3}, {"sex", 2}});
  const GraphicalModel model(domain, {{{0, 1}, {0, kLogZero, 0, 0, 0, 0}}}, 10.0);
  const auto message = [&](const Evidence& evidence) {
    return error_of(ErrorKind::kUsage, [&] { static_cast<void>(model.given(evidence)); });
  };
  EXPECT_THAT(message({{0, 0}, {1, 1}}), HasSubstr("no possible record"));
  EXPECT_THAT(message({{0, 3}}), HasSubstr("code 3 is outside attribute 'age', which has 3"));
  EXPECT_THAT(message({{2, 0}}), HasSubstr("attribute 2 is outside"));
  EXPECT_THAT(message({{0, 0, {1, 1}}}), HasSubstr("weights are not of attribute 'age'"));
  EXPECT_THAT(message({{0, 0, {1, 1, -1}}}), HasSubstr("weights are not of attribute 'age'"));
  EXPECT_THAT(message({{0, 0, {1, 1, std::nan("")}}}), HasSubstr("weights are not of"));
  EXPECT_THAT(message({{0, 0, {0, 0, 0}}}), HasSubstr("no possible record"));
  EXPECT_THAT(message({{0, 1}, {0, 2}}), HasSubstr("'age' is given twice"));
}

TEST(GraphicalModel, RefusesWhatIsNone) {
  const Domain domain({{"age", 3}, {"sex", 2}, {"race", 5}});
  const auto message = [&](std::vector<Factor> potentials, double total, double max_cells) {
    return error_of(ErrorKind::kUsage,
                    [&] { GraphicalModel(domain, std::move(potentials), total, max_cells); });
  };
  EXPECT_THAT(message({{{0}, {0, 0}}}, 1, 100), HasSubstr("must have 3 values, got 2"));
  EXPECT_THAT(message({{{1}, {0, std::nan("")}}}, 1, 100), HasSubstr("below infinity, got nan"));
  EXPECT_THAT(message({{{1}, {0, -kLogZero}}}, 1, 100), HasSubstr("below infinity, got inf"));
  EXPECT_THAT(message({{{1}, {kLogZero, kLogZero}}}, 1, 100), HasSubstr("no possible record"));
  EXPECT_THAT(message({}, 0, 100), HasSubstr("total must be finite and > 0, got 0"));
  EXPECT_THAT(message({}, std::nan(""), 100), HasSubstr("total must be finite"));
  EXPECT_THAT(message({constant_factor(domain, {0, 2}, 0)}, 1, 16),
              HasSubstr("would have 17 cells, more than 16; its largest clique is (age, race) "
                        "with 15"));
  EXPECT_THAT(message({{{3}, {0}}}, 1, 100), HasSubstr("outside the domain"));
}

TEST(GraphicalModel, HoldsImpossibleCombinationsAtZeroEverywhere) {
  const Domain domain({{"age", 2}, {"married", 2}, {"children", 3}});
  const GraphicalModel model(domain, {{{0, 1}, {0, kLogZero, 0, 0}}, {{1, 2}, {1, 2, 3, 3, 2, 1}}},
                             10.0);
  const std::vector<double> joint = model.marginal({0, 1, 2});
  for (size_t cell : {3, 4, 5}) EXPECT_EQ(joint[cell], 0);
  EXPECT_NEAR(std::accumulate(joint.begin(), joint.end(), 0.0), 10, 1e-12);
}

}  // namespace equinoise::graphical_model_test
