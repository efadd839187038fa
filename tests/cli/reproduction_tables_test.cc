// SPDX-License-Identifier: Apache-2.0
// Tables of docs/reproductions that come from kept runs. A block of a page names the item and its
// options, then columns and rows by what the item's figures are called:
//
//   <!-- figures: 001/table1 --runs repro/001/table1_runs.json
//   columns: accuracy 2; first loss = loss 2
//   first row = magnitude
//   -->
//   (the table)
//   <!-- /figures -->
//
// The cell of a row and a column is the figure "magnitude accuracy 2": published, then ours with
// its standard error, bold where it reproduces. "<!-- tests: ... -->" are the item's tests. With
// EQUINOISE_UPDATE_DOCS set the tables are written into the pages instead of being compared.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "tests/cli/run_tool.h"
#include "tests/docs/page.h"
#include "tests/shared_vectors.h"

namespace equinoise::testing {
namespace {

/// A column or row: what the page calls it, and its part of the figures' names.
struct Named {
  std::string label;
  std::string part;
};

Named named(const std::string& text) {
  const size_t equals = text.find(" = ");
  if (equals == std::string::npos) return {text, text};
  return {text.substr(0, equals), text.substr(equals + 3)};
}

/// What stands between separators.
Lines split(const std::string& text, const std::string& separator) {
  Lines parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + separator.size();
  }
  return parts;
}

/// A number with its standard error, of which two digits are told.
std::string with_error(double value, const Json& error) {
  if (error.is_null()) return fmt::format("{:.3g}", value);
  const auto se = error.get<double>();
  if (!(se > 0)) return fmt::format("{:.4g}", value);
  const int digits = static_cast<int>(std::floor(std::log10(se)));
  if (digits < -5) return fmt::format("{:.2g} +- {:.1g}", value, se);
  const int decimals = std::max(0, 1 - digits);
  return fmt::format("{:.{}f} +- {:.{}f}", value, decimals, se, decimals);
}

/// Published, then ours.
std::string cell_of(const Json& figure) {
  std::string ours = figure.at("ours").is_null()
                         ? "-"
                         : with_error(figure.at("ours").get<double>(), figure.at("se"));
  if (figure.at("published").is_null()) return ours;
  if (figure.at("verdict") == "reproduces") ours = "**" + ours + "**";
  std::string published = fmt::format("{}", figure.at("published").get<double>());
  if (!figure.at("published_se").is_null())
    published += fmt::format(" +- {}", figure.at("published_se").get<double>());
  return published + ", " + ours;
}

Lines markdown(const Lines& head, const std::vector<Lines>& rows) {
  const auto line = [](const Lines& cells) {
    std::string text = "|";
    for (const std::string& cell : cells) text += " " + cell + " |";
    return text;
  };
  std::string rule = "|";
  for (size_t i = 0; i < head.size(); ++i) rule += "---|";
  Lines lines = {line(head), rule};
  for (const Lines& row : rows) lines.push_back(line(row));
  return lines;
}

/// The table that the lines of a block ask for.
Lines table_of_figures(const Lines& asked, const Json& item) {
  std::map<std::string, Json> figures;
  for (const Json& figure : item.at("rows")) figures[figure.at("name")] = figure;
  std::vector<Named> columns;
  Lines head = {""};
  std::vector<Lines> rows;
  for (const std::string& text : asked) {
    constexpr std::string_view kColumns = "columns: ";
    if (text.starts_with(kColumns)) {
      for (const std::string& column : split(text.substr(kColumns.size()), "; "))
        columns.push_back(named(column));
      for (const Named& column : columns) head.push_back(column.label);
      continue;
    }
    const Named row = named(text);
    Lines cells = {row.label};
    for (const Named& column : columns) {
      const auto figure = figures.find(row.part + " " + column.part);
      cells.push_back(figure == figures.end() ? "" : cell_of(figure->second));
    }
    EXPECT_GT(std::count_if(cells.begin() + 1, cells.end(),
                            [](const std::string& cell) { return !cell.empty(); }),
              0)
        << "no figure of " << text;
    rows.push_back(cells);
  }
  return markdown(head, rows);
}

Lines table_of_tests(const Json& item) {
  std::vector<Lines> rows;
  for (const Json& test : item.at("tests")) {
    rows.push_back(
        {test.at("better"), test.at("than"), test.at("metric"), test.at("published"),
         test.at("p").is_null() ? "-" : fmt::format("{:.3g}", test.at("p").get<double>()),
         test.at("verdict")});
  }
  return markdown({"better", "than", "metric", "published", "p", "verdict"}, rows);
}

TEST(ReproductionPages, HaveTheTablesOfKeptRuns) {
  const auto shared = shared_folder();
  if (!shared) {
    EXPECT_EQ(::getenv("EQUINOISE_REQUIRE_SHARED"), nullptr) << "missing: the data of the items";
    GTEST_SKIP() << "the data of the items are in no ../shared";
  }
  constexpr std::string_view kFigures = "<!-- figures: ";
  constexpr std::string_view kTests = "<!-- tests: ";
  size_t num_tables = 0;
  for (const std::string& name : names_of_pages("docs/reproductions", false)) {
    Page page = read_page(name);
    for (size_t i = 0; i < page.lines.size(); ++i) {
      const bool is_tests = page.lines[i].starts_with(kTests);
      if (!is_tests && !page.lines[i].starts_with(kFigures)) continue;
      std::string command = page.lines[i].substr((is_tests ? kTests : kFigures).size());
      Lines asked;
      while (!command.ends_with("-->") && page.lines.at(i + 1) != "-->")
        asked.push_back(page.lines[++i]);
      if (command.ends_with("-->"))
        command.erase(command.find(" -->"));
      else
        ++i;
      const auto end =
          std::find_if(page.lines.begin() + static_cast<ptrdiff_t>(i), page.lines.end(),
                       [](const std::string& line) {
                         return line == "<!-- /figures -->" || line == "<!-- /tests -->";
                       });
      ASSERT_NE(end, page.lines.end()) << name << ":" << i + 1;
      // A copy, so that nothing is written to the kept runs.
      const TempFolder folder;
      Words words = {"reproduce"};
      for (const std::string& word : split(command, " ")) {
        const std::filesystem::path kept = source_folder() / word;
        const bool is_file = word.ends_with(".json");
        if (is_file) std::filesystem::copy(kept, folder.path() / "runs.json");
        words.push_back(is_file ? (folder.path() / "runs.json").string() : word);
      }
      const ToolResult result =
          run_tool(join(words, {"--data-dir", (*shared / "data").string(), "--json"}));
      ASSERT_EQ(result.exit_code, 0) << result;
      const Json item = json_of(result);
      page.replace(i + 1, static_cast<size_t>(end - page.lines.begin()),
                   is_tests ? table_of_tests(item) : table_of_figures(asked, item));
      ++num_tables;
    }
  }
  EXPECT_GT(num_tables, 0U);
}

}  // namespace
}  // namespace equinoise::testing
