// SPDX-License-Identifier: Apache-2.0
// Tables of docs/reproductions that come from runs: tests/docs/reproduction_blocks.h.
//
// Kept runs (--runs) are compared with the pages; with EQUINOISE_UPDATE_DOCS set they are written
// into them. With EQUINOISE_UPDATE_DOCS=004/figure2 the item with that name is run for its tables,
// or all items whose names begin so.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <cmath>
#include <optional>

#include "tests/cli/run_tool.h"
#include "tests/docs/page.h"
#include "tests/docs/reproduction_blocks.h"
#include "tests/shared_vectors.h"

namespace equinoise::testing::reproduction_tables_test {
namespace {

/// A number with its standard error, of which two digits are told.
std::string with_error(double value, const Json& error) {
  if (error.is_null()) return fmt::format("{:.3g}", value);
  const auto se = error.get<double>();
  // What is the same in all runs differs by rounding.
  if (!(se > 1e-12 * std::abs(value))) return fmt::format("{:.4g}", value);
  const int digits = static_cast<int>(std::floor(std::log10(se)));
  if (digits < -5) return fmt::format("{:.2g} +- {:.1g}", value, se);
  const int decimals = std::max(0, 1 - digits);
  return fmt::format("{:.{}f} +- {:.{}f}", value, decimals, se, decimals);
}

/// Published, then ours; or ours alone to so many digits.
std::string cell_of(const Json& figure, int digits) {
  if (digits > 0 && !figure.at("ours").is_null())
    return fmt::format("{:#.{}g}", figure.at("ours").get<double>(), digits);
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
Lines table_of_figures(const Lines& lines, const Json& item) {
  std::map<std::string, Json> figures;
  for (const Json& figure : item.at("rows")) figures[figure.at("name")] = figure;
  const AskedFigures asked = parse_asked(lines);
  Lines head = {""};
  for (const FiguresColumn& column : asked.columns) head.push_back(column.label);
  std::vector<Lines> rows;
  for (const Named& row : asked.rows) {
    Lines cells = {row.label};
    for (const FiguresColumn& column : asked.columns) {
      Lines parts;
      for (const FiguresColumn::Part& part : column.parts) {
        const auto figure = figures.find(name_of_figure(row.part, part.figure));
        if (figure == figures.end()) continue;
        if (part.key.empty()) {
          parts.push_back(cell_of(figure->second, asked.digits));
        } else if (const Json& value = figure->second.at(part.key); !value.is_null()) {
          parts.push_back(fmt::format("{:.4g}", value.get<double>()));
        }
      }
      cells.push_back(fmt::format("{}", fmt::join(parts, " / ")));
    }
    EXPECT_GT(std::count_if(cells.begin() + 1, cells.end(),
                            [](const std::string& cell) { return !cell.empty(); }),
              0)
        << "no figure of " << row.label;
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

/// "Of 15 tests 6 reproduce.", and so on.
Lines counts_of(const Json& item) {
  const auto count = [&](const char* list, const char* key, const Json& value) {
    const Json& all = item.at(list);
    return std::ranges::count_if(all, [&](const Json& one) { return one.at(key) == value; });
  };
  Lines lines;
  const auto add = [&](int64_t num_all, const char* what, int64_t num_held, const char* held) {
    if (num_all > 0) lines.push_back(fmt::format("Of {} {} {} {}.", num_all, what, num_held, held));
  };
  const auto add_verdicts = [&](const char* list, const char* what) {
    const int64_t num_held = count(list, "verdict", "reproduces");
    add(num_held + count(list, "verdict", "differs"), what, num_held, "reproduce");
  };
  add_verdicts("tests", "tests");
  const int64_t num_met = count("rows", "meets_target", true);
  add(num_met + count("rows", "meets_target", false), "targets", num_met, "are met");
  add_verdicts("rows", "published figures and bounds");
  return lines;
}

/// Whether the options of an item name a file of kept runs.
bool has_kept_runs(const std::string& command) {
  return command.find("--runs ") != std::string::npos;
}

/// What `equinoise reproduce` says of an item. It gets a copy of the kept runs, so that nothing is
/// written to them.
Json item_of(const std::string& command, const std::filesystem::path& data) {
  const TempFolder folder;
  Words words = {"reproduce"};
  for (const std::string& word : split(command, " ")) {
    const bool is_file = word.ends_with(".json");
    if (is_file) std::filesystem::copy(source_folder() / word, folder.path() / "runs.json");
    words.push_back(is_file ? (folder.path() / "runs.json").string() : word);
  }
  ToolOptions options;
  if (!has_kept_runs(command)) options.timeout_seconds = 24 * 3600;
  const ToolResult result =
      ok(run_tool(join(words, {"--data-dir", data.string(), "--json"}), options));
  return json_of(result);
}

TEST(ReproductionPages, HaveTheTablesOfRuns) {
  const auto shared = shared_folder();
  if (!shared) {
    EXPECT_EQ(::getenv("EQUINOISE_REQUIRE_SHARED"), nullptr) << "missing: the data of the items";
    GTEST_SKIP() << "the data of the items are in no ../shared";
  }
  const std::string asked = updates_pages() ? ::getenv("EQUINOISE_UPDATE_DOCS") : "";
  std::map<std::string, Json> items;
  size_t num_tables = 0;
  for (const std::string& name : names_of_pages("docs/reproductions", false)) {
    Page page = read_page(name);
    for (size_t i = 0; i < page.lines.size(); ++i) {
      const std::optional<Block> block = block_at(page, i);
      const bool runs_anew = block && !asked.empty() && block->command.starts_with(asked);
      if (!block || !(has_kept_runs(block->command) || runs_anew)) continue;
      Json& item = items[block->command];
      if (item.is_null()) item = item_of(block->command, *shared / "data");
      page.replace(block->begin, block->end,
                   block->kind == "tests"    ? table_of_tests(item)
                   : block->kind == "counts" ? counts_of(item)
                                             : table_of_figures(block->asked, item));
      ++num_tables;
    }
  }
  EXPECT_GT(num_tables, 0U);
}

}  // namespace
}  // namespace equinoise::testing::reproduction_tables_test
