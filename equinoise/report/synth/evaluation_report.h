// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "equinoise/audit/disparity.h"
#include "equinoise/audit/group_metrics.h"
#include "equinoise/audit/marginal_errors.h"
#include "equinoise/base/method_status.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/report/fields.h"
#include "equinoise/report/page/document.h"
#include "equinoise/report/protection.h"

namespace equinoise {

// The report of `equinoise synth evaluate`. NOT PRIVATE. A figure is NaN where it is undefined, as
// of a group without real records. Errors of marginals are total variation distances, those of
// means are relative.

template <>
inline constexpr auto fields_of<ComparedFigure> =
    std::tuple(field("error", &ComparedFigure::rows, "Error of the synthetic rows")
                   .formerly("population_error"),
               field("bootstrap", &ComparedFigure::bootstrap, "The same of a bootstrap"),
               field("second_half", &ComparedFigure::second_half, "The same of two halves"));

template <>
inline constexpr auto fields_of<MarginalError> =
    std::tuple(field("columns", &MarginalError::columns, "Their names"),
               members(&MarginalError::error, "Error of their marginal"));

template <>
inline constexpr auto fields_of<DegreeError> = std::tuple(
    field("degree", &DegreeError::degree, "Columns of each marginal").formerly("columns"),
    field("marginals", &DegreeError::num_marginals, "Marginals of so many columns"),
    members(&DegreeError::error, "Mean of their errors"));

/// Gives errors that were read a workload, so that there is one.
void complete(MarginalErrors& errors);

/// The mean of a numeric column, or the share of the target's positive class, overall or in a
/// group, over the records that have a value.
struct EvaluatedMean {
  std::string column;
  double real = kNoFigure;
  double synthetic = kNoFigure;
  int64_t num_real = 0;  ///< records with a value
  int64_t num_synthetic = 0;
  ComparedFigure error;  ///< relative to the real mean, or to EvaluatedColumn::scale_floor
};

/// The means of a numeric column, or the shares of the target's class.
struct EvaluatedColumn {
  EvaluatedMean overall;
  double parity_error = kNoFigure;   ///< the mean of the overall error and of the groups'
  double largest_error = kNoFigure;  ///< of a group
  double scale_floor = kNoFigure;    ///< what errors are at least divided by
};

/// A group of real records and of synthetic rows.
struct EvaluatedGroup {
  GroupLabel group;
  int64_t num_real = 0;
  int64_t num_synthetic = 0;
  MarginalErrors errors;
  std::vector<EvaluatedMean> means;  ///< as EvaluatedMeans::columns
  /// Of the share of the target's class, rows - real records, as of two independent samples; the
  /// intervals of all groups at once hold with 95 %. NaN without a class or without either.
  Estimate target_difference = {};
};

/// Errors of marginals in groups (audit/marginal_parity.h).
struct EvaluatedMarginals {
  double parity_error = kNoFigure;
  double largest_error = kNoFigure;
  double largest_difference = kNoFigure;  ///< between two groups
  std::optional<double> printed_parity_error;
};

template <>
inline constexpr auto fields_of<EvaluatedMarginals> = std::tuple(
    field("parity_error", &EvaluatedMarginals::parity_error, "Mean error, overall and of groups"),
    field("largest_error", &EvaluatedMarginals::largest_error, "Largest error of a group"),
    field("largest_difference", &EvaluatedMarginals::largest_difference,
          "Largest difference between two groups"),
    field("printed_parity_error", &EvaluatedMarginals::printed_parity_error,
          "Parity error with the weight omega")
        .or_nothing());

/// Errors of means in groups (audit/means_parity.h).
struct EvaluatedMeans {
  double parity_error = kNoFigure;
  double largest_disparity = kNoFigure;  ///< of a group in a column
  std::string worst_column;              ///< where that is, or ""
  GroupLabel worst_group;
  std::vector<EvaluatedColumn> columns;
  std::optional<double> printed_parity_error;
};

template <>
inline constexpr auto fields_of<EvaluatedMeans> = std::tuple(
    field("parity_error", &EvaluatedMeans::parity_error, "Mean over columns"),
    field("largest_disparity", &EvaluatedMeans::largest_disparity, "Largest error of a group"),
    field("worst_column", &EvaluatedMeans::worst_column, "Column where that is").or_null(),
    field("worst_group", &EvaluatedMeans::worst_group, "Group where that is").or_null(),
    field("columns", &EvaluatedMeans::columns, "Numeric columns, and the target's share"),
    field("printed_parity_error", &EvaluatedMeans::printed_parity_error,
          "Parity error with the weight omega; null where a real mean is 0")
        .or_nothing());

/// Differences of errors between groups.
struct SynthParity {
  std::vector<std::string> by;
  std::vector<EvaluatedGroup> groups;
  std::optional<double> omega;  ///< the overall weight in printed parity errors
  EvaluatedMarginals marginals;
  std::optional<EvaluatedMeans> means;  ///< of numeric columns and of the target, if any
};

template <>
inline constexpr auto fields_of<SynthParity> =
    std::tuple(field("by", &SynthParity::by, "Columns that make the groups"),
               field("groups", &SynthParity::groups, "Groups"),
               field("marginals", &SynthParity::marginals, "Errors of marginals in groups"),
               field("omega", &SynthParity::omega, "Overall weight of printed errors").or_nothing(),
               field("means", &SynthParity::means, "Errors of means in groups").or_nothing());

/// Distances of correlations from those of the real records, overall or in a group: absolute
/// differences, over the pairs of columns where both are defined.
struct EvaluatedCorrelations {
  GroupLabel group;           ///< empty: overall
  int64_t num_pairs = 0;      ///< that are compared
  int64_t num_undefined = 0;  ///< that are constant in the synthetic rows alone
  /// Real records with both numbers: of the pair with the fewest, and of the worst pair.
  std::optional<int64_t> min_records;
  std::optional<int64_t> records_of_worst;
  ComparedFigure mean;
  ComparedFigure largest;
  std::vector<std::string> worst_pair;  ///< two columns, or none
};

/// The correlation of two columns over all records that have both.
struct EvaluatedPair {
  std::vector<std::string> columns;
  double real = kNoFigure;
  double synthetic = kNoFigure;
  int64_t num_real = 0;
  int64_t num_synthetic = 0;
};

template <>
inline constexpr auto fields_of<EvaluatedPair> =
    std::tuple(field("columns", &EvaluatedPair::columns, "Their names"),
               field("real", &EvaluatedPair::real, "Correlation in real records"),
               field("synthetic", &EvaluatedPair::synthetic, "Correlation in synthetic rows"),
               field("real_records", &EvaluatedPair::num_real, "Real records with both"),
               field("synthetic_records", &EvaluatedPair::num_synthetic, "Rows with both"));

/// Correlations of numeric columns.
struct SynthCorrelations {
  std::string kind = "pearson";
  std::vector<std::string> columns;
  EvaluatedCorrelations overall;
  std::vector<EvaluatedPair> pairs;
  std::vector<EvaluatedCorrelations> groups;  ///< as in SynthParity, or none
};

template <>
inline constexpr auto fields_of<SynthCorrelations> =
    std::tuple(field("kind", &SynthCorrelations::kind, "Kind of correlation"),
               field("columns", &SynthCorrelations::columns, "Numeric columns"),
               members(&SynthCorrelations::overall, "Differences over all records"),
               field("of_pairs", &SynthCorrelations::pairs, "Pairs of columns"),
               field("groups", &SynthCorrelations::groups, "Differences in groups").or_nothing());

/// The performance of a model on real records.
struct LearntResult {
  GroupLabel group;  ///< empty: overall
  Metrics metrics;   ///< those of learnt_metrics()
  std::vector<LearntResult> groups = {};
};

/// A classifier or a regression, trained on synthetic rows and tested on real records.
struct SynthLearner {
  std::string target;
  std::string positive;     ///< class that a classifier predicts; "": a regression
  std::string unit;         ///< of a numeric target as cells write it; "": its own
  int64_t num_trained = 0;  ///< synthetic rows
  GroupLabel fills;         ///< features with missing cells, and what these count as
  LearntResult synthetic;
  LearntResult bootstrap;
  LearntResult second_half;

