// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace equinoise {

/// Calls `body(i)` for every i in [0, count), at most `threads` at a time; rethrows the first
/// exception. The order of calls is not fixed, so `body` may write only to what belongs to i.
/// Reductions are done afterwards in index order, so that results do not depend on `threads`.
void parallel_for(size_t count, int threads, const std::function<void(size_t)>& body);

}  // namespace equinoise
