// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/page/text_table.h"

#include <sstream>

#include "tests/matchers.h"

namespace equinoise::testing::text_table_test {
namespace {

/// `num_words` words of seven letters.
std::string words(size_t num_words) {
  std::string text = "letters";
  for (size_t i = 1; i < num_words; ++i) text += " letters";
  return text;
}

std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Wrapped, KeepsLinesThatFit) {
  for (const std::string& text : {std::string(), words(20), words(20) + "\n\n  " + words(19)})
    EXPECT_EQ(wrapped(text), text);
}

TEST(Wrapped, BreaksLongLinesBetweenWordsAndLosesNone) {
  for (const size_t indent : {0, 2, 40}) {
    const std::vector<std::string> lines = lines_in(wrapped(words(100), indent));
    std::string joined;
    for (const std::string& line : lines) {
      EXPECT_LE(line.size(), kMaxLine);
      if (&line != &lines.back()) {
        EXPECT_GT(line.size(), kMaxLine - 8);
      }
      joined += (joined.empty() ? "" : " ") + line.substr(&line == lines.data() ? 0 : indent);
    }
    EXPECT_EQ(joined, words(100));
  }
}

TEST(Wrapped, KeepsAWordLongerThanALine) {
  const std::string path(300, 'x');
  EXPECT_EQ(wrapped("wrote " + path + " at last", 2), "wrote\n  " + path + "\n  at last");
}

TEST(Wrapped, StartsALineWithACommandToType) {
  const std::string text = wrapped(words(10) + ": equinoise ledger init " + words(10));
  EXPECT_THAT(text, HasSubstr(":\n  equinoise ledger init letters"));
}

TEST(Wrapped, EndsLinesOfACommandSoThatAShellGoesOn) {
  const std::vector<std::string> lines = lines_in(wrapped("equinoise " + words(40), 2, " \\"));
  ASSERT_EQ(lines.size(), 3);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_LE(lines[i].size(), kMaxLine);
    EXPECT_THAT(lines[i], ::testing::EndsWith("letters \\"));
  }
  EXPECT_THAT(lines[2], StartsWith("  letters"));
}

TEST(TextTable, LongCellsGoOnBelowAndFiguresStayWhole) {
  const TextTable table{"", {"name", "meaning", "n"}, {{"a", words(60), "12"}, {"b", "x", "3"}}, 2};
  const std::vector<std::string> lines = lines_in(to_text(table));
  EXPECT_EQ(lines[0].size(), kMaxLine);
  EXPECT_EQ(lines[1], std::string(kMaxLine, '-'));
  size_t num_words = 0;
  for (const std::string& line : lines) {
    EXPECT_LE(line.size(), kMaxLine);
    for (size_t i = 0; (i = line.find("letters", i)) != std::string::npos; ++i) ++num_words;
  }
  EXPECT_EQ(num_words, 60U);
  EXPECT_TRUE(lines[2].ends_with(" 12")) << lines[2];
  EXPECT_TRUE(lines[3].starts_with("      letters")) << lines[3];
  EXPECT_EQ(lines.back().substr(0, 7), "b     x");
}

/// A row of figures alone is as long as it is.
TEST(TextTable, FiguresAreNeverBroken) {
  TextTable table{"", {}, {{}}, 0};
  for (int i = 0; i < 40; ++i) {
    table.head.emplace_back("figure");
    table.rows[0].emplace_back("0.123 456");
  }
  EXPECT_EQ(lines_in(to_text(table)).size(), 3U);
}

}  // namespace
}  // namespace equinoise::testing::text_table_test
