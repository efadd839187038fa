// SPDX-License-Identifier: Apache-2.0
#include "equinoise/constraints/settled_constraints.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/normal_quantile.h"
#include "equinoise/constraints/aim_margin.h"
#include "equinoise/constraints/constraint_reader.h"
#include "equinoise/constraints/constraint_writer.h"
#include "equinoise/constraints/feasibility.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "constraints.settled";

/// Sets how far below their slack training aims. Returns the warning of a slack that so few records
/// cannot show; "" if there is none.
std::string set_margins(const std::vector<RateConstraint>& constraints,
                        const ConstraintDomain& domain, const Schema& schema,
                        const SplitSizes& sizes, RateProgram& program) {
  const auto num_train = static_cast<double>(sizes.train);
  const auto num_held_out = static_cast<double>(sizes.test);
  const auto size_of = [&](const GroupLabel& group) { return schema.public_size(group); };
  constexpr double kNarrow = 0.5;  // of the slack: half of an interval
  size_t num_hidden = 0;
  size_t worst = 0;
  double worst_part = 0;  // of the slack: a standard deviation
  for (size_t j = 0; j < program.constraints.size(); ++j) {
    RateProgram::Constraint& constraint = program.constraints[j];
    const auto stddev_of = [&](double num_records) {
      return sampling_stddev(constraints[constraint.given], domain, num_records,
                             static_cast<double>(schema.num_records), size_of);
    };
    constraint.margin = aim_margin(constraint.slack, stddev_of(num_train));
    const double held_out = stddev_of(num_held_out);
    if (!(constraint.slack > 0)) continue;
    if (held_out > constraint.slack) ++num_hidden;
    if (held_out / constraint.slack <= worst_part) continue;
    worst = j;
    worst_part = held_out / constraint.slack;
  }
  if (num_hidden == 0) {
    if (kNormalQuantile * worst_part <= kNarrow) return "";
    const RateProgram::Constraint& constraint = program.constraints[worst];
    return fmt::format(
        "{}: by the choice of held-out records alone its interval reaches about {:.2g} to each "
        "side if rates are near a half, and a model is known to keep it only where all of that is "
        "within the slack; hold out more records (--test-fraction) or allow more slack",
        constraint.text, kNormalQuantile * worst_part * constraint.slack);
  }
  return fmt::format(
      "{} of {} constraints are on groups with so few records that their values vary by more than "
      "the slack between one sample and another ({}: by a standard deviation of about {:.2g} times "
      "the slack among held-out records): whether the model keeps them will not be known; allow "
      "more slack, or merge groups",
      num_hidden, program.constraints.size(), program.constraints[worst].text, worst_part);
}

/// Leaves out, and tells of, constraints on groups that the schema declares to be empty: nobody can
/// say whether a model keeps them, and the noise on their rates would push everybody else.
/// Errors: kUsage where none is left.
void leave_out_empty_groups(const ConstraintDomain& domain, const Schema& schema,
                            std::vector<std::string>& notes,
                            std::vector<RateConstraint>& constraints) {
  const auto size_of = [&](const GroupLabel& group) { return schema.public_size(group); };
  const size_t num_given = constraints.size();
  std::string first;
  std::erase_if(constraints, [&](const RateConstraint& constraint) {
    const bool leaves = is_about_nobody(constraint, domain, size_of);
    if (leaves && first.empty()) first = constraint.name;
    return leaves;
  });
  if (constraints.size() == num_given) return;
  const std::string which =
      fmt::format("{} of {} constraints are on groups that the schema declares to be empty ({})",
                  num_given - constraints.size(), num_given, first);
  if (constraints.empty())
    throw Error(ErrorKind::kUsage, kWhere, which + "; correct [[public.groups]], or name others");
  notes.push_back(which + ", and are left out");
}

}  // namespace

SettledConstraints settle_constraints(const Schema& schema, const SplitSizes& sizes,
                                      const std::filesystem::path& file,
                                      const std::vector<std::string>& lines) {
  const ConstraintDomain domain = constraint_domain(schema);
  std::vector<RateConstraint> constraints = gather_constraints(file, lines, domain);
  SettledConstraints settled;
  leave_out_empty_groups(domain, schema, settled.notes, constraints);
  auto program =
      std::make_shared<RateProgram>(compile_constraints(domain, constraints, settled.notes));
  settled.outlook = set_margins(constraints, domain, schema, sizes, *program);
  if (const std::optional<std::string> contradiction = find_contradiction(*program)) {
    throw Error(ErrorKind::kUsage, kWhere, "{}; allow more slack or leave a constraint out",
                *contradiction);
  }
  std::vector<RateConstraint> kept;
  for (const RateProgram::Constraint& constraint : program->constraints)
    kept.push_back(constraints[constraint.given]);
  settled.json = constraints_to_json(kept, domain);
  settled.program = std::move(program);
  return settled;
}

}  // namespace equinoise
