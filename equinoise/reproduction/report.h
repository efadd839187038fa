// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "equinoise/base/enum_words.h"
#include "equinoise/base/method_status.h"
#include "equinoise/report/fields.h"
#include "equinoise/report/page/fence.h"

namespace equinoise {

/// The comparison of our figure with a published one.
enum class Verdict {
  kReproduces,
  kDiffers,
  kNoPublishedNumber,
  kNotJudged,  ///< it was run in another form than the item, or with too few seeds
  kSkipped,    ///< it was not run
};

inline constexpr EnumWords<Verdict, 5> kVerdicts = {
    {{Verdict::kReproduces, "reproduces"},
     {Verdict::kDiffers, "differs"},
     {Verdict::kNoPublishedNumber, "no published number"},
     {Verdict::kNotJudged, "not judged"},
     {Verdict::kSkipped, "skipped"}}};
template <>
inline constexpr auto words_for<Verdict> = kVerdicts;
constexpr std::string_view to_string(Verdict verdict) { return word_of(kVerdicts, verdict); }

/// A printed figure: "69.9 +- 0.4", or a bound, "<= 0.05".
struct PrintedValue {
  enum class Kind { kFigure, kAtMost, kAtLeast };
  double mean = 0;
  double standard_error = 0;  ///< 0 if none is printed or known
  int decimals = 0;           ///< of the mean
  std::string text;
  Kind kind = Kind::kFigure;
  int64_t num_runs = 0;  ///< the number of runs that it averages; 0 if unknown
};

/// One figure of a table. Values that do not exist are NaN.
struct ReproductionRow {
  std::string method;
  std::string metric;  ///< "accuracy M"
  std::string unit;    ///< "%", or ""
  std::optional<PrintedValue> published;
  std::optional<PrintedValue> target;  ///< of another implementation
  double ours = std::numeric_limits<double>::quiet_NaN();
  double standard_error = std::numeric_limits<double>::quiet_NaN();
  int64_t num_seeds = 0;
  Verdict verdict = Verdict::kSkipped;
  std::string reason;
  std::optional<bool> meets_target = {};  ///< none if it was not compared

  std::string name() const { return method + " " + metric; }
};

/// A claim that one method does better than another one, tested on pairs with the same seed.
struct ReproductionTest {
  std::string better;
  std::string than;
  std::string metric;
  bool claimed = false;  ///< the paper states that the difference is significant
  double p_value = std::numeric_limits<double>::quiet_NaN();
  int64_t num_seeds = 0;
  Verdict verdict = Verdict::kSkipped;
  std::string reason;

  std::string name() const { return better + " better than " + than + ", " + metric; }
};

/// The position of a run that follows no parameter.
inline constexpr double kUnconstrained = -1;

/// Values of a run in an epoch or at a step, one for each column.
struct ReproductionPoint {
  double position = 0;  ///< the epoch from 1, the step from 0, or the value of a parameter,
                        ///< or kUnconstrained
  std::vector<double> values;
};

struct ReproductionCurve {
  std::string method;
  uint64_t seed = 0;
  std::vector<ReproductionPoint> points;
};

/// A chart of the means over seeds. It shows one metric, or the parameter, against another one,
/// with a line for each method. If a value is drawn against the slack that bounds it, it also shows
/// the slack. Or it is a heat map of a metric of each method with each.
struct ReproductionChart {
  std::string title;
  std::string across;
  std::string up;
  std::vector<std::string> methods;
  std::string prefix = {};  ///< of their names in rows and curves: "heart: "
  std::string matrix = {};  ///< the metric, "correlation with {}"; "": lines are drawn

