// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/audit/predictions_audit.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/report/format.h"
#include "equinoise/tasks/audit/audit_output.h"
#include "equinoise/tasks/audit/judged.h"
#include "equinoise/tasks/audit/logged_table.h"
#include "equinoise/tasks/audit/private_audit.h"
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

AuditReport audit_predictions(const AuditRequest& asked, TaskProgress& progress) {
  const auto start = std::chrono::steady_clock::now();
  require_distinct(asked.groupings);
  check_limits(asked, !asked.groupings.empty());
  AuditRequest request = completed(asked);
  progress.stage(fmt::format("reading {}", request.predictions.name()));
  const LoggedDescription description = describe_logged(request);
  const Schema& schema = description.schema;
  const ColumnSchema& target = schema.column(schema.target);
  const std::vector<std::string>& classes = target.values;
  check_limits_fit(request, schema.target, classes);
  AuditReport report;
  report.favourable =
      request.favourable.empty() ? schema.favourable : find_favourable(request.favourable, target);
  if (request.prediction.empty() && classes.size() == 2 && !request.threshold)
    request.threshold = kUsualThreshold;
  if (request.is_private && request.schema_path.empty()) {
    throw Error(ErrorKind::kUsage, "tasks.predictions_audit",
                "--private needs --schema: without it classes and groups are read from the table");
  }
  const AuditOutput output(
      request, schema, description.constraints ? description.constraints->constraints.size() : 0);

  report.version = EQUINOISE_VERSION;
  report.dataset = schema.dataset;
  report.logged =
      LoggedPredictions{request.prediction, request.probability, description.probabilities,
                        request.score,      request.threshold,   request.schema_path.empty()};
  report.target = schema.target;
  report.classes = classes;
  report.data_path = request.predictions.name();
  report.command = request.command;
  std::optional<PrivateAudit> release;
  if (request.is_private) {
    report.warnings.emplace_back(
        "the guarantee assumes that a prediction depends on its own record alone, or on what was "
        "released with a guarantee");
    release.emplace(request, schema, static_cast<double>(schema.num_records), report);
    if (request.dry_run) return release->plan();
  }
  const LoggedTable logged = read_logged_table(request, description);
  if (release)
    return release->release({logged.table, logged.predictions}, logged.groupings, progress);
  report.ingest_notes = logged.notes;
  report.weights = logged.weights;
  if (report.logged->classes_are_learnt) {
    report.warnings.emplace_back(
        "there is no schema: classes and groups are those that occur in the table; a class or a "
        "group that does not occur is not listed");
  }
  append(report.warnings, description.notes);
  progress.stage("computing metrics");
  const JudgedTable table{logged.table, logged.predictions, nullptr, logged.kind};
  report.overall = judge_all(table);
  if (description.constraints)
    report.constraints =
        judge_constraints(table, *description.constraints, "audit", logged.contexts);
  for (const Grouping& grouping : logged.groupings) {
    report.groupings.push_back(judge_groups(table, grouping, report.overall.metrics));
    add_verdicts(request, report.groupings.back(), report);
    AuditGrouping& judged = report.groupings.back();
    const auto forget_unknown = [&](std::vector<Disparity>& disparities) {
      std::erase_if(disparities, [&](const Disparity& disparity) {
        return is_unknown(disparity.metric, *report.logged);
      });
    };
    forget_unknown(judged.disparities);
    for (std::vector<Disparity>& of_class : judged.class_disparities) forget_unknown(of_class);
  }
  add_class_warnings(request, report);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  output.write(progress, report);
  return report;
}

}  // namespace equinoise
