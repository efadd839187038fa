// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/tree_query.h"

#include <Eigen/Core>
#include <algorithm>
#include <initializer_list>
#include <limits>

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
  for (const AttributeSet& part : parts) result.insert(result.end(), part.begin(), part.end());
  return result;
}

std::span<double> view(Eigen::VectorXd& vector) {
  return {vector.data(), static_cast<size_t>(vector.size())};
}

/// A table summed onto `set`, with its attributes in the order of `parts`. Eigen's memory is always
/// aligned alike: the order in which its products add up follows from that.
Eigen::VectorXd matrix(const Domain& domain, const Factor& table, const AttributeSet& set,
                       std::initializer_list<AttributeSet> parts) {
  const Factor summed = table.attributes == set ? Factor() : summed_onto(domain, table, set);
  const std::vector<double>& values = table.attributes == set ? table.values : summed.values;
  Eigen::VectorXd result(static_cast<Eigen::Index>(values.size()));
  reorder_table(domain, set, joined(parts), values, view(result));
  return result;
}

/// The product of two tables, summed over what is not in `keep`: a matrix product for each setting
/// of the attributes that both have and that are kept.
Factor contract(const Domain& domain, const Factor& first, const Factor& second,
                const AttributeSet& keep) {
  const AttributeSet shared = intersection_of(first.attributes, second.attributes);
  const AttributeSet batch = intersection_of(shared, keep);
  const AttributeSet inner = difference_of(shared, keep);
  const AttributeSet rows = intersection_of(difference_of(first.attributes, shared), keep);
  const AttributeSet columns = intersection_of(difference_of(second.attributes, shared), keep);
  const Eigen::VectorXd a = matrix(domain, first, union_of(rows, shared), {batch, rows, inner});
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

/// What is kept for later questions, in cells.
constexpr size_t kMaxCellsKept = size_t{1} << 24;

}  // namespace

TreeQueries::TreeQueries(const Domain& domain, const BeliefPropagation& beliefs)
    : domain_(domain), beliefs_(beliefs), neighbours_(beliefs.tree().cliques.size()) {
  for (const TreeEdge& edge : beliefs.tree().edges) {
    neighbours_[edge.first].push_back({edge.second, &edge.separator, {}});
    neighbours_[edge.second].push_back({edge.first, &edge.separator, {}});
  }
  // Away from the first clique by the cliques before; towards it by what is left of all.
  std::vector<int> order = {0};
  std::vector<int> parents(neighbours_.size(), -1);
  for (size_t i = 0; i < order.size(); ++i) {
    for (const Neighbour& neighbour : neighbours_[order[i]]) {
      if (neighbour.clique == parents[order[i]]) continue;
      parents[neighbour.clique] = order[i];
      order.push_back(neighbour.clique);
    }
  }
  std::vector<AttributeSet> below(neighbours_.size());
  for (size_t i = order.size(); i-- > 0;) {
    const int c = order[i];
    below[c] = union_of(below[c], clique(c));
    if (parents[c] >= 0) below[parents[c]] = union_of(below[parents[c]], below[c]);
  }
  const AttributeSet all = domain_.all();
  for (size_t c = 0; c < neighbours_.size(); ++c) {
    for (Neighbour& neighbour : neighbours_[c]) {
      // An attribute on both sides is in the separator.
      neighbour.beyond = neighbour.clique == parents[c]
                             ? difference_of(all, below[c])
                             : difference_of(below[neighbour.clique], *neighbour.separator);
    }
  }
}

std::vector<double> TreeQueries::answer(const AttributeSet& set) const {
  const int root = root_for(set);
  return collect(root, -1, {}, set).values;
}

/// The neighbours whose sides hold something of the set.
std::vector<const TreeQueries::Neighbour*> TreeQueries::asked(int c, int except,
                                                              const AttributeSet& set) const {
  std::vector<const Neighbour*> result;
  for (const Neighbour& neighbour : neighbours_[c]) {
    if (neighbour.clique == except) continue;
    if (!intersection_of(neighbour.beyond, set).empty()) result.push_back(&neighbour);
  }
  return result;
}

/// A smallest clique that holds the set; else one that holds most of it, by cells, among those that
/// are needed.
int TreeQueries::root_for(const AttributeSet& set) const {
  int root = 0;
  double most = 0;
  double fewest = 0;
  for (size_t c = 0; c < neighbours_.size(); ++c) {
    const double held = domain_.num_cells(intersection_of(clique(static_cast<int>(c)), set));
    const double cells = domain_.num_cells(clique(static_cast<int>(c)));
    if (held > most || (held == most && cells < fewest)) {
      root = static_cast<int>(c);
      most = held;
      fewest = cells;
    }
  }
  for (;;) {
    const std::vector<const Neighbour*> sides = asked(root, -1, set);
    if (sides.size() != 1) return root;
    if (!contains(*sides[0]->separator, intersection_of(clique(root), set))) return root;
    root = sides[0]->clique;
  }
}

/// What the side of clique `from` that is away from `to` says: a table over `set`, all of it on
/// that side, and `separator`, conditioned on the latter. Without `to`: probabilities.
Factor TreeQueries::collect(int from, int to, const AttributeSet& separator,
                            const AttributeSet& set) const {
  const std::vector<const Neighbour*> sides = asked(from, to, set);
  AttributeSet needed = union_of(intersection_of(clique(from), set), separator);
  for (const Neighbour* side : sides) needed = union_of(needed, *side->separator);
  Factor table = {needed, beliefs_.marginal_within(static_cast<size_t>(from), needed)};
  if (to >= 0) {
    std::vector<double> inverse = summed_onto(domain_, table, separator).values;
    // Of a smaller one the inverse would overflow, and infinity times 0 is no probability.
    constexpr double kLeast = std::numeric_limits<double>::min();
    for (double& p : inverse) p = p >= kLeast ? 1 / p : 0;
    Broadcast(domain_, needed, separator).multiply_into(table.values, inverse);
  }
  const AttributeSet wanted = union_of(set, separator);
  for (size_t i = 0; i < sides.size(); ++i) {
    AttributeSet keep = wanted;
    for (size_t later = i + 1; later < sides.size(); ++later) {
      keep = union_of(keep, *sides[later]->separator);
    }
    table = contract(domain_, table, *message(from, *sides[i], set), keep);
  }
  return table;
}

TreeQueries::Message TreeQueries::message(int to, const Neighbour& neighbour,
                                          const AttributeSet& set) const {
  Question question = {neighbour.clique, to, intersection_of(neighbour.beyond, set)};
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = messages_.find(question);
    if (found != messages_.end()) return found->second;
  }
  auto made = std::make_shared<const Factor>(
      collect(neighbour.clique, to, *neighbour.separator, question.set));
  const std::lock_guard<std::mutex> lock(mutex_);
  if (cells_kept_ + made->values.size() <= kMaxCellsKept &&
      messages_.emplace(std::move(question), made).second) {
    cells_kept_ += made->values.size();
  }
  return made;
}

}  // namespace equinoise
