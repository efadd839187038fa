// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/joint_marginals.h"

#include <algorithm>
#include <deque>

#include "equinoise/base/lists.h"
#include "equinoise/synth/marginal_counts.h"

namespace equinoise {

namespace {

using Set = std::vector<int>;

/// The limits of a joint marginal of several sets: this many cells, and one cell for this many
/// records.
constexpr size_t kMaxJointCells = size_t{1} << 16;
constexpr size_t kRecordsPerCell = 8;
/// The number of latest joint marginals that a set is offered to.
constexpr size_t kOpenJoints = 64;

size_t size_of(const std::vector<size_t>& sizes, int column) {
  return sizes[static_cast<size_t>(column)];
}

/// Cells of the joint marginal with the columns of `set` as well, or more than `limit`.
size_t cells_with(const std::vector<size_t>& sizes, const JointMarginal& joint, const Set& set,
                  size_t limit) {
  size_t cells = joint.cells;
  for (const int column : set) {
    if (!contains(joint.columns, column) && cells <= limit) cells *= size_of(sizes, column);
  }
  return cells;
}

/// The position in `columns` of each combination of values of `some`, the last varying fastest.
std::vector<uint32_t> offsets(const std::vector<size_t>& sizes, std::span<const int> some,
                              const Set& columns) {
  std::vector<uint32_t> result = {0};
  for (const int column : some) {
    uint32_t stride = contains(columns, column) ? 1 : 0;
    for (auto other = columns.rbegin(); stride > 0 && *other != column; ++other)
      stride *= static_cast<uint32_t>(size_of(sizes, *other));
    const auto num_values = static_cast<uint32_t>(size_of(sizes, column));
    std::vector<uint32_t> longer;
    longer.reserve(result.size() * num_values);
    for (const uint32_t offset : result)
      for (uint32_t value = 0; value < num_values; ++value)
        longer.push_back(offset + value * stride);
    result = std::move(longer);
  }
  return result;
}

}  // namespace

std::vector<JointMarginal> join_marginals(const std::vector<size_t>& sizes,
                                          std::span<const Set> sets, size_t num_records) {
  const size_t limit = std::min(kMaxJointCells, num_records / kRecordsPerCell);
  std::vector<JointMarginal> joints;
  std::deque<size_t> open;
  for (size_t index = 0; index < sets.size(); ++index) {
    const Set& set = sets[index];
    JointMarginal* best = nullptr;
    double min_growth = 0;
    const size_t cells = cells_with(sizes, {}, set, kMaxMarginalCells);
    if (cells <= limit) {
      for (const size_t candidate : open) {
        JointMarginal& joint = joints[candidate];
        const size_t joint_cells = cells_with(sizes, joint, set, limit);
        const double growth = static_cast<double>(joint_cells) / static_cast<double>(joint.cells);
        if (joint_cells > limit || (best != nullptr && growth >= min_growth)) continue;
        best = &joint;
        min_growth = growth;
      }
    }
    if (best == nullptr) {
      joints.push_back({set, cells, {index}});
      if (cells <= limit) open.push_front(joints.size() - 1);
      if (open.size() > kOpenJoints) open.pop_back();
      continue;
    }
    best->cells = cells_with(sizes, *best, set, limit);
    for (const int column : set) {
      if (!contains(best->columns, column)) best->columns.push_back(column);
    }
    std::ranges::sort(best->columns);
    best->sets.push_back(index);
  }
  return joints;
}

void sum_out(const std::vector<size_t>& sizes, const Set& joint,
             std::span<const uint32_t> joint_counts, const Set& columns,
             std::vector<uint32_t>& counts) {
  size_t cells = 1;
  for (const int column : columns) cells *= size_of(sizes, column);
  counts.assign(cells, 0);
  const size_t middle = joint.size() / 2;
  const std::vector<uint32_t> outer = offsets(sizes, std::span(joint).first(middle), columns);
  const std::vector<uint32_t> inner = offsets(sizes, std::span(joint).subspan(middle), columns);
  const uint32_t* count = joint_counts.data();
  for (const uint32_t first : outer) {
    for (const uint32_t second : inner) counts[first + second] += *count++;
  }
}

}  // namespace equinoise
