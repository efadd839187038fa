// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/audit/judged.h"

#include "equinoise/tasks/audit/audit_output.h"

namespace equinoise {

AuditGrouping judge_groups(const Grouping& grouping, const EncodedTable& table,
                           const Predictions& predictions,
                           const std::optional<Predictions>& reference, const Metrics& overall,
                           ScoreKind kind) {
  const size_t num_groups = grouping.groups.size();
  AuditGrouping result;
  result.columns = grouping.columns;
  result.groups = grouping.groups;
  result.metrics = group_metrics(table, predictions, grouping.group_of, num_groups, kind);
  result.disparities = disparities(result.metrics, overall, table.classes.size());
  for (size_t k = 0; k < overall.classes.size(); ++k)
    result.class_disparities.push_back(class_disparities(result.metrics, overall, k));
  if (num_groups <= kMaxGroupsWithCurves)
    result.curves = score_curves(table, predictions, grouping.group_of, num_groups, kind);
  if (num_groups * table.classes.size() <= kMaxGroupsWithCurves)
    result.class_curves = class_curves(table, predictions, grouping.group_of, num_groups);
  if (reference) {
    result.reference_metrics = group_metrics(table, *reference, grouping.group_of, num_groups);
    result.cost = group_cost(table, predictions, *reference, grouping.group_of, num_groups);
  }
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
