// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "equinoise/report/alarms.h"
#include "equinoise/report/audit/audit_report.h"
#include "equinoise/report/group_json.h"

namespace equinoise {

template <>
inline constexpr auto fields_of<RocPoint> =
    std::tuple(field("threshold", &RocPoint::threshold, "Scores from it on are predicted positive"),
               field("false_positive_rate", &RocPoint::false_positive_rate, "Of the negative"),
               field("true_positive_rate", &RocPoint::true_positive_rate, "Of the positive"));

template <>
inline constexpr auto fields_of<CalibrationBin> = std::tuple(
    field("low", &CalibrationBin::low, "Predicted probabilities from here"),
    field("high", &CalibrationBin::high, "to below here"),
    field("num_records", &CalibrationBin::num_records, "Records that have such"),
    field("mean_probability", &CalibrationBin::mean_probability, "Mean of the probabilities"),
    field("share", &CalibrationBin::share, "Share of the positive"));

template <>
inline constexpr auto fields_of<ScoreCurves> = std::tuple(
    field("roc", &ScoreCurves::roc, "Rates by threshold, from the highest down"),
    field("calibration", &ScoreCurves::calibration, "Outcomes by predicted probability"));

template <>
inline constexpr auto fields_of<LoggedPredictions> = std::tuple(
    field("prediction", &LoggedPredictions::prediction, "Column with classes or numbers").or_null(),
    field("probability", &LoggedPredictions::probability, "Column, of the positive class")
        .or_null(),
    field("probabilities", &LoggedPredictions::probabilities, "Columns, of each class"),
    field("score", &LoggedPredictions::score, "Column; the higher, the more positive").or_null(),
    field("threshold", &LoggedPredictions::threshold, "From it on a record is predicted positive"),
    field("classes_are_learnt", &LoggedPredictions::classes_are_learnt,
          "Whether classes and groups are those of the table, without a schema"));

template <>
inline constexpr auto fields_of<AuditWeights> = std::tuple(field("weights", &AuditWeights::column,
                                                                 "Column of survey weights"));

/// Parts of the document of an audit.
namespace audit_keys {

/// Figures of one class of several.
struct ClassFigures {
  std::string name;
  int64_t num_records = 0;
  std::optional<int64_t> num_of_class;
  ClassMetrics metrics;
  std::optional<ScoreCurves> curves;
};

/// Figures of a group, or of all records.
struct Figures {
  GroupLabel group;
  Metrics metrics;
  std::optional<double> weight;
  std::optional<double> effective_records;
  std::vector<ClassFigures> classes;
  std::optional<Cost> cost;
  std::optional<ScoreCurves> curves;
  std::optional<Guarantee> privacy;
};

struct ReferenceFigures {
  GroupLabel group;
  Metrics metrics;
};

struct Reference {
  std::string model_path;
  std::optional<ReferenceFigures> overall;
  std::vector<ReferenceFigures> groups;
};

struct NamedDisparity {
  std::vector<std::string> columns;
  Disparity disparity;
  std::string of_class;
  GroupExtremes groups;
};

/// Rates of a group, or of all records, by noisy counts.
struct ReleasedRates {
  GroupLabel group;
  Metrics metrics;
};

/// An audit whose figures are a release.
struct ReleasedAudit : AuditRelease {
  const AuditReport* figures = nullptr;
};

using Constraint = std::variant<AuditLimit, ConstraintReport>;

std::vector<std::string> privacy_in_words(const AuditReport& report);
Figures overall(const AuditReport& report);
std::vector<Figures> groups(const AuditReport& report);
std::vector<NamedDisparity> disparities(const AuditReport& report);
std::vector<CostGapRow> cost_gaps(const AuditReport& report);
std::vector<nlohmann::ordered_json> explanations(const AuditReport& report);
std::optional<Reference> reference(const AuditReport& report);
std::vector<Constraint> constraints(const AuditReport& report);
std::string name_of(const AuditLimit& limit);

ReleasedRates released_overall(const ReleasedAudit& audit);
std::vector<ReleasedRates> released_groups(const ReleasedAudit& audit);

}  // namespace audit_keys

template <>
inline constexpr auto fields_of<audit_keys::ClassFigures> = [] {
  using Row = audit_keys::ClassFigures;
  return std::tuple(field("class", &Row::name, "Class, against the rest"),
                    field("num_records", &Row::num_records, "Judged records"),
                    field("num_of_class", &Row::num_of_class, "Those that are of it"),
                    members(&Row::metrics, "Rates of the class"),
                    members(&Row::curves, "Curves by its probability"));
}();

template <>
inline constexpr auto fields_of<audit_keys::Figures> = [] {
  using Row = audit_keys::Figures;
  return std::tuple(
      field("group", &Row::group, "Its values by column; absent: overall").or_nothing(),
      members(&Row::metrics, "Figures of its records"),
      field("weight", &Row::weight, "What records weigh, in units of the column").or_nothing(),
      field("effective_records", &Row::effective_records, "So many of equal weight are as certain")
          .or_nothing(),
      field("per_class", &Row::classes, "Figures of each of several classes").or_nothing(),
      members(&Row::cost, "What is lost against the reference"),
      members(&Row::curves, "Curves of two classes"),
      field("privacy", &Row::privacy, "Guarantee of the model"));
}();

template <>
inline constexpr auto fields_of<audit_keys::ReferenceFigures> = std::tuple(
    field("group", &audit_keys::ReferenceFigures::group, "Its values by column").or_nothing(),
    members(&audit_keys::ReferenceFigures::metrics, "Figures of its records"));

template <>
inline constexpr auto fields_of<audit_keys::Reference> = [] {
  using Row = audit_keys::Reference;
  return std::tuple(field("model_path", &Row::model_path, "Folder of the model"),
                    field("overall", &Row::overall, "Its figures of all records").or_nothing(),
                    field("groups", &Row::groups, "The same by group"));
}();

template <>
inline constexpr auto fields_of<Disparity> =
    std::tuple(field("metric", &Disparity::metric, "Figure that is compared"),
               field("difference_between_groups", &Disparity::difference_between_groups,
                     "Highest less lowest"),
               field("difference_to_overall", &Disparity::difference_to_overall,
                     "Largest of a group and all records"),
               field("ratio_between_groups", &Disparity::ratio_between_groups, "Lowest by highest"),
               field("ratio_to_overall", &Disparity::ratio_to_overall,
                     "Least of a group and all records, at most 1"));

template <>
inline constexpr auto fields_of<audit_keys::NamedDisparity> = [] {
  using Row = audit_keys::NamedDisparity;
  return std::tuple(field("columns", &Row::columns, "Columns of the grouping"),
                    field("class", &Row::of_class, "Class of several").or_nothing(),
                    members(&Row::disparity, "How far groups are apart"),
                    members(&Row::groups, "Groups at both ends"));
}();

template <>
inline constexpr auto fields_of<AuditLimit> = [] {
  using Limit = AuditLimit;
  using Bound = std::optional<double>;
  return std::tuple(
      computed("name", audit_keys::name_of, "Limit in words"),
      field("metric", &Limit::metric, "Figure that is limited"),
      field("class", &Limit::of_class, "Class that the rate is of").or_nothing(),
      field("columns", &Limit::columns, "Columns of the grouping"),
      computed(
          "slack",
          +[](const Limit& limit) { return limit.is_ratio ? Bound() : Bound(limit.limit); },
          "Largest difference allowed")
          .or_nothing(),
      computed(
          "min_ratio",
          +[](const Limit& limit) { return limit.is_ratio ? Bound(limit.limit) : Bound(); },
          "Smallest ratio allowed")
          .or_nothing(),
      computed(
          "value",
          +[](const Limit& limit) {
            return Estimate{limit.check.value, limit.check.interval};
          },
          "Largest difference or smallest ratio of two groups"),
      computed(
          "verdict", +[](const Limit& limit) { return to_string(limit.check.verdict); },
          "Holds, fails, unclear or not answerable"),
      computed(
          "holds", +[](const Limit& limit) { return holds_of(limit.check.verdict); },
          "Null where that is unclear or not answerable"),
      members(&Limit::groups, "Groups at both ends"));
}();

template <>
inline constexpr auto fields_of<AuditReport> = [] {
  using Report = AuditReport;
  namespace keys = audit_keys;
  return std::tuple(
      field("version", &Report::version, "Version of the program"),
      field("dataset", &Report::dataset, "Name of the table in the schema"),
      field("model", &Report::model, "Kind of model; null: logged predictions").or_null(),
      field("model_path", &Report::model_path, "Its folder").or_null(),
      field("method", &Report::method, "Method that trained it").or_null(),
      computed(
          "status",
          +[](const Report& report) {
            return report.logged ? std::nullopt : std::optional(report.status);
          },
          "Whether a guarantee holds; null: nothing is known"),
      field("predictions", &Report::logged, "Logged predictions in place of a model").or_nothing(),
      computed<Report>("alarms", alarms_of, "What must be read first"),
      field("privacy", &Report::privacy, "Guarantee of the model"),
      computed("privacy_in_words", keys::privacy_in_words, "Whom it protects, and against what"),
      computed("attack_bounds", attack_of<Report>, "What an attacker can do at most"),
      field("target", &Report::target, "Column with the outcomes"),
      field("classes", &Report::classes, "Empty for a number"),
      field("favourable", &Report::favourable, "Class that is good for a person").or_null(),
      field("data", &Report::data_path, "Table that was audited"),
      field("held_out_only", &Report::held_out_only, "Only what the model's split held out"),
      members(&Report::unit, "What counts once"), members(&Report::weights, "Survey weights"),
      computed("overall", keys::overall, "Figures of all records"),
      computed("groups", keys::groups, "The same by group"),
      computed("disparities", keys::disparities, "How far groups are apart"),
      computed("cost_gaps", keys::cost_gaps, "How unequally groups lose to the reference"),
      computed("explanations", keys::explanations, "Why groups lose"),
      computed("reference", keys::reference, "Model that is compared with"),
      computed("constraints", keys::constraints, "Limits on differences, and constraints"),
      field("ratios", &Report::ratios, "Limits on ratios").or_nothing(),
      field("ingest", &Report::ingest_notes, "What the schema's rules did to records"),
      field("warnings", &Report::warnings, "What needs attention"),
      field("command", &Report::command, "Command that was run"),
      field("seconds", &Report::seconds, "Time of the audit"),
      field("files", &Report::files, "Files that were written"));
}();

template <>
inline constexpr auto fields_of<audit_keys::ReleasedRates> = [] {
  using Rates = audit_keys::ReleasedRates;
  const auto rate = [](auto name, auto read, auto meaning) {
    return computed(name, read, meaning);
  };
  return std::tuple(
      field("group", &Rates::group, "Its values by column; absent: overall").or_nothing(),
      rate(
          "accuracy", +[](const Rates& of) { return of.metrics.accuracy; }, "Predicted right"),
      rate(
          "selection_rate", +[](const Rates& of) { return of.metrics.selection_rate; },
          "Predicted positive, the second of two classes"),
      rate(
          "true_positive_rate", +[](const Rates& of) { return of.metrics.true_positive_rate; },
          "Predicted positive among the positive"),
      rate(
          "false_positive_rate", +[](const Rates& of) { return of.metrics.false_positive_rate; },
          "Predicted positive among the negative"),
      rate(
          "false_negative_rate", +[](const Rates& of) { return of.metrics.false_negative_rate; },
          "Predicted negative among the positive"),
      rate(
          "precision", +[](const Rates& of) { return of.metrics.precision; },
          "Positive among the predicted positive"));
}();

template <>
inline constexpr auto fields_of<audit_keys::ReleasedAudit> = [] {
  using Audit = audit_keys::ReleasedAudit;
  namespace keys = audit_keys;
  return std::tuple_cat(
      publishable(
          field("version", &Audit::version, "Version of the program"),
          field("dataset", &Audit::dataset, "Name under which the ledger keeps the account"),
          field("status", &Audit::status, "Whether a guarantee holds"),
          field("rho", &Audit::rho, "Zero-concentrated DP that a record pays"),
          field("privacy", &Audit::privacy, "Guarantee of the audit; null: none"),
          field("privacy_in_words", &Audit::in_words, "What it protects"),
          computed("attack_bounds", attack_of<Audit>, "What the guarantee means"),
          field("events", &Audit::events, "What was paid for"),
          field("noise_stddev", &Audit::noise_stddev, "Of each count, by histogram"),
          computed(
              "method", +[](const Audit& audit) { return audit.figures->method; },
              "Method that trained the model; null: logged predictions")
              .or_null(),
          computed(
              "target", +[](const Audit& audit) { return audit.figures->target; },
              "Column with the outcomes"),
          computed(
              "classes", +[](const Audit& audit) { return audit.figures->classes; }, "Its classes"),
          computed(
              "held_out_only", +[](const Audit& audit) { return audit.figures->held_out_only; },
              "Only what the model's split held out")),
      std::tuple(computed("overall", keys::released_overall, "Rates of all records"),
                 computed("groups", keys::released_groups, "The same by group"),
                 computed(
                     "constraints", +[](const Audit& audit) { return audit.figures->thresholds; },
                     "Limits on differences"),
                 computed(
                     "ratios", +[](const Audit& audit) { return audit.figures->ratios; },
                     "Limits on ratios")),
      kReleaseEndFields);
}();

}  // namespace equinoise
