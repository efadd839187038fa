// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/marginal_counts.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "equinoise/base/error.h"
#include "equinoise/base/parallel.h"
#include "equinoise/synth/joint_marginals.h"

namespace equinoise {

namespace {

using Set = std::vector<int>;

/// Keys of a block stay in the second-level cache, 256 KiB.
constexpr size_t kBlockRecords = size_t{1} << 16;
/// Cells that are computed side by side, before they are counted.
constexpr size_t kCellsAtOnce = 512;
/// Counts that a thread keeps at once while it goes through several blocks.
constexpr size_t kMaxKeptCells = size_t{1} << 24;

constexpr size_t kMaxSets = 1'000'000;

constexpr Refusal refuse{ErrorKind::kUsage, "synth.marginal_counts"};

const CodedColumn& column_of(const CodedTable& table, int column) {
  return table.columns[static_cast<size_t>(column)];
}

size_t cells_of(const CodedTable& table, const Set& set) {
  size_t cells = 1;
  for (const int column : set) {
    if (column < 0 || column >= std::ssize(table.columns)) {
      refuse("a marginal's columns must be from 0 to {}, got {}", std::ssize(table.columns) - 1,
             column);
    }
    if (std::ranges::count(set, column) > 1) {
      refuse("a marginal must name each column once, got column {} twice", column);
    }
    cells *= column_of(table, column).num_values;
    if (cells > kMaxMarginalCells) {
      refuse(
          "a marginal must have at most {} cells, got more; take fewer columns or "
          "coarser bins",
          kMaxMarginalCells);
    }
  }
  return cells;
}

/// Equal consecutive cells wait for each other. So small tables are counted in several parts, which
/// take turns and still fit into the cache.
size_t num_parts(size_t cells) { return cells <= 8192 ? 4 : cells <= 32'768 ? 2 : 1; }

template <typename Code>
void extend_keys(const std::vector<Code>& codes, size_t begin, size_t num_values,
                 std::span<uint32_t> keys) {
  const Code* code = codes.data() + begin;
  const auto radix = static_cast<uint32_t>(num_values);
  for (size_t i = 0; i < keys.size(); ++i) keys[i] = keys[i] * radix + code[i];
}

/// The number of records of each row: one each, or given counts.
struct OneEach {
  uint32_t operator[](size_t /*row*/) const { return 1; }
};
using GivenCounts = const uint32_t*;

template <size_t kParts, typename RowCounts>
void count_cells(std::span<const uint32_t> cells, RowCounts row_counts, size_t table_size,
                 uint32_t* counts) {
  size_t i = 0;
  for (; i + kParts <= cells.size(); i += kParts) {
    for (size_t part = 0; part < kParts; ++part)
      counts[part * table_size + cells[i + part]] += row_counts[i + part];
  }
  for (; i < cells.size(); ++i) counts[cells[i]] += row_counts[i];
}

template <typename RowCounts>
void count_cells(std::span<const uint32_t> cells, RowCounts row_counts, size_t table_size,
                 uint32_t* counts) {
  switch (num_parts(table_size)) {
    case 4:
      count_cells<4>(cells, row_counts, table_size, counts);
      break;
    case 2:
      count_cells<2>(cells, row_counts, table_size, counts);
      break;
    default:
      count_cells<1>(cells, row_counts, table_size, counts);
  }
}

/// `row_counts`: of all rows, or empty.
template <typename Code>
void count_block(const std::vector<Code>& codes, std::span<const uint32_t> row_counts, size_t begin,
                 size_t num_values, std::span<const uint32_t> keys, size_t table_size,
                 uint32_t* counts) {
  const auto radix = static_cast<uint32_t>(num_values);
  std::array<uint32_t, kCellsAtOnce> cells;
  for (size_t first = 0; first < keys.size(); first += cells.size()) {
    const size_t size = std::min(cells.size(), keys.size() - first);
    const Code* code = codes.data() + begin + first;
    const uint32_t* key = keys.data() + first;
    for (size_t i = 0; i < size; ++i) cells[i] = key[i] * radix + code[i];
    const std::span<const uint32_t> some = std::span(cells).first(size);
    if (row_counts.empty()) {
      count_cells(some, OneEach(), table_size, counts);
    } else {
      count_cells(some, GivenCounts(row_counts.data() + begin + first), table_size, counts);
    }
  }
}

/// Adds up the parts; returns the first.
std::span<const uint32_t> add_parts(uint32_t* counts, size_t cells) {
  const size_t parts = num_parts(cells);
  for (size_t part = 1; part < parts; ++part) {
    const uint32_t* other = counts + part * cells;
    for (size_t cell = 0; cell < cells; ++cell) counts[cell] += other[cell];
  }
  return {counts, cells};
}

/// Joint marginals that differ in their last column only.
struct Group {
  Set prefix;
  std::vector<JointMarginal> joints;
};

std::vector<Group> group_by_prefix(std::vector<JointMarginal> joints) {
  std::map<Set, std::vector<JointMarginal>> by_prefix;
  for (JointMarginal& joint : joints) {
    const Set& set = joint.columns;
    by_prefix[Set(set.begin(), set.empty() ? set.end() : set.end() - 1)].push_back(
        std::move(joint));
  }
  std::vector<Group> groups;
  groups.reserve(by_prefix.size());
  for (auto& [prefix, members] : by_prefix) groups.push_back({prefix, std::move(members)});
  return groups;
}

/// Counts the joint marginals of a group that are kept at once.
class GroupCounter {
 public:
  GroupCounter(const CodedTable& table, std::span<const Set> sets, const MarginalConsumer& consume)
      : table_(table), sizes_(table.sizes()), sets_(sets), consume_(consume) {}

  void count(const Group& group) {
    // Each table of a single block is complete after its turn, and its counts are still in the
    // cache.
    const bool single_block = table_.num_records <= kBlockRecords;
    if (single_block) {
      make_keys(group.prefix, 0);
      for (const JointMarginal& joint : group.joints)
        count_and_consume(group.prefix, {&joint, 1}, true);
      return;
    }
    for (size_t begin = 0; begin < group.joints.size();) {
      size_t end = begin;
      size_t kept = 0;
      do {
        kept += size_of(group.joints[end++]);
      } while (end < group.joints.size() && kept + size_of(group.joints[end]) <= kMaxKeptCells);
      count_and_consume(group.prefix, std::span(group.joints).subspan(begin, end - begin), false);
      begin = end;
    }
  }

 private:
  static size_t size_of(const JointMarginal& joint) { return joint.cells * num_parts(joint.cells); }

  void make_keys(const Set& prefix, size_t begin) {
    keys_.assign(std::min(kBlockRecords, table_.num_records - begin), 0);
    for (const int attribute : prefix) {
      const CodedColumn& column = column_of(table_, attribute);
      if (column.is_narrow()) {
        extend_keys(column.narrow, begin, column.num_values, keys_);
      } else {
        extend_keys(column.wide, begin, column.num_values, keys_);
      }
    }
  }

  void count_and_consume(const Set& prefix, std::span<const JointMarginal> joints,
                         bool keys_are_made) {
    size_t total = 0;
    for (const JointMarginal& joint : joints) total += size_of(joint);
    counts_.assign(total, 0);
    for (size_t begin = 0; begin < table_.num_records; begin += kBlockRecords) {
      if (!keys_are_made) make_keys(prefix, begin);
      uint32_t* counts = counts_.data();
      for (const JointMarginal& joint : joints) {
        if (joint.columns.empty()) {
          for (size_t row = begin; row < begin + keys_.size(); ++row)
            counts[0] += table_.count_of(row);
        } else {
          const CodedColumn& column = column_of(table_, joint.columns.back());
          if (column.is_narrow()) {
            count_block(column.narrow, table_.counts, begin, column.num_values, keys_, joint.cells,
                        counts);
          } else {
            count_block(column.wide, table_.counts, begin, column.num_values, keys_, joint.cells,
                        counts);
          }
        }
        counts += size_of(joint);
      }
    }
    uint32_t* counts = counts_.data();
    for (const JointMarginal& joint : joints) {
      consume(joint, add_parts(counts, joint.cells));
      counts += size_of(joint);
    }
  }

  void consume(const JointMarginal& joint, std::span<const uint32_t> counts) {
    for (const size_t index : joint.sets) {
      if (sets_[index] == joint.columns) {
        consume_(index, counts);
      } else {
        sum_out(sizes_, joint.columns, counts, sets_[index], sum_);
        consume_(index, sum_);
      }
    }
  }

  const CodedTable& table_;
  std::vector<size_t> sizes_;
  std::span<const Set> sets_;
  const MarginalConsumer& consume_;
  std::vector<uint32_t> keys_;    // of the prefix, for the records of a block
  std::vector<uint32_t> counts_;  // of kept tables, one after another, part by part
  std::vector<uint32_t> sum_;     // of one set
};

}  // namespace

void count_marginals(const CodedTable& table, std::span<const Set> sets, int threads,
                     const MarginalConsumer& consume) {
  for (const Set& set : sets) static_cast<void>(cells_of(table, set));
  const std::vector<Group> groups =
      group_by_prefix(join_marginals(table.sizes(), sets, table.num_records));
  // Neighbouring groups in one call, so that buffers are reused.
  const size_t num_calls =
      std::min(groups.size(), threads > 1 ? 8 * static_cast<size_t>(threads) : size_t{1});
  parallel_for(num_calls, threads, [&](size_t call) {
    GroupCounter counter(table, sets, consume);
    for (size_t g = call; g < groups.size(); g += num_calls) counter.count(groups[g]);
  });
}

std::vector<uint32_t> count_marginal(const CodedTable& table, const Set& set) {
  std::vector<uint32_t> result;
  count_marginals(table, {&set, 1}, 1, [&](size_t, std::span<const uint32_t> counts) {
    result.assign(counts.begin(), counts.end());
  });
  return result;
}

int feasible_degree(int num_columns, int degree) {
  double num_sets = num_columns;
  int feasible = 1;
  while (feasible < std::min(degree, num_columns)) {
    num_sets = num_sets * (num_columns - feasible) / (feasible + 1);
    if (num_sets > double{kMaxSets}) break;
    ++feasible;
  }
  return feasible;
}

std::vector<Set> sets_of_degree(int num_columns, int degree) {
  if (degree < 1 || degree > num_columns) {
    refuse("degree must lie between 1 and the number of columns, {}, got {}", num_columns, degree);
  }
  std::vector<Set> sets;
  Set set(static_cast<size_t>(degree));
  std::iota(set.begin(), set.end(), 0);
  for (;;) {
    if (sets.size() == kMaxSets)
      refuse("degree must give at most {} marginals, got more", kMaxSets);
    sets.push_back(set);
    // The last column that can still move on; those behind it follow closely.
    auto last = set.end();
    int largest = num_columns - 1;
    while (last != set.begin() && *(last - 1) == largest) {
      --last;
      --largest;
    }
    if (last == set.begin()) return sets;
    ++*(last - 1);
    std::iota(last, set.end(), *(last - 1) + 1);
  }
}

}  // namespace equinoise
