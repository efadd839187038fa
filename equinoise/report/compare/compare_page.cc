// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "equinoise/base/lists.h"
#include "equinoise/report/compare/compare_report.h"
#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/report/page/chart.h"
#include "equinoise/report/page/html_page.h"
#include "equinoise/report/page/text_table.h"

namespace equinoise {

namespace {

/// The estimate with the median interval; without intervals, an estimate that leads to three
/// decimals.
Estimate typical_of(std::vector<Estimate> estimates) {
  std::erase_if(estimates, [](const Estimate& e) { return !std::isfinite(e.interval.low); });
  if (estimates.empty()) return {0, {0, 0.02}};
  const auto middle = estimates.begin() + std::ssize(estimates) / 2;
  std::nth_element(estimates.begin(), middle, estimates.end(), [](const auto& a, const auto& b) {
    return a.interval.high - a.interval.low < b.interval.high - b.interval.low;
  });
  return *middle;
}

std::string over_slack(const Estimate& value) {
  if (!std::isfinite(value.value)) return "-";
  if (!std::isfinite(value.interval.low)) return fmt::format("{:.3f}", value.value);
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", value.value, value.interval.low,
                     value.interval.high);
}

void add_uncounted_groups(const CompareReport& report, std::vector<std::string>& notes) {
  std::vector<GroupLabel> left_out;
  for (const CompareGroup& group : report.groups)
    if (!group.is_counted) left_out.push_back(group.group);
  if (left_out.empty()) return;
  const std::string few =
      report.min_records > 1 ? fmt::format("fewer than {}", report.min_records) : "having no";
  notes.push_back(fmt::format(
      "Not counted as the worst group or in the gap, for {} {}{}: {}.", few, report.judged,
      report.task == CompareTask::kTraining ? " in some split" : "", list_groups(left_out)));
}

/// A note for each set of columns whose groups some methods do not protect.
void add_public_groups(const CompareReport& report, std::vector<std::string>& notes) {
  std::map<std::vector<std::string>, std::vector<std::string>> names;  // by columns
  for (const CompareRow& row : report.rows) {
    if (row.public_groups.empty()) continue;
    std::vector<std::string>& found = names[row.public_groups];
    const std::string name = name_of_row(row);
    if (!contains(found, name)) found.push_back(name);
  }
  for (const auto& [columns, found] : names) {
    notes.push_back(fmt::format(
        "Not protected by {}: which group by {} anyone is in. Such a row dominates none that "
        "protects this.",
        fmt::join(found, ", "), fmt::join(columns, ", ")));
  }
}

/// The cells of a figure of all rows, or of an error of a group, with decimals that suit all of
/// them.
std::vector<std::string> compare_cells(const CompareReport& report,
                                       const std::vector<Estimate>& estimates) {
  const Precision precision(report.is_share ? "error" : "", typical_of(estimates));
  std::vector<std::string> cells;
  for (const Estimate& estimate : estimates) {
    cells.push_back(precision.compact(estimate));
  }
  return cells;
}

/// A single figure: "23.4 %", or "1.04" for a multiple.
std::string compare_figure(const CompareReport& report, double value) {
  return report.is_share ? format_percent(value) + " %" : format_amount(value);
}

/// The epsilon that was asked for.
std::string asked_epsilon(const CompareRow& row) {
  return row.epsilon ? fmt::format("{}", *row.epsilon) : "none";
}

/// "dominated by mgr_w", "reference, not private"
std::string standing_of(const CompareReport& report, const CompareRow& row) {
  if (!row.problem.empty()) return "failed";
  if (!row.epsilon) return "reference, not private";
  if (!row.dominated)
    return report.num_seeds < 2 ? "one seed shows no chance" : "undefined in some run";
  return *row.dominated ? "dominated by " + row.dominated_by : "not dominated";
}

/// A line for each row.
TextTable compare_rows_table(const CompareReport& report) {
  const char* unit = report.is_share ? " %" : "";
  const bool has_intervals = report.num_seeds > 1;
  TextTable table{"", {"method", "epsilon"}, {}, 1};
  for (const CompareRow& row : report.rows)
    table.rows.push_back({name_of_row(row), asked_epsilon(row)});
  const auto add_column = [&](const std::string& name, Estimate CompareRow::*figure) {
    table.head.push_back(fmt::format("{}{}{}", name, unit, has_intervals ? " [95 %]" : ""));
    std::vector<Estimate> estimates;
    for (const CompareRow& row : report.rows) estimates.push_back(row.*figure);
    const std::vector<std::string> cells = compare_cells(report, estimates);
    for (size_t i = 0; i < cells.size(); ++i) table.rows[i].push_back(cells[i]);
  };
  add_column("error", &CompareRow::overall);
  if (has_counted_group(report)) {
    add_column("worst group", &CompareRow::worst_group);
    add_column("gap", &CompareRow::gap);
  }
  if (report.has_constraints)
    table.head.emplace_back(has_intervals ? "violation [95 %]" : "violation");
  table.head.insert(table.head.end(), {"largest epsilon", "seconds", ""});
  for (size_t i = 0; i < report.rows.size(); ++i) {
    const CompareRow& row = report.rows[i];
    if (report.has_constraints) table.rows[i].push_back(over_slack(row.violation));
    table.rows[i].insert(
        table.rows[i].end(),
        {format_epsilon(row.weakest), format_amount(row.seconds.value), standing_of(report, row)});
  }
  return table;
}

/// The notes under that table, a sentence or two each: the definition of an error, groups that are
/// not counted, the coverage of intervals, the meaning of dominated, groups that are not protected.
std::vector<std::string> compare_notes(const CompareReport& report) {
  const bool is_training = report.task == CompareTask::kTraining;
  std::vector<std::string> notes;
  notes.push_back(
      fmt::format("Error: {}{}.", report.error,
                  has_counted_group(report) ? "; worst group and gap: the same by group" : ""));
  if (std::isfinite(report.constant.value)) {
    notes.push_back(fmt::format("{} has error {}.", capitalised(report.baseline),
                                compare_figure(report, report.constant.value)));
  }
  add_uncounted_groups(report, notes);
  if (report.num_seeds > 1) {
    notes.push_back(
        fmt::format("Intervals cover the mean over seeds, each with {} of its own, on this table; "
                    "they say nothing of other tables.",
                    is_training ? "a split and noise" : "noise"));
  }
  if (report.num_comparisons > 0) {
    const bool has_groups = has_counted_group(report);
    notes.push_back(fmt::format(
        "Dominated: another method with an equal or smaller epsilon has no larger mean error{}{}, "
        "and a significantly smaller error {} (paired t intervals over seeds, at 95 %{}).",
        has_groups ? " overall and in the worst group" : "",
        report.has_constraints ? " and no larger violation of a constraint" : "",
        has_groups ? "in one of the two" : "overall",
        report.num_comparisons == 1 ? ""
                                    : fmt::format(" for all {} comparisons together",
                                                  format_count(report.num_comparisons))));
  }
  add_public_groups(report, notes);
  return notes;
}

/// The rows that failed, with the reasons.
std::vector<std::string> compare_failures(const CompareReport& report) {
  std::vector<std::string> lines;
  for (const CompareRow& row : report.rows) {
    if (row.problem.empty()) continue;
    lines.push_back(fmt::format("{}{} failed: {}", name_of_row(row),
                                row.epsilon ? fmt::format(" at epsilon {}", *row.epsilon) : "",
                                row.problem));
  }
  return lines;
}

/// The methods that were not run, with the reasons: one line for each reason, with all of its
/// methods.
std::vector<std::string> compare_skips(const CompareReport& report) {
  std::vector<CompareSkip> found;
  for (const CompareSkip& skip : report.skipped) {
    const auto same = std::ranges::find_if(found, [&](const CompareSkip& other) {
      return other.reason == skip.reason && other.epsilons == skip.epsilons;
    });
    if (same == found.end()) {
      found.push_back(skip);
    } else {
      same->method += ", " + skip.method;
    }
  }
  std::vector<std::string> lines;
  for (const CompareSkip& skip : found) {
    lines.push_back(fmt::format(
        "{}{}: {}", skip.method,
        skip.epsilons.empty() ? "" : fmt::format(" at epsilon {}", fmt::join(skip.epsilons, ", ")),
        skip.reason));
  }
  return lines;
}

/// The most rows whose errors in groups are drawn side by side.
constexpr size_t kMaxDrawnRows = 5;
/// The most groups of a grouping that the table lists.
constexpr size_t kMaxListedGroups = 60;

std::string option_text(const OptionValue& option) {
  const nlohmann::ordered_json value = option_to_json(option);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// "dpsgd 0.5": a row without the names of its options, for charts.
std::string short_name_of(const CompareRow& row) {
  std::string name = row.method;
  for (const Setting& option : row.options) name += " " + option_text(option.value);
  return name;
}

/// A note on the options that short names leave out.
Paragraph short_names_note(const CompareReport& report) {
  std::vector<std::string> names;
  for (const CompareRow& row : report.rows)
    for (const Setting& option : row.options)
      if (!contains(names, option.name)) names.push_back(option.name);
  if (names.empty()) return {};
  return {
      fmt::format("In charts, the values of {} stand behind the name of a method that follows {}.",
                  fmt::join(names, ", "), names.size() == 1 ? "it" : "them")};
}

std::vector<double> distinct_epsilons(const CompareReport& report) {
  std::vector<double> epsilons;
  for (const CompareRow& row : report.rows)
    if (row.epsilon && !contains(epsilons, *row.epsilon)) epsilons.push_back(*row.epsilon);
  return epsilons;
}

bool is_recommended(const CompareReport& report, size_t row) {
  return contains(report.advice, row, &CompareAdvice::row);
}

void add_what_is_private(const CompareReport& report, Section& section) {
  if (report.is_public) {
    section.add(Paragraph{
        "Nothing on this page carries a guarantee. That it may be published rests on the statement "
        "that the records are public, which nothing checks."});
  } else {
    section.add(Sides{
        {"what was compared: methods, options, epsilons, seeds, the groups of the schema",
         "the plans: the privacy that a paid run of a row has, and why a method cannot do the "
         "task"},
        {"this page, compare.json and compare.csv as a whole",
         fmt::format("errors, their intervals, who is dominated and by whom, and seconds: computed "
                     "without noise from {}, by runs under seeds that are known",
                     report.judged),
         "what the schema's rules did to records"}});
  }
  section.add(Paragraph{
      "The privacy of a row is what a paid run of the same plan has; the runs of this comparison "
      "have none."});
}

/// A sentence on the compared methods.
std::string compared_line(const CompareReport& report) {
  // The order does not depend on errors.
  std::set<std::string> names;
  for (const CompareRow& row : report.rows) names.insert(row.method);
  std::string what;
  switch (report.task) {
    case CompareTask::kTraining:
      what = fmt::format("Models of {} trained", report.target);
      break;
    case CompareTask::kMeans:
      what = "Means released";
      break;
    case CompareTask::kSynth:
      what = "Synthetic rows made";
      break;
  }
  const std::vector<double> epsilons = distinct_epsilons(report);
  return fmt::format(
      "{} by {} from the {}{} of the dataset {}{}, with {} seed{} each.", what,
      fmt::join(names, ", "), report.num_records ? format_count(*report.num_records) + " " : "",
      report.unit.plural(), report.dataset,
      epsilons.empty() ? "" : fmt::format(", at epsilon {}", fmt::join(epsilons, " and ")),
      report.num_seeds, report.num_seeds == 1 ? "" : "s");
}

void add_what_was_compared(const CompareReport& report, Document& document) {
  Section& section = document.section("What was compared", Fence::kPublishable, Form::kPage);
  section.add(Paragraph{compared_line(report)});
  if (report.task == CompareTask::kTraining) {
    section.add(
        Paragraph{fmt::format("A share of {:.6g} of the {} was held out in each run to judge it.",
                              report.test_fraction.value_or(0), report.unit.plural())});
  }
  section.add(Paragraph{fmt::format("Error: {}.", report.error)});
  add_what_is_private(report, section);
}

void add_recommendation(const CompareReport& report, Document& document) {
  // The reason why records that are not public get no recommendation is not about the records.
  document
      .section("Recommendation", report.is_public ? Fence::kNotPrivate : Fence::kPublishable,
               Form::kShown)
      .add(Items{recommendation_lines(report)});
}

void add_all_rows(const CompareReport& report, Document& document) {
  TextTable table = compare_rows_table(report);
  table.caption = "All methods";
  table.head.back() = "standing";
  document.section("All methods", Fence::kNotPrivate, Form::kShown)
      .add(std::move(table))
      .add(Items{compare_notes(report)})
      .add(Items{compare_failures(report)});
}

/// One of the errors of a row, and its difference to the best row.
struct ComparedError {
  std::string title;
  Estimate CompareRow::*mean;
  Estimate CompareRow::*above_best;
};

constexpr std::string_view kHowToReadDifferences =
    "Marks right of 0 have a larger error than the best method. Bars are 95 % intervals of the "
    "difference between runs with equal seeds, each by itself; the best method is chosen by the "
    "same runs, so a bar that ends next to 0 decides nothing. The table of all methods says which "
    "ones are dominated beyond chance.";

/// The rows of an epsilon by the excess of their error over the least. Rows that do not beat the
/// baseline are listed instead, because they would compress the scale of the others.
void add_differences(const CompareReport& report, double epsilon, const ComparedError& error,
                     const std::string& id, Section& section) {
  std::vector<const CompareRow*> drawn;
  std::vector<std::string> left_out;
  std::vector<std::string> beyond;
  for (const CompareRow& row : report.rows) {
    if (row.epsilon != epsilon) continue;
    if (!std::isfinite((row.*error.mean).value) || !std::isfinite(row.overall.value)) {
      left_out.push_back(name_of_row(row));
    } else if (row.overall.value >= report.constant.value) {
      beyond.push_back(
          fmt::format("{} ({})", name_of_row(row), compare_figure(report, row.overall.value)));
    } else {
      drawn.push_back(&row);
    }
  }
  std::ranges::stable_sort(drawn, [&](const CompareRow* a, const CompareRow* b) {
    return (a->*error.mean).value < (b->*error.mean).value;
  });
  const auto dot = [&](const CompareRow& row, std::string_view prefix) {
    return DotRow{std::string(prefix) + short_name_of(row),
                  compare_figure(report, (row.*error.mean).value), row.*error.above_best};
  };
  if (!drawn.empty()) {
    DotChart chart{.id = id,
                   .title = fmt::format("{} at epsilon {}: difference to the best method",
                                        error.title, epsilon),
                   .metric = report.is_share ? "error" : "",
                   .axis_label = report.is_share ? "difference, percentage points" : "difference",
                   .name_head = "method",
                   .size_head = "error",
                   .total = dot(*drawn.front(), "best: "),
                   .compares_with_zero = true,
                   .rows_are = "methods"};
    std::vector<double> weights;
    for (size_t i = 1; i < drawn.size(); ++i) {
      chart.rows.push_back(dot(*drawn[i], ""));
      weights.push_back(-(drawn[i]->*error.mean).value);
    }
    section.add(Picture{dot_chart(std::move(chart), weights, "the smallest errors")});
  }
  if (!beyond.empty()) {
    section.add(Paragraph{
        fmt::format("Not drawn at epsilon {}, because the overall error is no smaller than that of "
                    "{} ({}): {}.",
                    epsilon, report.baseline, compare_figure(report, report.constant.value),
                    fmt::join(beyond, ", "))});
  }
  if (!left_out.empty()) {
    section.add(Paragraph{fmt::format("Not drawn at epsilon {}, because a figure is undefined: {}.",
                                      epsilon, fmt::join(left_out, ", "))});
  }
}

/// The first error on the page: that of the worst group, if any group is counted.
ComparedError first_error(const CompareReport& report) {
  if (has_counted_group(report))
    return {"Error in the worst group", &CompareRow::worst_group,
            &CompareRow::worst_group_above_best};
  return {"Overall error", &CompareRow::overall, &CompareRow::overall_above_best};
}

void add_best(const CompareReport& report, Document& document) {
  const std::vector<double> epsilons = distinct_epsilons(report);
  Section& section = document.section("Best methods", Fence::kNotPrivate, Form::kPage);
  if (!report.groups.empty() && !has_counted_group(report)) {
    section.add(Paragraph{
        "No group has enough records to be judged, so that the overall error alone is drawn."});
  }
  for (size_t e = 0; e < epsilons.size(); ++e)
    add_differences(report, epsilons[e], first_error(report), fmt::format("best-{}", e + 1),
                    section);
  if (epsilons.empty()) section.add(Paragraph{"No row has a guarantee."});
  if (!epsilons.empty() && report.num_seeds > 1)
    section.add(Paragraph{std::string(kHowToReadDifferences)});
  section.add(short_names_note(report));
}

/// The same by the overall error, if the worst group's error comes first.
void add_best_overall(const CompareReport& report, Document& document) {
  if (!has_counted_group(report)) return;
  const std::vector<double> epsilons = distinct_epsilons(report);
  Section& section = document.section("Best methods overall", Fence::kNotPrivate, Form::kPage);
  for (size_t e = 0; e < epsilons.size(); ++e)
    add_differences(report, epsilons[e],
                    {"Overall error", &CompareRow::overall, &CompareRow::overall_above_best},
                    fmt::format("overall-{}", e + 1), section);
}

/// The groups of one grouping, as indices into the report.
struct ComparedGrouping {
  std::string columns;
  std::vector<size_t> groups;
};

std::vector<ComparedGrouping> compared_groupings(const CompareReport& report) {
  std::vector<ComparedGrouping> groupings;
  for (size_t k = 0; k < report.groups.size(); ++k) {
    if (groupings.empty() || groupings.back().columns != report.groups[k].columns)
      groupings.push_back({report.groups[k].columns, {}});
    groupings.back().groups.push_back(k);
  }
  return groupings;
}

/// At most `most` groups in their original order: counted ones before others, and among these those
/// with the largest error in any of the rows.
std::vector<size_t> worst_groups(const CompareReport& report, const std::vector<size_t>& rows,
                                 std::vector<size_t> groups, size_t most) {
  if (groups.size() <= most) return groups;
  const auto largest = [&](size_t k) {
    double found = -HUGE_VAL;
    for (const size_t i : rows) found = std::fmax(found, report.rows[i].group_errors[k].value);
    return found;
  };
  std::vector<double> errors(report.groups.size());
  for (const size_t k : groups) errors[k] = largest(k);
  std::ranges::stable_sort(groups, [&](size_t a, size_t b) {
    const bool is_one_counted = report.groups[a].is_counted;
    if (is_one_counted != report.groups[b].is_counted) return is_one_counted;
    return errors[a] > errors[b];
  });
  groups.resize(most);
  std::ranges::sort(groups);
  return groups;
}

std::string name_of_compared(const CompareGroup& group) {
  return values_of(group.group) + (group.is_counted ? "" : " (not counted)");
}

/// The rows at an epsilon whose group errors are drawn: the recommended one and those that are not
/// dominated, from the smallest error on.
std::vector<size_t> rows_that_stand(const CompareReport& report, double epsilon) {
  std::vector<size_t> rows;
  for (size_t i = 0; i < report.rows.size(); ++i) {
    const CompareRow& row = report.rows[i];
    const bool is_there = row.epsilon && *row.epsilon == epsilon && !row.group_errors.empty();
    if (is_there && row.dominated == false) rows.push_back(i);
  }
  std::stable_partition(rows.begin(), rows.end(),
                        [&](size_t i) { return is_recommended(report, i); });
  return rows;
}

/// The group errors in one grouping at one epsilon; returns whether a row is drawn.
bool add_payers_at(const CompareReport& report, const ComparedGrouping& grouping, double epsilon,
                   const std::string& id, Section& section) {
  std::vector<size_t> rows = rows_that_stand(report, epsilon);
  if (rows.empty()) return false;
  const size_t num_rows = rows.size();
  rows.resize(std::min(num_rows, kMaxDrawnRows));
  const std::vector<size_t> groups =
      worst_groups(report, rows, grouping.groups, kMaxChartRows / rows.size());
  const CompareRow& first = report.rows[rows.front()];
  DotChart chart{.id = id,
                 .title = fmt::format("Error by {} at epsilon {}", grouping.columns, epsilon),
                 .metric = report.is_share ? "error" : "",
                 .axis_label = report.is_share ? "error, percent" : "error",
                 .name_head = grouping.columns,
                 .size_head = "method",
                 .total = {"overall", short_name_of(first), first.overall}};
  for (const size_t k : groups) {
    for (const size_t i : rows) {
      chart.rows.push_back({name_of_compared(report.groups[k]), short_name_of(report.rows[i]),
                            report.rows[i].group_errors[k]});
    }
  }
  std::string selection;
  if (groups.size() < grouping.groups.size()) {
    selection = fmt::format("Of {} groups, {} are drawn, counted ones and large errors first. ",
                            format_count(std::ssize(grouping.groups)), groups.size());
  }
  if (rows.size() < num_rows) {
    selection += fmt::format(
        "Of {} methods that are not dominated, {} are drawn, from the smallest overall error on. ",
        num_rows, rows.size());
  }
  if (!selection.empty()) selection += "The table below lists more.";
  section.add(Picture{dot_chart(std::move(chart), {}, "") + "\n"}).add(Paragraph{selection});
  return true;
}

/// Methods by groups.
void add_payers_table(const CompareReport& report, const ComparedGrouping& grouping,
                      Section& section) {
  std::vector<size_t> rows;
  for (size_t i = 0; i < report.rows.size(); ++i)
    if (!report.rows[i].group_errors.empty()) rows.push_back(i);
  if (rows.empty()) return;
  const std::vector<size_t> groups = worst_groups(report, rows, grouping.groups, kMaxListedGroups);
  TextTable table{fmt::format("Error by {}{}; below a group, the {}number of {}", grouping.columns,
                              report.is_share ? ", %" : "",
                              report.task == CompareTask::kSynth ? "" : "least ", report.judged),
                  {"method", "epsilon"},
                  {},
                  1};
  std::vector<std::string>& sizes = table.rows.emplace_back(std::vector<std::string>{"", ""});
  for (const size_t k : groups) {
    table.head.push_back(name_of_compared(report.groups[k]));
    sizes.push_back(format_count(report.groups[k].num_records));
  }
  std::vector<Estimate> estimates;
  for (const size_t i : rows)
    for (const size_t k : groups) estimates.push_back(report.rows[i].group_errors[k]);
  const std::vector<std::string> cells = compare_cells(report, estimates);
  for (size_t r = 0; r < rows.size(); ++r) {
    const CompareRow& row = report.rows[rows[r]];
    std::vector<std::string>& line =
        table.rows.emplace_back(std::vector<std::string>{name_of_row(row), asked_epsilon(row)});
    const auto begin = cells.begin() + static_cast<std::ptrdiff_t>(r * groups.size());
    line.insert(line.end(), begin, begin + std::ssize(groups));
  }
  section.add(std::move(table));
  if (groups.size() < grouping.groups.size()) {
    section.add(
        Paragraph{fmt::format("Of {} groups, {} are listed, counted ones and large errors first; "
                              "compare.json and compare.csv have all of them.",
                              format_count(std::ssize(grouping.groups)), groups.size())});
  }
}

void add_payers(const CompareReport& report, Document& document) {
  Section& section = document.section("Who pays", Fence::kNotPrivate, Form::kPage);
  if (report.groups.empty()) {
    section.add(
        Paragraph{fmt::format("No groups were requested; with {} COLUMN this page shows who pays.",
                              report.task == CompareTask::kTraining ? "--groups" : "--by")});
    return;
  }
  section.add(Paragraph{"A group that is not counted has too few records to be judged."});
  bool is_any_drawn = false;
  const std::vector<double> epsilons = distinct_epsilons(report);
  const std::vector<ComparedGrouping> groupings = compared_groupings(report);
  for (size_t g = 0; g < groupings.size(); ++g) {
    for (size_t e = 0; e < epsilons.size(); ++e) {
      const std::string id = fmt::format("payers-{}-{}", g + 1, e + 1);
      is_any_drawn |= add_payers_at(report, groupings[g], epsilons[e], id, section);
    }
    add_payers_table(report, groupings[g], section);
  }
  if (is_any_drawn)
    section.add(Paragraph{
        "Drawn are the errors of the method that is recommended, if any, and of those that are not "
        "dominated; the dashed line is the overall error of the first of them."});
}

void add_kept_constraints(const CompareReport& report, Document& document) {
  if (!report.has_constraints) return;
  TextTable table{"The largest value of a constraint less its slack",
                  {"method", "epsilon", "violation", "95 % interval", "on average"}};
  for (const CompareRow& row : report.rows) {
    const Estimate& over = row.violation;
    const bool has_interval = std::isfinite(over.interval.low);
    table.rows.push_back(
        {name_of_row(row), asked_epsilon(row), format_fixed(over.value, 4),
         has_interval ? fmt::format("{:.4f} to {:.4f}", over.interval.low, over.interval.high)
                      : "-",
         !std::isfinite(over.value) ? "not answerable"
         : over.value <= 0          ? "kept"
                                    : "over"});
  }
  document.section("Constraints", Fence::kNotPrivate, Form::kPage)
      .add(Paragraph{"Constraints are kept where this is at most 0. A constraint on a group with "
                     "few records is over its slack by chance."})
      .add(std::move(table));
}

/// The guarantee of a paid run of each row.
void add_promises(const CompareReport& report, Document& document) {
  TextTable table{"The guarantee of the members who have the least",
                  {"method", "epsilon asked for", "largest epsilon", "delta", "relation",
                   "groups that are public"}};
  // The order does not depend on errors.
  std::vector<const CompareRow*> rows;
  for (const CompareRow& row : report.rows)
    if (row.weakest) rows.push_back(&row);
  std::ranges::sort(rows, [](const CompareRow* a, const CompareRow* b) {
    return std::pair(a->epsilon, name_of_row(*a)) < std::pair(b->epsilon, name_of_row(*b));
  });
  for (const CompareRow* told : rows) {
    const CompareRow& row = *told;
    table.rows.push_back({name_of_row(row), asked_epsilon(row), format_epsilon(row.weakest),
                          fmt::format("{}", row.weakest->delta.value()),
                          std::string(to_string(row.weakest->relation)),
                          row.public_groups.empty() ? "-" : columns_of(row.public_groups)});
  }
  document.section("Privacy of a paid run", Fence::kPublishable, Form::kPage).add(std::move(table));
}

/// Whether a warning is about the plans of single methods, whose names it begins with.
bool is_of_methods(const CompareReport& report, const std::string& warning) {
  return std::ranges::any_of(
      report.rows, [&](const CompareRow& row) { return warning.starts_with(row.method); });
}

/// The warnings of single methods, or those about all methods.
std::vector<std::string> warnings_of(const CompareReport& report, bool methods) {
  std::vector<std::string> found;
  for (const std::string& warning : report.warnings)
    if (is_of_methods(report, warning) == methods) found.push_back(warning);
  return found;
}

/// The comparison, the best method at each epsilon, the privacy, and the files that may be
/// published.
std::vector<std::string> summary_of(const CompareReport& report) {
  std::vector<std::string> summary = {compared_line(report)};
  const ComparedError error = first_error(report);
  for (const double epsilon : distinct_epsilons(report)) {
    const CompareRow* best = nullptr;
    for (const CompareRow& row : report.rows) {
      if (!row.epsilon || *row.epsilon != epsilon || !std::isfinite((row.*error.mean).value))
        continue;
      if (best == nullptr || (row.*error.mean).value < (best->*error.mean).value) best = &row;
    }
    if (best == nullptr) continue;
    std::string overall;
    if (error.mean != &CompareRow::overall)
      overall = fmt::format(" ({} overall)", compare_figure(report, best->overall.value));
    summary.push_back(fmt::format("{} at epsilon {}: smallest with {}, {}{}; {} has {} overall.",
                                  error.title, epsilon, name_of_row(*best),
                                  compare_figure(report, (best->*error.mean).value), overall,
                                  report.baseline, compare_figure(report, report.constant.value)));
  }
  summary.emplace_back(
      "Privacy: a paid run has the guarantee of its row; the runs of this comparison have none.");
  summary.emplace_back(report.is_public
                           ? "This page may leave the house if the records are public, which you "
                             "stated by --public-data."
                           : "This page may not leave the house: its errors are computed from "
                             "records without noise.");
  return summary;
}

}  // namespace

bool has_counted_group(const CompareReport& report) {
  return std::ranges::any_of(report.groups, &CompareGroup::is_counted);
}

std::string name_of_row(const CompareRow& row) {
  const std::string options = options_in_words(row.options);
  return options.empty() ? row.method : row.method + " " + options;
}

std::string options_in_words(const std::vector<Setting>& options) {
  std::string text;
  for (const Setting& option : options)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", option.name, option_text(option.value));
  return text;
}

std::vector<std::string> recommendation_lines(const CompareReport& report) {
  if (!report.is_public) return {kWhyNoAdvice};
  std::vector<std::string> lines;
  for (const CompareAdvice& advice : report.advice)
    lines.push_back(fmt::format("at epsilon {}, {}", advice.epsilon, advice.sentence));
  if (lines.empty()) lines.emplace_back("no method is recommended: none has a guarantee");
  return lines;
}

Document compare_document(const CompareReport& report) {
  Document document;
  document.title = "Comparison of methods on " + report.dataset;
  if (report.is_public) {
    document.notice =
        "NOT PRIVATE: publishable only because --public-data says that the records are public. "
        "Every figure is computed from records without noise, by runs under seeds that are known.";
  }
  document.warnings = warnings_of(report, false);
  document.files = marked(report.files, Fence::kNotPrivate);
  document.summary = summary_of(report);
  add_best(report, document);
  add_what_was_compared(report, document);
  add_recommendation(report, document);
  add_all_rows(report, document);
  add_best_overall(report, document);
  add_payers(report, document);
  add_kept_constraints(report, document);
  add_promises(report, document);
  document.section("Not compared", Fence::kPublishable, Form::kShown)
      .add(Items{compare_skips(report)});
  document.section("What plans warn of", Fence::kPublishable, Form::kShown)
      .add(Items{warnings_of(report, true)});
  document.section("Reading the table", Fence::kNotPrivate, Form::kShown)
      .add(Items{report.ingest_notes});
  document.add_repeat(report.command, report.version);
  return document;
}

}  // namespace equinoise
