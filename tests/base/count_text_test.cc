// SPDX-License-Identifier: Apache-2.0
#include "equinoise/base/count_text.h"

#include <gtest/gtest.h>

namespace equinoise::count_text_test {

TEST(CountText, SharesAreNeverRoundedToNoneOrAll) {
  EXPECT_EQ(count_and_share(1, 100'000, "cells"), "1 of 100,000 cells (less than 0.1 %)");
  EXPECT_EQ(count_and_share(99'999, 100'000, "cells"),
            "99,999 of 100,000 cells (more than 99.9 %)");
  EXPECT_EQ(count_and_share(0, 7, "cells"), "0 of 7 cells (0 %)");
  EXPECT_EQ(count_and_share(7, 7, "cells"), "7 of 7 cells (100 %)");
}

}  // namespace equinoise::count_text_test
