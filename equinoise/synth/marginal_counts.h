// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "equinoise/synth/coded_table.h"

namespace equinoise {

/// The most cells of a marginal that is counted.
inline constexpr size_t kMaxMarginalCells = size_t{1} << 31;

/// Takes the counts of the sets[index]: row-major, the last attribute varies fastest. They are gone
/// when it returns. Called from several threads at once, once for each index, in any order.
using MarginalConsumer = std::function<void(size_t index, std::span<const uint32_t> counts)>;

/// Counts the marginals of `sets`, lists of columns of `table`, and passes each to `consume` as
/// soon as it is complete. Exact integers, which do not depend on `threads`.
///
/// A row that represents several records adds their number; together they are at most kMaxRecords.
///
/// A record is in one cell of each set: the L1, L2 and largest change of one marginal is 1 under
/// zero_out and add_remove. The counts are not private.
///
/// Sets whose columns together have few cells are counted as one table and summed out. Tables with
/// the same columns except the last share the work of a pass over the records, in blocks that stay
/// in the cache. Memory: per thread the counts of one such group of sets, at most 64 MiB or one
/// marginal. For data larger than memory, count chunk by chunk and add up. Errors: kUsage for a set
/// with a column that the table does not have, one twice or more than kMaxMarginalCells cells.
void count_marginals(const CodedTable& table, std::span<const std::vector<int>> sets, int threads,
                     const MarginalConsumer& consume);

/// The counts of one set.
std::vector<uint32_t> count_marginal(const CodedTable& table, const std::vector<int>& set);

/// The largest number of columns up to `degree` with at most a million sets of that size and of
/// each smaller size; at least 1.
int feasible_degree(int num_columns, int degree);

/// All sets of `degree` of `num_columns` columns, ascending. Errors: kUsage for a degree below 1 or
/// beyond the number of columns, or for more than a million sets.
std::vector<std::vector<int>> sets_of_degree(int num_columns, int degree);

}  // namespace equinoise
