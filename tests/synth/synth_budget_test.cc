// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/synth_budget.h"

#include <gtest/gtest.h>

namespace equinoise::synth_budget_test {

TEST(SynthBudget, RoomFollowsThePublicNumberOfRecords) {
  EXPECT_EQ(megabytes_for_records({}), 20);
  EXPECT_EQ(megabytes_for_records(0), 5);
  EXPECT_EQ(megabytes_for_records(int64_t{1} << 20), 32);
  EXPECT_EQ(megabytes_for_records(int64_t{1} << 40), 80);
}

}  // namespace equinoise::synth_budget_test
