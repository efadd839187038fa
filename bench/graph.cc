// SPDX-License-Identifier: Apache-2.0
// How long does a graphical model take? On the fixtures of ../shared/vectors/pgm
// (EQUINOISE_SHARED): the marginals that MST measures on Adult (a tree of 4,000 cells) and ten more
// random pairs (320,000 cells). A mirror-descent estimator in NumPy takes 7.7 and 23.6 ms for an
// iteration; after 5,000 its losses are 932 and 1373.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "equinoise/synth/graph/belief_propagation.h"
#include "equinoise/synth/graph/estimation.h"
#include "equinoise/synth/graph/measurement_file.h"
#include "equinoise/synth/graph/rows.h"

namespace equinoise {
namespace {

struct Problem {
  Domain domain;
  MeasurementFile file;
};

/// The problem of that name, or nothing where there is no shared material.
std::optional<Problem> load(const std::string& name) {
  const char* given = std::getenv("EQUINOISE_SHARED");
  const std::filesystem::path folder =
      given != nullptr ? std::filesystem::path(given)
                       : std::filesystem::path(EQUINOISE_SOURCE_DIR) / "../shared";
  std::ifstream stream(folder / "vectors/pgm" / name);
  if (!stream) return std::nullopt;
  std::ostringstream text;
  text << stream.rdbuf();
  const nlohmann::json json = nlohmann::json::parse(text.str());
  std::vector<Attribute> attributes;
  for (size_t i = 0; i < json.at("attrs").size(); ++i) {
    attributes.push_back({json.at("attrs")[i], json.at("shape")[i]});
  }
  Domain domain(attributes);
  MeasurementFile file = parse_measurements(text.str(), name, domain);
  return Problem{std::move(domain), std::move(file)};
}

std::optional<Problem> load_for(benchmark::State& state) {
  const char* const names[] = {"est_tree_adult14.json", "est_loopy_adult14.json"};
  const std::string name = names[state.range(0)];
  std::optional<Problem> problem = load(name);
  state.SetLabel(name);
  if (!problem) state.SkipWithError("no shared vectors");
  return problem;
}

std::vector<AttributeSet> cliques_of(const Problem& problem) {
  std::vector<AttributeSet> cliques;
  for (const NoisyMarginal& m : problem.file.measurements) cliques.push_back(m.clique);
  return cliques;
}

void BM_JunctionTree(benchmark::State& state) {
  const std::optional<Problem> problem = load_for(state);
  if (!problem) return;
  const std::vector<AttributeSet> cliques = cliques_of(*problem);
  for (auto _ : state) {
    benchmark::DoNotOptimize(build_junction_tree(problem->domain, cliques));
  }
}
BENCHMARK(BM_JunctionTree)->DenseRange(0, 1)->Unit(benchmark::kMicrosecond);

/// The size of a model with one more triple, for each triple.
void BM_ModelSizes(benchmark::State& state) {
  const std::optional<Problem> problem = load_for(state);
  if (!problem) return;
  const ModelSizer sizer(problem->domain, cliques_of(*problem));
  const int d = problem->domain.num_attributes();
  int64_t triples = 0;
  for (auto _ : state) {
    for (int a = 0; a < d; ++a) {
      for (int b = a + 1; b < d; ++b) {
        for (int c = b + 1; c < d; ++c, ++triples) {
          benchmark::DoNotOptimize(sizer.cells_with({a, b, c}));
        }
      }
    }
  }
  state.SetItemsProcessed(triples);
}
BENCHMARK(BM_ModelSizes)->DenseRange(0, 1)->Unit(benchmark::kMillisecond);

/// All messages and marginals once.
void BM_BeliefPropagation(benchmark::State& state) {
  const std::optional<Problem> problem = load_for(state);
  if (!problem) return;
  const std::vector<AttributeSet> cliques = cliques_of(*problem);
  BeliefPropagation beliefs(problem->domain, build_junction_tree(problem->domain, cliques),
                            cliques);
  std::vector<std::vector<double>> potentials;
  for (const NoisyMarginal& m : problem->file.measurements) {
    potentials.push_back(m.values);
    for (double& value : potentials.back()) value *= 1e-3;
  }
  for (auto _ : state) {
    for (size_t i = 0; i < potentials.size(); ++i) beliefs.set_potential(i, potentials[i]);
    benchmark::DoNotOptimize(beliefs.calibrate());
  }
  state.counters["cells"] = num_cells(problem->domain, beliefs.tree());
}
BENCHMARK(BM_BeliefPropagation)->DenseRange(0, 1)->Unit(benchmark::kMicrosecond);

/// With the defaults of equinoise infer, on one and two threads.
void BM_Estimation(benchmark::State& state) {
  const std::optional<Problem> problem = load_for(state);
  if (!problem) return;
  EstimationOptions options;
  options.total = problem->file.total;
  options.threads = static_cast<int>(state.range(1));
  for (auto _ : state) {
    const ModelEstimate estimate =
        estimate_model(problem->domain, problem->file.measurements, options);
    state.counters["loss"] = estimate.loss;
    state.counters["gap_bound"] = estimate.gap_bound;
    state.counters["iterations"] = estimate.iterations;
  }
}
BENCHMARK(BM_Estimation)
    ->ArgsProduct({{0, 1}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

GraphicalModel rough_model(const Problem& problem) {
  EstimationOptions options;
  options.max_iterations = 50;
  return std::move(estimate_model(problem.domain, problem.file.measurements, options).model);
}

/// All marginals of three attributes, most of them of sets that no clique holds, on one and two
/// threads.
void BM_AllTriples(benchmark::State& state) {
  const std::optional<Problem> problem = load_for(state);
  if (!problem) return;
  const GraphicalModel model = rough_model(*problem);
  const int d = problem->domain.num_attributes();
  std::vector<AttributeSet> triples;
  for (int a = 0; a < d; ++a) {
    for (int b = a + 1; b < d; ++b) {
      for (int c = b + 1; c < d; ++c) triples.push_back({a, b, c});
    }
  }
  double cells = 0;
  for (const AttributeSet& triple : triples) cells += problem->domain.num_cells(triple);
  for (auto _ : state) {
    benchmark::DoNotOptimize(model.marginals(triples, static_cast<int>(state.range(1))).data());
  }
  state.SetItemsProcessed(static_cast<int64_t>(cells) * state.iterations());
}
BENCHMARK(BM_AllTriples)
    ->ArgsProduct({{0, 1}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// 48,842 rows, by rounding.
void BM_Rows(benchmark::State& state) {
  const std::optional<Problem> problem = load_for(state);
  if (!problem) return;
  const GraphicalModel model = rough_model(*problem);
  SeededSource source(1);
  for (auto _ : state) {
    const CodedRows rows = draw_rows(model, 48842, RowDraw::kRound, source)->next(48842);
    benchmark::DoNotOptimize(rows.columns.data());
  }
}
BENCHMARK(BM_Rows)->DenseRange(0, 1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace equinoise
