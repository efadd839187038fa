// SPDX-License-Identifier: Apache-2.0
// The commands of README.md, of the tutorials and of the pages of methods, and what pages say that
// commands print. With EQUINOISE_UPDATE_DOCS set, what follows from declarations and public facts
// alone is written into the pages instead of being compared.
#include <fmt/format.h>

#include <map>
#include <regex>
#include <set>

#include "equinoise/base/lists.h"
#include "tests/cli/people.h"
#include "tests/data/images/image_files.h"
#include "tests/docs/page.h"
#include "tests/matchers.h"

namespace equinoise::testing::pages_test {
namespace {

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

/// A command of a page and where the page says what it prints.
struct Shown {
  Words words;  ///< without the tool's name
  bool prints;  ///< after "$ "; what follows, from line `begin` to `end`, is what is printed
  size_t begin;
  size_t end;
};

/// The commands of the tool in the code blocks of a page.
std::vector<Shown> commands_of(const Page& page) {
  std::vector<Shown> commands;
  bool is_code = false;
  bool is_printed = false;
  for (size_t i = 0; i < page.lines.size(); ++i) {
    std::string line = page.lines[i];
    if (line.starts_with("```")) {
      is_code = !is_code;
      is_printed = false;
    }
    if (!is_code) continue;
    if (is_printed && !line.starts_with("$ ")) {
      commands.back().end = i + 1;
      continue;
    }
    is_printed = false;
    while (line.ends_with('\\') && i + 1 < page.lines.size()) {
      line.back() = ' ';
      line += page.lines[++i];
    }
    const bool prints = line.starts_with("$ ");
    if (prints) line.erase(0, 2);
    Words words = words_of(line);
    if (words.empty()) continue;
    if (words[0] != "equinoise" && !words[0].ends_with("/equinoise")) continue;
    words.erase(words.begin());
    commands.push_back({std::move(words), prints, i + 1, i + 1});
    is_printed = prints;
  }
  return commands;
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return contains(words, word);
}

/// Whether what the command prints follows from public facts alone, so that it is the same on
/// every machine.
bool prints_public_facts(const Words& words) {
  static const std::set<std::string> kCommands = {"account", "plan", "methods"};
  return kCommands.contains(words[0]) || has(words, "--dry-run");
}

/// A line without its numbers, with single blanks, and with rules of one length: how wide a table
/// is depends on its numbers.
std::string without_numbers(const std::string& line) {
  static const std::regex number("-?[0-9][0-9,]*(\\.[0-9]+)?(e-?[0-9]+)?");
  static const std::regex blanks(" +");
  static const std::regex rule("-{3,}");
  return std::regex_replace(std::regex_replace(std::regex_replace(line, number, "#"), blanks, " "),
                            rule, "---");
}

/// What the page says that the command prints: all of it where it follows from public facts; of
/// others some lines, "..." for what is left out, and any numbers.
void check_printed(Page& page, const Shown& command, const ToolResult& result) {
  if (!command.prints) return;
  if (prints_public_facts(command.words)) {
    page.replace(command.begin, command.end, lines_of(result.out));
    return;
  }
  std::set<std::string> printed;
  for (const std::string& line : lines_of(result.out + "\n" + result.err))
    printed.insert(without_numbers(line));
  for (size_t i = command.begin; i < command.end; ++i) {
    if (page.lines[i].empty() || page.lines[i] == "...") continue;
    EXPECT_THAT(printed, Contains(without_numbers(page.lines[i])))
        << page.name << ":" << i + 1 << ": this line is not printed";
  }
}

/// The files that pages take to be there: Adult, somebody's own table and images as small as they
/// can be.
void write_inputs(const Workspace& workspace) {
  std::filesystem::create_symlink(source_folder() / "data", workspace.path("data"));
  std::filesystem::create_directories(workspace.path("build/demo"));
  workspace.write("people.csv", people_csv(3000));
  workspace.write("new.csv", people_csv(20));
  workspace.write("decisions.csv",
                  "sex,repaid,approved\nFemale,1,1\nFemale,0,1\nMale,1,0\nMale,0,0\n");
  constexpr uint32_t kNumImages = 1000;
  std::vector<uint8_t> pixels(size_t{kNumImages} * 36);
  std::vector<uint8_t> labels(kNumImages);
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint8_t>(i * 37 % 251);
  for (size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<uint8_t>(i % 2);
  workspace.write("train-images-idx3-ubyte.gz", idx_images({kNumImages, 6, 6}, pixels));
  workspace.write("train-labels-idx1-ubyte.gz", idx_labels(labels));
  workspace.write("mnist.toml", schema_head("mnist", "label", kNumImages) +
                                    "[image]\nshape = [1, 6, 6]\n" +
                                    categorical_section("label", {"0", "1"}));
}

/// What pages tell people to do with a draft before they go on.
void review_draft(const Workspace& workspace) {
  const std::string draft = workspace.text("people.toml");
  workspace.write("people.toml", replaced(draft, "reviewed = false", "reviewed = true"));
}

/// Runs a command of a page.
ToolResult run_shown(const Workspace& workspace, const Words& words) {
  const bool drafts = words[0] == "schema" && words[1] == "draft";
  if (drafts) std::filesystem::remove(workspace.path("people.toml"));  // of the workspace
  ToolResult result = workspace.run(words);
  // A limit that fails is an answer, too.
  constexpr int kLimitFailed = 5;
  EXPECT_TRUE(result.exit_code == 0 ||
              (has(words, "--max-disparity") && result.exit_code == kLimitFailed))
      << ::testing::PrintToString(words) << "\n"
      << result;
  if (drafts) review_draft(workspace);
  return result;
}

std::vector<std::string> pages_to_follow() {
  std::vector<std::string> names = names_of_pages("docs/tutorials", false);
  names.push_back("README.md");
  return names;
}

class PageToFollow : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Pages, PageToFollow, ::testing::ValuesIn(pages_to_follow()),
                         [](const auto& page) { return test_name(page.param); });

TEST_P(PageToFollow, HasCommandsThatRunInTheirOrder) {
  const Workspace workspace;
  write_inputs(workspace);
  Page page = read_page(GetParam());
  const size_t num_commands = commands_of(page).size();
  EXPECT_GT(num_commands, 0U);
  // What is printed may move the commands below it.
  for (size_t i = 0; i < num_commands; ++i) {
    const Shown command = commands_of(page).at(i);
    check_printed(page, command, run_shown(workspace, command.words));
  }
}

/// Two accounts for one dataset promise only the sum of their budgets.
TEST_P(PageToFollow, OpensOneAccountForADataset) {
  std::multiset<std::string> opened;
  for (const Shown& command : commands_of(read_page(GetParam()))) {
    const auto dataset = std::ranges::find(command.words, "--dataset");
    if (command.words[0] == "ledger" && command.words[1] == "init" &&
        dataset != command.words.end())
      opened.insert(*(dataset + 1));
  }
  for (const std::string& dataset : opened) EXPECT_EQ(opened.count(dataset), 1U) << dataset;
}

TEST(Pages, OfTutorialsShowEveryTask) {
  std::set<std::string> run;
  for (const std::string& name : pages_to_follow())
    for (const Shown& command : commands_of(read_page(name))) run.insert(command.words[0]);
  for (const char* command :
       {"schema", "ledger", "train", "audit", "account", "plan", "predict", "means", "synth"}) {
    EXPECT_THAT(run, Contains(command));
  }
}

/// Plans and accounts that other pages show.
TEST(Pages, PrintWhatPlansPrint) {
  for (const std::string& name : names_of_pages("docs", true)) {
    if (name.starts_with("docs/tutorials/")) continue;
    Page page = read_page(name);
    for (size_t i = 0; i < commands_of(page).size(); ++i) {
      const Shown command = commands_of(page).at(i);
      if (!command.prints || !prints_public_facts(command.words)) continue;
      const Workspace workspace;
      write_inputs(workspace);
      check_printed(page, command, run_shown(workspace, command.words));
    }
  }
}

Json all_methods() { return json_of(run_tool("methods --json")).at("rows"); }

/// A cell of a table in Markdown.
std::string cell(std::string text) {
  for (size_t i = 0; (i = text.find('|', i)) != std::string::npos; i += 2) text.insert(i, "\\");
  return text;
}

/// The row of an option in the table of a method.
std::string option_row(const Json& option) {
  const auto of = [&](const char* key) { return cell(option.at(key).get<std::string>()); };
  return fmt::format("| `{}` | {} | {} | {} |", of("option"), of("default"), of("takes"),
                     of("help"));
}

/// The options of a method: a table of those that no method before it has, then the names of the
/// others, by the method whose page has their rows (`page_of_row`).
Lines option_lines(const Json& method, std::map<std::string, std::string>& page_of_row) {
  if (method.at("options").empty()) return {"None of its own."};
  const std::string name = method.at("name");
  Lines rows;
  std::map<std::string, Lines> names_by_page;
  for (const Json& option : method.at("options")) {
    const std::string row = option_row(option);
    const std::string& page = page_of_row.try_emplace(row, name).first->second;
    if (page == name)
      rows.push_back(row);
    else
      names_by_page[page].push_back(fmt::format("`{}`", option.at("option").get<std::string>()));
  }
  if (!rows.empty()) {
    rows.insert(rows.begin(), {"| option | default | takes | meaning |", "|---|---|---|---|"});
    if (!names_by_page.empty()) rows.emplace_back();
  }
  for (const auto& [page, names] : names_by_page)
    rows.push_back(
        fmt::format("- As with [{0}]({0}.md#options): {1}", page, fmt::join(names, ", ")));
  return rows;
}

TEST(Pages, OfMethodsAreThoseOfTheRegistries) {
  std::set<std::string> expected = {"docs/methods/README.md"};
  Lines table = {"| method | command | guarantee | purpose |", "|---|---|---|---|"};
  for (const Json& method : all_methods()) {
    const std::string name = method.at("name");
    expected.insert("docs/methods/" + name + ".md");
    table.push_back(fmt::format(
        "| [{0}]({0}.md) | `{1}` | {2} | {3} |", name, method.at("task").get<std::string>(),
        method.at("status").get<std::string>(), cell(method.at("summary").get<std::string>())));
  }
  const std::vector<std::string> names = names_of_pages("docs/methods", false);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()), expected);
  Page index = read_page("docs/methods/README.md");
  index.expect_between("<!-- methods: generated -->", "<!-- /methods -->", table);
}