  bool is_classifier() const { return !positive.empty(); }

  /// The name of a class among means: that of its share.
  static std::string share_of(const std::string& target, const std::string& name) {
    return target + "=" + name;
  }

  /// The name of the target's mean, or of the share of its positive class.
  std::string mean_name() const { return is_classifier() ? share_of(target, positive) : target; }

  /// The differences of its groups in a metric.
  Disparity disparity(std::string_view metric) const;
};

/// The distance of synthetic rows from real records.
struct SynthEvaluateReport {
  std::string version;
  std::string real;  ///< name of the table
  std::string synthetic;
  MarginalErrors errors;
  std::string weight_column;  ///< "": none
  bool rows_have_weights = false;
  ProtectedUnit unit;        ///< of the real table, of whose rows those that count are compared
  int64_t num_real = 0;      ///< records, rows also where these are not units
  int64_t num_read = 0;      ///< real records, also those that rules for other cells drop
  int64_t num_complete = 0;  ///< of them, those without a missing cell
  int64_t num_synthetic = 0;
  std::optional<SynthParity> parity;              ///< with groups
  std::optional<SynthCorrelations> correlations;  ///< of two numeric columns or more
  std::optional<SynthLearner> learner;            ///< with a target
  std::vector<std::string> ingest_notes;
  std::string command;
  double seconds = 0;
  std::vector<std::string> files;
};

namespace evaluation_keys {

using Json = nlohmann::ordered_json;
using Section = OrderedJsonSection;
using Scope = FieldScope;
using Report = SynthEvaluateReport;

void write_workload(const MarginalErrors& errors, const Scope& scope, Json& object);
void write_singles(const MarginalErrors& errors, const Scope& scope, Json& object);
void read_singles(const Section& section, const Scope& scope, MarginalErrors& errors);
void write_means(const EvaluatedGroup& group, const Scope& scope, Json& object);
void read_means(const Section& section, const Scope& scope, EvaluatedGroup& group);
void write_differences(const EvaluatedCorrelations& errors, const Scope& scope, Json& object);
void read_differences(const Section& section, const Scope& scope, EvaluatedCorrelations& errors);
void write_metrics(const LearntResult& result, const Scope& scope, Json& object);
void read_metrics(const Section& section, const Scope& scope, LearntResult& result);
void write_target(const SynthLearner& learner, const Scope& scope, Json& object);
void read_target(const Section& section, const Scope& scope, SynthLearner& learner);
void write_disparities(const SynthLearner& learner, const Scope& scope, Json& object);
void write_worst(const Report& report, const Scope& scope, Json& object);
void write_unit(const Report& report, const Scope& scope, Json& object);
void read_unit(const Section& root, const Scope& scope, Report& report);
void write_learner(const Report& report, const Scope& scope, Json& object);
void read_learner(const Section& root, const Scope& scope, Report& report);

}  // namespace evaluation_keys

template <>
inline constexpr auto fields_of<MarginalErrors> = std::tuple(
    Derived<MarginalErrors>{"workload_error, bootstrap, second_half",
                            "Mean over marginals of the degree", evaluation_keys::write_workload},
    field("degrees", &MarginalErrors::degrees, "Means over marginals of so many columns"),
    Derived<MarginalErrors>{"single_columns", "Marginals of one column",
                            evaluation_keys::write_singles, evaluation_keys::read_singles},
    field("largest_errors", &MarginalErrors::largest, "Marginals with the largest errors"));

template <>
inline constexpr auto fields_of<EvaluatedMean> =
    std::tuple(field("column", &EvaluatedMean::column, "Its name"),
               field("real_mean", &EvaluatedMean::real, "Mean of real records"),
               field("synthetic_mean", &EvaluatedMean::synthetic, "Mean of synthetic rows"),
               field("real_values", &EvaluatedMean::num_real, "Real records with a value"),
               field("synthetic_values", &EvaluatedMean::num_synthetic, "Rows with a value"),
               members(&EvaluatedMean::error, "Relative error of the mean"));

template <>
inline constexpr auto fields_of<EvaluatedColumn> = std::tuple(
    members(&EvaluatedColumn::overall, "Mean over all groups"),
    field("parity_error", &EvaluatedColumn::parity_error, "Mean error, overall and of groups"),
    field("largest_error", &EvaluatedColumn::largest_error, "Largest error of a group"),
    field("scale_floor", &EvaluatedColumn::scale_floor, "What errors are at least divided by"));

template <>
inline constexpr auto fields_of<EvaluatedCorrelations> = [] {
  using Owner = EvaluatedCorrelations;
  return std::tuple(
      field("group", &Owner::group, "Its values by column").or_nothing(),
      field("pairs", &Owner::num_pairs, "Pairs of columns that are compared"),
      field("pairs_constant_in_rows", &Owner::num_undefined, "Pairs constant in rows alone"),
      field("fewest_real_records", &Owner::min_records, "Records of the pair with fewest"),
      field("real_records_of_worst_pair", &Owner::records_of_worst, "Records of the worst pair"),
      Derived<Owner>{"mean_difference, largest_difference, bootstrap, second_half",
                     "Mean and largest differences, also of yardsticks",
                     evaluation_keys::write_differences, evaluation_keys::read_differences},
      field("worst_pair", &Owner::worst_pair, "Pair with the largest difference").or_null());
}();

template <>
inline constexpr auto fields_of<EvaluatedGroup> = std::tuple(
    field("group", &EvaluatedGroup::group, "Its values by column"),
    field("real_records", &EvaluatedGroup::num_real, "Real records"),
    field("synthetic_records", &EvaluatedGroup::num_synthetic, "Synthetic rows"),
    members(&EvaluatedGroup::errors, "Errors of marginals"),
    Derived<EvaluatedGroup>{"real_means?, synthetic_means?, real_values?, synthetic_values?, "
                            "mean_errors?, mean_errors_of_bootstrap?, "
                            "mean_errors_of_second_half?",
                            "Means of numeric columns, and the target's share",
                            evaluation_keys::write_means, evaluation_keys::read_means},
    field("target_difference", &EvaluatedGroup::target_difference,
          "Share of the target's class, rows - real; interval for all groups at once")
        .or_null());

template <>
inline constexpr auto fields_of<LearntResult> =
    std::tuple(field("group", &LearntResult::group, "Its values by column").or_nothing(),
               Derived<LearntResult>{"records?, units?, positives?, positive_rows?, accuracy?, "
                                     "accuracy_interval?, selection_rate?, "
                                     "selection_rate_interval?, false_negative_rate?, "
                                     "false_negative_rate_interval?, rmse?, rmse_interval?, "
                                     "mean_error?, mean_error_interval?, r_squared?, "
                                     "r_squared_interval?",
                                     "Real records or units, and figures of the model",
                                     evaluation_keys::write_metrics, evaluation_keys::read_metrics},
               field("groups", &LearntResult::groups, "The same of groups").or_nothing());

template <>
inline constexpr auto fields_of<SynthLearner> = std::tuple(
    field("target", &SynthLearner::target, "Column that is predicted"),
    Derived<SynthLearner>{"positive?, unit?", "Its positive class, or the unit of its numbers",
                          evaluation_keys::write_target, evaluation_keys::read_target},
    field("trained_on", &SynthLearner::num_trained, "Synthetic rows with a target"),
    field("missing_features_count_as", &SynthLearner::fills, "What missing features count as"),
    members(&SynthLearner::synthetic, "Trained on synthetic rows, tested on real records"),
    field("bootstrap", &SynthLearner::bootstrap, "Trained on a bootstrap of the real records"),
    field("second_half", &SynthLearner::second_half, "Trained on one half, tested on the other"),
    Derived<SynthLearner>{"demographic_parity_difference?, demographic_parity_ratio?, "
                          "false_negative_rate_difference?, false_negative_rate_left_out?",
                          "How a classifier treats groups", evaluation_keys::write_disparities});

template <>
inline constexpr auto fields_of<SynthEvaluateReport> = [] {
  using Report = SynthEvaluateReport;
  using Keys = Derived<Report>;
  namespace keys = evaluation_keys;
  return std::tuple(
      computed(
          "status", +[](const Report&) { return PrivacyStatus::kNotPrivate; }, "Never private"),
      field("version", &Report::version, "Version of the program"),
      field("real", &Report::real, "Table of real records"),
      field("synthetic", &Report::synthetic, "Table of synthetic rows"),
      members(&Report::errors, "Errors of marginals of all records"),
      Keys{"bootstrap_draws, marginals, degree, worst, worst_error",
           "Columns of marginals, draws of a bootstrap, worst marginal", keys::write_worst},
      field("weights", &Report::weight_column, "Column by which records count").or_null(),
      field("synthetic_rows_have_weights", &Report::rows_have_weights,
            "Whether synthetic rows have that column")
          .or_nothing(),
      Keys{"unit, max_records_per_unit?", "What is drawn as one, and how many of its rows count",
           keys::write_unit, keys::read_unit},
      field("real_records", &Report::num_real, "Real records that are compared"),
      field("read_real_records", &Report::num_read, "Real records that were read"),
      field("complete_real_records", &Report::num_complete, "Of these, without a missing cell"),
      field("synthetic_records", &Report::num_synthetic, "Synthetic rows"),
      field("parity", &Report::parity, "Groups").or_nothing(),
      field("correlations", &Report::correlations, "Pairs of numeric columns").or_nothing(),
      Keys{"classifier?, regression?", "What a classifier or a regression learns",
           keys::write_learner, keys::read_learner},
      field("ingest", &Report::ingest_notes, "What the schema's rules did to records")
          .formerly("not_private_ingest"),
      field("command", &Report::command, "Command that was run"),
      field("seconds", &Report::seconds, "Time"),
      field("files", &Report::files, "Files that were written"));
}();

/// The report of `equinoise synth evaluate`: page and screen. CONTAINS NON-PRIVATE STATISTICS.
Document evaluation_document(const SynthEvaluateReport& report);

/// The answer of `equinoise synth evaluate` and its report.json: CONTAINS NON-PRIVATE STATISTICS.
nlohmann::ordered_json evaluation_to_json(const SynthEvaluateReport& report);

/// The reverse. `origin`: the file's name. Errors: kInput that names it and the member.
SynthEvaluateReport evaluation_from_json(std::string_view text, std::string_view origin);

}  // namespace equinoise
