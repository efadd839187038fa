// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/tree_query.h"

#include <Eigen/Core>
#include <algorithm>
#include <initializer_list>
#include <limits>

#include "equinoise/base/lists.h"

namespace equinoise {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Factor summed_onto(const Domain& domain, const Factor& factor, const AttributeSet& subset) {
  Factor result = constant_factor(domain, subset, 0.0);
  Broadcast(domain, factor.attributes, subset).sum_onto(factor.values, result.values);
  return result;
}

std::vector<int> joined(std::initializer_list<AttributeSet> parts) {
  std::vector<int> result;
  for (const AttributeSet& part : parts) append(result, part);
  return result;
}

std::span<double> view(Eigen::VectorXd& vector) {
  return {vector.data(), static_cast<size_t>(vector.size())};
}

/// A table summed onto `set`, with its attributes in the order of `parts`. Eigen's memory is always
/// aligned alike, and the order in which its products add up depends on that.
Eigen::VectorXd matrix(const Domain& domain, const Factor& table, const AttributeSet& set,
                       std::initializer_list<AttributeSet> parts) {
  const Factor summed = table.attributes == set ? Factor() : summed_onto(domain, table, set);
  const std::vector<double>& values = table.attributes == set ? table.values : summed.values;
  Eigen::VectorXd result(static_cast<Eigen::Index>(values.size()));
  reorder_table(domain, set, joined(parts), values, view(result));
  return result;
}

/// The roles of a table's attributes when it is multiplied by another table that shares some of
/// them, and all attributes except `keep` are summed out.
struct Roles {
  Roles(const AttributeSet& table, const AttributeSet& shared, const AttributeSet& keep)
      : batch(intersection_of(shared, keep)),
        inner(difference_of(shared, keep)),
        own(intersection_of(difference_of(table, shared), keep)) {}

  AttributeSet batch;
  AttributeSet inner;
  AttributeSet own;
};

/// The first factor of `contract`.
Eigen::VectorXd first_matrix(const Domain& domain, const Factor& table, const AttributeSet& shared,
                             const AttributeSet& keep) {
  const Roles roles(table.attributes, shared, keep);
  return matrix(domain, table, union_of(roles.own, shared), {roles.batch, roles.own, roles.inner});
}

/// The product of two tables, summed over the attributes that are not in `keep`; `a` is the
/// first_matrix() of a table over `first`. It is a matrix product for each setting of the
/// attributes that both have and that are kept.
Factor contract(const Domain& domain, const AttributeSet& first, const Eigen::VectorXd& a,
                const Factor& second, const AttributeSet& keep) {
  const AttributeSet shared = intersection_of(first, second.attributes);
  const auto [batch, inner, rows] = Roles(first, shared, keep);
  const AttributeSet columns = Roles(second.attributes, shared, keep).own;
  const Eigen::VectorXd b =
      matrix(domain, second, union_of(columns, shared), {batch, inner, columns});

  const auto num_batches = static_cast<Eigen::Index>(domain.num_cells(batch));
  const auto num_rows = static_cast<Eigen::Index>(domain.num_cells(rows));
  const auto num_inner = static_cast<Eigen::Index>(domain.num_cells(inner));
  const auto num_columns = static_cast<Eigen::Index>(domain.num_cells(columns));
  const AttributeSet result_set = union_of(batch, union_of(rows, columns));
  Factor result = constant_factor(domain, result_set, 0.0);
  Eigen::VectorXd products(num_batches * num_rows * num_columns);
  for (Eigen::Index i = 0; i < num_batches; ++i) {
    Eigen::Map<RowMajor>(products.data() + i * num_rows * num_columns, num_rows, num_columns)
        .noalias() =
        Eigen::Map<const RowMajor>(a.data() + i * num_rows * num_inner, num_rows, num_inner) *
        Eigen::Map<const RowMajor>(b.data() + i * num_inner * num_columns, num_inner, num_columns);
  }
  reorder_table(domain, joined({batch, rows, columns}), result_set, view(products), result.values);
  return result;
}

/// The limit, in cells, of results kept for later questions. Neighbouring questions share most of
/// them.
constexpr size_t kMaxCellsKept = size_t{1} << 24;

/// Adds an entry of `cells` cells; forgets all others if they are too many together.
template <typename Map>
void remember(Map& map, size_t& cells_kept, const typename Map::key_type& key,
              const typename Map::mapped_type& value, size_t cells) {
  if (cells > kMaxCellsKept) return;
  if (cells_kept + cells > kMaxCellsKept) {
    map.clear();
    cells_kept = 0;
  }
  if (map.emplace(key, value).second) cells_kept += cells;
}

}  // namespace

