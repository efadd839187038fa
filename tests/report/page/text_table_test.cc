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

}  // namespace
}  // namespace equinoise::testing::text_table_test
