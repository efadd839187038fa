// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/worst_group/online_learner.h"

#include "equinoise/privacy/mechanisms/prefix_tree.h"
#include "equinoise/train/worst_group/ball.h"
#include "equinoise/train/worst_group/group_weights.h"
#include "tests/test_support.h"
#include "tests/train/worst_group/vector_records.h"
#include "tests/vector_cases.h"

namespace equinoise::online_learner_test {

using testing::expect_close;
using testing::expect_each;
using testing::numbers;

/// Prefix sums with the noise of a case.
auto given_sums(const nlohmann::json& node_noise, size_t num_entries) {
  return [&node_noise,
          tree = PrefixTree<double>(num_entries)](std::span<const double> gradient) mutable {
    return tree.add(gradient, [&](size_t level, size_t index, std::span<double> node) {
      for (size_t j = 0; j < node.size(); ++j) node[j] += node_noise[level][index][j].get<double>();
    });
  };
}

TEST(OnlineLearner, AgreesWithTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/exp3_ftrl.json");
  int checked = 0;
  for (const auto& c : cases) {
    const std::string id = c["id"];
    SCOPED_TRACE(id);
    const auto& want = c["expected"];
    if (c["kind"] == "ftrl") {
      ++checked;
      const std::vector<double> start = numbers(c["w1"]);
      OnlineLearner learner(OnlineRule::kTree, start, c["learning_rate"], c["radius"]);
      auto noisy_sum = given_sums(c["node_noise"], start.size());
      std::vector<double> average = start;
      expect_each(learner.iterate(), want["iterates"][0], c["tolerance"], id);
      for (size_t t = 0; t < c["gradients"].size(); ++t) {
        learner.update(noisy_sum(numbers(c["gradients"][t])));
        expect_each(learner.iterate(), want["iterates"][t + 1], c["tolerance"], id);
        for (size_t j = 0; j < average.size(); ++j) average[j] += learner.iterate()[j];
      }
      for (double& value : average) value /= static_cast<double>(c["gradients"].size() + 1);
      expect_each(average, want["average"], c["tolerance"], id);
    } else if (c["kind"] == "projection") {
      ++checked;
      for (size_t i = 0; i < c["points"].size(); ++i) {
        std::vector<double> point = numbers(c["points"][i]);
        const std::vector<double> center = numbers(c["center"]);
        for (size_t j = 0; j < point.size(); ++j) point[j] -= center[j];
        project_on_ball(c["radius"], point);
        for (size_t j = 0; j < point.size(); ++j) point[j] += center[j];
        expect_each(point, want["projected"][i], c["tolerance"], id);
      }
    } else if (c["kind"] == "alg2_run") {
      ++checked;
      const std::vector<double> start = numbers(c["w1"]);
      OnlineLearner learner(OnlineRule::kTree, start, c["learning_rate_w"], c["radius"]);
      auto noisy_sum = given_sums(c["node_noise"], start.size());
      GroupBandit bandit({c["reservoirs"].size(), c["exploration"], c["learning_rate_lambda"],
                          c["loss_bound"], c["offset"]});
      std::vector<size_t> read(c["reservoirs"].size());
      std::vector<double> sum = start;
      int64_t steps = 0;
      for (size_t t = 0; t + 1 < c["num_iterates"].get<size_t>(); ++t) {
        const size_t group = bandit.draw(c["uniforms"][t]);
        if (read[group] + 2 > c["reservoirs"][group]["y"].size()) {
          EXPECT_EQ(want["stopped_at_step"], t + 1);
          break;
        }
        const auto& step = want["steps"][t];
        EXPECT_EQ(step["group"], group);
        EXPECT_EQ(step["record_minus"], read[group]++);
        EXPECT_EQ(step["record_plus"], read[group]++);
        learner.update(noisy_sum(numbers(step["gradient"])));
        expect_each(learner.iterate(), step["w"], c["tolerance"], id);
        const double noise = c["laplace_noise"][t];
        expect_close(bandit.hear(group, bandit.clamped(step["loss"]) - noise),
                     step["loss_estimate"], c["tolerance"], id);
        expect_each(bandit.lambda(), step["lambda"], c["tolerance"], id);
        for (size_t j = 0; j < sum.size(); ++j) sum[j] += learner.iterate()[j];
        ++steps;
      }
      EXPECT_EQ(want["num_steps"], steps);
      for (double& value : sum) value /= static_cast<double>(steps + 1);
      expect_each(sum, want["w_average"], c["tolerance"], id);
    }
  }
  EXPECT_GT(checked, 0);
}

TEST(PrefixTree, AgreesWithTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/exp3_ftrl.json");
  for (const auto& c : testing::cases_with(cases, "kind", "tree")) {
    const std::string id = c["id"];
    SCOPED_TRACE(id);
    const auto& want = c["expected"];
    const auto num_steps = c["num_steps"].get<size_t>();
    PrefixTree<double> tree(c["vectors"][0].size());
    PrefixTree<double> silent(c["vectors"][0].size());
    std::vector<std::vector<size_t>> nodes;
    size_t num_levels = 0;
    for (size_t t = 0; t < num_steps; ++t) {
      const std::vector<double> item = numbers(c["vectors"][t]);
      const auto noisy = tree.add(item, [&](size_t level, size_t index, std::span<double> node) {
        for (size_t j = 0; j < node.size(); ++j)
          node[j] += c["node_noise"][level][index][j].get<double>();
        while (!nodes.empty() && nodes.back()[0] < level) nodes.pop_back();
        nodes.push_back({level, index});
        num_levels = std::max(num_levels, level + 1);
      });
      expect_each(noisy, want["noisy_prefix_sums"][t], c["tolerance"], id);
      EXPECT_EQ(nlohmann::json(nodes), want["nodes"][t]) << t;
      expect_each(silent.add(item, [](size_t, size_t, std::span<double>) {}),
                  want["prefix_sums"][t], c["tolerance"], id);
    }
    EXPECT_EQ(want["num_levels"], num_levels);
    // What a tree of that many steps charges is that of its levels.
    const double factor = c["relation"] == "replace_one" ? 2 : 1;
    const double multiplier = testing::analytic_multiplier(c["epsilon"], c["delta"]) *
                              std::sqrt(static_cast<double>(num_levels));
    expect_close(factor * c["l2_bound"].get<double>() * multiplier, want["node_noise_stddev"],
                 c["tolerance"], id);
  }
}

/// Whatever the length, no item is in more finished nodes than there are levels.
TEST(PrefixTree, EveryItemIsInAtMostOneNodeOfEachLevel) {
  for (const size_t length : {1U, 2U, 3U, 7U, 8U, 100U}) {
    PrefixTree<int64_t> tree(1);
    std::vector<size_t> nodes_of(length);
    size_t num_levels = 0;
    for (size_t t = 0; t < length; ++t) {
      const std::vector<int64_t> item = {int64_t{1} << (t % 60)};
      tree.add(item, [&](size_t level, size_t index, std::span<int64_t>) {
        num_levels = std::max(num_levels, level + 1);
        for (size_t i = index << level; i < (index + 1) << level; ++i) ++nodes_of.at(i);
      });
    }
    EXPECT_EQ(num_levels, static_cast<size_t>(std::bit_width(length)));
    for (const size_t nodes : nodes_of) EXPECT_LE(nodes, num_levels);
  }
}

TEST(OnlineLearner, DescendsWithoutNoiseByBothRules) {
  // Half the squared distance to a target inside the ball and one outside of it.
  for (const double target : {0.6, 3.0}) {
    for (const OnlineRule rule : {OnlineRule::kTree, OnlineRule::kDescent}) {
      OnlineLearner learner(rule, {0}, rule == OnlineRule::kTree ? 0.01 : 0.1, 1);
      double sum = 0;
      for (int t = 0; t < 2000; ++t) {
        const double gradient = learner.iterate()[0] - target;
        sum += gradient;
        learner.update(std::vector{rule == OnlineRule::kTree ? sum : gradient});
      }
      EXPECT_NEAR(learner.iterate()[0], std::min(target, 1.0), 1e-6);
    }
  }
  error_of(ErrorKind::kUsage, [] { OnlineLearner learner(OnlineRule::kDescent, {0}, -1, 1); });
}

}  // namespace equinoise::online_learner_test
