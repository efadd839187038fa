// SPDX-License-Identifier: Apache-2.0
// What pages of reproductions say of published figures and targets is what the items say.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <regex>
#include <set>

#include "equinoise/reproduction/item.h"
#include "equinoise/reproduction/reader.h"
#include "equinoise/reproduction/verdict.h"
#include "tests/docs/reproduction_blocks.h"

namespace equinoise::reproductions_test {

using testing::Lines;
using testing::Page;

/// A mean and its standard error as a cell prints them.
struct Ours {
  double mean = 0;
  double standard_error = 0;
  double rounding = 0;  ///< half a unit of the last digit
};

/// Printed values of an item, by the names of its figures; those of its parts begin with a label.
struct PrintedValues {
  std::map<std::string, PrintedValue> published;
  std::map<std::string, PrintedValue> target;
  std::set<std::string> reasons = {"the paper accounts by RDP",
                                   "no reason is known; some rows differ by chance"};
  std::string summary;
  int64_t num_seeds = 0;
  std::map<std::string, Ours> ours;  ///< what the pages say that we found
};

void add_values(const ReproductionItem& item, const std::string& prefix, PrintedValues& values) {
  for (const std::string& name : item.parts) {
    const ReproductionItem part = find_reproduction_item(name);
    add_values(part, (part.label.empty() ? part.data : part.label) + ": ", values);
  }
  for (const ReproductionMethod& method : item.methods) {
    for (const auto& [metric, value] : method.published)
      values.published[prefix + method.name + " " + metric] = value;
    for (const auto& [metric, value] : method.target)
      values.target[prefix + method.name + " " + metric] = value;
    values.reasons.insert({method.reason, method.epsilon_reason});
  }
  values.num_seeds = item.seeds;
  for (const ReproductionClaim& claim : item.claims) values.reasons.insert(claim.reason);
}

using AllValues = std::map<std::string, PrintedValues>;

PrintedValues& values_of_item(const std::string& name, AllValues& all) {
  const auto [place, is_new] = all.try_emplace(name);
  if (is_new) {
    const ReproductionItem item = find_reproduction_item(name);
    place->second.summary = item.summary;
    add_values(item, "", place->second);
  }
  return place->second;
}

const PrintedValue* find_value(const std::map<std::string, PrintedValue>& values,
                               const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? nullptr : &found->second;
}

/// As tables of figures print it, before ours.
std::string text_of_published(const PrintedValue& value) {
  std::string text = fmt::format("{}", value.mean);
  if (value.standard_error > 0) text += fmt::format(" +- {}", value.standard_error);
  return text + ", ";
}

std::optional<Ours> parse_ours(const std::string& text) {
  static const std::regex form(
      R"(\*{0,2}(-?[\d.]+(?:e[-+]\d+)?)(?: \+- ([\d.]+(?:e[-+]\d+)?))?\*{0,2})");
  std::smatch found;
  if (!std::regex_match(text, found, form)) return std::nullopt;
  const std::string mean = found[1];
  const size_t point = mean.find('.');
  const size_t end = std::min(mean.find('e'), mean.size());
  const auto decimals = static_cast<double>(point == std::string::npos ? 0 : end - point - 1);
  const double exponent = end == mean.size() ? 0 : std::stod(mean.substr(end + 1));
  return Ours{std::stod(mean), found[2].matched ? std::stod(found[2]) : 0,
              std::pow(10, exponent - decimals) / 2};
}

/// Whether the verdict follows from what is printed, or may follow from what was rounded.
bool may_be(bool reproduces, PrintedValue published, const Ours& ours, int64_t num_seeds) {
  published.standard_error = error_of_printed(published, ours.standard_error, num_seeds);
  for (const double shift : {-1.0, 0.0, 1.0}) {
    for (const double scale : {0.94, 1.0, 1.06}) {
      const Verdict verdict = compare_with_published(published, ours.mean + shift * ours.rounding,
                                                     scale * ours.standard_error);
      if ((verdict == Verdict::kReproduces) == reproduces) return true;
    }
  }
  return false;
}

/// Checks a verdict, and keeps the figure. Of a single run there is no verdict.
void expect_verdict(PrintedValues& values, const std::string& name, const std::string& text,
                    bool reproduces) {
  const std::optional<Ours> ours = parse_ours(text);
  if (!ours) return;
  values.ours[name] = *ours;
  const PrintedValue* published = find_value(values.published, name);
  if (published == nullptr || (!reproduces && ours->standard_error == 0)) return;
  EXPECT_TRUE(may_be(reproduces, *published, *ours, values.num_seeds)) << name << ": " << text;
}

/// Checks one cell of a table of figures.
void expect_cell(PrintedValues& values, const testing::Named& row,
                 const testing::FiguresColumn& column, const std::string& cell) {
  Lines parts = testing::split(cell, " / ");
  if (cell.empty()) parts.clear();
  std::vector<testing::FiguresColumn::Part> asked;
  size_t num_figures = 0;
  for (const auto& part : column.parts) {
    const std::string name = testing::name_of_figure(row.part, part.figure);
    const auto& of_key = part.key == "target" ? values.target : values.published;
    if (!part.key.empty() && find_value(of_key, name) == nullptr) continue;
    asked.push_back(part);
    if (part.key.empty()) ++num_figures;
  }
  // Some figures a method does not have.
  if (num_figures > 0 && parts.size() + num_figures == asked.size()) return;
  ASSERT_EQ(parts.size(), asked.size()) << cell;
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string name = testing::name_of_figure(row.part, asked[i].figure);
    const PrintedValue* published = find_value(values.published, name);
    const std::string before = published == nullptr ? "" : text_of_published(*published);
    if (!asked[i].key.empty()) {
      const auto& of_key = asked[i].key == "target" ? values.target : values.published;
      EXPECT_EQ(parts[i], fmt::format("{:.4g}", find_value(of_key, name)->mean)) << name;
    } else if (parts[i].starts_with(before)) {
      const std::string ours = parts[i].substr(before.size());
      EXPECT_EQ(ours.find(", "), std::string::npos) << name << ": " << parts[i];
      expect_verdict(values, name, ours, ours.starts_with("**"));
    } else {
      ADD_FAILURE() << name << ": " << parts[i] << " begins not with " << before;
    }
  }
}

