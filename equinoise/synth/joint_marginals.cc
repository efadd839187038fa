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

/// The places of all combinations of codes, the last column fastest.
std::vector<uint32_t> places_of(std::span<const std::vector<uint32_t>> moves) {
  std::vector<uint32_t> result = {0};
  for (const std::vector<uint32_t>& own : moves) {
    std::vector<uint32_t> longer;
    longer.reserve(result.size() * own.size());
    for (const uint32_t place : result)
      for (const uint32_t move : own) longer.push_back(place + move);
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

void add_cells(std::span<const uint32_t> counts, const std::vector<std::vector<uint32_t>>& moves,
               std::vector<uint32_t>& sums) {
  const size_t middle = moves.size() / 2;
  const std::vector<uint32_t> outer = places_of(std::span(moves).first(middle));
  const std::vector<uint32_t> inner = places_of(std::span(moves).subspan(middle));
  const uint32_t* count = counts.data();
  for (const uint32_t first : outer) {
    for (const uint32_t second : inner) sums[first + second] += *count++;
  }
}

void sum_out(const std::vector<size_t>& sizes, const Set& joint,
             std::span<const uint32_t> joint_counts, const Set& columns,
             std::vector<uint32_t>& counts) {
  std::vector<std::vector<uint32_t>> moves;
  for (const int column : joint) moves.emplace_back(size_of(sizes, column), 0);
  size_t cells = 1;
  for (auto column = columns.rbegin(); column != columns.rend(); ++column) {
    std::vector<uint32_t>& own =
        moves[static_cast<size_t>(std::ranges::find(joint, *column) - joint.begin())];
    for (size_t code = 0; code < own.size(); ++code)
      own[code] = static_cast<uint32_t>(code * cells);
    cells *= own.size();
  }
  counts.assign(cells, 0);
  add_cells(joint_counts, moves, counts);
}

}  // namespace equinoise
