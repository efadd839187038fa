// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace equinoise {

/// Calls `body(i)` for every i in [0, count), at most `threads` at a time; rethrows the first
/// exception. The order of calls is not fixed, so `body` may write only data that belongs to i. Do
/// reductions afterwards in index order, so that results do not depend on `threads`.
void parallel_for(size_t count, int threads, const std::function<void(size_t)>& body);

struct IndexRange {
  size_t begin = 0;
  size_t end = 0;  ///< the first index after the range
};

/// [0, count) in consecutive ranges, for threads that each form their own sum: one range, or as
/// many as threads, none shorter than `least`.
std::vector<IndexRange> ranges_for_threads(size_t count, size_t least, int threads);

}  // namespace equinoise
