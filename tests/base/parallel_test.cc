#include "equinoise/base/parallel.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace equinoise {
namespace {

TEST(ParallelFor, CallsEachIndexOnceForAnyNumberOfThreads) {
  for (int threads : {1, 2, 5}) {
    std::vector<int> calls(1000, 0);
    parallel_for(calls.size(), threads, [&](size_t i) { ++calls[i]; });
    EXPECT_EQ(calls, std::vector<int>(1000, 1));
  }
}

TEST(ParallelFor, PassesExceptionsOn) {
  for (int threads : {1, 2}) {
    EXPECT_THROW(parallel_for(10, threads,
                              [](size_t i) {
                                if (i == 3) throw std::runtime_error("three");
                              }),
                 std::runtime_error);
  }
}

}  // namespace
}  // namespace equinoise
