// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/audit/disparity.h"
#include "equinoise/audit/excessive_risk.h"
#include "equinoise/audit/group_limit.h"
#include "equinoise/audit/group_metrics.h"
#include "equinoise/audit/score_curves.h"
#include "equinoise/base/method_status.h"
#include "equinoise/privacy/guarantee.h"
#include "equinoise/report/constraint_report.h"
#include "equinoise/report/group_extremes.h"
#include "equinoise/report/page/document.h"
#include "equinoise/report/protection.h"
#include "equinoise/report/release_report.h"

namespace equinoise {

/// The step of training that an audit explains: from the model's parameters, along the mean
/// gradient of all evaluated records, with the clip policy and the noise of the model's training.
struct ExplainedStep {
  double learning_rate = 0;
  std::string clip;         ///< "gradients clipped as by dpsgd, max_grad_norm 0.5"
  double noise_stddev = 0;  ///< on each entry of the mean gradient
};

/// The figures of a group, or of all records.
struct AuditedRecords {
  Metrics metrics;
  std::optional<Metrics> reference;
  std::optional<Cost> cost;               ///< against the reference
  std::optional<ScoreCurves> curves;      ///< for two classes
  std::vector<ScoreCurves> class_curves;  ///< (num_classes) for several classes, or empty
};

/// One grouping of an audit.
struct AuditGrouping {
  std::vector<std::string> columns;
  std::vector<GroupLabel> groups;       ///< (num_groups)
  std::vector<AuditedRecords> figures;  ///< (num_groups)
  std::vector<Disparity> disparities;   ///< between these groups
  /// (num_classes) the same for the rates of each of several classes, or empty.
  std::vector<std::vector<Disparity>> class_disparities = {};
  std::optional<ExcessiveRisk> risk;  ///< for the explained step
  ExplainedStep explained;

  std::vector<Metrics> metrics() const {
    std::vector<Metrics> all;
    for (const AuditedRecords& group : figures) all.push_back(group.metrics);
    return all;
  }
};

/// A limit on the difference or the ratio of groups in one figure.
struct AuditLimit {
  bool is_ratio = false;
  std::string metric;
  std::string of_class;  ///< the class of a rate: one of several, or the favourable one; or ""
  std::vector<std::string> columns;  ///< of the grouping
  double limit = 0;                  ///< the largest difference, or the smallest ratio
  GroupCheck check;
  GroupExtremes groups = {};
};

/// Predictions from any source in the audited table. A column is "" if there is none.
struct LoggedPredictions {
  std::string prediction;                  ///< a class, or a number
  std::string probability;                 ///< of the positive class
  std::vector<std::string> probabilities;  ///< (num_classes) of each class
  std::string score;                       ///< larger means more positive
  /// Least probability or score at which a record is predicted positive.
  std::optional<double> threshold;
  bool classes_are_learnt = false;  ///< no schema: classes and groups are derived from the table

  bool has_probabilities() const { return !probability.empty() || !probabilities.empty(); }
};

/// The survey weights of the audited records.
struct AuditWeights {
  std::string column;
  double unit = 0;  ///< the weight in the column that is 1 in Metrics; 0: all weights are 0
};

/// The release behind an audit that may be published: its figures are from noisy counts.
struct AuditRelease : ReleaseReport {
  bool is_plan = false;                              ///< nothing was released
  std::vector<double> noise_stddev;                  ///< of each count, for each histogram
  std::vector<std::vector<std::string>> counted_by;  ///< (histograms) its columns
};

/// Everything that `audit` reports. Not private, unless it is a release.
struct AuditReport {
  std::optional<AuditRelease> release = {};  ///< of --private: what is not released is undefined
  std::string version;
  std::string dataset;  ///< of the model's schema
  /// Set if the evaluated predictions are those of the table. There is then no model, and its
  /// guarantee is unknown.
  std::optional<LoggedPredictions> logged;
  std::string model_path;
  std::string model;  ///< "logistic"
  std::string method;
  PrivacyStatus status = PrivacyStatus::kNotPrivate;  ///< of the model
  std::optional<Guarantee> privacy;                   ///< of the model
  std::optional<Protection> protection;  ///< by its guarantee; empty: nothing is protected
  ProtectedUnit unit;                    ///< of the audited table; each unit counts once
  std::string target;
  std::vector<std::string> classes;  ///< empty for a numeric target
  std::string favourable;            ///< the class that is good for a person; "": unknown
  std::string data_path;
  bool held_out_only = false;           ///< only the records that the model's own split held out
  std::optional<AuditWeights> weights;  ///< for all figures; counts are of records
  std::optional<std::string> reference_path;
  AuditedRecords overall;
  std::vector<AuditGrouping> groupings;
  std::vector<AuditLimit> thresholds;  ///< on differences
  std::vector<AuditLimit> ratios;
  std::vector<ConstraintReport> constraints;
  std::vector<std::string> ingest_notes;
  std::vector<std::string> warnings;
  std::string command;
  double seconds = 0;
  std::vector<std::string> files;
};

/// The report of an audit: page and screen. CONTAINS NON-PRIVATE STATISTICS.
Document audit_document(const AuditReport& report);

/// The output of `equinoise audit` and its report.json: CONTAINS NON-PRIVATE STATISTICS.
nlohmann::ordered_json audit_to_json(const AuditReport& report);

/// Caveats that make these figures unreliable, in sentences; often none.
std::vector<std::string> explained_caveats(const AuditGrouping& grouping);

/// "accuracy", "selection rate (share of income = >50K)": the figure of a limit. A selection rate
/// always names its class: with two classes the favourable one, if known, else the positive one.
std::string figure_of(const AuditReport& report, const AuditLimit& limit);

/// The text of an audit of logged predictions instead of a guarantee.
inline constexpr std::string_view kNoGuaranteeKnown =
    "These are exact figures of the table and not private. How the predictions were made is not "
    "known here, so no guarantee is stated for whoever made them.";

}  // namespace equinoise
