// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/base/progress.h"
#include "equinoise/data/table_source.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/privacy/delta.h"
#include "equinoise/tasks/audit/audit_limits.h"
#include "equinoise/tasks/input/shared_options.h"

namespace equinoise {

/// The kind of prediction: a class for a categorical target, a number for a numeric one.
enum class LoggedTarget { kClass, kNumber };

/// The request of `equinoise audit`: of a model or, with a table of predictions, of these.
struct AuditRequest : AuditLimits {
  TableOptions table;                               ///< the layout of the table
  std::vector<std::vector<std::string>> groupings;  ///< each: the columns of one grouping
  GroupFloor floor;
  std::string weight_column;          ///< column of records' weights; "": 1 each
  std::filesystem::path schema_path;  ///< another schema than the model's; of predictions their
                                      ///< target and groups, empty: derived from the table
  std::string favourable;             ///< the class that is good for a person; "": the schema's
  std::vector<std::string>
      constraints;  ///< to check, one line each, in addition to those of training
  std::filesystem::path constraints_path;  ///< more of them in a file; empty: none
  std::filesystem::path out_path;          ///< folder for the report; empty: write nothing
  bool force = false;
  bool strict = false;   ///< the tool fails unless all limits hold
  bool verbose = false;  ///< the tool prints everything on the page
  std::string command;   ///< the command that repeats the audit

  // Members for an audit by noisy counts, which may be published.
  bool is_private = false;
  std::optional<double> epsilon;
  double delta = kDefaultDelta;
  std::string ledger_path = "equinoise.ledger";
  std::string ledger_key;
  bool dry_run = false;
  std::optional<uint64_t> insecure_seed;
  int threads = 1;  ///< for predictions and explanations

  // Members for the audit of a model.
  std::filesystem::path model_path;  ///< model.json or its folder
  TableSource data;
  std::filesystem::path labels_path;     ///< for a table of images; see TableFiles
  bool held_out_only = false;            ///< only the records that the model's own split held out
  std::filesystem::path reference_path;  ///< another model to compare with; empty: none
  bool explain = false;                  ///< also explain why groups lose, see ExcessiveRisk
  size_t explain_directions = 100;       ///< for the estimates of traces

  // Members for the audit of predictions from any source, and the meaning of their columns.
  TableSource predictions;  ///< empty: a model is audited
  std::string target;       ///< "": the schema's
  std::string prediction;   ///< a class or a number; "" with a score: by the threshold
  std::string probability;  ///< of the positive class; "": none
  std::string score;        ///< instead of probabilities; "": none
  /// The columns with a probability of each class, see ProbabilityColumns. Empty: for several
  /// classes those of `equinoise predict`, if the table has them.
  std::vector<std::string> probabilities;
  std::optional<double> threshold;  ///< of probabilities, default 0.5, or of scores
  std::string positive;             ///< for two classes; "": the schema's, or true of a truth pair
  std::optional<LoggedTarget> target_kind;  ///< only without a schema; empty: classes