/// Cells of a row in Markdown.
Lines cells_of(const std::string& line) {
  Lines cells = testing::split(line.substr(1, line.size() - 2), " | ");
  for (std::string& cell : cells) {
    cell.erase(0, cell.find_first_not_of(' '));
    cell.erase(cell.find_last_not_of(' ') + 1);
  }
  return cells;
}

/// Checks a table between marks.
void expect_block(const Page& page, const testing::Block& block, AllValues& all) {
  SCOPED_TRACE(page.name + ", " + block.command);
  PrintedValues& values = values_of_item(block.command.substr(0, block.command.find(' ')), all);
  const testing::AskedFigures asked = testing::parse_asked(block.asked);
  ASSERT_EQ(block.end - block.begin, asked.rows.size() + 2);
  for (size_t r = 0; r < asked.rows.size() && asked.digits == 0; ++r) {
    const Lines cells = cells_of(page.lines[block.begin + 2 + r]);
    ASSERT_EQ(cells.size(), asked.columns.size() + 1) << asked.rows[r].label;
    EXPECT_EQ(cells[0], asked.rows[r].label);
    for (size_t c = 0; c < asked.columns.size(); ++c)
      expect_cell(values, asked.rows[r], asked.columns[c], cells[c + 1]);
  }
}

constexpr std::string_view kTitle = "Reproduction of ";

/// Columns of the tool's own tables are two blanks apart.
Lines columns_of(const std::string& line) {
  static const std::regex gap(" {2,}");
  return {std::sregex_token_iterator(line.begin(), line.end(), gap, -1),
          std::sregex_token_iterator()};
}

