// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/audit/judged.h"

#include "equinoise/tasks/audit/audit_output.h"

namespace equinoise {

namespace {

/// (num_groups) The figures of each group of records.
std::vector<AuditedRecords> judge_each(const EncodedTable& table, const Predictions& predictions,
                                       const std::optional<Predictions>& reference,
                                       std::span<const GroupId> group_of, size_t num_groups,
                                       ScoreKind kind) {
  std::vector<AuditedRecords> judged(num_groups);
  const auto set = [&](auto member, auto&& of_groups) {
    for (size_t i = 0; i < of_groups.size(); ++i) judged[i].*member = std::move(of_groups[i]);
  };
  set(&AuditedRecords::metrics, group_metrics(table, predictions, group_of, num_groups, kind));
  if (num_groups <= kMaxGroupsWithCurves)
    set(&AuditedRecords::curves, score_curves(table, predictions, group_of, num_groups, kind));
  if (num_groups * table.classes.size() <= kMaxGroupsWithCurves)
    for (std::vector<ScoreCurves>& curves : class_curves(table, predictions, group_of, num_groups))
      for (size_t i = 0; i < num_groups; ++i)
        judged[i].class_curves.push_back(std::move(curves[i]));
  if (reference) {
    set(&AuditedRecords::reference, group_metrics(table, *reference, group_of, num_groups));
    set(&AuditedRecords::cost, group_cost(table, predictions, *reference, group_of, num_groups));
  }
  return judged;
}

}  // namespace

AuditedRecords judge_all(const EncodedTable& table, const Predictions& predictions,
                         const std::optional<Predictions>& reference, ScoreKind kind) {
  return judge_each(table, predictions, reference, one_group(table), 1, kind).front();
}

AuditGrouping judge_groups(const Grouping& grouping, const EncodedTable& table,
                           const Predictions& predictions,
                           const std::optional<Predictions>& reference, const Metrics& overall,
                           ScoreKind kind) {
  AuditGrouping result;
  result.columns = grouping.columns;
  result.groups = grouping.groups;
  result.figures =
      judge_each(table, predictions, reference, grouping.group_of, grouping.groups.size(), kind);
  const std::vector<Metrics> metrics = result.metrics();
  result.disparities = disparities(metrics, overall, table.classes.size());
  for (size_t k = 0; k < overall.classes.size(); ++k)
    result.class_disparities.push_back(class_disparities(metrics, overall, k));
  return result;
}

std::vector<ConstraintReport> judge_constraints(const RateProgram& program,
                                                const std::string& origin,
                                                const EncodedTable& table,
                                                std::span<const GroupId> contexts,
                                                const Predictions& predictions,
                                                const std::optional<Predictions>& reference) {
  const std::vector<ConstraintCheck> checks =
      check_constraints(program, table, contexts, predictions);
  std::vector<ConstraintCheck> of_reference;
  if (reference) of_reference = check_constraints(program, table, contexts, *reference);
  std::vector<ConstraintReport> reports;
  for (size_t j = 0; j < checks.size(); ++j) {
    const RateProgram::Constraint& constraint = program.constraints[j];
    ConstraintReport& report =
        reports.emplace_back(ConstraintReport{constraint.name, constraint.text, constraint.slack});
    report.check = checks[j];
    if (reference) report.reference = of_reference[j];
    report.origin = origin;
  }
  return reports;
}

}  // namespace equinoise
