// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/tables/tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "equinoise/base/lists.h"
#include "equinoise/base/normal_quantile.h"
#include "equinoise/tasks/input/table_files.h"
#include "equinoise/tasks/means/mean_records.h"
#include "equinoise/tasks/means/release_output.h"
#include "equinoise/tasks/means/release_run.h"
#include "equinoise/tasks/tables/tables_setup.h"

namespace equinoise {

namespace {

/// The level from which noise is said to hide a figure: half of its interval is half of what it
/// could be.
constexpr double kHidden = 0.5;

std::string purpose_of(const TablesSetup& setup) {
  std::vector<std::string> names;
  for (const PlannedStatistic& one : setup.statistics) names.push_back(to_text(one.report.subject));
  const std::vector<std::string>& by = setup.release.by;
  const std::string& weights = setup.release.weight_column;
  return fmt::format("tables of {}{}{}", fmt::join(names, ", "),
                     by.empty() ? "" : fmt::format(" by {}", fmt::join(by, ", ")),
                     weights.empty() ? "" : ", weighted by " + weights);
}

/// Strata, with each column that is asked for.
ColumnSets columns_looked_at(const TablesSetup& setup) {
  std::vector<std::string> shared = columns_behind(setup.means.schema, setup.release.by);
  if (setup.means.record_weights) shared.push_back(setup.means.record_weights->column);
  ColumnSets sets;
  for (const PlannedStatistic& one : setup.statistics) {
    sets.push_back(shared);
    if (one.asked.column.empty()) continue;
    const bool is_attribute = setup.means.schema.find_group_attribute(one.asked.column) != nullptr;
    append(sets.back(), is_attribute ? columns_behind(setup.means.schema, {one.asked.column})
                                     : std::vector<std::string>{one.asked.column});
  }
  return sets;
}

/// The largest relative half-width that is shown.
double most_shown(const TablesRequest& request, Statistic statistic) {
  for (const std::string& name :
       {std::string(word_of(words_for<Statistic>, statistic)), std::string()}) {
    const auto given = request.hide_wider_than.find(name);
    if (given != request.hide_wider_than.end()) return given->second;
  }
  return std::numeric_limits<double>::infinity();
}

/// The figure of a group and a statistic, from public facts, and whether it is hidden.
FigureReport predicted_figure(const TablesSetup& setup, const TablesRequest& request,
                              const TableFigures& figures, size_t group, size_t statistic) {
  const TableStatistic& asked = setup.statistics[statistic].asked;
  const TableGroup& of = setup.groups[group];
  FigureReport figure;
  figure.subject = setup.statistics[statistic].report.subject;
  figure.group = of.label;
  if (of.strata.empty()) {
    figure.state = FigureState::kEmpty;
    return figure;
  }
  const std::optional<double>& size = setup.sizes[group];
  // The noise of counts and totals does not depend on it.
  if (size || grows_with_size(asked.statistic))
    figure.predicted_half_width =
        figures.predicted_half_width(asked, size.value_or(0), of.strata.size());
  if (!size) return figure;
  const double relative = figures.relative_half_width(asked, *size, of.strata.size());
  if (relative > most_shown(request, asked.statistic)) {
    figure.state = FigureState::kHidden;
  } else if (relative >= kHidden) {
    figure.state = FigureState::kNoisy;
  } else if (*figure.predicted_half_width == 0) {
    figure.state = FigureState::kPublic;
  }
  return figure;
}

TablesReport begin_report(const TablesSetup& setup, const TablesRequest& request) {
  TablesReport report;
  static_cast<ReleaseReport&>(report) = begin_release(setup.means, setup.release);
  report.aim = !request.tolerance.empty() ? "tolerance" : word_of(kTableAims, request.aim);
  report.record_weights = setup.means.record_weights;
  for (const PlannedStatistic& one : setup.statistics) report.statistics.push_back(one.report);
  return report;
}

/// Refuses --hide-wider-than without expected sizes.
void require_sizes(const TablesSetup& setup, const TablesRequest& request) {
  if (request.hide_wider_than.empty() || setup.sizes.back()) return;
  throw Error(ErrorKind::kUsage, "tasks.tables",
              "--hide-wider-than decides by the sizes that are expected, so that intervals of what "
              "is shown hold; declare them in [[public.groups]] of the schema, or give "
              "--stratum-size STRATUM=NUMBER for each stratum, overall=NUMBER without --by");
}

/// The label without one of its columns.
GroupLabel without_column(GroupLabel label, const std::string& column) {
  std::erase_if(label, [&](const auto& part) { return part.first == column; });
  return label;
}

const std::string* value_in(const GroupLabel& label, const std::string& column) {
  const auto found =
      std::ranges::find_if(label, [&](const auto& part) { return part.first == column; });
  return found == label.end() ? nullptr : &found->second;
}

std::string cell_name(const TableStatistic& asked, size_t cell) {
  return asked.values.empty() ? "" : asked.values[cell];
}

/// Groups that differ in the value of `column` alone, by a statistic: each with the first, and the
/// ranks of all. largest: that a difference can be.
void compare(const TablesSetup& setup, const TableFigures& figures, const std::string& column,
             const std::vector<size_t>& groups, const PlannedStatistic& one, double largest,
             TablesReport& report) {
  const TableStatistic& asked = one.asked;
  std::vector<std::vector<FigureOfGroup>> single;
  std::vector<std::vector<FigureOfGroup>> together;
  for (const size_t group : groups) {
    const TableFigures::GroupSums sums = figures.sums_of(setup.groups[group]);
    single.push_back(figures.comparable_figures(asked, sums));
    together.push_back(figures.figures(asked, sums, joint_stddevs(groups.size())));
  }
  const auto name = [&](size_t i) { return *value_in(setup.groups[groups[i]].label, column); };
  const GroupLabel common = without_column(setup.groups[groups[0]].label, column);
  for (size_t cell = 0; cell < single[0].size(); ++cell) {
    std::vector<Interval> intervals;
    for (const std::vector<FigureOfGroup>& of : together)
      if (of[cell].estimate) intervals.push_back(*of[cell].interval);
    for (size_t i = 1; i < groups.size(); ++i) {
      const FigureOfGroup& first = single[0][cell];
      const FigureOfGroup& second = single[i][cell];
      const auto apart = difference_of(asked.statistic, first, second, largest);
      if (!apart) continue;
      ComparisonReport& row = report.comparisons.emplace_back();
      row.subject = one.report.subject;
      row.value = cell_name(asked, cell);
      row.group = common;
      row.column = column;
      row.first = name(0);
      row.second = name(i);
      row.difference = apart->estimate;
      row.interval = apart->interval;
      if (const auto ratio = ratio_of(asked.statistic, first, second)) {
        row.ratio = ratio->estimate;
        row.ratio_interval = ratio->interval;
      }
    }
    if (intervals.size() < groups.size() || groups.size() < 3) continue;
    const std::vector<Ranks> ranks = possible_ranks(intervals);
    for (size_t i = 0; i < groups.size(); ++i) {
      report.ranks.push_back({one.report.subject, cell_name(asked, cell), common, column, name(i),
                              static_cast<int64_t>(ranks[i].low),
                              static_cast<int64_t>(ranks[i].high)});
    }
  }
}

/// is_shown: (groups, statistics)
void add_comparisons(const TablesSetup& setup, const TablesRequest& request,
                     const TableFigures& figures, const std::vector<bool>& is_shown,
                     TablesReport& report) {
  for (const std::string& column : request.compare) {
    // Groups by what they have in common, in the order of the first of each.
    std::map<GroupLabel, size_t> places;
    std::vector<std::vector<size_t>> alike;
    for (size_t g = 0; g < setup.groups.size(); ++g) {
      const GroupLabel& label = setup.groups[g].label;
      if (value_in(label, column) == nullptr || setup.groups[g].strata.empty()) continue;
      const auto [place, is_new] = places.emplace(without_column(label, column), alike.size());
      if (is_new) alike.emplace_back();
      alike[place->second].push_back(g);
    }
    for (size_t s = 0; s < setup.statistics.size(); ++s) {
      const PlannedStatistic& one = setup.statistics[s];
      if (grows_with_size(one.asked.statistic)) continue;
      for (std::vector<size_t> groups : alike) {
        std::erase_if(groups, [&](size_t g) { return !is_shown[g * setup.statistics.size() + s]; });
        if (groups.size() < 2) continue;
        const std::optional<Interval>& bounds = one.report.bounds;
        compare(setup, figures, column, groups, one, bounds ? bounds->high - bounds->low : 1,
                report);
      }
    }
  }
}

void add_figures(const TablesSetup& setup, const TablesRequest& request, TableFigures& figures,
                 TablesReport& report) {
  std::vector<bool> is_shown;
  for (size_t g = 0; g < setup.groups.size(); ++g) {
    const TableFigures::GroupSums sums = figures.sums_of(setup.groups[g]);
    for (size_t s = 0; s < setup.statistics.size(); ++s) {
      FigureReport figure = predicted_figure(setup, request, figures, g, s);
      const TableStatistic& asked = setup.statistics[s].asked;
      is_shown.push_back(figure.state != FigureState::kEmpty &&
                         figure.state != FigureState::kHidden);
      if (!is_shown.back()) {
        report.figures.push_back(std::move(figure));
        continue;
      }
      for (const FigureOfGroup& of : figures.figures(asked, sums)) {
        FigureReport& row = report.figures.emplace_back(figure);
        row.value = cell_name(asked, of.cell);
        row.estimate = of.estimate;
        row.interval = of.interval;
        if (of.noise_stddev > 0) row.noise_stddev = of.noise_stddev;
        row.state = !of.estimate   ? FigureState::kUnclear
                    : !of.interval ? FigureState::kPublic
                                   : FigureState::kReleased;
      }
    }
  }
  add_comparisons(setup, request, figures, is_shown, report);
}

}  // namespace

TablesReport plan_tables(const TablesRequest& request) {
  const TablesSetup setup = set_up_tables(request, false);
  require_sizes(setup, request);
  TablesReport report = begin_report(setup, request);
  const TableFigures figures = setup.figures();
  for (size_t g = 0; g < setup.groups.size(); ++g) {
    for (size_t s = 0; s < setup.statistics.size(); ++s)
      report.figures.push_back(predicted_figure(setup, request, figures, g, s));
  }
  add_planned_cost(setup.means, setup.release, purpose_of(setup), report);
  return report;
}

TablesReport release_tables(const TablesRequest& request, TaskProgress& progress) {
  TablesSetup setup = set_up_tables(request, true);
  require_sizes(setup, request);
  const MeansRequest& release = setup.release;
  require_not_input(release.out_path, {release.data, {}});
  const Purchase purchase = purchase_of(setup.means, release, purpose_of(setup));
  TablesReport report = begin_report(setup, request);
  if (setup.means.ledger)
    report.ledger = ask_ledger(*setup.means.ledger, purchase, report.owner_warnings).accepted();
  const Dataset dataset =
      read_table_files({release.data, {}}, setup.means.schema, TableUse::kDescribed, progress,
                       CountedRows::kKept, columns_looked_at(setup));
  const MeanRecords records = read_mean_records(dataset, setup.means, release);
  progress.hold_interruptions();
  ReleaseOutput output(release, "tables", setup.num_figures);
  PaidRun run = pay_for_release(setup.means, release, purchase, report, progress);
  std::vector<Charge> charges = charges_of(std::move(run.charge), setup.means);
  TableFigures figures = setup.figures();
  figures.fit(
      release_means(setup.means.plan, records.records, charges, *run.source, release.threads));
  add_figures(setup, request, figures, report);
  const Audience audience =
      report.status == PrivacyStatus::kPrivate ? Audience::kAnybody : Audience::kOwner;
  const auto json = [&report] { return tables_to_json(report); };
  output.write(report,
               {[&report] { return tables_document(report); }, json, json,
                [&report] { return tables_to_csv(report); }},
               audience, audience);
  return report;
}

}  // namespace equinoise
