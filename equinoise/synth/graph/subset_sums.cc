// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/subset_sums.h"

#include <algorithm>
#include <optional>

#include "equinoise/base/lists.h"

namespace equinoise {

namespace {

/// Joining two tables saves a pass over the large one and costs two over their union.
constexpr double kLargestUnion = 0.25;
/// Smaller tables are not worth a union.
constexpr double kMinCells = 2048;

/// Each table is joined with one of this many that come after it, so that many tables take little
/// time.
constexpr size_t kNeighbours = 16;

/// Two nodes to be joined and the number of cells of the union.
struct Join {
  size_t first;
  size_t second;
  double cells;
};

}  // namespace

SubsetSums::SubsetSums(const Domain& domain, std::vector<AttributeSet> subsets) {
  const AttributeSet all = domain.all();
  const double large = domain.num_cells(all);
  nodes_.reserve(2 * subsets.size());
  for (size_t i = 0; i < subsets.size(); ++i) {
    nodes_.push_back({subsets[i], static_cast<int>(i), {}, Broadcast(domain, all, subsets[i]), {}});
    passes_.push_back(static_cast<int>(i));
  }
  const auto smallest_join = [&] {
    std::optional<Join> best;
    for (size_t i = 0; i < passes_.size(); ++i) {
      for (size_t j = i + 1; j < std::min(passes_.size(), i + 1 + kNeighbours); ++j) {
        const double cells =
            domain.num_cells(union_of(nodes_[static_cast<size_t>(passes_[i])].attributes,
                                      nodes_[static_cast<size_t>(passes_[j])].attributes));
        if (!best || cells < best->cells) best = {i, j, cells};
      }
    }
    return best;
  };
  while (large >= kMinCells) {
    const std::optional<Join> join = smallest_join();
    if (!join || join->cells > kLargestUnion * large) break;
    const std::vector<int> joined = {passes_[join->first], passes_[join->second]};
    passes_.erase(passes_.begin() + static_cast<std::ptrdiff_t>(join->second));
    AttributeSet both = union_of(nodes_[static_cast<size_t>(joined[0])].attributes,
                                 nodes_[static_cast<size_t>(joined[1])].attributes);
    Broadcast broadcast(domain, all, both);
    passes_[join->first] = static_cast<int>(nodes_.size());
    nodes_.push_back({std::move(both), -1, {}, broadcast, {}});
    Node& made = nodes_.back();
    made.values.resize(broadcast.small_cells());
    for (const int child : joined) {
      Node& node = nodes_[static_cast<size_t>(child)];
      // A union that is no larger than one of its parts takes the other's place.
      if (node.subset < 0 && node.attributes == made.attributes) {
        append(made.children, node.children);
        node.values = {};
        continue;
      }
      node.broadcast = Broadcast(domain, made.attributes, node.attributes);
      made.children.push_back(child);
    }
  }
}

void SubsetSums::gather(size_t pass, std::span<const std::span<const double>> tables) {
  gather_node(nodes_[static_cast<size_t>(passes_[pass])], tables);
}

void SubsetSums::gather_node(Node& node, std::span<const std::span<const double>> tables) {
  if (node.subset >= 0) return;
  std::ranges::fill(node.values, 0.0);
  for (const int index : node.children) {
    Node& child = nodes_[static_cast<size_t>(index)];
    gather_node(child, tables);
    const std::span<const double> values = values_of(child, tables);
    if (!values.empty()) child.broadcast.add_to(node.values, values);
  }
}

void SubsetSums::add_to(std::span<double> large, std::span<const std::span<const double>> tables,
                        Slice slice) const {
  for (const int pass : passes_) {
    const Node& node = nodes_[static_cast<size_t>(pass)];
    const std::span<const double> values = values_of(node, tables);
    if (!values.empty()) node.broadcast.add_to(large, values, slice);
  }
}

void SubsetSums::sum(size_t pass, std::span<const double> large, const Consumer& consume) {
  sum_node(nodes_[static_cast<size_t>(passes_[pass])], large, consume);
}

void SubsetSums::sum_node(Node& node, std::span<const double> parent, const Consumer& consume) {
  if (node.subset >= 0) {
    std::vector<double> sums(node.broadcast.small_cells(), 0.0);
    node.broadcast.sum_onto(parent, sums);
    consume(static_cast<size_t>(node.subset), sums);
    return;
  }
  std::ranges::fill(node.values, 0.0);
  node.broadcast.sum_onto(parent, node.values);
  for (const int child : node.children)
    sum_node(nodes_[static_cast<size_t>(child)], node.values, consume);
}

}  // namespace equinoise
