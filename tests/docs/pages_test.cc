// SPDX-License-Identifier: Apache-2.0
// What holds for the text of the pages; tests/cli/pages_test.cc runs their commands.

#include <regex>
#include <set>

#include "tests/docs/page.h"
#include "tests/matchers.h"

namespace equinoise::testing::pages_test {
namespace {

/// A line without what a sentence does not end in: code, quotes, parentheses and addresses.
std::string plain(std::string line) {
  static const std::regex inner("`[^`]*`|\"[^\"]*\"|\\([^()]*\\)");
  for (std::string before; before != line;) {
    before = line;
    line = std::regex_replace(line, inner, "");
  }
  return line;
}

bool is_text(const std::string& line) {
  static const std::regex special("\\s*(\\||#|<!--|>|$).*");
  return !std::regex_match(line, special);
}

TEST(Pages, HaveOneSentenceALine) {
  static const std::regex two_sentences("[a-z]{3,}[.?!]\\)? [A-Z]");
  static const std::regex goes_on("\\s*[a-z].*");
  for (const std::string& name : names_of_all_pages()) {
    const Lines lines = read_page(name).prose();
    for (size_t i = 0; i < lines.size(); ++i) {
      if (!is_text(lines[i])) continue;
      EXPECT_FALSE(std::regex_search(plain(lines[i]), two_sentences))
          << name << ":" << i + 1 << ": two sentences in one line: " << lines[i];
      if (i > 0 && !lines[i - 1].empty() && is_text(lines[i - 1])) {
        EXPECT_FALSE(std::regex_match(lines[i], goes_on))
            << name << ":" << i + 1 << ": a sentence goes on in another line: " << lines[i];
      }
    }
  }
}

TEST(Pages, HaveLinksThatLeadSomewhere) {
  static const std::regex link("\\]\\(([^)\\s]+)\\)");
  for (const std::string& name : names_of_all_pages()) {
    const Page page = read_page(name);
    for (const std::string& line : page.prose()) {
      for (std::sregex_iterator it(line.begin(), line.end(), link), end; it != end; ++it) {
        const std::string target = (*it)[1];
        if (target.starts_with("http")) continue;
        const size_t hash = target.find('#');
        const std::string file = target.substr(0, hash);
        const std::filesystem::path path =
            file.empty() ? page.path() : page.path().parent_path() / file;
        const bool is_there = std::filesystem::exists(path);
        EXPECT_TRUE(is_there) << name << " links to " << target;
        if (!is_there || hash == std::string::npos) continue;
        const std::string linked =
            std::filesystem::relative(path, source_folder()).generic_string();
        EXPECT_TRUE(headings_of(read_page(linked)).contains(target.substr(hash + 1)))
            << name << " links to " << target;
      }
    }
  }
}

TEST(Pages, NameSourcesOfTheBibliography) {
  static const std::regex cited("\\[([A-Z][A-Za-z]+[0-9]{4})[\\],]");
  std::string keys;
  const Page bibliography = read_page("docs/references.bib");
  for (const std::string& line : bibliography.lines) keys += line + "\n";
  for (const std::string& name : names_of_all_pages()) {
    const Lines prose = read_page(name).prose();
    for (const std::string& line : prose) {
      for (std::sregex_iterator it(line.begin(), line.end(), cited), end; it != end; ++it)
        EXPECT_TRUE(keys.find("{" + (*it)[1].str() + ",") != std::string::npos)
            << name << ": " << line;
    }
  }
}

/// Every page can be reached from the index.
TEST(Pages, AreLinkedFromTheIndex) {
  static const std::regex link("\\]\\(([^)#\\s]+\\.md)");
  std::set<std::string> reached = {"docs/README.md"};
  std::vector<std::string> next = {"docs/README.md"};
  while (!next.empty()) {
    const Page page = read_page(next.back());
    next.pop_back();
    for (const std::string& line : page.prose()) {
      for (std::sregex_iterator it(line.begin(), line.end(), link), end; it != end; ++it) {
        const std::string name =
            std::filesystem::relative(page.path().parent_path() / (*it)[1].str(), source_folder())
                .generic_string();
        if (name.starts_with("docs/") && reached.insert(name).second) next.push_back(name);
      }
    }
  }
  for (const std::string& name : names_of_pages("docs", true)) EXPECT_THAT(reached, Contains(name));
}

TEST(Pages, OfTutorialsAreShort) {
  constexpr size_t kMaxWords = 600;
  const std::vector<std::string> names = names_of_pages("docs/tutorials", false);
  EXPECT_FALSE(names.empty());
  for (const std::string& name : names) {
    size_t num_words = 0;
    const Page page = read_page(name);
    for (const std::string& line : page.lines) {
      std::istringstream words(line);
      for (std::string word; words >> word;) ++num_words;
    }
    EXPECT_LE(num_words, kMaxWords) << name;
  }
}

TEST(Pages, OfPitfallsSaySymptomAndPrevention) {
  const Page page = read_page("docs/pitfalls.md");
  size_t num_entries = 0;
  for (const std::string& line : page.lines) {
    if (!line.starts_with("### ")) continue;
    ++num_entries;
    std::string entry;
    for (const std::string& text : section_of(page, line)) entry += text + "\n";
    const size_t symptom = entry.find("**Symptom.** ");
    const size_t prevention = entry.find("**Prevention.** ");
    EXPECT_NE(symptom, std::string::npos) << line;
    EXPECT_NE(prevention, std::string::npos) << line;
    EXPECT_LT(symptom, prevention) << line;
  }
  EXPECT_GT(num_entries, 0U);
}

/// Comments and messages send people to pages that are there.
TEST(Pages, ThatTheCodeNamesAreThere) {
  static const std::regex named("docs/[A-Za-z0-9_/-]+\\.(md|bib)");
  size_t num_named = 0;
  for (const char* folder : {"equinoise", "cli", "tests", "repro", "tools", "bench", "data"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(source_folder() / folder)) {
      static const std::set<std::string> kTexts = {".h", ".cc", ".toml", ".sh", ".pl", ".py"};
      if (!kTexts.contains(entry.path().extension().string())) continue;
      const std::string name =
          std::filesystem::relative(entry.path(), source_folder()).generic_string();
      const Page source = read_page(name);
      for (const std::string& line : source.lines) {
        if (line.find("docs/") == std::string::npos) continue;
        for (std::sregex_iterator it(line.begin(), line.end(), named), end; it != end; ++it) {
          ++num_named;
          EXPECT_TRUE(std::filesystem::exists(source_folder() / it->str())) << name << ": " << line;
        }
      }
    }
  }
  EXPECT_GT(num_named, 0U);
}

}  // namespace
}  // namespace equinoise::testing::pages_test
