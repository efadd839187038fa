// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/rows.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "equinoise/base/lists.h"
#include "equinoise/synth/graph/estimation.h"
#include "tests/synth/graph/graph_cases.h"

namespace equinoise::rows_test {

using ::equinoise::testing::GraphFile;
using ::equinoise::testing::RandomGraph;

CodedRows rounded_rows(const GraphicalModel& model, size_t num_rows, RandomSource& source) {
  return draw_rows(model, num_rows, RowDraw::kRound, source)->next(num_rows);
}

CodedRows sampled_rows(const GraphicalModel& model, size_t num_rows, RandomSource& source) {
  return draw_rows(model, num_rows, RowDraw::kSample, source)->next(num_rows);
}

/// Counts of the cells of a set among rows.
std::vector<double> counts_of(const Domain& domain, const CodedRows& rows,
                              const AttributeSet& set) {
  std::vector<double> counts(static_cast<size_t>(domain.num_cells(set)), 0.0);
  for (size_t row = 0; row < rows.num_rows; ++row) {
    size_t cell = 0;
    for (int a : set) cell = cell * domain.num_codes(a) + rows.columns[a][row];
    ++counts[cell];
  }
  return counts;
}

struct Distance {
  double l1 = 0;        // of the rows' counts from what the model expects
  double sampling = 0;  // an upper bound on the mean of that for independent draws
  double cells = 0;     // with a positive expectation
};

Distance distance_of(const GraphicalModel& model, const CodedRows& rows, const AttributeSet& set) {
  const std::vector<double> counts = counts_of(model.domain(), rows, set);
  const std::vector<double> expected = model.marginal(set);
  const double scale = static_cast<double>(rows.num_rows) / model.total();
  Distance distance;
  for (size_t i = 0; i < counts.size(); ++i) {
    const double mean = expected[i] * scale;
    distance.l1 += std::abs(counts[i] - mean);
    distance.sampling += std::min(2 * mean, std::sqrt(mean));
    distance.cells += mean > 1e-9 ? 1 : 0;
    EXPECT_TRUE(expected[i] > 0 || counts[i] == 0) << "an impossible cell has rows";
  }
  return distance;
}

TEST(RoundRows, AgreeWithCliquesToARowPerCell) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const RandomGraph graph = testing::random_graph(seed);
    const GraphicalModel model(graph.domain, graph.potentials, 1.0);
    SeededSource source(seed);
    // Each attribute that a clique adds moves a cell by less than a row, beside what its parents
    // were off already.
    double allowed = 0;
    for (const AttributeSet& clique : model.tree().cliques) {
      allowed += static_cast<double>(clique.size()) * graph.domain.num_cells(clique);
    }
    for (size_t num_rows : {0, 1, 10, 5000}) {
      const CodedRows rows = rounded_rows(model, num_rows, source);
      ASSERT_EQ(rows.num_rows, num_rows);
      ASSERT_EQ(rows.columns.size(), static_cast<size_t>(graph.domain.num_attributes()));
      for (const std::vector<uint16_t>& column : rows.columns) ASSERT_EQ(column.size(), num_rows);
      for (const AttributeSet& clique : model.tree().cliques) {
        const Distance distance = distance_of(model, rows, clique);
        ASSERT_LE(distance.l1, allowed) << seed << " rows " << num_rows;
      }
    }
  }
}

TEST(RoundRows, BlocksOfThemHaveTheSameCounts) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const RandomGraph graph = testing::random_graph(seed);
    const GraphicalModel model(graph.domain, graph.potentials, 1.0);
    constexpr size_t kRows = 1000;
    SeededSource first(seed);
    const CodedRows whole = rounded_rows(model, kRows, first);
    SeededSource second(seed);
    const std::unique_ptr<RowStream> stream = draw_rows(model, kRows, RowDraw::kRound, second);
    CodedRows pieces = stream->next(1);
    for (const size_t size : {0, 99, 900}) {
      const CodedRows block = stream->next(size);
      pieces.num_rows += size;
      for (size_t i = 0; i < block.columns.size(); ++i) append(pieces.columns[i], block.columns[i]);
    }
    for (const AttributeSet& clique : model.tree().cliques)
      ASSERT_EQ(counts_of(graph.domain, pieces, clique), counts_of(graph.domain, whole, clique));
  }
}

