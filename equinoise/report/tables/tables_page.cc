// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/report/format.h"
#include "equinoise/report/ledger/ledger_text.h"
#include "equinoise/report/noisy_figure.h"
#include "equinoise/report/page/chart.h"
#include "equinoise/report/page/html_page.h"
#include "equinoise/report/page/text_table.h"
#include "equinoise/report/release_page.h"
#include "equinoise/report/tables/tables_report.h"

namespace equinoise {

namespace {

constexpr size_t kMaxScreenRows = 20;

bool has_cells(Statistic statistic) {
  return statistic == Statistic::kShare || statistic == Statistic::kHistogram;
}

/// The spread by which the digits of a figure are chosen.
double spread_of(const FigureReport& figure) {
  constexpr double kOfWholeNumbers = 10;
  const Statistic statistic = figure.subject.statistic;
  const bool is_whole = figure.estimate && *figure.estimate == std::floor(*figure.estimate);
  if (is_whole && (statistic == Statistic::kCount || statistic == Statistic::kHistogram))
    return std::max(figure.noise_stddev.value_or(0), kOfWholeNumbers);
  if (figure.noise_stddev) return *figure.noise_stddev;
  return figure.interval ? (figure.interval->high - figure.interval->low) / 4 : 0;
}

/// "mean of income", "share of work: Private"
template <typename Row>
std::string subject_text(const Row& row) {
  return to_text(row.subject) + (row.value.empty() ? "" : ": " + row.value);
}

/// "1234 [1190, 1278]"; "1,234" of a public one; "-" without one.
std::string text_of(const FigureReport& figure) {
  if (!figure.estimate) return "-";
  if (!figure.interval) return format_count(std::llround(*figure.estimate));
  return figure_text(*figure.estimate, spread_of(figure), figure.interval);
}

/// "sex Female, race White"
std::string values_by_column(const GroupLabel& group) {
  if (group.empty()) return "all records";
  std::string text;
  for (const auto& [column, value] : group)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", column, value);
  return text;
}

/// A cell for each column of strata: its value, or that a figure is of all of them.
std::vector<std::string> stratum_cells(const TablesReport& report, const GroupLabel& group) {
  std::vector<std::string> cells;
  for (const std::string& column : report.strata) {
    const auto found =
        std::ranges::find_if(group, [&](const auto& part) { return part.first == column; });
    cells.push_back(found == group.end() ? "(all)" : found->second);
  }
  if (cells.empty()) cells.emplace_back("all records");
  return cells;
}

std::vector<std::string> stratum_head(const TablesReport& report) {
  return report.strata.empty() ? std::vector<std::string>{"records"} : report.strata;
}

/// The figures of each statistic with one figure a group: a row for each group.
TextTable group_table(const TablesReport& report) {
  TextTable table{"", stratum_head(report), {}, stratum_head(report).size()};
  const size_t num_columns = table.head.size();
  for (const TableStatisticReport& statistic : report.statistics) {
    if (!has_cells(statistic.subject.statistic)) table.head.push_back(to_text(statistic.subject));
  }
  if (table.head.size() == num_columns) return {};
  const GroupLabel* last = nullptr;
  for (const FigureReport& figure : report.figures) {
    if (has_cells(figure.subject.statistic)) continue;
    if (last == nullptr || *last != figure.group)
      table.rows.push_back(stratum_cells(report, figure.group));
    last = &figure.group;
    table.rows.back().push_back(text_of(figure));
  }
  return table;
}

/// Shares and histograms of a column: a row for each group and value.
TextTable cell_table(const TablesReport& report, const FigureSubject& subject) {
  TextTable table{"", stratum_head(report), {}, stratum_head(report).size() + 1};
  table.head.push_back(subject.column);
  table.head.push_back(to_text(subject));
  for (const FigureReport& figure : report.figures) {
    if (figure.subject != subject) continue;
    table.rows.push_back(stratum_cells(report, figure.group));
    table.rows.back().push_back(figure.value);
    table.rows.back().push_back(text_of(figure));
  }
  return table;
}

TextTable comparison_table(const TablesReport& report) {
  TextTable table{
      "Differences between groups", {"figure", "of", "between", "difference", "ratio"}, {}, 3};
  const auto text = [](double value, const Interval& interval) {
    return figure_text(value, (interval.high - interval.low) / 4, interval);
  };
  for (const ComparisonReport& row : report.comparisons) {
    table.rows.push_back({subject_text(row), values_by_column(row.group),
                          fmt::format("{} and {}", row.first, row.second),
                          text(row.difference, row.interval),
                          row.ratio ? text(*row.ratio, *row.ratio_interval) : "-"});
  }
  return table;
}

TextTable rank_table(const TablesReport& report) {
  TextTable table{"Ranks from the lowest figure", {"figure", "of", "group", "rank"}, {}, 3};
  for (const RankReport& row : report.ranks) {
    table.rows.push_back({subject_text(row), values_by_column(row.group), row.name,
                          row.lowest == row.highest
                              ? fmt::format("{}", row.lowest)
                              : fmt::format("{} to {}", row.lowest, row.highest)});
  }
  return table;
}

/// The half of the interval to expect, or "-".
std::string half_text(const FigureReport& figure) {
  if (figure.state == FigureState::kEmpty || figure.state == FigureState::kPublic) return "-";
  if (!figure.predicted_half_width) return "not known";
  return figure.subject.statistic == Statistic::kQuantile
             ? fmt::format("{} % of ranks", format_amount(100 * *figure.predicted_half_width))
             : format_amount(*figure.predicted_half_width);
}

/// Why there is no figure, or will be none that tells anything; "" else.
std::string_view state_text(FigureState state) {
  switch (state) {
    case FigureState::kReleased:
      return "";
    case FigureState::kPublic:
      return "public, declared in the schema";
    case FigureState::kEmpty:
      return "no records, by the schema";
    case FigureState::kHidden:
      return "hidden, as wider than asked";
    case FigureState::kUnclear:
      return "noise hides it, or the number of its records";
    case FigureState::kNoisy:
      return "noise will hide it";
  }
  return "";
}

TextTable plan_table(const TablesReport& report) {
  TextTable table{"", stratum_head(report), {}, stratum_head(report).size() + 1};
  table.head.insert(table.head.end(), {"figure", "half of the interval", "remark"});
  for (const FigureReport& figure : report.figures) {
    table.rows.push_back(stratum_cells(report, figure.group));
    for (const std::string& cell :
         {to_text(figure.subject), half_text(figure), std::string(state_text(figure.state))})
      table.rows.back().push_back(cell);
  }
  return table;
}

/// The first rows; num_more counts the others.
TextTable first_rows(TextTable table, size_t& num_more) {
  if (table.rows.size() <= kMaxScreenRows) return table;
  num_more += table.rows.size() - kMaxScreenRows;
  table.rows.resize(kMaxScreenRows);
  return table;
}

/// The records, bounds and part of the budget of each statistic.
std::vector<std::string> statistic_items(const TablesReport& report) {
  std::vector<std::string> items =
      record_weights_items(report.record_weights, "counts and totals are sums of weights");
  for (const TableStatisticReport& statistic : report.statistics) {
    std::string item = to_text(statistic.subject) + ": ";
    if (statistic.budget_share == 0) {
      items.push_back(item + "public, declared in the schema");
      continue;
    }
    item += "of " + statistic.records;
    if (statistic.bounds)
      item += fmt::format(", within {:g} to {:g}", statistic.bounds->low, statistic.bounds->high);
    if (statistic.rounding > 0)
      item += fmt::format(", numbers read within {:.2g} of what they were", statistic.rounding);
    items.push_back(
        item + fmt::format("; {} % of the budget", format_amount(100 * statistic.budget_share)));
  }
  return items;
}

/// Reasons why figures are missing, each with the number of figures.
std::vector<std::string> missing_items(const TablesReport& report) {
  std::vector<std::string> items;
  for (const FigureState state :
       {FigureState::kHidden, FigureState::kUnclear, FigureState::kEmpty}) {
    const auto num = std::ranges::count(report.figures, state, &FigureReport::state);
    if (num == 0) continue;
    items.push_back(fmt::format("\"-\": {} {}.", format_count(num), state_text(state)));
    if (state == FigureState::kHidden)
      items.back() += " The sizes that are declared or expected decide that, never the records.";
  }
  return items;
}

std::vector<std::string> summary_of(const TablesReport& report) {
  std::vector<std::string> subjects;
  for (const TableStatisticReport& statistic : report.statistics)
    subjects.push_back(to_text(statistic.subject));
  std::vector<std::string> summary = {
      fmt::format("Released with noise from the dataset {}, each figure with an interval: {}{}.",
                  report.dataset, fmt::join(subjects, ", "),
                  report.strata.empty() ? "" : " by " + columns_of(report.strata))};
  if (report.record_weights)
    summary.push_back(fmt::format(
        "All figures are by survey weights: each record counts as often as its {} says.",
        report.record_weights->column));
  const size_t num_first = summary.size();
  for (const TableStatisticReport& statistic : report.statistics) {
    // The plan chooses them, because the noise must not.
    const FigureReport* widest = nullptr;
    const FigureReport* narrowest = nullptr;
    for (const FigureReport& figure : report.figures) {
      if (figure.subject != statistic.subject || !figure.estimate || !figure.interval ||
          !figure.predicted_half_width)
        continue;
      const double half = *figure.predicted_half_width;
      if (narrowest == nullptr || half < *narrowest->predicted_half_width) narrowest = &figure;
      if (widest == nullptr || half > *widest->predicted_half_width) widest = &figure;
    }
    if (widest == nullptr || widest->group == narrowest->group ||
        grows_with_size(statistic.subject.statistic))
      continue;
    const auto name = [](const FigureReport& figure) {
      return values_by_column(figure.group) +
             (figure.value.empty() ? "" : " (" + figure.value + ")");
    };
    summary.push_back(fmt::format("The {} is least noisy for {}, {}, and noisiest for {}, {}.",
                                  to_text(statistic.subject), name(*narrowest), text_of(*narrowest),
                                  name(*widest), text_of(*widest)));
    if (summary.size() == num_first + 2) break;
  }
  size_t num_compared = 0;
  for (const ComparisonReport& row : report.comparisons) {
    if (!row.group.empty() || ++num_compared > 2) continue;
    const bool is_clear = row.interval.low > 0 || row.interval.high < 0;
    summary.push_back(fmt::format(
        "{}: {} less {} is {}{}.", subject_text(row), row.first, row.second,
        figure_text(row.difference, (row.interval.high - row.interval.low) / 4, row.interval),
        is_clear ? "" : ", a difference that noise may explain"));
  }
  return summary;
}

DotRow dot_of(const FigureReport& figure, std::string name) {
  const double estimate = figure.estimate.value_or(kNoFigure);
  return {.name = std::move(name),
          .size = "",
          .estimate = {estimate, figure.interval.value_or(Interval{estimate, estimate})},
          .text = text_of(figure)};
}

/// Figures of the strata, or of the cells of all records where there are cells or no strata.
std::optional<Picture> chart_of(const TablesReport& report, const FigureSubject& subject,
                                size_t number) {
  const bool of_cells = has_cells(subject.statistic);
  DotChart chart{.id = fmt::format("table-{}", number),
                 .title = to_text(subject),
                 .metric = "figure",
                 .axis_label = to_text(subject) + ", with 95 % intervals of noise",
                 .name_head = of_cells ? subject.column : columns_of(report.strata),
                 .has_total = !of_cells,
                 .rows_are = of_cells ? "values" : "strata"};
  std::vector<double> weights;
  for (const FigureReport& figure : report.figures) {
    if (figure.subject != subject) continue;
    if (figure.group.empty() && !of_cells) chart.total = dot_of(figure, "all records");
    const bool is_row = of_cells
                            ? figure.group.empty()
                            : !figure.group.empty() && figure.group.size() == report.strata.size();
    if (!is_row || !figure.estimate || !figure.interval) continue;
    chart.rows.push_back(dot_of(figure, of_cells ? figure.value : values_of(figure.group)));
    weights.push_back(*figure.estimate);
    if (of_cells) chart.total = chart.rows[0];
  }
  if (chart.rows.size() < 2) return std::nullopt;
  // A count of everybody would leave no room for the groups.
  if (grows_with_size(subject.statistic)) {
    chart.has_total = false;
    chart.total = chart.rows[0];
  }
  chart.compares_with_zero = of_cells || grows_with_size(subject.statistic);
  return Picture{dot_chart(chart, weights, "the largest figures") + "\n"};
}

void add_intervals(const TablesReport& report, Document& document) {
  std::vector<std::string> items = {
      "Each interval by itself holds the figure of the records that were read in 95 % of "
      "releases; numbers outside their bounds count as the nearer bound. It is of noise alone, and "
      "not of the choice of the records.",
      "Counts of the same records agree: margins are sums of strata, and cells of a histogram add "
      "up to their total, except that a count below 0 is reported as 0. Totals are sums of counts "
      "before that, so they are neither too high nor too low on average."};
  if (!report.strata.empty())
    items.emplace_back("Records whose group is not known are in no figure, nor in \"(all)\".");
  for (const TableStatisticReport& statistic : report.statistics) {
    if (statistic.subject.statistic != Statistic::kQuantile) continue;
    items.emplace_back(
        "The quantile of a level is the smallest value such that at least that share of the "
        "records has no larger one. Its interval ends at edges of 1,024 equal parts of the "
        "bounds.");
    break;
  }
  if (!report.comparisons.empty())
    items.emplace_back(
        "Intervals of differences and ratios hold in 95 % of releases, too; there is no ratio "
        "unless both figures are clearly above 0.");
  if (!report.ranks.empty())
    items.emplace_back("All ranks of one comparison hold together in 95 % of releases.");
  if (!report.has_private_sizes)
    items.emplace_back("The declared sizes are assumed to be those of the records.");
  document.section("What the intervals hold", Fence::kPublishable, Form::kPage | Form::kCard)
      .add(Items{std::move(items)});
}

}  // namespace

std::string to_text(const FigureSubject& subject) {
  switch (subject.statistic) {
    case Statistic::kCount:
      return "count";
    case Statistic::kQuantile:
      return subject.level == 0.5
                 ? "median of " + subject.column
                 : fmt::format("{:g} quantile of {}", subject.level.value_or(0), subject.column);
    default:
      return fmt::format("{} of {}", word_of(words_for<Statistic>, subject.statistic),
                         subject.column);
  }
}

Document tables_document(const TablesReport& report) {
  Document document = release_document(
      report,
      fmt::format("Tables of {}{}{}", report.dataset,
                  report.strata.empty() ? "" : " by " + columns_of(report.strata),
                  report.record_weights ? ", weighted by " + report.record_weights->column : ""),
      summary_of(report), "Everything on this page may leave the house.");
  const Fence fence = fence_of(report.status);
  for (WrittenFile& file : document.files) file.fence = fence;

  size_t num_more = 0;
  Section& screen = document.section(document.title, fence, Form::kScreen);
  screen.add(first_rows(group_table(report), num_more));
  Section& figures = document.section("Figures", fence, Form::kPage | Form::kCard);
  size_t number = 0;
  for (const TableStatisticReport& statistic : report.statistics) {
    if (std::optional<Picture> chart = chart_of(report, statistic.subject, ++number))
      figures.add(std::move(*chart));
  }
  figures.add(group_table(report));
  for (const TableStatisticReport& statistic : report.statistics) {
    if (!has_cells(statistic.subject.statistic)) continue;
    screen.add(first_rows(cell_table(report, statistic.subject), num_more));
    figures.add(cell_table(report, statistic.subject));
  }
  figures.add(Items{missing_items(report)});
  if (!report.comparisons.empty()) {
    screen.add(first_rows(comparison_table(report), num_more));
    Section& section = document.section("Groups compared", fence, Form::kPage | Form::kCard);
    section.add(comparison_table(report));
    if (!report.ranks.empty()) section.add(rank_table(report));
  }
  std::vector<std::string> remarks = missing_items(report);
  if (num_more > 0) {
    remarks.push_back(fmt::format("{} more rows{}: --verbose prints all.",
                                  format_count(static_cast<int64_t>(num_more)),
                                  report.ranks.empty() ? "" : ", and ranks"));
  }
  remarks.push_back(fmt::format("Each interval holds by itself in 95 % of releases{}.",
                                report.files.empty() ? "; --out FOLDER writes a report" : ""));
  screen.add(Items{std::move(remarks)});
  add_intervals(report, document);
  document.section("How each figure is released", Fence::kPublishable, Form::kPage | Form::kCard)
      .add(Items{statistic_items(report)});
  add_privacy(report, document);
  document.add_repeat(report.command, report.version, Form::kPage | Form::kCard);
  return document;
}

Document tables_plan_document(const TablesReport& report) {
  Document document = release_plan(
      report, fmt::format("Plan: tables of {} ({})", report.dataset, to_string(report.status)));
  Section& section = document.section(document.title, Fence::kPublishable, Form::kShown);
  section.add(Items{statistic_items(report)}).add(plan_table(report));
  if (std::ranges::any_of(report.figures, [](const FigureReport& figure) {
        return figure.state == FigureState::kReleased && !figure.predicted_half_width;
      }))
    section.add(
        Items{{"\"not known\": it follows from the number of records; give your guess with "
               "--stratum-size STRATUM=NUMBER for each stratum, overall=NUMBER without "
               "--by."}});
  add_account(report.ledger, document);
  return document;
}

}  // namespace equinoise
