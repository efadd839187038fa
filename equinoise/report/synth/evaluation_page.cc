// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "equinoise/audit/yardsticks.h"
#include "equinoise/report/format.h"
#include "equinoise/report/page/chart.h"
#include "equinoise/report/synth/evaluation_figures.h"
#include "equinoise/report/synth/evaluation_report.h"

namespace equinoise {

namespace {

using Cells = std::vector<std::string>;
using Figures = std::vector<EvaluatedFigure>;

constexpr const char* kMarginalAxis =
    "total variation distance, 0 to 1; tick: a bootstrap of the real records";

constexpr size_t kMaxPairs = 20;
constexpr size_t kMaxScreenNotes = 3;

constexpr const char* kHowToReadMeans =
    "Means are over the records that have a value; that of a class is its share. Errors are "
    "relative to the real mean, or to a 20th of the bounds' width if that is larger.";

constexpr const char* kHowToReadCorrelations =
    "Pearson's correlations of pairs of numeric columns, over the records with both numbers. "
    "Differences are absolute, over the pairs that are defined in both tables. Records are the "
    "real ones with both numbers, of the pair with the fewest or the largest difference.";

constexpr const char* kHowToReadLearnt =
    "The model is trained on the synthetic rows and tested on the real records. Bootstrap: trained "
    "on a bootstrap of the real records and tested on all of them, some of which it has seen. "
    "Second half: trained on one half of the real records and tested on the other.";

std::string four_decimals(double value) { return format_fixed(value, 4); }

std::string figure_text(const EvaluatedFigure& figure, double value) {
  return figure.kind == EvaluatedKind::kLearntAmount ? format_amount(value) : four_decimals(value);
}

/// The cells, then a figure of the synthetic rows and of yardsticks.
Cells with_figures(Cells cells, const EvaluatedFigure& figure) {
  const auto& [rows, bootstrap, second_half] = figure.figures;
  for (const double value : {rows, bootstrap, second_half})
    cells.push_back(figure_text(figure, value));
  return cells;
}

/// The one with the largest error; nullptr without any.
const EvaluatedFigure* worst_of(const std::vector<const EvaluatedFigure*>& figures) {
  const EvaluatedFigure* worst = nullptr;
  for (const EvaluatedFigure* figure : figures) {
    const double error = figure->figures.rows;
    if (std::isfinite(error) && (worst == nullptr || error > worst->figures.rows)) worst = figure;
  }
  return worst;
}

/// Figures that a table lists, and a chart draws.
struct FigureList {
  std::string title;
  std::string by = "";            ///< head of groups; "": overall figures alone
  std::string name_head = "";     ///< of figures; "": all have the same name
  std::string records_head = "";  ///< of numbers of records; "": not listed
  bool has_values = false;        ///< real and synthetic means are listed
  Figures rows = {};
  Figures totals = {};  ///< overall, where rows are of groups

