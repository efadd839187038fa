// SPDX-License-Identifier: Apache-2.0
// Constraints on a small domain: a file in JSON where it begins like one, else in TOML, and a line.

#include "equinoise/constraints/constraint_reader.h"
#include "equinoise/constraints/constraint_writer.h"
#include "equinoise/constraints/feasibility.h"
#include "equinoise/constraints/rate_program.h"
#include "equinoise/constraints/rate_values.h"
#include "fuzz/contract.h"

namespace equinoise::fuzz {
namespace {

const ConstraintDomain& domain() {
  static const ConstraintDomain domain = {
      {{"sex", {"F", "M"}}, {"race", {"White", "Black", "Other"}}, {"any", {"a", "b"}}},
      {"low", "middle", "high"}};
  return domain;
}

void check_program(const RateProgram& program) {
  require(program.cells.size() == program.num_contexts * program.num_classes * program.num_classes,
          "every triple is looked up");
  for (const int32_t cell : program.cells) {
    require(cell >= RateProgram::kNoCell && cell < static_cast<int64_t>(program.num_cells),
            "cells are those of the histogram");
  }
  const std::vector<double> histogram(program.num_cells, 3.0);
  const RateValues values = rate_values(program, histogram, 1);
  for (const double rate : values.rates) require(rate >= 0 && rate <= 1, "a rate is a share");
  for (const double variance : constraint_variances(program, histogram, 1, histogram))
    require(variance >= 0, "a variance is not negative");
  find_contradiction(program);
}

/// What a run does with constraints, and what model.json then keeps of them.
void use(const std::vector<RateConstraint>& constraints) {
  std::vector<std::string> notes;
  const RateProgram program = compile_constraints(domain(), constraints, notes);
  check_program(program);
  std::vector<RateConstraint> kept;
  for (const RateProgram::Constraint& constraint : program.constraints)
    kept.push_back(constraints[constraint.given]);
  const std::string text = constraints_to_json(kept, domain());
  std::vector<RateConstraint> again;
  const std::string error =
      error_of([&] { again = parse_constraints_json(text, "kept", domain()); });
  require(error.empty(), "what was written can be read: " + error);
  require(constraints_to_json(again, domain()) == text, "what was written is read as the same");
  const RateProgram compiled_again = compile_constraints(domain(), again, notes);
  require(compiled_again.constraints.size() == kept.size(), "all that was kept is kept again");
}

}  // namespace
}  // namespace equinoise::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace equinoise;
  const std::string_view text = fuzz::as_text(data, size);
  fuzz::error_of([&] { fuzz::use(parse_constraint(text, fuzz::domain())); });
  fuzz::error_of([&] {
    fuzz::use(text.starts_with("{") ? parse_constraints_json(text, "constraints", fuzz::domain())
                                    : parse_constraints_toml(text, "constraints", fuzz::domain()));
  });
  return 0;
}
