// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "equinoise/tasks/audit/audit.h"
#include "equinoise/tasks/audit/predictions_audit.h"
#include "equinoise/tasks/input/shared_options.h"

namespace equinoise {

/// A request of `equinoise audit`: the audit of a model or, with a table of predictions, of these
/// predictions.
struct AuditQuestion {
  AuditRequest model;
  LoggedTableRequest logged;  ///< without data: a model is audited; shares the options of `model`
  bool strict = false;        ///< the tool fails unless all limits hold
  bool verbose = false;       ///< the tool prints everything on the page
  std::string command;        ///< the command that repeats the audit
  int threads = 1;
};

/// Options of --predictions.
inline RequestOptions options_of(LoggedTableRequest& request, const TableOptions& layout) {
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
        .is_common = true,
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
         Option::Table{&request.data, &layout}}},
       options});
}

inline RequestOptions options_of(AuditQuestion& question) {
  using Option = RequestOption;
  AuditRequest& request = question.model;
  const auto limits = [](std::vector<GroupLimit>& all, const char* flag, const char* example) {
    return Option::Text{
        .read = [&all, flag, example](
                    const std::string& text) { all.push_back(parse_limit(text, flag, example)); },
        .is_repeatable = true};
  };
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
          .is_common = true,
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
       strict_options(question.strict),
       verbose_options(question.verbose),
       constraint_options(request.constraints, request.constraints_path),
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
       under("Predictions", options_of(question.logged, request.table))});
}

/// audit() or audit_predictions().
AuditReport answer(AuditQuestion question, TaskProgress& progress);

}  // namespace equinoise
