// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/junction_tree.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "equinoise/base/error.h"

namespace equinoise {
namespace {

/// Sets of attributes as rows of bits.
using Bits = std::vector<uint64_t>;

bool test_bit(const Bits& bits, int position) {
  return (bits[position / 64] >> (position % 64)) & 1;
}
void set_bit(Bits& bits, int position) { bits[position / 64] |= uint64_t{1} << (position % 64); }
void clear_bit(Bits& bits, int position) {
  bits[position / 64] &= ~(uint64_t{1} << (position % 64));
}

template <typename Body>
void for_each_bit(const Bits& bits, const Body& body) {
  for (size_t word = 0; word < bits.size(); ++word) {
    for (uint64_t rest = bits[word]; rest != 0; rest &= rest - 1) {
      body(static_cast<int>(64 * word) + std::countr_zero(rest));
    }
  }
}

bool is_subset(const Bits& small, const Bits& large) {
  for (size_t word = 0; word < small.size(); ++word) {
    if ((small[word] & ~large[word]) != 0) return false;
  }
  return true;
}

/// The interaction graph of some sets: each attribute's neighbours, itself included.
std::vector<Bits> interaction_graph(const Domain& domain, std::span<const AttributeSet> sets) {
  const int d = domain.num_attributes();
  std::vector<Bits> neighbours(d, Bits((static_cast<size_t>(d) + 63) / 64, 0));
  for (int v = 0; v < d; ++v) set_bit(neighbours[v], v);
  for (const AttributeSet& set : sets) {
    domain.check(set, "synth.junction_tree");
    for (int v : set) {
      for (int u : set) set_bit(neighbours[v], u);
    }
  }
  return neighbours;
}

/// What an elimination order prefers next; the smallest goes first.
enum class Heuristic { kFewestCells, kLeastFill, kLeastWeightedFill, kShaken };

/// splitmix64: shakes elimination orders. Nothing private and nothing that has to be random.
double shake(uint64_t& state) {
  uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

double log_cells_of(const Bits& set, const std::vector<double>& log_codes) {
  double sum = 0;
  for_each_bit(set, [&](int v) { sum += log_codes[v]; });
  return sum;
}

AttributeSet set_of(const Bits& bits) {
  AttributeSet set;
  for_each_bit(bits, [&](int v) { set.push_back(v); });
  return set;
}

double fill_of(const std::vector<Bits>& neighbours, int v, const std::vector<double>* weights) {
  double fill = 0;
  for_each_bit(neighbours[v], [&](int u) {
    for_each_bit(neighbours[v], [&](int w) {
      if (w <= u || test_bit(neighbours[u], w)) return;
      fill += weights == nullptr ? 1 : (*weights)[u] * (*weights)[w];
    });
  });
  return fill;
}

struct Elimination {
  std::vector<Bits> cliques;  // maximal ones
  double cells = 0;
};

/// Triangulates the graph of the attributes `left`: eliminates one after the other; its neighbours
/// at that time become a clique. Gives up once there are more cells than `limit`.
Elimination eliminate(const Domain& domain, std::vector<Bits> neighbours, std::vector<int> left,
                      Heuristic heuristic, uint64_t seed, double limit) {
  std::vector<double> log_codes(neighbours.size());
  for (const int v : left) log_codes[v] = std::log(domain.num_codes(v));
  const bool by_fill =
      heuristic == Heuristic::kLeastFill || heuristic == Heuristic::kLeastWeightedFill;
  const auto cost_of = [&](int v) {
    const double log_cells = log_cells_of(neighbours[v], log_codes);
    switch (heuristic) {
      case Heuristic::kLeastFill:
        return fill_of(neighbours, v, nullptr) + 1e-6 * log_cells;
      case Heuristic::kLeastWeightedFill:
        return fill_of(neighbours, v, &log_codes) + 1e-6 * log_cells;
      case Heuristic::kShaken:
        return log_cells * (1 + 0.2 * shake(seed));
      case Heuristic::kFewestCells:
        break;
    }
    return log_cells;
  };
  std::vector<double> costs(neighbours.size());
  for (int v : left) costs[v] = cost_of(v);
  Elimination result;
  while (!left.empty()) {
    const auto next = std::min_element(left.begin(), left.end(),
                                       [&](int a, int b) { return costs[a] < costs[b]; });
    const int v = *next;
    left.erase(next);
    const Bits clique = neighbours[v];
    const bool maximal = std::none_of(result.cliques.begin(), result.cliques.end(),
                                      [&](const Bits& other) { return is_subset(clique, other); });
    if (maximal) {
      result.cells += domain.num_cells(set_of(clique));
      if (result.cells > limit) return result;
      result.cliques.push_back(clique);
    }
    for_each_bit(clique, [&](int u) {
      if (u == v) return;
      for (size_t word = 0; word < clique.size(); ++word) neighbours[u][word] |= clique[word];
      clear_bit(neighbours[u], v);
    });
    if (by_fill) {
      for (int u : left) costs[u] = cost_of(u);
    } else {
      for_each_bit(clique, [&](int u) {
        if (u != v) costs[u] = cost_of(u);
      });
    }
  }
  return result;
}

/// A maximum spanning tree on separator sizes (Prim); among equals the smaller separator table.
std::vector<TreeEdge> spanning_tree(const Domain& domain,
                                    const std::vector<AttributeSet>& cliques) {
  struct Candidate {
    int from = 0;
    AttributeSet separator;
    double cells = 1;
  };
  std::vector<Candidate> best(cliques.size());
  std::vector<bool> joined(cliques.size(), false);
  std::vector<TreeEdge> edges;
  const auto join = [&](int clique) {
    joined[clique] = true;
    for (size_t other = 0; other < cliques.size(); ++other) {
      if (joined[other]) continue;
      AttributeSet separator = intersection_of(cliques[clique], cliques[other]);
      const double cells = domain.num_cells(separator);
      const bool better =
          separator.size() > best[other].separator.size() ||
          (separator.size() == best[other].separator.size() && cells < best[other].cells);
      if (better) best[other] = {clique, std::move(separator), cells};
    }
  };
  join(0);
  while (edges.size() + 1 < cliques.size()) {
    size_t next = cliques.size();
    for (size_t other = 0; other < cliques.size(); ++other) {
      if (joined[other]) continue;
      if (next == cliques.size() || best[other].separator.size() > best[next].separator.size()) {
        next = other;
      }
    }
    edges.push_back({best[next].from, static_cast<int>(next), best[next].separator});
    join(static_cast<int>(next));
  }
  return edges;
}

}  // namespace

JunctionTree build_junction_tree(const Domain& domain, std::span<const AttributeSet> sets) {
  const std::vector<Bits> graph = interaction_graph(domain, sets);
  constexpr uint64_t kShakes = 16;
  Elimination best = eliminate(domain, graph, domain.all(), Heuristic::kFewestCells, 0,
                               std::numeric_limits<double>::infinity());
  const auto attempt = [&](Heuristic heuristic, uint64_t seed) {
    Elimination other = eliminate(domain, graph, domain.all(), heuristic, seed, best.cells);
    if (other.cells < best.cells) best = std::move(other);
  };
  attempt(Heuristic::kLeastFill, 0);
  attempt(Heuristic::kLeastWeightedFill, 0);
  for (uint64_t seed = 1; seed <= kShakes; ++seed) attempt(Heuristic::kShaken, seed);

  JunctionTree tree;
  for (const Bits& clique : best.cliques) tree.cliques.push_back(set_of(clique));
  std::sort(tree.cliques.begin(), tree.cliques.end());
  tree.edges = spanning_tree(domain, tree.cliques);
  if (!is_junction_tree(tree, domain.num_attributes())) {
    throw Error(ErrorKind::kRuntime, "synth.junction_tree",
                "cliques do not have the running intersection property; please report this");
  }
  return tree;
}

bool is_junction_tree(const JunctionTree& tree, int num_attributes) {
  const size_t k = tree.cliques.size();
  if (k == 0 || tree.edges.size() != k - 1) return false;
  // Joins of single cliques to one component, and, for each attribute, of those that hold it: with
  // as many edges as joins there is no cycle, and one component is left.
  std::vector<int> parent(k);
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int clique) {
    while (parent[clique] != clique) clique = parent[clique];
    return clique;
  };
  std::vector<size_t> cliques_with(num_attributes, 0);
  std::vector<size_t> edges_with(num_attributes, 0);
  for (const AttributeSet& clique : tree.cliques) {
    for (int v : clique) {
      if (v < 0 || v >= num_attributes) return false;
      ++cliques_with[v];
    }
  }
  for (const TreeEdge& edge : tree.edges) {
    const int first = root(edge.first);
    const int second = root(edge.second);
    if (first == second) return false;
    parent[first] = second;
    if (edge.separator != intersection_of(tree.cliques[edge.first], tree.cliques[edge.second])) {
      return false;
    }
    for (int v : edge.separator) ++edges_with[v];
  }
  // In a tree the cliques with v are a forest whose edges are those with v: connected if one less.
  for (int v = 0; v < num_attributes; ++v) {
    if (cliques_with[v] != edges_with[v] + 1) return false;
  }
  return true;
}

double num_cells(const Domain& domain, const JunctionTree& tree) {
  double cells = 0;
  for (const AttributeSet& clique : tree.cliques) cells += domain.num_cells(clique);
  return cells;
}

ModelSizer::ModelSizer(const Domain& domain, std::span<const AttributeSet> sets)
    : domain_(&domain),
      neighbours_(interaction_graph(domain, sets)),
      component_of_(neighbours_.size(), -1) {
  for (const int first : domain.all()) {
    if (component_of_[first] >= 0) continue;
    AttributeSet members = {first};
    component_of_[first] = static_cast<int>(components_.size());
    for (size_t i = 0; i < members.size(); ++i) {
      for_each_bit(neighbours_[members[i]], [&](int v) {
        if (component_of_[v] >= 0) return;
        component_of_[v] = component_of_[first];
        members.push_back(v);
      });
    }
    std::sort(members.begin(), members.end());
    const double cells = cells_of(members, {});
    components_.push_back({std::move(members), cells});
    cells_ += cells;
  }
}

double ModelSizer::cells_with(const AttributeSet& extra) const {
  domain_->check(extra, "synth.junction_tree");
  const bool is_there = std::all_of(extra.begin(), extra.end(), [&](int v) {
    return std::all_of(extra.begin(), extra.end(),
                       [&](int u) { return test_bit(neighbours_[v], u); });
  });
  if (is_there) return cells_;
  std::set<int> touched;
  for (const int v : extra) touched.insert(component_of_[v]);
  AttributeSet members;
  double others = 0;
  for (size_t i = 0; i < components_.size(); ++i) {
    if (touched.count(static_cast<int>(i)) == 0) {
      others += components_[i].cells;
    } else {
      members = union_of(members, components_[i].attributes);
    }
  }
  return others + cells_of(members, extra);
}

double ModelSizer::cells_of(const AttributeSet& members, const AttributeSet& extra) const {
  std::vector<Bits> graph(neighbours_.size());
  for (const int v : members) graph[v] = neighbours_[v];
  for (int v : extra) {
    for (int u : extra) set_bit(graph[v], u);
  }
  return eliminate(*domain_, std::move(graph), members, Heuristic::kFewestCells, 0,
                   std::numeric_limits<double>::infinity())
      .cells;
}

}  // namespace equinoise
