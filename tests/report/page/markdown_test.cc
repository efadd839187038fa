// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/page/markdown.h"

#include <gtest/gtest.h>

namespace equinoise::markdown_test {

TEST(Markdown, TextsShowAsTheyStand) {
  EXPECT_EQ(markdown_text("a_b"), "a_b");
  EXPECT_EQ(markdown_text("_a* | <b> [c]"), "\\_a\\* \\| \\<b> \\[c]");
  EXPECT_EQ(markdown_text("a\nb"), "a b");
  EXPECT_EQ(markdown_code("x ```` y"), "`````\nx ```` y\n`````\n");
}

TEST(Markdown, TablesHaveALineForEachRow) {
  EXPECT_EQ(markdown_table(TextTable{"", {"a", "b"}, {{"1", "x|y"}}}),
            "\n| a | b |\n|---|---|\n| 1 | x\\|y |\n");
}

}  // namespace equinoise::markdown_test
