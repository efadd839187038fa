#include "equinoise/synth/graph/tree_query.h"

#include <Eigen/Core>
#include <algorithm>

namespace equinoise {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Factor summed_onto(const Domain& domain, const Factor& factor, const AttributeSet& subset) {
  if (factor.attributes == subset) return factor;
  Factor result = constant_factor(domain, subset, 0.0);
  Broadcast(domain, factor.attributes, subset).sum_onto(factor.values, result.values);
  return result;
}

std::vector<int> joined(const AttributeSet& a, const AttributeSet& b) {
  std::vector<int> result = a;
  result.insert(result.end(), b.begin(), b.end());
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
  const AttributeSet first_set = union_of(rows, shared);
  const AttributeSet second_set = union_of(columns, shared);
  const std::vector<double> a =
      reordered_table(domain, first_set, joined(joined(batch, rows), inner),
                      summed_onto(domain, first, first_set).values);
  const std::vector<double> b =
      reordered_table(domain, second_set, joined(joined(batch, inner), columns),
                      summed_onto(domain, second, second_set).values);

  const AttributeSet result_set = union_of(batch, union_of(rows, columns));
  Factor result = constant_factor(domain, result_set, 0.0);
  const auto num_batches = static_cast<Eigen::Index>(domain.num_cells(batch));
  const auto num_rows = static_cast<Eigen::Index>(domain.num_cells(rows));
  const auto num_inner = static_cast<Eigen::Index>(domain.num_cells(inner));
  const auto num_columns = static_cast<Eigen::Index>(domain.num_cells(columns));
  for (Eigen::Index i = 0; i < num_batches; ++i) {
    Eigen::Map<RowMajor>(result.values.data() + i * num_rows * num_columns, num_rows, num_columns)
        .noalias() =
        Eigen::Map<const RowMajor>(a.data() + i * num_rows * num_inner, num_rows, num_inner) *
        Eigen::Map<const RowMajor>(b.data() + i * num_inner * num_columns, num_inner, num_columns);
  }
  result.values =
      reordered_table(domain, joined(joined(batch, rows), columns), result_set, result.values);
  return result;
}

/// One question to a calibrated tree.
class Query {
 public:
  Query(const Domain& domain, const BeliefPropagation& beliefs, const AttributeSet& set)
      : domain_(domain), beliefs_(beliefs), set_(set), neighbours_(beliefs.tree().cliques.size()) {
    for (const TreeEdge& edge : beliefs.tree().edges) {
      neighbours_[edge.first].push_back({edge.second, &edge.separator});
      neighbours_[edge.second].push_back({edge.first, &edge.separator});
    }
    prune();
  }

  std::vector<double> answer() const {
    int root = -1;
    double most = 0;
    for (size_t c = 0; c < neighbours_.size(); ++c) {
      if (!kept_[c]) continue;
      const double cells = domain_.num_cells(intersection_of(clique(c), set_));
      if (cells > most) {
        root = static_cast<int>(c);
        most = cells;
      }
    }
    return collect(root, -1, {}).values;
  }

 private:
  struct Neighbour {
    int clique;
    const AttributeSet* separator;
  };

  const AttributeSet& clique(size_t c) const { return beliefs_.tree().cliques[c]; }

  /// Drops leaves that hold nothing of the set but what they share with their neighbour.
  void prune() {
    kept_.assign(neighbours_.size(), true);
    std::vector<int> leaves;
    for (size_t c = 0; c < neighbours_.size(); ++c) leaves.push_back(static_cast<int>(c));
    while (!leaves.empty()) {
      const int c = leaves.back();
      leaves.pop_back();
      if (!kept_[c]) continue;
      const std::vector<Neighbour> left = kept_neighbours(c, -1);
      if (left.size() != 1) continue;
      if (!contains(*left[0].separator, intersection_of(clique(c), set_))) continue;
      kept_[c] = false;
      leaves.push_back(left[0].clique);
    }
  }

  std::vector<Neighbour> kept_neighbours(int c, int except) const {
    std::vector<Neighbour> result;
    for (const Neighbour& neighbour : neighbours_[c]) {
      if (kept_[neighbour.clique] && neighbour.clique != except) result.push_back(neighbour);
    }
    return result;
  }

  /// What the side of clique `c` that is away from `parent` says: a table over the part of the set
  /// that it has and `separator`, conditioned on the latter.
  Factor collect(int c, int parent, const AttributeSet& separator) const {
    const std::vector<Neighbour> children = kept_neighbours(c, parent);
    AttributeSet needed = union_of(intersection_of(clique(c), set_), separator);
    for (const Neighbour& child : children) needed = union_of(needed, *child.separator);
    Factor table = constant_factor(domain_, needed, 0.0);
    Broadcast(domain_, clique(c), needed).sum_onto(beliefs_.clique_marginal(c), table.values);
    const Factor given = summed_onto(domain_, table, separator);
    if (parent >= 0) {
      std::vector<double> inverse = given.values;
      for (double& p : inverse) p = p > 0 ? 1 / p : 0;
      Broadcast(domain_, needed, separator).multiply_into(table.values, inverse);
    }
    for (size_t i = 0; i < children.size(); ++i) {
      AttributeSet keep = union_of(set_, separator);
      for (size_t later = i + 1; later < children.size(); ++later) {
        keep = union_of(keep, *children[later].separator);
      }
      table =
          contract(domain_, table, collect(children[i].clique, c, *children[i].separator), keep);
    }
    return summed_onto(domain_, table,
                       intersection_of(table.attributes, union_of(set_, separator)));
  }

  const Domain& domain_;
  const BeliefPropagation& beliefs_;
  const AttributeSet& set_;
  std::vector<std::vector<Neighbour>> neighbours_;
  std::vector<bool> kept_;
};

}  // namespace

std::vector<double> query_probabilities(const Domain& domain, const BeliefPropagation& beliefs,
                                        const AttributeSet& set) {
  return Query(domain, beliefs, set).answer();
}

}  // namespace equinoise