TEST(Pages, OfMethodsHaveOneForm) {
  const Lines headings = {
      "## Example", "## When to use it", "## How it works", "## What it costs and who pays",
      "## Options", "## Measured",       "## Source",       "## See also"};
  std::map<std::string, std::string> page_of_row;
  for (const Json& method : all_methods()) {
    const std::string name = method.at("name");
    Page page = read_page("docs/methods/" + name + ".md");
    ASSERT_GE(page.lines.size(), 5U) << name;
    EXPECT_EQ(page.lines[0], "# " + name);
    EXPECT_TRUE(page.lines[2].ends_with(".")) << name << ": the purpose is one sentence";
    EXPECT_EQ(page.lines[4], fmt::format("Status: {}.", method.at("status").get<std::string>()));
    Lines found;
    for (const std::string& line : page.prose())
      if (line.starts_with("## ")) found.push_back(line);
    Lines expected = headings;
    if (!has(found, "## Measured")) std::erase(expected, "## Measured");
    EXPECT_EQ(found, expected) << name;
    const Lines starts = method.at("status") == "private"
                             ? Lines{"| relation |", "| released", "| cost |",
                                     "| guarantee of each group |", "| who pays |"}
                             : Lines{"No guarantee for any group"};
    for (const std::string& start : starts) {
      EXPECT_THAT(section_of(page, "## What it costs and who pays"), Contains(StartsWith(start)))
          << name;
    }
    EXPECT_THAT(section_of(page, "## Source"),
                Contains(HasSubstr("[" + method.at("source").get<std::string>() + "]")))
        << name;
    page.expect_between("<!-- options: generated -->", "<!-- /options -->",
                        option_lines(method, page_of_row));
  }
}

