// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/groups/grouping.h"
#include "equinoise/report/deployment.h"
#include "equinoise/report/fields.h"
#include "equinoise/report/page/document.h"
#include "equinoise/report/release_report.h"
#include "equinoise/tables/table_figures.h"

namespace equinoise {

/// The subject of a figure: its statistic and column, without its group.
struct FigureSubject {
  Statistic statistic = Statistic::kCount;
  std::string column;           ///< "" of counts of records
  std::optional<double> level;  ///< of a quantile: 0.5 for the median

  bool operator==(const FigureSubject&) const = default;
};

template <>
inline constexpr auto fields_of<FigureSubject> = publishable(
    field("statistic", &FigureSubject::statistic,
          "count, total, mean, share, histogram or quantile"),
    field("column", &FigureSubject::column, "Column that it is of; empty of counts of records")
        .or_nothing(),
    field("level", &FigureSubject::level, "Of a quantile; 0.5: the median").or_nothing());

/// A statistic that was asked for, and its part of the budget. Public facts.
struct TableStatisticReport {
  FigureSubject subject;
  double budget_share = 0;         ///< of rho; two statistics of one release have the same part
  std::optional<Interval> bounds;  ///< of numbers; those outside count as the nearer one
  std::string records;             ///< that figures are of
  double rounding = 0;             ///< how far numbers were moved at most when they were read
};

template <>
inline constexpr auto fields_of<TableStatisticReport> = [] {
  using Row = TableStatisticReport;
  return publishable(
      members(&Row::subject, "What is released"),
      field("budget_share", &Row::budget_share,
            "Part of rho that pays for it, alone or with others of the column"),
      field("bounds", &Row::bounds, "Numbers outside count as the nearer one; null: no numbers"),
      field("records", &Row::records, "Whose figures these are"),
      field("rounding", &Row::rounding, "How far numbers were moved at most when they were read"));
}();

/// The state of a figure after a release, or as a plan expects it.
enum class FigureState {
  kReleased,
  kPublic,   ///< the schema declares it
  kEmpty,    ///< the schema declares that there are no records
  kHidden,   ///< by --hide-wider-than
  kUnclear,  ///< noise hides it, or the number of its records
  kNoisy,    ///< of a plan: half of the interval to expect is half of what it could be
};

template <>
inline constexpr EnumWords<FigureState, 6> words_for<FigureState> = {
    {{FigureState::kReleased, "released"},
     {FigureState::kPublic, "public"},
     {FigureState::kEmpty, "empty"},
     {FigureState::kHidden, "hidden"},
     {FigureState::kUnclear, "unclear"},
     {FigureState::kNoisy, "noisy"}}};

/// A figure of a group, predicted and, once it is released, with its interval.
struct FigureReport {
  FigureSubject subject;
  std::string value;  ///< a category, or a range of numbers; "" of other statistics
  GroupLabel group;   ///< empty: all records
  std::optional<double> estimate;
  std::optional<Interval> interval;
  std::optional<double> noise_stddev;          ///< empty of quantiles and of public figures
  std::optional<double> predicted_half_width;  ///< empty: sizes are not known
  FigureState state = FigureState::kReleased;
};

template <>
inline constexpr auto fields_of<FigureReport> = [] {
  using Row = FigureReport;
  return std::tuple(
      members(&Row::subject, "What the figure is of").publishable(),
      field("value", &Row::value, "Category, or range of numbers").or_nothing().publishable(),
      field("group", &Row::group, "Its values by column; none: all records").publishable(),
      field("estimate", &Row::estimate, "Null: none, and the state says why"),
      field("interval", &Row::interval, "95 % interval of noise; null: none, or a public figure"),
      field("noise_stddev", &Row::noise_stddev, "Standard deviation of noise").or_nothing(),
      field("predicted_half_width", &Row::predicted_half_width,
            "Half of the interval to expect, from public facts; of a quantile, of its rank")
          .publishable(),
      field("state", &Row::state,
            "released, public, empty, hidden or unclear; of a plan also noisy")
          .publishable());
}();

/// Two groups that differ in the value of one column.
struct ComparisonReport {
  FigureSubject subject;
  std::string value;   ///< as of the figures
  GroupLabel group;    ///< what both have in common
  std::string column;  ///< that tells them apart
  std::string first;
  std::string second;
  double difference = kNoFigure;  ///< first - second
  Interval interval;
  std::optional<double> ratio;  ///< first / second; empty unless both intervals are above 0
  std::optional<Interval> ratio_interval;
};

template <>
inline constexpr auto fields_of<ComparisonReport> = [] {
  using Row = ComparisonReport;
  return std::tuple(members(&Row::subject, "What is compared"),
                    field("value", &Row::value, "Category").or_nothing(),
                    field("group", &Row::group, "What both have in common"),
                    field("between", &Row::column, "Column that tells them apart"),
                    field("first", &Row::first, "Its value"),
                    field("second", &Row::second, "The other value"),
                    field("difference", &Row::difference, "First minus second"),
                    field("interval", &Row::interval, "95 % interval of noise"),
                    field("ratio", &Row::ratio, "First by second; null unless both are above 0"),
                    field("ratio_interval", &Row::ratio_interval, "95 % interval of noise"));
}();

/// The place of a group among others that differ in the value of one column.
struct RankReport {
  FigureSubject subject;
  std::string value;
  GroupLabel group;    ///< what all have in common
  std::string column;  ///< that tells them apart
  std::string name;    ///< the group's value of it
  int64_t lowest = 1;  ///< 1: the lowest figure
  int64_t highest = 1;
};

template <>
inline constexpr auto fields_of<RankReport> = [] {
  using Row = RankReport;
  return std::tuple(
      members(&Row::subject, "What is ranked"),
      field("value", &Row::value, "Category").or_nothing(),
      field("group", &Row::group, "What all have in common"),
      field("among", &Row::column, "Column that tells them apart"),
      field("name", &Row::name, "The group's value of it"),
      field("lowest_rank", &Row::lowest, "1: the lowest figure"),
      field("highest_rank", &Row::highest, "All ranks hold together in 95 % of releases"));
}();

/// Everything that `equinoise tables` reports. Publishable.
struct TablesReport : ReleaseReport {
  std::string aim;  ///< how the budget was divided
  std::optional<RecordWeights> record_weights;
  std::vector<TableStatisticReport> statistics;
  std::vector<FigureReport> figures;
  std::vector<ComparisonReport> comparisons;
  std::vector<RankReport> ranks;
};

namespace tables_keys {

Deployment deployment(const TablesReport& report);

}  // namespace tables_keys

template <>
inline constexpr auto fields_of<TablesReport> = [] {
  using Report = TablesReport;
  return std::tuple_cat(
      kReleaseFields,
      publishable(
          field("aim", &Report::aim, "How the budget was divided"),
          field("record_weights", &Report::record_weights, "What records count for; null: 1 each"),
          field("statistics", &Report::statistics, "What is released"),
          field("figures", &Report::figures, "Figures of all records, margins and strata")),
      std::tuple(field("comparisons", &Report::comparisons, "Differences between groups"),
                 field("ranks", &Report::ranks, "Places that noise leaves to groups"),
                 computed("deployment", tables_keys::deployment, "Entry for the public registry")),
      kReleaseEndFields);
}();

/// "mean of income", "0.1 quantile of age", "count"
std::string to_text(const FigureSubject& subject);

/// The report of a release: page, screen and card. Publishable.
Document tables_document(const TablesReport& report);

/// The cost of a release, and the noise to expect. Publishable.
Document tables_plan_document(const TablesReport& report);

nlohmann::ordered_json tables_to_json(const TablesReport& report);
nlohmann::ordered_json tables_plan_to_json(const TablesReport& report);

/// The reverse of tables_to_json. Errors: kInput, naming file and member.
TablesReport tables_report_from_json(std::string_view text, std::string_view origin);

/// Figures as CSV (RFC 4180), one line each: a column for each of `by`, then statistic, column,
/// value, estimate, the ends of its 95 % interval, standard deviation of noise, share of the
/// budget.
std::string tables_to_csv(const TablesReport& report);

}  // namespace equinoise