TEST(RoundRows, OfRealModelsAreAsCloseAsTheModel) {
  const std::vector<GraphFile> files = testing::graph_files("est_", "_adult14.json");
  if (files.empty()) GTEST_SKIP() << "no shared vectors";
  for (const GraphFile& file : files) {
    SCOPED_TRACE(file.name);
    const Domain domain = testing::graph_domain(file.content);
    const std::vector<NoisyMarginal> measurements = testing::measurements_of(domain, file.content);
    EstimationOptions options;
    options.max_iterations = 50;
    const ModelEstimate estimate = estimate_model(domain, measurements, options);
    SeededSource source(11);
    const CodedRows rounded = rounded_rows(estimate.model, 48842, source);
    const CodedRows sampled = sampled_rows(estimate.model, 48842, source);
    double rounded_error = 0;
    double sampled_error = 0;
    for (int a = 0; a < domain.num_attributes(); ++a) {
      for (int b = a + 1; b < domain.num_attributes(); ++b) {
        const Distance ours = distance_of(estimate.model, rounded, {a, b});
        // Whether or not a clique holds the pair: never further than independent draws are.
        EXPECT_LE(ours.l1, 1.3 * ours.sampling) << domain.describe({a, b});
        rounded_error += ours.l1;
        sampled_error += distance_of(estimate.model, sampled, {a, b}).l1;
      }
    }
    EXPECT_LT(rounded_error, 0.8 * sampled_error);
    // Measured marginals lie in cliques; there the rows differ by rounding alone.
    double rounded_measured = 0;
    double sampled_measured = 0;
    for (const NoisyMarginal& m : measurements) {
      rounded_measured += distance_of(estimate.model, rounded, m.clique).l1;
      sampled_measured += distance_of(estimate.model, sampled, m.clique).l1;
    }
    fmt::print(
        "{}: L1 of pairs {:.0f}, sampled {:.0f}; of what was measured {:.0f}, sampled {:.0f}\n",
        file.name, rounded_error, sampled_error, rounded_measured, sampled_measured);
    EXPECT_LT(rounded_measured, 0.5 * sampled_measured);
  }
}

TEST(RoundRows, KeepColumnsIndependentThatAre) {
  // a and c are independent given b; rows in a fixed order within groups would tie them together.
  const Domain domain({{"a", 4}, {"b", 2}, {"c", 4}});
  const GraphicalModel model(
      domain, {constant_factor(domain, {0, 1}, 0.0), constant_factor(domain, {1, 2}, 0.0)}, 1.0);
  SeededSource source(4);
  const CodedRows rows = rounded_rows(model, 32000, source);
  for (double count : counts_of(domain, rows, {0, 1})) EXPECT_EQ(count, 4000);
  for (double count : counts_of(domain, rows, {1, 2})) EXPECT_EQ(count, 4000);
  double most = 0;
  for (double count : counts_of(domain, rows, {0, 2})) {
    most = std::max(most, std::abs(count - 2000));
  }
  EXPECT_LT(most, 6 * std::sqrt(2000.0));  // six standard deviations of a count
  EXPECT_GT(most, 0);
}

TEST(SampleRows, FollowTheModel) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const RandomGraph graph = testing::random_graph(seed);
    const GraphicalModel model(graph.domain, graph.potentials, 1.0);
    SeededSource source(seed);
    const CodedRows rows = sampled_rows(model, 20000, source);
    const Distance distance = distance_of(model, rows, graph.domain.all());
    ASSERT_LE(distance.l1, distance.sampling + 6 * std::sqrt(20000.0)) << seed;
  }
}

TEST(Rows, KeepDeclaredZerosAndEvidence) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const RandomGraph graph = testing::random_graph(seed);
    const GraphicalModel model(graph.domain, graph.potentials, 1.0);
    const int attribute = static_cast<int>(seed) % graph.domain.num_attributes();
    const GraphicalModel given = model.given({{attribute, 0}});
    SeededSource source(seed);
    for (const CodedRows& rows :
         {rounded_rows(given, 500, source), sampled_rows(given, 500, source)}) {
      distance_of(given, rows, graph.domain.all());  // expects nothing in impossible cells
      for (uint16_t code : rows.columns[attribute]) ASSERT_EQ(code, 0);
    }
  }
}

TEST(Rows, FollowTheirSourceAlone) {
  const RandomGraph graph = testing::random_graph(17);
  const GraphicalModel model(graph.domain, graph.potentials, 1.0);
  SeededSource first(3);
  SeededSource second(3);
  SeededSource third(4);
  const CodedRows a = rounded_rows(model, 1000, first);
  EXPECT_EQ(a.columns, rounded_rows(model, 1000, second).columns);
  EXPECT_NE(a.columns, rounded_rows(model, 1000, third).columns);
}

}  // namespace equinoise::rows_test
