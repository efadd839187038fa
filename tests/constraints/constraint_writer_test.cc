// SPDX-License-Identifier: Apache-2.0
#include "equinoise/constraints/constraint_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "equinoise/constraints/constraint_reader.h"
#include "equinoise/constraints/rate_program.h"
#include "tests/constraints/constraint_cases.h"
#include "tests/shared_vectors.h"

namespace equinoise::constraint_writer_test {

using testing::sex_and_race;

/// Whether what is written is read as the same constraints.
void expect_kept(const std::vector<RateConstraint>& constraints, const ConstraintDomain& domain) {
  const std::string text = constraints_to_json(constraints, domain);
  SCOPED_TRACE(text);
  const auto again = parse_constraints_json(text, "again", domain);
  ASSERT_EQ(again.size(), constraints.size());
  for (size_t j = 0; j < again.size(); ++j) {
    EXPECT_EQ(again[j].name, constraints[j].name);
    EXPECT_EQ(again[j].slack, constraints[j].slack);
    ASSERT_EQ(again[j].terms.size(), constraints[j].terms.size());
    for (size_t i = 0; i < again[j].terms.size(); ++i) {
      EXPECT_EQ(again[j].terms[i].coefficient, constraints[j].terms[i].coefficient);
      EXPECT_EQ(again[j].terms[i].rate.outcome, constraints[j].terms[i].rate.outcome);
      EXPECT_EQ(again[j].terms[i].rate.given, constraints[j].terms[i].rate.given);
    }
  }
}

TEST(ConstraintWriter, WhatItWritesIsReadAsTheSame) {
  const ConstraintDomain domain = sex_and_race();
  for (const char* line :
       {"demographic_parity:sex,race:0.05", "equalized_odds:race:0.1", "group_error:race:0.2",
        "fnr:sex=F:0.1", "tpr:0.8", "tnr:race=Other:0.7", "pred_rate:0.3", "precision:0.7"}) {
    expect_kept(parse_constraint(line, domain), domain);
  }
  expect_kept(parse_constraints_toml(R"([[constraint]]
name = "a \"name\" \u00e9"
slack = 0.1
sense = "abs<="
terms = [
  {coef = 0.3333333333333333, pred = ["pos"], given = {sex = "F", label = ["neg", "pos"]}},
  {coef = -1e-9, pred = "label", given = {any = [{sex = "M"}, {pred = ["pos"]}, {}]}},
  {coef = -2, pred = "!label", given = {}}
]
)",
                                     "c.toml", domain),
              domain);
}

TEST(ConstraintWriter, KeepsTheConstraintsOfTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/raco_step.json");
  for (const nlohmann::json& c : cases) {
    SCOPED_TRACE(c["id"].get<std::string>());
    const ConstraintDomain domain = testing::domain_of(c);
    expect_kept(
        parse_constraints_json(testing::constraint_file(c["constraints"]), "vectors", domain),
        domain);
  }
}

/// Of two that differ in slack the tighter one, whichever comes first.
TEST(ConstraintWriter, TheProgramKnowsWhichWereKept) {
  const ConstraintDomain domain = sex_and_race();
  for (const auto& [first, second, kept] : std::vector<std::tuple<double, double, size_t>>{
           {0.2, 0.1, 1}, {0.1, 0.2, 0}, {0.1, 0.1, 0}}) {
    std::vector<RateConstraint> constraints = {parse_constraint("fnr:0.5", domain)[0],
                                               parse_constraint("fnr:0.5", domain)[0]};
    constraints[0].slack = first;
    constraints[1].slack = second;
    const RateProgram program = testing::compiled(constraints, domain);
    ASSERT_EQ(program.constraints.size(), 1);
    EXPECT_EQ(program.constraints[0].given, kept);
  }
}

}  // namespace equinoise::constraint_writer_test
