// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/audit/predictions_audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "equinoise/report/format.h"
#include "equinoise/tasks/audit/audit_output.h"
#include "equinoise/tasks/audit/judged_constraints.h"
#include "equinoise/tasks/audit/judged_groups.h"
#include "equinoise/tasks/input/table_files.h"

namespace equinoise {

namespace {

/// Whether the columns of predictions leave a metric undefined for any records.
bool is_unknown(std::string_view metric, const LoggedPredictions& logged) {
  const bool has_probabilities = logged.has_probabilities();
  if (metric == "auc") return !has_probabilities && logged.score.empty();
  return (metric == "loss" || metric == "calibration_gap") && !has_probabilities;
}

}  // namespace

AuditReport audit_predictions(const PredictionsAuditRequest& request, TaskProgress& progress) {
  const auto start = std::chrono::steady_clock::now();
  require_distinct(request.table.groupings);
  check_limits(request.limits, !request.table.groupings.empty());
  LoggedTableRequest table_request = completed(request.table);
  progress.stage(fmt::format("reading {}", table_request.data.name()));
  const LoggedDescription description = describe_logged(table_request);
  const Schema& schema = description.schema;
  const ColumnSchema& target = schema.column(schema.target);
  const std::vector<std::string>& classes = target.values;
  check_limits_fit(request.limits, schema.target, classes);
  AuditReport report;
  report.favourable =
      request.favourable.empty() ? schema.favourable : find_favourable(request.favourable, target);
  if (table_request.prediction.empty() && classes.size() == 2 && !table_request.threshold)
    table_request.threshold = kUsualThreshold;
  size_t num_groups = 1;
  for (const std::vector<std::string>& columns : table_request.groupings)
    num_groups += list_groups(schema, columns, table_request.floor).groups.size();
  const int64_t num_bytes = audit_bytes(
      num_groups, description.constraints ? description.constraints->constraints.size() : 0,
      classes.size());
  if (!request.out_path.empty()) check_audit_output(request.out_path, request.force, num_bytes);

  const LoggedTable logged = read_logged_table(table_request, description);
  report.version = EQUINOISE_VERSION;
  report.dataset = logged.dataset;
  report.logged = LoggedPredictions{table_request.prediction,  table_request.probability,
                                    description.probabilities, table_request.score,
                                    table_request.threshold,   table_request.schema_path.empty()};
  report.target = logged.target;
  report.classes = classes;
  report.data_path = table_request.data.name();
  report.command = request.command;
  report.ingest_notes = logged.notes;
  report.weights = logged.weights;
  if (report.logged->classes_are_learnt) {
    report.warnings.emplace_back(
        "there is no schema: classes and groups are those that occur in the table; a class or a "
        "group that does not occur is not listed");
  }
  report.warnings.insert(report.warnings.end(), description.notes.begin(), description.notes.end());
  progress.stage("computing metrics");
  report.overall = overall_metrics(logged.table, logged.predictions, logged.kind);
  report.overall_curves = overall_curves(logged.table, logged.predictions, logged.kind);
  report.overall_class_curves = overall_class_curves(logged.table, logged.predictions);
  if (description.constraints) {
    report.constraints = judge_constraints(*description.constraints, "audit", logged.table,
                                           logged.contexts, logged.predictions, std::nullopt);
  }
  for (const Grouping& grouping : logged.groupings) {
    report.groupings.push_back(judge_groups(grouping, logged.table, logged.predictions,
                                            std::nullopt, report.overall, logged.kind));
    add_verdicts(request.limits, report.groupings.back(), report);
    AuditGrouping& judged = report.groupings.back();
    const auto forget_unknown = [&](std::vector<Disparity>& disparities) {
      std::erase_if(disparities, [&](const Disparity& disparity) {
        return is_unknown(disparity.metric, *report.logged);
      });
    };
    forget_unknown(judged.disparities);
    for (std::vector<Disparity>& of_class : judged.class_disparities) forget_unknown(of_class);
  }
  for (std::string& warning : class_warnings(request.limits, report))
    report.warnings.push_back(std::move(warning));
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!request.out_path.empty()) {
    progress.hold_interruptions();
    write_audit_output(request.out_path, request.force, num_bytes, report);
  }
  return report;
}

}  // namespace equinoise
