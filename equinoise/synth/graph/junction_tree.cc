// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/junction_tree.h"

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/synth/synth_progress.h"

namespace equinoise {
namespace {

/// Sets of attributes as rows of bits.
using Bits = std::vector<uint64_t>;
using BitsView = std::span<const uint64_t>;

bool test_bit(BitsView bits, int position) { return (bits[position / 64] >> (position % 64)) & 1; }
void set_bit(std::span<uint64_t> bits, int position) {
  bits[position / 64] |= uint64_t{1} << (position % 64);
}

template <typename Body>
void for_each_bit(BitsView bits, const Body& body) {
  for (size_t word = 0; word < bits.size(); ++word) {
    for (uint64_t rest = bits[word]; rest != 0; rest &= rest - 1) {
      body(static_cast<int>(64 * word) + std::countr_zero(rest));
    }
  }
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

/// The criterion of an elimination order: the attribute with the least value of it goes first.
enum class Heuristic { kMinCells, kMinFill, kMinWeightedFill, kShaken };

/// splitmix64, to shake elimination orders. The numbers are neither private nor need to be random.
double shake(uint64_t& state) {
  uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

double log_cells_of(BitsView set, const std::vector<double>& log_codes) {
  double sum = 0;
  for_each_bit(set, [&](int v) { sum += log_codes[v]; });
  return sum;
}

AttributeSet set_of(BitsView bits) {
  AttributeSet set;
  for_each_bit(bits, [&](int v) { set.push_back(v); });
  return set;
}

}  // namespace

/// A graph whose attributes are eliminated one after the other. The neighbours of each at that time
/// are a clique of the triangulated graph.
class Eliminator {
 public:
  /// Eliminates the attributes `left`, ascending, whose neighbours are among them.
  Eliminator(const Domain& domain, const std::vector<Bits>& neighbours, std::vector<int> left,
             Heuristic heuristic, uint64_t seed)
      : words_(neighbours.front().size()),
        rows_(neighbours.size() * words_),
        left_(std::move(left)),
        heuristic_(heuristic),
        seed_(seed),
        num_codes_(neighbours.size()),
        log_codes_(neighbours.size()),
        costs_(neighbours.size(), kGone) {
    for (const int v : left_) {
      std::ranges::copy(neighbours[v], row(v).begin());
      num_codes_[v] = domain.num_codes(v);
      log_codes_[v] = std::log(domain.num_codes(v));
    }
    for (const int v : left_) costs_[v] = cost_of(v);
  }

  bool is_over() const { return left_.empty(); }

  /// The attribute that goes next.
  int next() const {
    const double least =
        Eigen::Map<const Eigen::ArrayXd>(costs_.data(), std::ssize(costs_)).minCoeff();
    return static_cast<int>(std::ranges::find(costs_, least) - costs_.begin());
  }

  /// Its neighbours, itself included; for an eliminated attribute its clique.
  BitsView neighbours_of(int v) const { return {rows_.data() + v * words_, words_}; }

  /// Returns the cells of its clique, 0 where an earlier one contains that.
  double eliminate(int v) {
    left_.erase(std::ranges::lower_bound(left_, v));
    costs_[v] = kGone;
    const BitsView clique = neighbours_of(v);
    size_t size = 0;
    double cells = 1;
    for_each_bit(clique, [&](int u) {
      ++size;
      cells *= num_codes_[u];
    });
    // The rest of an earlier clique is part of the clique of its next attribute, and all of it if
    // both are equally large.
    bool is_maximal = true;
    std::erase_if(waiting_, [&](const std::pair<int, size_t>& earlier) {
      if (!test_bit(neighbours_of(earlier.first), v)) return false;
      is_maximal = is_maximal && earlier.second != size;
      return true;
    });
    if (size > 1) waiting_.emplace_back(v, size - 1);
    for_each_bit(clique, [&](int u) {
      if (u == v) return;
      const std::span<uint64_t> own = row(u);
      for (size_t word = 0; word < words_; ++word) own[word] |= clique[word];
      own[v / 64] &= ~(uint64_t{1} << (v % 64));
    });
    if (heuristic_ == Heuristic::kMinFill || heuristic_ == Heuristic::kMinWeightedFill) {
      for (const int u : left_) costs_[u] = cost_of(u);
    } else {
      for_each_bit(clique, [&](int u) {
        if (u != v) costs_[u] = cost_of(u);
      });
    }
    return is_maximal ? cells : 0;
  }

  /// Makes neighbours of attributes that are left, and forgets those that are not in `kept`.
  void connect(const AttributeSet& set, const std::vector<bool>& kept) {
    std::erase_if(left_, [&](int v) {
      if (!kept[v]) costs_[v] = kGone;
      return !kept[v];
    });
    for (const int v : set) {
      for (const int u : set) set_bit(row(v), u);
    }
    for (const int v : set) costs_[v] = cost_of(v);
  }

  /// Returns whether all pairs are neighbours.
  bool connects(const AttributeSet& set) const {
    return std::ranges::all_of(set, [&](int v) {
      return std::ranges::all_of(set, [&](int u) { return test_bit(neighbours_of(v), u); });
    });
  }

 private:
  std::span<uint64_t> row(int v) { return {rows_.data() + v * words_, words_}; }

  double cost_of(int v) {
    const double log_cells = log_cells_of(neighbours_of(v), log_codes_);
    switch (heuristic_) {
      case Heuristic::kMinFill:
        return fill_of(v, false) + 1e-6 * log_cells;
      case Heuristic::kMinWeightedFill:
        return fill_of(v, true) + 1e-6 * log_cells;
      case Heuristic::kShaken:
        return log_cells * (1 + 0.2 * shake(seed_));
      case Heuristic::kMinCells:
        break;
    }
    return log_cells;
  }

  double fill_of(int v, bool is_weighted) const {
    double fill = 0;
    for_each_bit(neighbours_of(v), [&](int u) {
      for_each_bit(neighbours_of(v), [&](int w) {
        if (w <= u || test_bit(neighbours_of(u), w)) return;
        fill += is_weighted ? log_codes_[u] * log_codes_[w] : 1;
      });
    });
    return fill;
  }

  static constexpr double kGone = std::numeric_limits<double>::infinity();

  size_t words_;
  std::vector<uint64_t> rows_;  // of bits: the neighbours of each attribute
  std::vector<int> left_;
  Heuristic heuristic_;
  uint64_t seed_;
  std::vector<double> num_codes_;
  std::vector<double> log_codes_;
  std::vector<double> costs_;                    // kGone: not left
  std::vector<std::pair<int, size_t>> waiting_;  // attributes of cliques, and how many are left
};

namespace {

struct Elimination {
  std::vector<AttributeSet> cliques;  // maximal ones
  double cells = 0;
};

/// Triangulates a graph. Gives up once there are more cells than `limit`.
Elimination eliminate(const Domain& domain, const std::vector<Bits>& neighbours,
                      Heuristic heuristic, uint64_t seed, double limit) {
  Eliminator eliminator(domain, neighbours, domain.all(), heuristic, seed);
  Elimination result;
  while (!eliminator.is_over()) {
    const int v = eliminator.next();
    const double cells = eliminator.eliminate(v);
    if (cells == 0) continue;
    result.cells += cells;
    if (result.cells > limit) return result;
    result.cliques.push_back(set_of(eliminator.neighbours_of(v)));
  }
  return result;
}

/// Eliminates all that is left. Returns the cells of its maximal cliques.
double cells_left(Eliminator& eliminator) {
  double cells = 0;
  while (!eliminator.is_over()) cells += eliminator.eliminate(eliminator.next());
  return cells;
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
  Elimination best =
      eliminate(domain, graph, Heuristic::kMinCells, 0, std::numeric_limits<double>::infinity());
  const auto attempt = [&](Heuristic heuristic, uint64_t seed) {
    Elimination other = eliminate(domain, graph, heuristic, seed, best.cells);
    if (other.cells < best.cells) best = std::move(other);
  };
  attempt(Heuristic::kMinFill, 0);
  attempt(Heuristic::kMinWeightedFill, 0);
  for (uint64_t seed = 1; seed <= kShakes; ++seed) attempt(Heuristic::kShaken, seed);

  JunctionTree tree;
  tree.cliques = std::move(best.cliques);
  std::ranges::sort(tree.cliques);
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
  // Counts the joins from single cliques to one component, and, for each attribute, among the
  // cliques that hold it. With as many edges as joins there is no cycle, and one component is left.
  std::vector<int> parent = numbers_below<int>(k);
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
  // The cliques of a tree with v are a forest whose edges are those with v: connected if the forest
  // has one edge fewer than cliques.
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
    std::ranges::sort(members);
    Eliminator eliminator(domain, neighbours_, members, Heuristic::kMinCells, 0);
    const double cells = cells_left(eliminator);
    components_.push_back({std::move(members), cells});
    cells_ += cells;
  }
}

double ModelSizer::cells_with(const AttributeSet& extra) const {
  return cells_with(std::span(&extra, 1)).front();
}

std::vector<double> ModelSizer::cells_with(std::span<const AttributeSet> extras,
                                           const TaskProgress& progress) const {
  std::vector<double> result(extras.size(), cells_);
  std::vector<std::vector<size_t>> with(neighbours_.size());  // of extras that change something
  std::vector<bool> is_touched(components_.size(), false);
  size_t num_left = 0;
  for (size_t i = 0; i < extras.size(); ++i) {
    const AttributeSet& extra = extras[i];
    domain_->check(extra, "synth.junction_tree");
    const bool is_there = std::ranges::all_of(extra, [&](int v) {
      return std::ranges::all_of(extra, [&](int u) { return test_bit(neighbours_[v], u); });
    });
    if (is_there) continue;
    ++num_left;
    for (const int v : extra) {
      with[v].push_back(i);
      is_touched[component_of_[v]] = true;
    }
  }
  AttributeSet members;
  for (const int v : domain_->all())
    if (is_touched[component_of_[v]]) members.push_back(v);
  // An extra set raises the costs of the attributes that it connects and of no others. So the
  // elimination is the same for all until it comes to one of these attributes.
  Eliminator common(*domain_, neighbours_, std::move(members), Heuristic::kMinCells, 0);
  std::vector<double> before(components_.size(), 0);  // cells of the cliques so far
  std::vector<bool> is_met(extras.size(), false);
  while (num_left > 0) {
    const int next = common.next();
    for (const size_t i : with[next]) {
      if (is_met[i]) continue;
      is_met[i] = true;
      --num_left;
      check_interrupted(progress);
      if (!common.connects(extras[i])) result[i] = finish(common, before, extras[i]);
    }
    before[component_of_[next]] += common.eliminate(next);
  }
  return result;
}

double ModelSizer::finish(Eliminator eliminator, const std::vector<double>& before,
                          const AttributeSet& extra) const {
  std::vector<bool> kept(neighbours_.size(), false);
  double cells = cells_;
  for (const int v : extra) {
    const Component& component = components_[component_of_[v]];
    if (kept[v]) continue;
    for (const int u : component.attributes) kept[u] = true;
    cells += before[component_of_[v]] - component.cells;
  }
  eliminator.connect(extra, kept);
  return cells + cells_left(eliminator);
}

}  // namespace equinoise