TreeQueries::TreeQueries(const Domain& domain, const BeliefPropagation& beliefs)
    : domain_(domain),
      beliefs_(beliefs),
      neighbours_(beliefs.tree().cliques.size()),
      places_(neighbours_.size(), -1),
      ends_(neighbours_.size()),
      cliques_with_(static_cast<size_t>(domain.num_attributes())),
      tops_(cliques_with_.size(), std::numeric_limits<int>::max()) {
  for (const TreeEdge& edge : beliefs.tree().edges) {
    neighbours_[edge.first].push_back({edge.second, &edge.separator});
    neighbours_[edge.second].push_back({edge.first, &edge.separator});
  }
  // Places are given when a clique is first met; those of its subtree end when it is met again.
  int next = 0;
  std::vector<int> stack = {0};
  while (!stack.empty()) {
    const int c = stack.back();
    if (places_[c] >= 0) {
      ends_[c] = next;
      stack.pop_back();
      continue;
    }
    places_[c] = next++;
    for (auto it = neighbours_[c].rbegin(); it != neighbours_[c].rend(); ++it) {
      if (places_[it->clique] < 0) stack.push_back(it->clique);
    }
  }
  for (std::vector<Neighbour>& own : neighbours_) {
    std::ranges::sort(own, [this](const Neighbour& a, const Neighbour& b) {
      return places_[a.clique] < places_[b.clique];
    });
  }
  for (size_t c = 0; c < neighbours_.size(); ++c) {
    for (const int attribute : clique(static_cast<int>(c))) {
      cliques_with_[attribute].push_back(static_cast<int>(c));
      tops_[attribute] = std::min(tops_[attribute], places_[c]);
    }
  }
}

std::vector<double> TreeQueries::answer(const AttributeSet& set) const {
  const int root = root_for(set);
  return collect(root, -1, {}, set).values;
}

/// The neighbour of clique `c` beyond which an attribute lies that `c` lacks. All cliques of an
/// attribute are connected, so they are on one side, that of the first of them.
const TreeQueries::Neighbour& TreeQueries::towards(int c, int attribute) const {
  const int top = tops_[attribute];
  const std::vector<Neighbour>& own = neighbours_[c];
  if (top < places_[c] || top >= ends_[c]) return own.front();  // the parent has the first place
  const auto after = std::ranges::upper_bound(
      own, top, {}, [this](const Neighbour& neighbour) { return places_[neighbour.clique]; });
  return *std::prev(after);
}

/// The sides of clique `c` that hold something of the set which `c` lacks.
std::vector<TreeQueries::Side> TreeQueries::sides_of(int c, const AttributeSet& set) const {
  std::vector<Side> sides;
  for (const int attribute : difference_of(set, clique(c))) {
    const Neighbour* neighbour = &towards(c, attribute);
    auto side = std::ranges::find(sides, neighbour, &Side::neighbour);
    if (side == sides.end()) side = sides.insert(side, {neighbour, {}});
    side->set.push_back(attribute);
  }
  std::ranges::sort(sides, {}, &Side::neighbour);
  return sides;
}

