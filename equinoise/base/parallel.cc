// SPDX-License-Identifier: Apache-2.0
#include "equinoise/base/parallel.h"

#include <algorithm>

#ifdef EQUINOISE_USE_TBB
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#else
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#endif

namespace equinoise {
namespace {

#ifdef EQUINOISE_USE_TBB

void share_out(size_t count, int threads, const std::function<void(size_t)>& body) {
  // Limits threads globally. A separate arena for each call would start and end TBB's threads,
  // which takes short loops longer than their work. TBB prints a warning if more threads are
  // requested than the machine has.
  const tbb::global_control limit(
      tbb::global_control::max_allowed_parallelism,
      static_cast<size_t>(std::min(threads, tbb::info::default_concurrency())));
  // Isolated, so that a thread that waits within a call of `body` begins no other call.
  tbb::this_task_arena::isolate([&] { tbb::parallel_for(size_t{0}, count, body); });
}

#else

/// The version without TBB, whose library the thread sanitizer cannot see into. Starts its threads
/// anew on every call.
void share_out(size_t count, int threads, const std::function<void(size_t)>& body) {
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr first_exception;
  const auto work = [&] {
    try {
      for (size_t i = next++; i < count; i = next++) body(i);
    } catch (...) {
      next = count;
      const std::lock_guard lock(mutex);
      if (!first_exception) first_exception = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (size_t i = 1; i < std::min(count, static_cast<size_t>(threads)); ++i) {
      helpers.emplace_back(work);
    }
    work();
  }
  if (first_exception) std::rethrow_exception(first_exception);
}

#endif

}  // namespace

void parallel_for(size_t count, int threads, const std::function<void(size_t)>& body) {
  if (count > 1 && threads > 1) return share_out(count, threads, body);
  for (size_t i = 0; i < count; ++i) body(i);
}

std::vector<IndexRange> ranges_for_threads(size_t count, size_t least, int threads) {
  const size_t num_ranges =
      std::clamp<size_t>(count / least, 1, static_cast<size_t>(std::max(threads, 1)));
  std::vector<IndexRange> ranges;
  for (size_t i = 0; i < num_ranges; ++i)
    ranges.push_back({i * count / num_ranges, (i + 1) * count / num_ranges});
  return ranges;
}

}  // namespace equinoise