  /// Takes the figures of which is_of(figure) holds.
  template <typename IsOf>
  FigureList& take(const Figures& figures, const IsOf& is_of) {
    for (const EvaluatedFigure& figure : figures) {
      if (!is_of(figure) || (by.empty() && !figure.group.empty())) continue;
      (by.empty() || !figure.group.empty() ? rows : totals).push_back(figure);
    }
    return *this;
  }
};

TextTable table_of(const FigureList& list) {
  TextTable table{list.title, {}};
  const auto add = [](Cells& cells, const std::string& head, const std::string& cell) {
    if (!head.empty()) cells.push_back(cell);
  };
  for (const std::string& head : {list.by, list.name_head, list.records_head})
    add(table.head, head, head);
  if (list.has_values) table.head.insert(table.head.end(), {"real", "synthetic"});
  const Figures& any = list.rows.empty() ? list.totals : list.rows;
  const bool is_learnt = !any.empty() && any.front().is_learnt();
  table.head.insert(table.head.end(),
                    {is_learnt ? "synthetic rows" : "error", "bootstrap", "second half"});
  for (const Figures* figures : {&list.rows, &list.totals}) {
    for (const EvaluatedFigure& figure : *figures) {
      Cells cells;
      add(cells, list.by, values_of(figure.group));
      add(cells, list.name_head, figure.name);
      add(cells, list.records_head, format_count(figure.num_real));
      if (list.has_values)
        for (const double value : {figure.real, figure.synthetic})
          cells.push_back(format_amount(value));
      table.rows.push_back(with_figures(std::move(cells), figure));
    }
  }
  table.num_left = list.by.empty() || list.name_head.empty() ? 1 : 2;
  table.ends_in_total = list.totals.size() == 1;
  return table;
}

/// A chart of the list, whose total is last.
Picture chart_of(const FigureList& list, std::string id, std::string axis_label) {
  const bool is_learnt = list.totals.back().is_learnt();
  const auto drawn = [&](const EvaluatedFigure& figure) {
    const double value = figure.figures.rows;
    DotRow row{list.by.empty() ? figure.name : values_of(figure.group),
               list.records_head.empty() ? "" : format_count(figure.num_real),
               {value, is_learnt ? figure.interval : Interval{value, value}}};
    if (!is_learnt) row.yardstick = figure.figures.bootstrap;
    return row;
  };
  DotChart chart{.id = std::move(id),
                 .title = list.title,
                 .metric = is_learnt ? list.totals.back().key : "error",
                 .axis_label = std::move(axis_label),
                 .name_head = list.by.empty() ? list.name_head : list.by,
                 .size_head = list.records_head,
                 .total = drawn(list.totals.back()),
                 .compares_with_zero = !is_learnt,
                 .kind = is_learnt ? DotKind::kEstimates : DotKind::kErrors};
  std::vector<double> weights;
  for (const EvaluatedFigure& figure : list.rows) {
    chart.rows.push_back(drawn(figure));
    weights.push_back(is_learnt ? static_cast<double>(figure.num_real) : figure.figures.rows);
  }
  return {
      dot_chart(std::move(chart), weights, is_learnt ? "the most records" : "the largest errors") +
      "\n"};
}

/// The compared tables and, in so many notes, how they were read, a sentence each.
Items compared_items(const SynthEvaluateReport& report, size_t max_notes) {
  Items items{{fmt::format("{} synthetic rows of {} were compared with {} real records of {}.",
                           format_count(report.num_synthetic), report.synthetic,
                           format_count(report.num_real), report.real)}};
  if (report.num_complete < report.num_read) {
    items.items.push_back(fmt::format("{} of {} real records ({} %) are complete.",
                                      format_count(report.num_complete),
                                      format_count(report.num_read),
                                      format_percent(static_cast<double>(report.num_complete) /
                                                     static_cast<double>(report.num_read))));
  }
  if (!report.weight_column.empty()) {
    items.items.push_back(fmt::format(
        "Weights: column {}; synthetic rows {}.", report.weight_column,
        report.rows_have_weights ? "count by theirs" : "have no such column and count alike"));
  }
  if (!report.unit.is_row()) {
    items.items.push_back(
        fmt::format("Units: at most {0} rows of each {1} count; resampling is by {1}.",
                    format_count(report.unit.max_records), report.unit.name));
  }
  const size_t num_notes = std::min(report.ingest_notes.size(), max_notes);
  const auto notes = report.ingest_notes.begin();
  items.items.insert(items.items.end(), notes, notes + static_cast<std::ptrdiff_t>(num_notes));
  if (const size_t num_more = report.ingest_notes.size() - num_notes; num_more > 0)
    items.items.push_back(fmt::format("{} more notes; --verbose prints them.", num_more));
  return items;
}

/// Explanations of how figures are to be read, a sentence each.
Items reading_items(const SynthEvaluateReport& report) {
  Items items{{"Errors of marginals are total variation distances (0 identical, 1 disjoint).",
               fmt::format("Bootstrap: the error of as many records drawn from the real ones with "
                           "replacement (mean of {} draws), which is sampling error alone.",
                           kNumBootstraps),
               "An error well above it comes from the synthesis, or from rows that are fewer than "
               "the records.",
               "Second half: the error of one random half of the real records against the other, "
               "mostly about twice a bootstrap."}};
  if (!report.weight_column.empty()) {
    items.items.emplace_back(
        "Every figure is of the records by their weights; counts are of records, and the column of "
        "weights is not compared. A bootstrap draws records, which keep their weights.");
  }
  if (!report.unit.is_row()) {
    items.items.push_back(fmt::format(
        "Intervals take each {0} as drawn independently. For classifiers and regressions, counts "
        "of real records are of each {0} with at least one usable row.",
        report.unit.name));
  }
  return items;
}

/// The mean of the target among those of groups; "": none, as of dates.
std::string name_of_target_mean(const SynthEvaluateReport& report) {
  if (!report.learner || !report.parity->means) return "";
  const std::string name = report.learner->mean_name();
  for (const EvaluatedColumn& column : report.parity->means->columns)
    if (column.overall.column == name) return name;
  return "";
}

/// The number of groups whose share of the target's class differs beyond sampling, and where it
/// differs most, among these if there are any; "" without groups or shares.
std::string target_line(const SynthEvaluateReport& report) {
  const std::string name = report.parity ? name_of_target_mean(report) : "";
  if (name.empty()) return "";
  const EvaluatedGroup* worst = nullptr;
  size_t num_compared = 0;
  size_t num_beyond = 0;
  const auto rank = [](const EvaluatedGroup& group) {
    const Interval& interval = group.target_difference.interval;
    return std::pair(interval.low > 0 || interval.high < 0,
                     std::abs(group.target_difference.value));
  };
  for (const EvaluatedGroup& group : report.parity->groups) {
    if (!std::isfinite(group.target_difference.value)) continue;
    ++num_compared;
    num_beyond += rank(group).first;
    if (worst == nullptr || rank(group) > rank(*worst)) worst = &group;
  }
  if (worst == nullptr) return "";
  const auto mean = std::ranges::find(worst->means, name, &EvaluatedMean::column);
  const size_t num_others = report.parity->groups.size() - num_compared;
  return fmt::format(
      "In {} of {} groups{} the share of {} differs beyond sampling: the interval of the "
      "difference, 95 % for all groups at once, excludes 0. Largest difference{}: {}, {} in rows, "
      "{} in {} real records.",
      num_beyond, num_compared,
      num_others > 0 ? fmt::format(" ({} more without rows or records)", num_others) : "", name,
      num_beyond > 0 ? " of these" : "", values_of(worst->group), format_amount(mean->synthetic),
      format_amount(mean->real), format_count(mean->num_real));
}

/// The target in groups, the error of all marginals, and the group with the largest, a sentence
/// each.
std::vector<std::string> lead_of(const SynthEvaluateReport& report, const Figures& figures) {
  std::vector<std::string> lines;
  if (std::string line = target_line(report); !line.empty()) lines.push_back(std::move(line));
  std::vector<const EvaluatedFigure*> of_groups;
  for (const EvaluatedFigure& figure : figures) {
    if (figure.key != "workload") continue;
    if (!figure.group.empty()) {
      of_groups.push_back(&figure);
      continue;
    }
    lines.push_back(fmt::format("Workload error {} (bootstrap {}): {}.",
                                four_decimals(figure.figures.rows),
                                four_decimals(figure.figures.bootstrap), figure.name));
  }
  if (const EvaluatedFigure* worst = worst_of(of_groups)) {
    lines.push_back(
        fmt::format("The group with the largest workload error is {}: {} (bootstrap {}).",
                    values_of(worst->group), four_decimals(worst->figures.rows),
                    four_decimals(worst->figures.bootstrap)));
  }
  return lines;
}

/// The main overall figures, for a screen: of marginals the means of the degree and of single
/// columns, and the largest error.
TextTable overall_table(const Figures& figures) {
  TextTable table{"", {"figure", "synthetic rows", "bootstrap", "second half"}};
  bool has_largest = false;
  for (const EvaluatedFigure& figure : figures) {
    const bool is_largest = figure.key == "largest" && !has_largest;
    const bool is_main = figure.key == "workload" || figure.key == "workload_1" || is_largest ||
                         figure.key.starts_with("correlation_") || figure.is_learnt();
    if (!figure.group.empty() || !is_main) continue;
    has_largest = has_largest || is_largest;
    table.rows.push_back(with_figures(
        {is_largest           ? "largest error: " + figure.name
         : figure.is_learnt() ? fmt::format("{}: {}", figure.columns.front(), figure.name)
                              : figure.name},
        figure));
  }
  return table;
}

/// The groups, one line each, for a screen. Of means that of the target, or the largest error.
TextTable groups_table(const SynthEvaluateReport& report, const Figures& figures) {
  const SynthParity& parity = *report.parity;
  TextTable table{"", {"group", "real records", "rows", "workload error", "bootstrap"}};
  const std::string target = name_of_target_mean(report);
  if (!target.empty()) {
    table.head.insert(table.head.end(), {target + ", real", "in rows"});
  } else if (parity.means) {
    table.head.emplace_back("largest relative error of a mean");
  }
  for (const EvaluatedGroup& group : parity.groups) {
    const ComparedFigure& error = group.errors.workload().error;
    Cells row = {values_of(group.group), format_count(group.num_real),
                 format_count(group.num_synthetic), four_decimals(error.rows),
                 four_decimals(error.bootstrap)};
    std::vector<const EvaluatedFigure*> means;
    std::vector<const EvaluatedFigure*> learnt;
    for (const EvaluatedFigure& figure : figures) {
      if (figure.group != group.group) continue;
      if (figure.key == "mean") means.push_back(&figure);
      if (figure.is_learnt()) learnt.push_back(&figure);
      if (figure.key == "mean" && figure.columns.front() == target)
        for (const double mean : {figure.real, figure.synthetic})
          row.push_back(format_amount(mean));
    }
    if (target.empty() && parity.means) {
      const EvaluatedFigure* worst = worst_of(means);
      row.push_back(worst == nullptr ? "-"
                                     : fmt::format("{} ({})", four_decimals(worst->figures.rows),
                                                   worst->columns.front()));
    }
    for (const EvaluatedFigure* figure : learnt) {
      if (table.rows.empty()) table.head.push_back(figure->name);
      row.push_back(figure_text(*figure, figure->figures.rows));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// The groups with real records for which `lacks` holds.
template <typename Lacks>
std::vector<GroupLabel> groups_that(const SynthParity& parity, const Lacks& lacks) {
  std::vector<GroupLabel> groups;
  for (const EvaluatedGroup& group : parity.groups)
    if (group.num_real > 0 && lacks(group)) groups.push_back(group.group);
  return groups;
}

/// Differences of errors between groups, and groups without synthetic rows or values, a sentence
/// each.
std::vector<std::string> parity_lines(const SynthParity& parity) {
  const EvaluatedMarginals& marginals = parity.marginals;
  std::string line = fmt::format(
      "Parity error of marginals {} (largest difference between groups {})",
      four_decimals(marginals.parity_error), four_decimals(marginals.largest_difference));
  if (parity.means) {
    const EvaluatedMeans& means = *parity.means;
    line += fmt::format(", of means {} (largest relative error {}{})",
                        four_decimals(means.parity_error), four_decimals(means.largest_disparity),
                        means.worst_column.empty() ? ""
                                                   : fmt::format(": {}, {}", means.worst_column,
                                                                 values_of(means.worst_group)));
  }
  std::vector<std::string> lines = {line + "."};
  if (parity.omega) {
    const auto figure = [](const std::optional<double>& value) {
      return four_decimals(value.value_or(kNoFigure));
    };
    lines.push_back(fmt::format(
        "Parity error as printed, omega {:g}: of marginals {}{}.", *parity.omega,
        figure(marginals.printed_parity_error),
        parity.means ? ", of means " + figure(parity.means->printed_parity_error) : ""));
  }
  const auto without_rows =
      groups_that(parity, [](const EvaluatedGroup& group) { return group.num_synthetic == 0; });
  if (!without_rows.empty()) {
    lines.push_back(
        fmt::format("No synthetic rows of {}; parity errors use the overall means for them.",
                    list_groups(without_rows)));
  }
  for (size_t i = 0; parity.means && i < parity.means->columns.size(); ++i) {
    const auto without_values = groups_that(parity, [&](const EvaluatedGroup& group) {
      const EvaluatedMean& mean = group.means[i];
      return group.num_synthetic > 0 && mean.num_real > 0 && mean.num_synthetic == 0;
    });
    if (without_values.empty()) continue;
    lines.push_back(fmt::format(
        "No synthetic row of {} has a value of {}; parity errors use the overall mean for them.",
        list_groups(without_values), parity.means->columns[i].overall.column));
  }
  return lines;
}

/// Numbers of records that the means of columns with missing cells are of, a sentence each.
std::vector<std::string> gap_lines(const SynthParity& parity) {
  std::vector<std::string> lines;
  int64_t num_real = 0;
  int64_t num_synthetic = 0;
  for (const EvaluatedGroup& group : parity.groups) {
    num_real += group.num_real;
    num_synthetic += group.num_synthetic;
  }
  for (size_t i = 0; parity.means && i < parity.means->columns.size(); ++i) {
    const EvaluatedMean& mean = parity.means->columns[i].overall;
    if (mean.num_real == num_real && mean.num_synthetic == num_synthetic) continue;
    lines.push_back(
        fmt::format("Means of {} are of the {} of {} real records and the {} of {} synthetic rows "
                    "that have a value.",
                    mean.column, format_count(mean.num_real), format_count(num_real),
                    format_count(mean.num_synthetic), format_count(num_synthetic)));
  }
  return lines;
}

/// Differences between groups in a classifier, a sentence each.
std::vector<std::string> disparity_lines(const SynthLearner& learner) {
  if (!learner.is_classifier() || learner.synthetic.groups.empty()) return {};
  const Disparity selected = learner.disparity("selection_rate");
  const Disparity missed = learner.disparity("false_negative_rate");
  std::vector<std::string> lines = {
      fmt::format("Demographic parity: difference {}, ratio {}; false negative rates differ by {}.",
                  four_decimals(selected.difference_between_groups.value),
                  four_decimals(selected.ratio_between_groups),
                  four_decimals(missed.difference_between_groups.value))};
  std::vector<GroupLabel> left_out;
  for (const size_t group : missed.left_out)
    left_out.push_back(learner.synthetic.groups[group].group);
  if (!left_out.empty()) {
    lines.push_back(
        fmt::format("Groups without a false negative rate, left out: {}.", list_groups(left_out)));
  }
  return lines;
}

/// The records that something is learnt from, and missing features, a sentence each.
std::vector<std::string> learner_lines(const SynthLearner& learner) {
  std::vector<std::string> lines = {fmt::format(
      "Trained on the {} synthetic rows and tested on the {} real records that have a value of {}.",
      format_count(learner.num_trained), format_count(learner.synthetic.metrics.num_records),
      learner.target)};
  if (!learner.fills.empty()) {
    std::vector<std::string> fills;
    for (const auto& [column, text] : learner.fills)
      fills.push_back(fmt::format("{} as {}", column, text));
    lines.push_back(
        fmt::format("Missing cells of features count as numbers: {}.", fmt::join(fills, ", ")));
  }
  return lines;
}

void add_marginals(const SynthEvaluateReport& report, const Figures& figures, Document& document) {
  const std::string by = report.parity ? columns_of(report.parity->by) : "";
  Section& all = document.section("All marginals", Fence::kNotPrivate, Form::kPage);
  if (report.parity) {
    FigureList workload{.title = "Workload error by " + by, .by = by, .records_head = "real"};
    workload.take(figures, [](const EvaluatedFigure& figure) { return figure.key == "workload"; });
    all.add(chart_of(workload, "groups", kMarginalAxis));
  }
  all.add(table_of(
      FigureList{.title = "Mean errors of marginals", .by = by, .name_head = "figure"}.take(
          figures,
          [](const EvaluatedFigure& figure) { return figure.key.starts_with("workload"); })));
  const auto add = [&](std::string id, std::string key, std::string title,
                       const DegreeError& mean) {
    FigureList list{.title = std::move(title), .name_head = "columns"};
    list.take(figures, [&](const EvaluatedFigure& figure) { return figure.key == key; });
    list.totals = {{.key = key,
                    .name = fmt::format("mean of all {}", format_count(mean.num_marginals)),
                    .figures = mean.error}};
    document.section(list.title, Fence::kNotPrivate, Form::kPage)
        .add(chart_of(list, std::move(id), kMarginalAxis))
        .add(table_of(list));
  };
  add("columns", "single", "Errors of single columns", report.errors.degrees.front());
  const DegreeError& workload = report.errors.workload();
  if (workload.degree > 1) {
    add("marginals", "largest",
        fmt::format("Largest errors of marginals of {} columns", workload.degree), workload);
  }
  if (!report.parity) return;
  FigureList columns{
      .title = "Errors of single columns, and the largest error", .by = by, .name_head = "columns"};
  GroupLabel last;  // that has its largest error
  columns.take(figures, [&](const EvaluatedFigure& figure) {
    if (figure.group.empty() || figure.key == "single") return !figure.group.empty();
    if (figure.key != "largest" || figure.group == last) return false;
    last = figure.group;
    return true;
  });
  document.section("Columns by " + by, Fence::kNotPrivate, Form::kPage).add(table_of(columns));
}

void add_groups(const SynthEvaluateReport& report, const Figures& figures, Document& document) {
  const SynthParity& parity = *report.parity;
  const std::string by = columns_of(parity.by);
  const std::string heading = "Groups by " + by;
  Items lines{parity_lines(parity)};
  if (report.learner)
    for (std::string& line : disparity_lines(*report.learner)) lines.items.push_back(line);
  document.section(heading, Fence::kNotPrivate, Form::kShown)
      .add(groups_table(report, figures))
      .add(std::move(lines));
  if (!parity.means) return;
  Section& section = document.section("Means by " + by, Fence::kNotPrivate, Form::kPage);
  section.add(Paragraph{kHowToReadMeans}).add(Items{gap_lines(parity)});
  std::vector<std::string> columns;
  for (const EvaluatedColumn& column : parity.means->columns)
    columns.push_back(column.overall.column);
  std::ranges::stable_partition(
      columns, [target = name_of_target_mean(report)](const auto& name) { return name == target; });
  for (size_t i = 0; i < columns.size(); ++i) {
    const std::string& column = columns[i];
    FigureList means{.title = "Mean of " + column,
                     .by = by,
                     .records_head = "real records with a value",
                     .has_values = true};
    means.take(figures, [&](const EvaluatedFigure& figure) {
      return figure.key == "mean" && figure.columns.front() == column;
    });
    section
        .add(chart_of(means, fmt::format("mean-{}", i + 1),
                      "relative error of the mean; tick: a bootstrap of the real records"))
        .add(table_of(means));
  }
}

void add_correlations(const SynthEvaluateReport& report, const Figures& figures,
                      Document& document) {
  FigureList list{.title = "Differences of correlations (0 to 2)",
                  .by = report.parity ? columns_of(report.parity->by) : "",
                  .name_head = "figure",
                  .records_head = "real records"};
  list.take(figures,
            [](const EvaluatedFigure& figure) { return figure.key.starts_with("correlation_"); });
  TextTable pairs{"Pairs with the largest differences",
                  {"columns", "real records with both", "real", "synthetic", "difference"}};
  std::vector<EvaluatedPair> order = report.correlations->pairs;
  std::erase_if(
      order, [](const EvaluatedPair& pair) { return !std::isfinite(pair.synthetic - pair.real); });
  std::ranges::stable_sort(order, [](const EvaluatedPair& a, const EvaluatedPair& b) {
    return std::abs(a.synthetic - a.real) > std::abs(b.synthetic - b.real);
  });
  order.resize(std::min(order.size(), kMaxPairs));
  for (const EvaluatedPair& pair : order) {
    pairs.rows.push_back({columns_of(pair.columns), format_count(pair.num_real),
                          four_decimals(pair.real), four_decimals(pair.synthetic),
                          four_decimals(pair.synthetic - pair.real)});
  }
  document.section("Correlations", Fence::kNotPrivate, Form::kPage)
      .add(Paragraph{kHowToReadCorrelations})
      .add(table_of(list))
      .add(std::move(pairs));
}

void add_learner(const SynthEvaluateReport& report, const Figures& figures, Document& document) {
  const SynthLearner& learner = *report.learner;
  const bool is_classifier = learner.is_classifier();
  const std::string by = report.parity ? columns_of(report.parity->by) : "group";
  Section& section =
      document.section(fmt::format("{} of {}{}", is_classifier ? "Classifier" : "Regression",
                                   learner.target, is_classifier ? " = " + learner.positive : ""),
                       Fence::kNotPrivate, Form::kPage);
  section
      .add(Paragraph{is_classifier
                         ? "A logistic regression. Charts are of what the synthetic rows taught."
                         : "A linear regression within the bounds of the target."})
      .add(Paragraph{kHowToReadLearnt});
  for (const std::string_view metric : learnt_metrics(is_classifier)) {
    FigureList list{.title = "", .by = by, .records_head = "tested"};
    list.take(figures, [&](const EvaluatedFigure& figure) { return figure.key == metric; });
    const EvaluatedFigure& overall = list.totals.front();
    list.title = capitalised(overall.name) +
                 (overall.unit.empty() ? "" : fmt::format(" ({})", overall.unit));
    if (is_classifier && report.parity) {
      section.add(
          chart_of(list, fmt::format("classifier-{}", metric), metric_words(metric) + ", percent"));
    }
    section.add(table_of(list));
  }
  section.add(Items{learner_lines(learner)});
}

}  // namespace

Document evaluation_document(const SynthEvaluateReport& report) {
  Document document;
  document.title = "Synthetic rows compared with real records";
  document.notice =
      "NOT PRIVATE: every figure compares with the real records without noise; do not publish "
      "them, and choose nothing by them, because no budget has paid for that.";
  const Figures figures = evaluated_figures(report);
  document.lead = lead_of(report, figures);
  document.files = marked(report.files, Fence::kNotPrivate);
  document.section("What was compared", Fence::kNotPrivate, Form::kScreen)
      .add(compared_items(report, kMaxScreenNotes));
  document.section("What was compared", Fence::kNotPrivate, Form::kPage)
      .add(compared_items(report, report.ingest_notes.size()));
  document.section("How errors are read", Fence::kNotPrivate, Form::kPage)
      .add(reading_items(report));
  if (report.parity) add_groups(report, figures, document);
  document.section("Overall", Fence::kNotPrivate, Form::kScreen).add(overall_table(figures));
  if (report.learner) add_learner(report, figures, document);
  add_marginals(report, figures, document);
  if (report.correlations) add_correlations(report, figures, document);
  document.section("Notes", Fence::kNotPrivate, Form::kPage)
      .add(Items{{fmt::format("The comparison took {:.3g} s.", report.seconds)}});
  document.add_repeat(report.command, report.version);
  return document;
}

}  // namespace equinoise
