// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <set>
#include <sstream>

#include "tests/cli/people.h"
#include "tests/data/image_files.h"

namespace equinoise::testing::readme_test {
namespace {

using ::testing::Contains;

/// The words of a command line as a shell reads them; quotes are single ones.
Words words_of(const std::string& line) {
  Words words;
  bool is_quoted = false;
  bool is_inside = false;
  for (const char c : line) {
    if (c == '\'') {
      is_quoted = !is_quoted;
    } else if (c == ' ' && !is_quoted) {
      is_inside = false;
      continue;
    }
    if (!is_inside) words.emplace_back();
    is_inside = true;
    if (c != '\'') words.back() += c;
  }
  return words;
}

/// A command of a page and what the page says that it prints.
struct Shown {
  Words words;  ///< without the tool's name
  std::string printed;
};

/// The commands of the tool in the code blocks of a page.
std::vector<Shown> commands_of(const std::string& page) {
  std::vector<Shown> commands;
  std::istringstream lines(page);
  std::string line;
  bool is_code = false;
  bool is_printed = false;
  while (std::getline(lines, line)) {
    if (line.starts_with("```")) {
      is_code = !is_code;
      is_printed = false;
    }
    if (!is_code) continue;
    if (is_printed && !line.starts_with("$ ")) {
      commands.back().printed += line + "\n";
      continue;
    }
    while (line.ends_with('\\')) {
      std::string more;
      std::getline(lines, more);
      line.back() = ' ';
      line += more;
    }
    const bool prints = line.starts_with("$ ");
    if (prints) line.erase(0, 2);
    Words words = words_of(line);
    if (words.empty()) continue;
    if (words[0] != "equinoise" && !words[0].ends_with("/equinoise")) continue;
    words.erase(words.begin());
    commands.push_back({std::move(words), ""});
    is_printed = prints;
  }
  return commands;
}

std::string readme() {
  return read_bytes(std::filesystem::path(EQUINOISE_SOURCE_DIR) / "README.md");
}

/// The files that the page takes to be there: Adult, somebody's own table and images as small as
/// they can be.
void write_inputs(const Workspace& workspace) {
  std::filesystem::create_symlink(std::filesystem::path(EQUINOISE_SOURCE_DIR) / "data",
                                  workspace.path("data"));
  std::filesystem::create_directories(workspace.path("build/demo"));
  workspace.write("people.csv", people_csv(3000));
  workspace.write("new.csv", people_csv(20));
  constexpr uint32_t kNumImages = 1000;
  std::vector<uint8_t> pixels(size_t{kNumImages} * 36);
  std::vector<uint8_t> labels(kNumImages);
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint8_t>(i * 37 % 251);
  for (size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<uint8_t>(i % 2);
  workspace.write("train-images-idx3-ubyte.gz", idx_images({kNumImages, 6, 6}, pixels));
  workspace.write("train-labels-idx1-ubyte.gz", idx_labels(labels));
  workspace.write("mnist.toml",
                  "schema = \"equinoise/1\"\ndataset = \"mnist\"\nreviewed = true\n"
                  "target = \"label\"\n[public]\nnum_records = 1000\n"
                  "[image]\nshape = [1, 6, 6]\n[columns.label]\ntype = \"categorical\"\n"
                  "values = [\"0\", \"1\"]\n");
}

/// What the page tells people to do with a draft before they go on.
void review_draft(const Workspace& workspace) {
  const std::string draft = read_bytes(workspace.path("people.toml"));
  workspace.write("people.toml", replaced(draft, "reviewed = false", "reviewed = true"));
}

TEST(Readme, ItsCommandsRunInTheirOrder) {
  const Workspace workspace;
  write_inputs(workspace);
  std::set<std::string> run;
  for (const auto& [words, printed] : commands_of(readme())) {
    if (words[0] == "schema" && words[1] == "draft")
      std::filesystem::remove(workspace.path("people.toml"));  // of the workspace
    const ToolResult result = workspace.run(words);
    // A limit that fails is an answer, too.
    constexpr int kLimitFailed = 5;
    const bool has_limit = std::find(words.begin(), words.end(), "--max-disparity") != words.end();
    EXPECT_TRUE(result.exit_code == 0 || (has_limit && result.exit_code == kLimitFailed))
        << ::testing::PrintToString(words) << "\n"
        << result;
    // What follows from public facts alone is the same on every machine.
    if (words[0] == "account" || words[0] == "plan") {
      EXPECT_EQ(result.out, printed);
    }
    run.insert(words[0]);
    if (words[0] == "schema" && words[1] == "draft") review_draft(workspace);
  }
  for (const char* command :
       {"schema", "ledger", "train", "audit", "account", "plan", "predict", "means", "synth"}) {
    EXPECT_THAT(run, Contains(command));
  }
}

/// Two accounts for one dataset promise only the sum of their budgets.
TEST(Readme, EveryDatasetHasOneAccount) {
  std::multiset<std::string> opened;
  for (const auto& [words, printed] : commands_of(readme())) {
    const auto dataset = std::find(words.begin(), words.end(), "--dataset");
    if (words[0] == "ledger" && words[1] == "init" && dataset != words.end())
      opened.insert(*(dataset + 1));
  }
  EXPECT_GE(opened.size(), 2U);
  for (const std::string& dataset : opened) EXPECT_EQ(opened.count(dataset), 1U) << dataset;
}

}  // namespace
}  // namespace equinoise::testing::readme_test
