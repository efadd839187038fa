// SPDX-License-Identifier: Apache-2.0
// What the files for contributors say must be so.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "tests/matchers.h"

namespace equinoise::project_files_test {

std::filesystem::path root() { return EQUINOISE_SOURCE_DIR; }

std::string read_file(const std::string& name) {
  std::ifstream stream(root() / name);
  EXPECT_TRUE(stream.good()) << name;
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// What the first group of the pattern matches, everywhere in the text.
std::vector<std::string> find_all(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match)
    found.push_back((*match)[1]);
  return found;
}

TEST(ProjectFiles, CitationHasTheVersionAndFivePapersOfTheBibliography) {
  const std::string citation = read_file("CITATION.cff");
  const std::vector<std::string> version =
      find_all(read_file("CMakeLists.txt"), "project\\(equinoise VERSION ([0-9.]+)");
  ASSERT_EQ(version.size(), 1U);
  EXPECT_THAT(citation, HasSubstr("\nversion: " + version[0] + "\n"));
  const std::string references = read_file("docs/references.bib");
  const std::vector<std::string> papers = find_all(citation, "\n    title: ([^\n]+)");
  EXPECT_EQ(papers.size(), 5U);
  for (const std::string& title : papers)
    EXPECT_THAT(references, HasSubstr("title = {" + title + "}"));
}

TEST(ProjectFiles, LinksToFilesLeadSomewhere) {
  for (const std::string name : {"CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"}) {
    const std::vector<std::string> links = find_all(read_file(name), "\\]\\(([^)#]+)");
    EXPECT_FALSE(links.empty()) << name;
    for (const std::string& link : links) {
      if (link.starts_with("https://")) continue;
      EXPECT_TRUE(std::filesystem::exists(root() / link)) << name << ": " << link;
    }
  }
}

TEST(ProjectFiles, CommandsForContributorsExist) {
  const std::string contributing = read_file("CONTRIBUTING.md");
  const std::string makefile = read_file("Makefile");
  const std::vector<std::string> targets = find_all(contributing, "`make ([a-z-]+)`");
  EXPECT_GE(targets.size(), 6U);
  for (const std::string& target : targets) EXPECT_THAT(makefile, HasSubstr("\n" + target + ":"));
  std::string all = contributing + read_file(".pre-commit-config.yaml");
  all += read_file(".github/workflows/ci.yml");
  const std::vector<std::string> programs = find_all(all, "[ `]((?:tools/|\\.ci/)[a-z_.]+)");
  EXPECT_GE(programs.size(), 6U);
  for (const std::string& program : programs)
    EXPECT_TRUE(std::filesystem::exists(root() / program)) << program;
}

/// Else a program stops, or goes on without what it was to do, on a clean checkout alone.
TEST(ProjectFiles, FilesThatScriptsNameAreThere) {
  size_t num_named = 0;
  for (const std::string folder : {".ci", "bench", "python/tests", "tools"}) {
    for (const auto& entry : std::filesystem::directory_iterator(root() / folder)) {
      const std::string name = folder + "/" + entry.path().filename().string();
      if (entry.is_directory() || (entry.path().extension() != ".sh" && folder != ".ci")) continue;
      for (const std::string& named :
           find_all(read_file(name),
                    "(?:^|[ \"=(\n])((?:bench|data|python|repro|tests|tools)/[A-Za-z0-9_./-]+\\."
                    "(?:json|lock|mjs|pl|py|sh|toml|txt))\\b")) {
        EXPECT_TRUE(std::filesystem::exists(root() / named)) << name << ": " << named;
        ++num_named;
      }
    }
  }
  EXPECT_GE(num_named, 20U);
}

}  // namespace equinoise::project_files_test