  /// The column of scores or of probabilities of the positive class; "": none.
  const std::string& scores() const { return probability.empty() ? score : probability; }
  bool has_constraints() const { return !constraints.empty() || !constraints_path.empty(); }
};

/// Options of --predictions.
inline RequestOptions prediction_options(AuditRequest& request) {
  using Option = RequestOption;
  static constexpr EnumWords<LoggedTarget, 2> kTargets = {
      {{LoggedTarget::kClass, "class"}, {LoggedTarget::kNumber, "number"}}};
  RequestOptions options = {
      {{.name = "target",
        .is_common = true,
        .help = "Column with the outcomes",
        .derived = "the target of --schema"},
       &request.target},
      {{.name = "prediction",
        .is_common = true,
        .help = "Column with the predicted classes or numbers",
        .derived = "prediction, unless --probability, --probabilities or --score is given"},
       &request.prediction},
      {{.name = "probability",
        .help = "Column with the predicted probability of the positive class, 0 to 1"},
       &request.probability},
      {{.name = "probabilities",
        .help = "Columns with the probability of each class: 'p of {}', '{}' or CLASS=COLUMN; "
                "repeatable",
        .derived = "'probability of {}' for more than two classes, if the table has them"},
       &request.probabilities},
      {{.name = "score",
        .help = "Column with a score that is no probability: the higher, the more positive"},
       &request.score},
      {{.name = "threshold",
        .help = "Probability or score from which on a record is predicted positive",
        .derived = "0.5 for probabilities"},
       &request.threshold},
      {{.name = "positive",
        .help = "The positive one of two classes, as it stands in the table",
        .derived = "the last of --schema; without one: true, yes or 1"},
       &request.positive},
      {{.name = "target_type",
        .help = "What the target is where there is no --schema: class or number",
        .choices = words_of(kTargets),
        .derived = "class"},
       word_field<kTargets>(request.target_kind)}};
  for (RequestOption& option : options) option.facts.needs = "predictions";
  return joined(
      {{{{.name = "predictions",
          .is_common = true,
          .help =
              "Table of predictions or decisions, with outcomes and groups, in place of a model"},
         Option::Table{&request.predictions, &request.table}}},
       options});
}

/// Options of --private.
inline RequestOptions private_audit_options(AuditRequest& request) {
  RequestOptions options = joined(
      {{{{.name = "epsilon", .is_common = true, .help = "Budget of the audit"}, &request.epsilon},
        {{.name = "delta", .help = "Failure probability, below 1 / num_records"}, &request.delta}},
       ledger_options(request.ledger_path, request.ledger_key, "audit"),
       {{{.name = "dry_run",
          .is_common = true,
          .help = "Only print what the audit will cost and how much noise to expect"},
         &request.dry_run}},
       seed_options(request.insecure_seed)});
  for (RequestOption& option : options) option.facts.needs = "private";
  facts_in(options, "ledger").is_common = false;
  return joined(
      {{{{.name = "private",
          .is_common = true,
          .help = "Release rates with noise that a ledger pays for: the audit may be published",
          .excludes = {"reference", "explain", "weight_column", "constraint", "constraints"}},
         &request.is_private}},
       options});
}

inline RequestOptions options_of(AuditRequest& request) {
  using Option = RequestOption;
  const auto limits = [](std::vector<GroupLimit>& all, const char* flag, const char* example) {
    return Option::Text{
        .read = [&all, flag, example](
                    const std::string& text) { all.push_back(parse_limit(text, flag, example)); },
        .is_repeatable = true};
  };
  RequestOptions constraints = constraint_options(request.constraints, request.constraints_path);
  facts_in(constraints, "constraint").is_common = false;
  RequestOptions labels = label_options(request.labels_path);
  facts_in(labels, "labels").excludes = {"predictions"};
  return joined(
      {{{{.name = "model",
          .help = "Folder written by equinoise train, or the model.json in it; required without "
                  "--predictions",
          .required_without = "predictions",
          .excludes = {"predictions"}},
         &request.model_path},
        {{.name = "data",
          .help = "Table with the model's columns and target, or images; required without "
                  "--predictions",
          .required_without = "predictions",
          .excludes = {"predictions"}},
         Option::Table{&request.data, &request.table}}},
       layout_options(request.table),
       labels,
       group_options(request.groupings, request.floor),
       weight_options(request.weight_column, ": figures and intervals are weighted"),
       {{{.name = "held_out",
          .is_common = true,
          .help = "Audit only the records that the model's split held out of the training table",
          .excludes = {"predictions"}},
         &request.held_out_only},
        {{.name = "reference",
          .help = "Model of the same target to compare with: what the audited one loses",
          .excludes = {"predictions"}},
         &request.reference_path},
        {{.name = "schema",
          .help = "Schema in place of the model's own; with --predictions, of target and groups"},
         &request.schema_path},
        {{.name = "max_disparity",
          .is_common = true,
          .help = "METRIC=NUMBER: largest difference allowed between groups; repeatable"},
         limits(request.limits, "--max-disparity", "accuracy=0.1")},
        {{.name = "min_ratio",
          .is_common = true,
          .help = "RATE=NUMBER: smallest ratio allowed between groups, e.g. selection_rate=0.8 "
                  "(four-fifths rule); repeatable"},
         limits(request.ratios, "--min-ratio", "selection_rate=0.8")},
        {{.name = "favourable",
          .is_common = true,
          .help = "Class of the target that is good for a person, for the four-fifths rule",
          .derived = "favourable of the schema"},
         &request.favourable}},
       strict_options(request.strict),
       verbose_options(request.verbose),
       constraints,
       {{{.name = "explain",
          .is_common = true,
          .help = "Also show why groups lose: the effects of one step's clipping and noise",
          .excludes = {"predictions"}},
         &request.explain},
        {{.name = "explain_directions",
          .help = "Number of random directions for the estimates of curvature",
          .needs = "explain"},
         &request.explain_directions},
        {{.name = "out", .is_common = true, .help = "Folder for report.json and report.html"},
         &request.out_path},
        {{.name = "force", .help = "Replace files in an existing --out"}, &request.force}},
       under("Predictions", prediction_options(request)),
       under("Private release", private_audit_options(request))});
}

/// Evaluates a saved model on a table's records: metrics overall and by group, disparities between
/// groups, the loss against the reference model, limits, the constraints of its training and
/// others, all weighted by the records' weights, if any. Writes the report.
///
/// Not private, unless the request asks for a release (PrivateAudit). Records whose weight is 0 or
/// missing are left out. With a reference, records that a rule of either schema drops are left out
/// for both. Errors: kUsage (unknown metric or group column, a metric that the model does not have,
/// a limit that is out of range, limits without groups, something given twice, an invalid
/// constraint, nothing held out, a column that cannot be weights, weights with `explain`, out_path
/// exists); kInput (models, schema, table; a schema that encodes records otherwise than the
/// model's; a reference for another target); kRuntime (disk). Limits that do not hold are no error:
/// see report/alarms.h.
///
/// Predictions of a table are evaluated in the same way: see predictions_audit.h.
AuditReport audit(const AuditRequest& request, TaskProgress& progress);

}  // namespace equinoise
