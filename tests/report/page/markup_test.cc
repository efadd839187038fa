// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/page/markup.h"

#include <gtest/gtest.h>

namespace equinoise::markup_test {

const std::string kReplaced = "\xEF\xBF\xBD";

TEST(Markup, TextStandsForItself) {
  EXPECT_EQ(escape_markup("a < b & \"c\" > 'd'"), "a &lt; b &amp; &quot;c&quot; &gt; &#39;d&#39;");
  EXPECT_EQ(escape_markup("</script>"), "&lt;/script&gt;");
  EXPECT_EQ(escape_markup("line\n\ttab"), "line\n\ttab");
}

TEST(Markup, UnicodeStays) {
  for (const char* text : {"\xC3\xA9t\xC3\xA9", "\xE6\x9D\xB1\xE4\xBA\xAC", "\xF0\x9F\x8C\x8D",
                           "\xED\x9F\xBF", "\xF4\x8F\xBF\xBF"})
    EXPECT_EQ(escape_markup(text), text);
}

TEST(Markup, WhatIsNotUtf8IsReplaced) {
  EXPECT_EQ(escape_markup("a\xFF"
                          "b"),
            "a" + kReplaced + "b");
  EXPECT_EQ(escape_markup("\xC3"), kReplaced);                  // cut short
  EXPECT_EQ(escape_markup("\xC3<"), kReplaced + "&lt;");        // does not eat the <
  EXPECT_EQ(escape_markup("\xC0\xBC"), kReplaced + kReplaced);  // overlong <
  EXPECT_EQ(escape_markup("\xED\xA0\x80"), kReplaced + kReplaced + kReplaced);  // surrogate
  EXPECT_EQ(escape_markup("\xF4\x90\x80\x80"), kReplaced + kReplaced + kReplaced + kReplaced);
}

TEST(Markup, ControlCharactersAreReplaced) {
  EXPECT_EQ(escape_markup(std::string("a\0b", 3)), "a" + kReplaced + "b");
  EXPECT_EQ(escape_markup("\x1B[31m"), kReplaced + "[31m");
  EXPECT_EQ(escape_markup("\xC2\x85"), kReplaced);
  EXPECT_EQ(escape_markup("\xE2\x80\xAE"
                          "abc"),
            kReplaced + "abc");  // right-to-left override
}

TEST(Markup, ElementsQuoteTheirAttributes) {
  EXPECT_EQ(element("td", {{"title", "\" onload=\""}}, "<b>x</b>"),
            "<td title=\"&quot; onload=&quot;\"><b>x</b></td>");
  EXPECT_EQ(text_element("p", "<b>"), "<p>&lt;b&gt;</p>");
}

}  // namespace equinoise::markup_test
