// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "equinoise/tasks/audit/logged_classes.h"

namespace equinoise::missing_marks_test {

TEST(MissingMarks, AreNamedWithTheirOptions) {
  EXPECT_TRUE(is_usual_missing_mark("NA"));
  EXPECT_FALSE(is_usual_missing_mark("no answer"));
  EXPECT_EQ(advice_on_marks({"no", "yes"}), "");
  EXPECT_EQ(advice_on_marks({"NA", "no", "yes"}),
            "; if 'NA' marks a missing outcome, give --na 'NA'");
  EXPECT_EQ(advice_on_marks({"#N/A", "no", "null"}),
            "; if '#N/A', 'null' mark missing outcomes, give --na '#N/A' --na 'null'");
}

}  // namespace equinoise::missing_marks_test
