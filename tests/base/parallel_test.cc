// SPDX-License-Identifier: Apache-2.0
#include "equinoise/base/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace equinoise::parallel_test {

TEST(ParallelFor, CallsEachIndexOnceForAnyNumberOfThreads) {
  for (int threads : {1, 2, 5}) {
    for (size_t count : {0, 1, 2, 3, 1000}) {
      std::vector<int> calls(count, 0);
      parallel_for(count, threads, [&](size_t i) { ++calls[i]; });
      EXPECT_EQ(calls, std::vector<int>(count, 1)) << threads << " threads";
    }
  }
}

TEST(ParallelFor, HasDoneEverythingWhenItReturns) {
  std::vector<size_t> squares(1000);
  parallel_for(squares.size(), 4, [&](size_t i) { squares[i] = i * i; });
  for (size_t i = 0; i < squares.size(); ++i) EXPECT_EQ(squares[i], i * i);
}

TEST(ParallelFor, UsesAtMostTheThreadsAskedFor) {
  for (int threads : {1, 2, 3}) {
    std::mutex mutex;
    std::set<std::thread::id> seen;
    std::atomic<int> running = 0;
    std::atomic<int> max_running = 0;
    parallel_for(100, threads, [&](size_t) {
      const int now = ++running;
      for (int most = max_running; most < now && !max_running.compare_exchange_weak(most, now);) {
      }
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      {
        const std::lock_guard lock(mutex);
        seen.insert(std::this_thread::get_id());
      }
      --running;
    });
    EXPECT_LE(max_running, threads);
    EXPECT_GE(max_running, 1);
    if (threads == 1) {
      EXPECT_EQ(seen, std::set{std::this_thread::get_id()});
    }
  }
}

TEST(ParallelFor, PassesExceptionsOn) {
  for (int threads : {1, 2, 5}) {
    try {
      parallel_for(10, threads, [](size_t i) {
        if (i == 3) throw std::runtime_error("three");
      });
      ADD_FAILURE() << "no exception with " << threads << " threads";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "three");
    }
  }
}

TEST(ParallelFor, NothingRunsAfterAnException) {
  for (int threads : {1, 2, 5}) {
    std::atomic<int> running = 0;
    std::atomic<int> calls = 0;
    const auto body = [&](size_t i) {
      ++running;
      ++calls;
      std::this_thread::sleep_for(std::chrono::microseconds(i % 3 * 100));
      --running;
      throw std::runtime_error(std::to_string(i));
    };
    EXPECT_THROW(parallel_for(1000, threads, body), std::runtime_error);
    EXPECT_EQ(running, 0);
    EXPECT_LT(calls, 1000);
    const int calls_at_return = calls;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(calls, calls_at_return);
  }
}

TEST(ParallelFor, CanBeNested) {
  std::vector<std::vector<int>> calls(7, std::vector<int>(11, 0));
  parallel_for(calls.size(), 2, [&](size_t i) {
    parallel_for(calls[i].size(), 2, [&, i](size_t j) { ++calls[i][j]; });
  });
  EXPECT_EQ(calls, std::vector<std::vector<int>>(7, std::vector<int>(11, 1)));
}

TEST(RangesForThreads, HoldEachIndexOnceAndAreLongEnough) {
  for (const size_t count : {0U, 1U, 99U, 100U, 199U, 200U, 1001U}) {
    for (const int threads : {0, 1, 2, 7}) {
      const std::vector<IndexRange> ranges = ranges_for_threads(count, 100, threads);
      EXPECT_EQ(ranges.size(),
                std::max<size_t>(1, std::min(count / 100, static_cast<size_t>(threads))));
      size_t next = 0;
      for (const IndexRange& range : ranges) {
        EXPECT_EQ(range.begin, next);
        EXPECT_GE(range.end - range.begin, std::min<size_t>(count, 100));
        next = range.end;
      }
      EXPECT_EQ(next, count);
    }
  }
}

}  // namespace equinoise::parallel_test
