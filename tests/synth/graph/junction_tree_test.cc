// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/junction_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/synth/graph/graph_cases.h"
#include "tests/test_support.h"

namespace equinoise::junction_tree_test {

using ::equinoise::testing::GraphFile;

/// Running intersection by its definition: on the way between any two cliques each clique holds
/// what both share.
bool has_running_intersection(const JunctionTree& tree) {
  const size_t k = tree.cliques.size();
  for (size_t start = 0; start < k; ++start) {
    for (int attribute : tree.cliques[start]) {
      // What can be reached from `start` through cliques with the attribute.
      std::vector<bool> reached(k, false);
      std::vector<size_t> queue = {start};
      reached[start] = true;
      for (size_t i = 0; i < queue.size(); ++i) {
        for (const TreeEdge& edge : tree.edges) {
          for (const auto& [from, to] :
               {std::pair{edge.first, edge.second}, std::pair{edge.second, edge.first}}) {
            if (static_cast<size_t>(from) != queue[i] || reached[to]) continue;
            if (!contains(tree.cliques[to], {attribute})) continue;
            reached[to] = true;
            queue.push_back(to);
          }
        }
      }
      for (size_t other = 0; other < k; ++other) {
        if (contains(tree.cliques[other], {attribute}) && !reached[other]) return false;
      }
    }
  }
  return true;
}

TEST(JunctionTree, HoldsForRandomSets) {
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    const testing::RandomGraph graph = testing::random_graph(seed);
    const JunctionTree tree = build_junction_tree(graph.domain, graph.sets);
    ASSERT_TRUE(is_junction_tree(tree, graph.domain.num_attributes())) << seed;
    ASSERT_TRUE(has_running_intersection(tree)) << seed;
    std::vector<AttributeSet> held = graph.sets;
    for (int a = 0; a < graph.domain.num_attributes(); ++a) held.push_back({a});
    for (const AttributeSet& set : held) {
      ASSERT_TRUE(std::ranges::any_of(tree.cliques, [&](const AttributeSet& c) {
        return contains(c, set);
      })) << seed;
    }
    for (size_t a = 0; a < tree.cliques.size(); ++a) {
      for (size_t b = 0; b < tree.cliques.size(); ++b) {
        ASSERT_FALSE(a != b && contains(tree.cliques[a], tree.cliques[b])) << seed;
      }
    }
    ASSERT_GE(ModelSizer(graph.domain, graph.sets).cells(), num_cells(graph.domain, tree)) << seed;
  }
}

TEST(JunctionTree, CertificateRefusesWhatIsNone) {
  // A path a-b, b-c, c-d whose ends are joined in the wrong order, a cycle, and wrong separators.
  const JunctionTree good = {{{0, 1}, {1, 2}, {2, 3}}, {{0, 1, {1}}, {1, 2, {2}}}};
  EXPECT_TRUE(is_junction_tree(good, 4));
  JunctionTree bad = good;
  bad.edges = {{0, 2, {}}, {0, 1, {1}}};
  EXPECT_FALSE(is_junction_tree(bad, 4));
  EXPECT_FALSE(has_running_intersection(bad));
  bad.edges = {{0, 1, {1}}, {1, 0, {1}}};
  EXPECT_FALSE(is_junction_tree(bad, 4));
  bad.edges = {{0, 1, {}}, {1, 2, {2}}};
  EXPECT_FALSE(is_junction_tree(bad, 4));
  bad.edges = {{0, 1, {1}}};
  EXPECT_FALSE(is_junction_tree(bad, 4));
  EXPECT_FALSE(is_junction_tree(good, 5));
}

TEST(JunctionTree, IsNeverLargerThanTheGreedyOnesOfTheVectors) {
  const std::vector<GraphFile> files = testing::graph_files("", "_static.json");
  if (files.empty()) GTEST_SKIP() << "no shared vectors";
  for (const GraphFile& file : files) {
    const Domain domain = testing::graph_domain(file.content);
    for (const auto& row : file.content.at("junction_tree_sizes").at("values")) {
      std::vector<AttributeSet> sets;
      for (const auto& clique : row.at("cliques")) {
        sets.push_back(testing::listed(domain, clique));
        std::ranges::sort(sets.back());
      }
      const double greedy = row.at("greedy_cells");
      EXPECT_LE(num_cells(domain, build_junction_tree(domain, sets)), greedy) << file.name;
      EXPECT_LE(ModelSizer(domain, sets).cells(), 2 * greedy) << file.name;
      const AttributeSet last = sets.back();
      const double whole = ModelSizer(domain, sets).cells();
      sets.pop_back();
      EXPECT_EQ(ModelSizer(domain, sets).cells_with(last), whole) << file.name;
    }
  }
}

/// Attributes that nothing connects are sized apart, and with `extra` as if it had been a set.
TEST(JunctionTree, SizesOfSparseModelsAreThoseOfTheSetsTogether) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    std::vector<Attribute> attributes;
    for (int a = 0; a < 70; ++a)
      attributes.push_back({"a" + std::to_string(a), 2 + static_cast<int>(random() % 5)});
    const Domain domain(attributes);
    const auto set_of_size = [&](size_t size) {
      std::set<int> set;
      while (set.size() < size) set.insert(static_cast<int>(random() % 70));
      return AttributeSet(set.begin(), set.end());
    };
    std::vector<AttributeSet> sets;
    for (uint32_t i = 0; i < seed % 50; ++i) sets.push_back(set_of_size(1 + random() % 3));
    std::vector<AttributeSet> extras;
    for (int i = 0; i < 20; ++i) extras.push_back(set_of_size(1 + random() % 4));
    const ModelSizer sizer(domain, sets);
    const std::vector<double> with_extras = sizer.cells_with(extras);
    for (size_t i = 0; i < extras.size(); ++i) {
      EXPECT_EQ(with_extras[i], sizer.cells_with(extras[i])) << seed;
      std::vector<AttributeSet> all = sets;
      all.push_back(extras[i]);
      EXPECT_EQ(with_extras[i], ModelSizer(domain, all).cells()) << seed;
    }
    sets.push_back(extras[0]);
    EXPECT_GE(with_extras[0], num_cells(domain, build_junction_tree(domain, sets))) << seed;
  }
}

TEST(JunctionTree, OfManyAttributesTakesNoHours) {
  std::vector<Attribute> attributes;
  std::vector<AttributeSet> sets;
  for (int a = 0; a < 300; ++a) attributes.push_back({"a" + std::to_string(a), 2});
  for (int a = 0; a + 2 < 300; ++a) sets.push_back({a, a + 1, a + 2});
  const Domain domain(attributes);
  const auto begin = std::chrono::steady_clock::now();
  const JunctionTree tree = build_junction_tree(domain, sets);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_EQ(tree.cliques.size(), 298U);
  EXPECT_EQ(num_cells(domain, tree), 298 * 8);
}

}  // namespace equinoise::junction_tree_test