/// Checks what the tool printed, from the line of its title on.
void expect_report(const Page& page, size_t line, AllValues& all) {
  const std::string title = page.lines[line].substr(kTitle.size());
  SCOPED_TRACE(page.name + ", " + title);
  const size_t colon = title.find(": ");
  PrintedValues& values = values_of_item(title.substr(0, colon), all);
  EXPECT_EQ(title.substr(colon + 2), values.summary);
  for (++line; page.lines.at(line) != "```"; ++line) {
    const std::string& text = page.lines[line];
    if (text.starts_with("[")) {
      EXPECT_TRUE(values.reasons.contains(text.substr(text.find(' ') + 1))) << text;
    }
    const Lines cells = columns_of(text);
    if (cells.size() != 7 || cells[0] == "method") continue;
    std::string name = cells[0] + " " + cells[1];
    if (name.ends_with(" %")) name.resize(name.size() - 2);
    const PrintedValue* published = find_value(values.published, name);
    const PrintedValue* target = find_value(values.target, name);
    EXPECT_EQ(cells[2], published == nullptr ? "-" : published->text) << name;
    EXPECT_EQ(cells[3], target == nullptr ? "-" : target->text) << name;
    expect_verdict(values, name, cells[4], cells[6].starts_with("reproduces"));
  }
}

size_t count_met(const PrintedValues& values) {
  size_t num_met = 0;
  for (const auto& [name, target] : values.target) {
    const Ours& ours = values.ours.at(name);
    PrintedValue with_error = target;
    with_error.standard_error = error_of_printed(target, ours.standard_error, values.num_seeds);
    if (meets_target(with_error, ours.mean, ours.standard_error)) ++num_met;
  }
  return num_met;
}

/// "Of the 41 targets 36 are met", "targets: 27 of 28 are met": as many as the item has and, where
/// the tables above have them all, as many as are met there.
void expect_counts(const Page& page, AllValues& all, size_t& num_counts) {
  static const std::regex heading(R"((?:## |<!-- counts: )(\d{3}/\w+).*)");
  static const std::regex count(R"(Of (?:the )?(\d+) targets (\d+) are met)");
  static const std::regex told(R"(targets: (\d+) of (\d+) are met)");
  std::string item;
  for (const std::string& line : page.lines) {
    std::smatch found;
    if (std::regex_match(line, found, heading)) item = found[1];
    const bool is_count = std::regex_search(line, found, count);
    if (!is_count && !std::regex_search(line, found, told)) continue;
    SCOPED_TRACE(page.name + ", " + item + ": " + line);
    const PrintedValues& values = values_of_item(item, all);
    EXPECT_EQ(std::stoul(found[is_count ? 1 : 2]), values.target.size());
    const bool has_all = std::ranges::all_of(
        values.target, [&](const auto& one) { return values.ours.contains(one.first); });
    if (has_all) {
      EXPECT_EQ(std::stoul(found[is_count ? 2 : 1]), count_met(values));
    }
    ++num_counts;
  }
}

TEST(ReproductionPages, AgreeWithTheirItems) {
  size_t num_tables = 0;
  size_t num_counts = 0;
  for (const std::string& name : testing::names_of_pages("docs/reproductions", false)) {
    const Page page = testing::read_page(name);
    AllValues all;
    for (size_t i = 0; i < page.lines.size(); ++i) {
      const auto block = testing::block_at(page, i);
      const bool is_report = page.lines[i].starts_with(kTitle);
      if (block && block->kind == "figures") expect_block(page, *block, all);
      if (is_report) expect_report(page, i, all);
      if (block || is_report) ++num_tables;
    }
    expect_counts(page, all, num_counts);
  }
  EXPECT_GT(num_tables, 30U);
  EXPECT_GE(num_counts, 5U);
}

/// "All N of its figures in `table1`, ... are met": N is how many targets these items have.
TEST(ReproductionPages, CountTheTargetsOfTheItemsThatTheyName) {
  const Page page = testing::read_page("docs/reproductions/000.md");
  std::string text;
  for (const std::string& line : page.lines) text += line + "\n";
  std::smatch found;
  ASSERT_TRUE(std::regex_search(text, found, std::regex("All (\\d+) of its figures in ([^.]*)")));
  const std::string names = found[2];
  size_t num_targets = 0;
  AllValues all;
  const std::regex name("`(\\w+)`");
  for (std::sregex_iterator it(names.begin(), names.end(), name), end; it != end; ++it) {
    if ((*it)[1] == "logistic") continue;
    for (const auto& [figure, target] : values_of_item("000/" + (*it)[1].str(), all).target) {
      ++num_targets;
      EXPECT_GT(target.num_runs, 0) << figure;
    }
  }
  EXPECT_EQ(std::to_string(num_targets), found[1].str());
}

}  // namespace equinoise::reproductions_test
