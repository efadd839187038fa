// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/audit/judged_constraints.h"

namespace equinoise {

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
