// SPDX-License-Identifier: Apache-2.0
#include "equinoise/base/check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace equinoise::check_test {

TEST(Check, RefusesNaNEverywhere) {
  const double nan = std::nan("");
  EXPECT_THROW(check_positive("x", "value", nan), Error);
  EXPECT_THROW(check_non_negative("x", "value", nan), Error);
  EXPECT_THROW(check_open_interval("x", "value", nan, 0, 1), Error);
  EXPECT_THROW(check_interval("x", "value", nan, 0, 1), Error);
}

TEST(Check, RefusesInfinityAndTheWrongSide) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THROW(check_positive("x", "value", infinity), Error);
  EXPECT_THROW(check_positive("x", "value", 0), Error);
  EXPECT_THROW(check_non_negative("x", "value", infinity), Error);
  EXPECT_THROW(check_non_negative("x", "value", -1e-300), Error);
  EXPECT_THROW(check_open_interval("x", "value", 1, 0, 1), Error);
  EXPECT_THROW(check_interval("x", "value", 1.1, 0, 1), Error);
}

TEST(Check, MessagesNameTheFieldAndItsValue) {
  try {
    check_positive("train.dpsgd", "max_grad_norm", -2);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "[train.dpsgd] max_grad_norm must be finite and > 0, got -2");
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
  }
}

}  // namespace equinoise::check_test
