// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/audit/judged.h"

#include "equinoise/tasks/audit/audit_output.h"

namespace equinoise {

namespace {

/// (num_groups) The figures of each group of records.
std::vector<AuditedRecords> judge_each(const JudgedTable& judged, std::span<const GroupId> group_of,
                                       size_t num_groups) {
  const auto& [table, predictions, reference, kind] = judged;
  std::vector<AuditedRecords> groups(num_groups);
  const auto set = [&](auto member, auto&& of_groups) {
    for (size_t i = 0; i < of_groups.size(); ++i) groups[i].*member = std::move(of_groups[i]);
  };
  set(&AuditedRecords::metrics, group_metrics(table, predictions, group_of, num_groups, kind));
  if (num_groups <= kMaxGroupsWithCurves)
    set(&AuditedRecords::curves, score_curves(table, predictions, group_of, num_groups, kind));
  if (num_groups * table.classes.size() <= kMaxGroupsWithCurves)
    for (std::vector<ScoreCurves>& curves : class_curves(table, predictions, group_of, num_groups))
      for (size_t i = 0; i < num_groups; ++i)
        groups[i].class_curves.push_back(std::move(curves[i]));
  if (reference != nullptr) {
    set(&AuditedRecords::reference, group_metrics(table, *reference, group_of, num_groups));
    set(&AuditedRecords::cost, group_cost(table, predictions, *reference, group_of, num_groups));
  }
  return groups;
}

}  // namespace

AuditedRecords judge_all(const JudgedTable& judged) {
  return judge_each(judged, one_group(judged.table), 1).front();
}

AuditGrouping judge_groups(const JudgedTable& judged, const Grouping& grouping,
                           const Metrics& overall) {
  AuditGrouping result;
  result.columns = grouping.columns;
  result.groups = grouping.groups;
  result.figures = judge_each(judged, grouping.group_of, grouping.groups.size());
  const std::vector<Metrics> metrics = result.metrics();
  result.disparities = disparities(metrics, overall, judged.table.classes.size());
  for (size_t k = 0; k < overall.classes.size(); ++k)
    result.class_disparities.push_back(class_disparities(metrics, overall, k));
  return result;
}

std::vector<ConstraintReport> judge_constraints(const JudgedTable& judged,
                                                const RateProgram& program,
                                                const std::string& origin,
                                                std::span<const GroupId> contexts) {
  const std::vector<ConstraintCheck> checks =
      check_constraints(program, judged.table, contexts, judged.predictions);
  std::vector<ConstraintCheck> of_reference;
  if (judged.reference != nullptr)
    of_reference = check_constraints(program, judged.table, contexts, *judged.reference);
  std::vector<ConstraintReport> reports;
  for (size_t j = 0; j < checks.size(); ++j) {
    const RateProgram::Constraint& constraint = program.constraints[j];
    ConstraintReport& report =
        reports.emplace_back(ConstraintReport{constraint.name, constraint.text, constraint.slack});
    report.check = checks[j];
    if (judged.reference != nullptr) report.reference = of_reference[j];
    report.origin = origin;
  }
  return reports;
}

}  // namespace equinoise
