// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tables/tree_fit.h"

#include <numeric>

namespace equinoise {

TreeFit::TreeFit(CellTree tree, double variance, double units) : tree_(tree), units_(units) {
  const size_t levels = tree_.num_levels();
  gains_.assign(levels, 1);
  variances_.assign(levels, variance);
  for (size_t l = levels - 1; l-- > 0;) {
    const double below = variances_[l + 1] * static_cast<double>(tree_.branching);
    gains_[l] = below / (below + variance);
    variances_[l] = gains_[l] * variance;
  }
}

std::vector<std::vector<double>> TreeFit::collect(std::span<const int64_t> entries) const {
  const size_t levels = tree_.num_levels();
  std::vector<std::vector<double>> nodes(levels);
  size_t begin = entries.size();
  for (size_t l = levels; l-- > 0;) {
    const size_t num_nodes = tree_.num_nodes(l + 1);
    begin -= num_nodes;
    for (size_t i = 0; i < num_nodes; ++i) {
      double below = 0;
      if (l + 1 < levels) {
        const auto first = nodes[l + 1].begin() + static_cast<std::ptrdiff_t>(i * tree_.branching);
        below = std::accumulate(first, first + static_cast<std::ptrdiff_t>(tree_.branching), 0.0);
      }
      nodes[l].push_back(gains_[l] * (static_cast<double>(entries[begin + i]) / units_) +
                         (1 - gains_[l]) * below);
    }
  }
  return nodes;
}

double TreeFit::total(std::span<const int64_t> entries) const {
  const std::vector<double> top = collect(entries)[0];
  return std::accumulate(top.begin(), top.end(), 0.0);
}

std::vector<double> TreeFit::cells(std::span<const int64_t> entries, double total) const {
  std::vector<std::vector<double>> nodes = collect(entries);
  std::vector<double> parents = {total};
  for (std::vector<double>& level : nodes) {
    // Children of a node have one variance, so each takes an equal part of what is missing.
    const size_t each = level.size() / parents.size();
    for (size_t p = 0; p < parents.size(); ++p) {
      const std::span<double> children = std::span(level).subspan(p * each, each);
      const double missing = parents[p] - std::accumulate(children.begin(), children.end(), 0.0);
      for (double& child : children) child += missing / static_cast<double>(each);
    }
    parents = level;
  }
  return parents;
}

TreeFit::Sum TreeFit::sum_of(std::span<const double> weights) const {
  // Given its node's total, a sum of cells below it has this slope and variance.
  std::vector<Sum> below;
  for (const double weight : weights) below.push_back({weight, 0});
  for (size_t level = tree_.num_levels(); level-- > 0;) {
    const size_t num_parents = level == 0 ? 1 : tree_.num_nodes(level);
    const size_t each = below.size() / num_parents;
    std::vector<Sum> parents;
    for (size_t p = 0; p < num_parents; ++p) {
      double sum = 0;
      double squares = 0;
      double variance = 0;
      for (size_t i = p * each; i < (p + 1) * each; ++i) {
        sum += below[i].slope;
        squares += below[i].slope * below[i].slope;
        variance += below[i].variance;
      }
      const double mean = sum / static_cast<double>(each);
      const double spread = squares - sum * mean;
      parents.push_back({mean, variance + variances_[level] * (spread > 0 ? spread : 0)});
    }
    below = std::move(parents);
  }
  return below[0];
}

}  // namespace equinoise
