// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/delta.h"

#include "tests/matchers.h"

namespace equinoise::delta_test {

TEST(LargeDelta, IsWarnedOfFromTheInverseOfTheNumberOfRecordsOn) {
  EXPECT_EQ(large_delta_warning(kDefaultDelta, 999'999), "");
  EXPECT_THAT(large_delta_warning(kDefaultDelta, 1'000'000),
              HasSubstr("delta 1e-06 is not below 1 / num_records = 1e-06"));
  EXPECT_EQ(large_delta_warning(1e-9, 1'000'000), "");
}

}  // namespace equinoise::delta_test
