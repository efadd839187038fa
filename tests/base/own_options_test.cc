// SPDX-License-Identifier: Apache-2.0
#include "equinoise/base/own_options.h"

#include <gtest/gtest.h>

#include <string>

namespace equinoise::own_options_test {

struct First {
  double number = 0.5;
};

struct Second {
  double number = 7;
  std::string word = "left";
};

TEST(OwnOptions, HaveTheirDefaultsUntilTheyAreChanged) {
  OwnOptions options;
  const OwnOptions& unchanged = options;
  EXPECT_EQ(unchanged.of<First>().number, 0.5);
  EXPECT_EQ(unchanged.of<Second>().word, "left");
  options.of<Second>().word = "right";
  EXPECT_EQ(unchanged.of<Second>().word, "right");
  EXPECT_EQ(unchanged.of<Second>().number, 7);
  EXPECT_EQ(unchanged.of<First>().number, 0.5);
}

TEST(OwnOptions, OfACopyAreItsOwn) {
  OwnOptions options;
  options.of<First>().number = 1;
  OwnOptions copy = options;
  copy.of<First>().number = 2;
  EXPECT_EQ(options.of<First>().number, 1);
  options = {};
  EXPECT_EQ(options.of<First>().number, 0.5);
  EXPECT_EQ(copy.of<First>().number, 2);
}

}  // namespace equinoise::own_options_test