  /// Returns whether the slack on the x axis bounds `up`.
  bool has_slack() const { return across == "slack" && up.ends_with("value"); }
};

/// The results of `equinoise reproduce`. NOT PRIVATE.
struct ReproductionReport {
  std::string paper;
  std::string item;
  std::string summary;
  bool is_drawn = false;  ///< its records are drawn and belong to nobody
  std::vector<std::string> groups;
  std::vector<ReproductionRow> rows;  ///< method after method
  std::vector<ReproductionTest> tests;
  std::string position;              ///< "epoch", "step" or a parameter
  std::vector<std::string> columns;  ///< of the curves: "direction risk M"
  std::vector<ReproductionCurve> curves;
  std::vector<ReproductionChart> charts;  ///< of the curves; empty: each two columns by position
  std::vector<std::string> notes;         ///< on the procedure, and the rule of the verdicts
  double seconds = 0;
  std::string command;
  std::string version;
  std::vector<std::string> files;
};

/// The JSON of a printed figure: a value under `name`, its standard error and its sign as a bound.
template <std::optional<PrintedValue> ReproductionRow::*member>
constexpr auto printed_fields(std::string_view name, std::string_view error_name,
                              std::string_view bound_name, std::string_view meaning) {
  return std::tuple(
      computed(
          name,
          +[](const ReproductionRow& row) { return row.*member ? (row.*member)->mean : kNoFigure; },
          meaning),
      computed(
          error_name,
          +[](const ReproductionRow& row) {
            const auto& value = row.*member;
            return value && value->standard_error > 0 ? value->standard_error : kNoFigure;
          },
          "Its standard error"),
      computed(
          bound_name,
          +[](const ReproductionRow& row) -> std::optional<std::string> {
            const auto& value = row.*member;
            if (!value || value->kind == PrintedValue::Kind::kFigure) return std::nullopt;
            return value->kind == PrintedValue::Kind::kAtMost ? "<=" : ">=";
          },
          "Whether it is a bound"));
}
template <>
inline constexpr auto fields_of<ReproductionRow> = [] {
  using Row = ReproductionRow;
  return std::tuple_cat(
      std::tuple(computed(
                     "name", +[](const Row& row) { return row.name(); }, "Method and metric"),
                 field("method", &Row::method, "Method"), field("metric", &Row::metric, "Figure"),
                 field("unit", &Row::unit, "Unit of the figure, or \"\"")),
      printed_fields<&Row::published>("published", "published_se", "published_bound",
                                      "Figure of the paper"),
      printed_fields<&Row::target>("target", "target_se", "target_bound",
                                   "Figure of another implementation"),
      std::tuple(field("meets_target", &Row::meets_target, "Null: not compared"),
                 field("ours", &Row::ours, "Mean over seeds"),
                 field("se", &Row::standard_error, "Its standard error"),
                 field("seeds", &Row::num_seeds, "Number of seeds"),
                 field("verdict", &Row::verdict, "Comparison with the published figure"),
                 field("reason", &Row::reason, "Why it differs")));
}();
template <>
inline constexpr auto fields_of<ReproductionTest> = [] {
  using Test = ReproductionTest;
  return std::tuple(
      computed(
          "name", +[](const Test& test) { return test.name(); }, "Claim"),
      field("better", &Test::better, "Method that is claimed to be better"),
      field("than", &Test::than, "The other method"), field("metric", &Test::metric, "Figure"),
      computed(
          "published",
          +[](const Test& test) { return test.claimed ? "significant" : "comparable"; },
          "Claim of the paper"),
      field("p", &Test::p_value, "Of a one-sided test on pairs with the same seed"),
      field("seeds", &Test::num_seeds, "Number of seeds"),
      field("verdict", &Test::verdict, "Comparison with the claim"),
      field("reason", &Test::reason, "Why it differs"));
}();
template <>
inline constexpr auto fields_of<ReproductionReport> = [] {
  using Report = ReproductionReport;
  return std::tuple(
      computed(
          "notice",
          +[](const Report& report) {
            return report.is_drawn
                       ? std::string()
                       : std::string(kDoNotPublish) + "figures of records under known seeds";
          },
          "What may not be done with it")
          .or_nothing(),
      field("paper", &Report::paper, "Number of the paper"),
      field("item", &Report::item, "Table, figure or claim"),
      field("summary", &Report::summary, "What it compares"),
      computed(
          "status", +[](const Report&) { return PrivacyStatus::kInsecureRng; }, "Seeds are known"),
      field("rows", &Report::rows, "Figures"),
      field("tests", &Report::tests, "Claims that one method is better"),
      field("notes", &Report::notes, "Procedure, and the rule of the verdicts"),
      field("seconds", &Report::seconds, "Time"),
      field("files", &Report::files, "Files that were written"));
}();

}  // namespace equinoise