TEST(Pages, OfModelsHaveTheirOptions) {
  std::map<std::string, std::vector<std::string>> models;  // of an option
  std::vector<Json> options;
  const Json all = json_of(run_tool("methods --json"));
  for (const Json& model : all.at("models")) {
    for (const Json& option : model.at("options")) {
      std::vector<std::string>& known = models[option.at("option")];
      if (known.empty()) options.push_back(option);
      known.push_back(model.at("name"));
    }
  }
  ASSERT_FALSE(options.empty());
  Lines table = {"| option | models | default | takes | meaning |", "|---|---|---|---|---|"};
  for (const Json& option : options) {
    const auto of = [&](const char* key) { return cell(option.at(key).get<std::string>()); };
    table.push_back(fmt::format("| `{}` | {} | {} | {} | {} |", of("option"),
                                fmt::join(models.at(option.at("option")), ", "), of("default"),
                                of("takes"), of("help")));
  }
  Page page = read_page("docs/guide/models.md");
  page.expect_between("<!-- options: generated -->", "<!-- /options -->", table);
}

TEST(Pages, OfMethodsHaveExamplesThatRun) {
  const Workspace workspace;
  write_inputs(workspace);
  for (const Json& method : all_methods()) {
    const std::string name = method.at("name");
    const std::vector<Shown> commands = commands_of(read_page("docs/methods/" + name + ".md"));
    ASSERT_FALSE(commands.empty()) << name;
    for (const Shown& command : commands) {
      const auto chosen = std::ranges::find(command.words, "--method");
      ASSERT_NE(chosen, command.words.end()) << name;
      EXPECT_EQ(*(chosen + 1), name);
      run_shown(workspace, join(command.words, "--dry-run"));
    }
  }
}

}  // namespace
}  // namespace equinoise::testing::pages_test
