// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "equinoise/synth/graph/factor.h"
#include "equinoise/synth/graph/graphical_model.h"
#include "equinoise/synth/graph/junction_tree.h"
#include "equinoise/synth/graph/measurement.h"
#include "tests/shared_vectors.h"

namespace equinoise::testing {

/// A vector file of the folder pgm.
struct GraphFile {
  std::string name;
  nlohmann::json content;
};

/// All files of the shared folder pgm whose names begin and end so, in order.
inline std::vector<GraphFile> graph_files(const std::string& begin, const std::string& end) {
  std::vector<GraphFile> files;
  const auto folder = shared_folder();
  if (folder && std::filesystem::is_directory(*folder / "vectors/pgm")) {
    for (const auto& entry : std::filesystem::directory_iterator(*folder / "vectors/pgm")) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with(begin) || !name.ends_with(end)) continue;
      std::ifstream stream(entry.path());
      files.push_back({name, nlohmann::json::parse(stream)});
    }
  }
  std::ranges::sort(files, [](const GraphFile& a, const GraphFile& b) { return a.name < b.name; });
  if (files.empty() && std::getenv("EQUINOISE_REQUIRE_SHARED") != nullptr) {
    ADD_FAILURE() << "missing shared vectors: pgm/" << begin << "*" << end;
  }
  return files;
}

inline Domain graph_domain(const nlohmann::json& problem) {
  std::vector<Attribute> attributes;
  for (size_t i = 0; i < problem.at("attrs").size(); ++i) {
    attributes.push_back({problem.at("attrs")[i], problem.at("shape")[i]});
  }
  return Domain(attributes);
}

/// The attributes of a clique in the order in which the file names them.
inline std::vector<int> listed(const Domain& domain, const nlohmann::json& clique) {
  std::vector<int> order;
  for (const nlohmann::json& name : clique) order.push_back(*domain.find(name.get<std::string>()));
  return order;
}

/// A table of the file, {"clique": [...], key: [...]}, over the sorted set.
inline Factor table_of(const Domain& domain, const nlohmann::json& table, const char* key) {
  const std::vector<int> order = listed(domain, table.at("clique"));
  AttributeSet sorted = order;
  std::ranges::sort(sorted);
  return {sorted, reordered_table(domain, order, sorted, table.at(key).get<std::vector<double>>())};
}

inline std::vector<NoisyMarginal> measurements_of(const Domain& domain,
                                                  const nlohmann::json& problem) {
  std::vector<NoisyMarginal> measurements;
  for (const nlohmann::json& m : problem.at("measurements")) {
    Factor table = table_of(domain, m, "y");
    measurements.push_back({.clique = std::move(table.attributes),
                            .noise_stddev = m.at("sigma"),
                            .values = std::move(table.values),
                            .weights = {}});
  }
  return measurements;
}

/// A domain, and some sets and potentials over it, small enough to go through all records.
struct RandomGraph {
  Domain domain;
  std::vector<AttributeSet> sets;
  std::vector<Factor> potentials;
};

inline RandomGraph random_graph(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](uint64_t n) { return static_cast<int>(random() % n); };
  RandomGraph result;
  std::vector<Attribute> attributes;
  const int d = 1 + below(7);
  for (int a = 0; a < d; ++a) attributes.push_back({"a" + std::to_string(a), 1 + below(4)});
  result.domain = Domain(attributes);
  const int num_sets = below(8);
  for (int s = 0; s < num_sets; ++s) {
    AttributeSet set;
    for (int a = 0; a < d; ++a) {
      if (below(3) == 0) set.push_back(a);
    }
    Factor potential = constant_factor(result.domain, set, 0.0);
    for (double& value : potential.values) {
      value = (below(2000) - 1000) / 300.0;
      if (below(12) == 0) value = kLogZero;
    }
    potential.values.front() = 0;  // the record of zeros is always possible
    result.sets.push_back(set);
    result.potentials.push_back(potential);
  }
  return result;
}

/// The potentials' sum for every record, row-major over all attributes.
inline std::vector<double> log_weights(const RandomGraph& graph) {
  Factor all = constant_factor(graph.domain, graph.domain.all(), 0.0);
  for (const Factor& potential : graph.potentials) {
    Broadcast(graph.domain, all.attributes, potential.attributes)
        .add_to(all.values, potential.values);
  }
  return all.values;
}

/// Probabilities of the cells of a set, by adding up all records one by one.
inline std::vector<double> summed_records(const RandomGraph& graph, const AttributeSet& set) {
  const std::vector<double> logs = log_weights(graph);
  std::vector<double> sums(static_cast<size_t>(graph.domain.num_cells(set)), 0.0);
  double total = 0;
  for (size_t record = 0; record < logs.size(); ++record) {
    std::vector<size_t> codes(graph.domain.num_attributes());
    size_t rest = record;
    for (int a = graph.domain.num_attributes(); a-- > 0;) {
      codes[a] = rest % graph.domain.num_codes(a);
      rest /= graph.domain.num_codes(a);
    }
    size_t cell = 0;
    for (int a : set) cell = cell * graph.domain.num_codes(a) + codes[a];
    sums[cell] += std::exp(logs[record]);
    total += std::exp(logs[record]);
  }
  for (double& sum : sums) sum /= total;
  return sums;
}

/// The model of graphical_model_to_json's JSON.
inline GraphicalModel graphical_model(const nlohmann::json& json) {
  std::vector<Attribute> attributes;
  for (const nlohmann::json& attribute : json.at("attributes")) {
    attributes.push_back({attribute.at("name"), attribute.at("num_codes")});
  }
  const Domain domain(attributes);
  std::vector<AttributeSet> cliques;
  for (const nlohmann::json& clique : json.at("cliques")) {
    cliques.push_back(listed(domain, clique.at("attributes")));
  }
  std::vector<Factor> potentials;
  for (const nlohmann::json& potential : json.at("potentials")) {
    Factor factor = {listed(domain, potential.at("attributes")), {}};
    for (const nlohmann::json& value : potential.at("values")) {
      factor.values.push_back(value.is_null() ? kLogZero : value.get<double>());
    }
    potentials.push_back(std::move(factor));
  }
  return GraphicalModel(domain, build_junction_tree(domain, cliques), std::move(potentials),
                        json.at("total"));
}

inline double max_difference(std::span<const double> a, std::span<const double> b) {
  EXPECT_EQ(a.size(), b.size());
  double worst = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    worst = std::max(worst, std::abs(a[i] - b[i]));
  }
  return worst;
}

}  // namespace equinoise::testing