/// A smallest clique that holds the set; else one that holds most of it, by cells, among those that
/// are needed. Of a pair it holds the second attribute: pairs in ascending order then ask for the
/// same messages, those of their first attribute from all over the tree.
int TreeQueries::root_for(const AttributeSet& set) const {
  std::vector<int> candidates;
  for (const int attribute : set.size() == 2 ? AttributeSet{set[1]} : set)
    candidates = union_of(candidates, cliques_with_[attribute]);
  int root = 0;
  double most = 0;
  double fewest = 0;
  for (const int c : candidates) {
    const double held = domain_.num_cells(intersection_of(clique(c), set));
    const double cells = domain_.num_cells(clique(c));
    if (held > most || (held == most && cells < fewest)) {
      root = c;
      most = held;
      fewest = cells;
    }
  }
  for (;;) {
    const std::vector<Side> sides = sides_of(root, set);
    if (sides.size() != 1) return root;
    const Neighbour& neighbour = *sides.front().neighbour;
    if (!contains(*neighbour.separator, intersection_of(clique(root), set))) return root;
    root = neighbour.clique;
  }
}

/// The contribution of the side of clique `from` that is away from `to`: a table over `set`, all of
/// it on that side, and `separator`, conditioned on the latter. Without `to`: probabilities.
Factor TreeQueries::collect(int from, int to, const AttributeSet& separator,
                            const AttributeSet& set) const {
  const std::vector<Side> sides = sides_of(from, set);
  AttributeSet needed = union_of(intersection_of(clique(from), set), separator);
  for (const Side& side : sides) needed = union_of(needed, *side.neighbour->separator);
  if (sides.empty()) return part_of(from, to, separator, needed);
  const AttributeSet wanted = union_of(set, separator);
  Factor table;
  for (size_t i = 0; i < sides.size(); ++i) {
    AttributeSet keep = wanted;
    for (size_t later = i + 1; later < sides.size(); ++later) {
      keep = union_of(keep, *sides[later].neighbour->separator);
    }
    const Message factor = message(from, sides[i]);
    if (i == 0) {
      const AttributeSet shared = intersection_of(needed, factor->attributes);
      const auto first = slab({from, to, needed, intersection_of(needed, keep), shared}, separator);
      table = contract(domain_, needed, *first, *factor, keep);
    } else {
      const AttributeSet shared = intersection_of(table.attributes, factor->attributes);
      table = contract(domain_, table.attributes, first_matrix(domain_, table, shared, keep),
                       *factor, keep);
    }
  }
  return table;
}

/// The table of clique `from` over `needed`, conditioned on the separator to `to`; without `to`:
/// probabilities.
Factor TreeQueries::part_of(int from, int to, const AttributeSet& separator,
                            const AttributeSet& needed) const {
  Factor table = {needed, beliefs_.marginal_within(static_cast<size_t>(from), needed)};
  if (to < 0) return table;
  std::vector<double> inverse = summed_onto(domain_, table, separator).values;
  // The inverse of a smaller number would overflow, and infinity times 0 is no probability.
  constexpr double kMin = std::numeric_limits<double>::min();
  for (double& p : inverse) p = p >= kMin ? 1 / p : 0;
  Broadcast(domain_, needed, separator).multiply_into(table.values, inverse);
  return table;
}

/// Questions about attributes beyond one side need the same slab.
std::shared_ptr<const Eigen::VectorXd> TreeQueries::slab(const Slab& slab,
                                                         const AttributeSet& separator) const {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = slabs_.find(slab);
    if (found != slabs_.end()) return found->second;
  }
  auto made = std::make_shared<const Eigen::VectorXd>(first_matrix(
      domain_, part_of(slab.from, slab.to, separator, slab.needed), slab.shared, slab.keep));
  const std::lock_guard<std::mutex> lock(mutex_);
  remember(slabs_, slab_cells_, slab, made, static_cast<size_t>(made->size()));
  return made;
}

TreeQueries::Message TreeQueries::message(int to, const Side& side) const {
  const Question question = {side.neighbour->clique, to, side.set};
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = messages_.find(question);
    if (found != messages_.end()) return found->second;
  }
  auto made = std::make_shared<const Factor>(
      collect(question.from, to, *side.neighbour->separator, side.set));
  const std::lock_guard<std::mutex> lock(mutex_);
  remember(messages_, cells_kept_, question, made, made->values.size());
  return made;
}

}  // namespace equinoise
