// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/values/printed_time.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace equinoise::printed_time_test {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

/// What is expected was made with integers without bounds and the calendar of Python.
TEST(PrintedTime, AnyDayHasADate) {
  PrintedTime printed;
  EXPECT_EQ(printed.print_date(0), "1970-01-01");
  EXPECT_EQ(printed.print_date(-719'163), "0001-12-31 (BC)");
  EXPECT_EQ(printed.print_date(kMin), "25252734927764586-06-07 (BC)");
  EXPECT_EQ(printed.print_date(kMin + 1), "25252734927764586-06-08 (BC)");
  EXPECT_EQ(printed.print_date(kMax), "25252734927768524-07-27");
}

TEST(PrintedTime, AnyTimestampHasADateAndATime) {
  const auto print = [](int64_t time, int64_t units_per_second) {
    PrintedTime printed;
    return std::string(printed.print_timestamp(time, units_per_second, false));
  };
  EXPECT_EQ(print(kMin, 1), "292277022658-01-27 (BC) 08:29:52");
  EXPECT_EQ(print(kMax, 1), "292277026596-12-04 15:30:07");
  EXPECT_EQ(print(kMin, 1000), "292275056-05-16 (BC) 16:47:04.192");
  EXPECT_EQ(print(kMax, 1000), "292278994-08-17 07:12:55.807");
  EXPECT_EQ(print(kMin, 1'000'000), "290309-12-21 (BC) 19:59:05.224192");
  EXPECT_EQ(print(kMax, 1'000'000), "294247-01-10 04:00:54.775807");
  EXPECT_EQ(print(kMin, 1'000'000'000), "1677-09-21 00:12:43.145224192");
  EXPECT_EQ(print(kMax, 1'000'000'000), "2262-04-11 23:47:16.854775807");
}

}  // namespace equinoise::printed_time_test
