// SPDX-License-Identifier: Apache-2.0
#include "equinoise/constraints/feasibility.h"

#include <gtest/gtest.h>

#include "equinoise/constraints/constraint_reader.h"
#include "tests/constraints/constraint_cases.h"
#include "tests/matchers.h"

namespace equinoise::feasibility_test {

std::string contradiction(const std::vector<std::string>& lines) {
  const ConstraintDomain domain = testing::sex_and_race();
  std::vector<RateConstraint> constraints;
  for (const std::string& line : lines) {
    for (RateConstraint& constraint : parse_constraint(line, domain))
      constraints.push_back(std::move(constraint));
  }
  std::vector<std::string> notes;
  return find_contradiction(compile_constraints(domain, constraints, notes)).value_or("");
}

TEST(Feasibility, BoundsThatExcludeEachOtherAreFound) {
  EXPECT_THAT(contradiction({"pred_rate:sex=F:0.1", "demographic_parity:sex:0.05", "fpr:0.2",
                             "tpr:0.95", "fnr:0.01"}),
              "");
  // A true positive rate of 0.95 leaves 0.05 for false negatives.
  EXPECT_THAT(contradiction({"tpr:0.95", "fnr:0.04"}), "");
  EXPECT_THAT(contradiction({"tpr:sex=F:0.95", "fnr:sex=M:0.5"}), "");
}

TEST(Feasibility, WhatNoModelCanKeepIsNamed) {
  const ConstraintDomain domain = testing::sex_and_race();
  const auto of_file = [&](const std::string& text) {
    std::vector<std::string> notes;
    return find_contradiction(
               compile_constraints(domain, parse_constraints_toml(text, "c", domain), notes))
        .value_or("");
  };
  const std::string bound = "[[constraint]]\ntype = \"rate_bound\"\nmetric = ";
  EXPECT_THAT(of_file(bound + "\"fnr\"\nmax = 0.1\n" + bound + "\"tpr\"\nmax = 0.8\n"),
              HasSubstr("P(neg | label=pos)"));
  EXPECT_THAT(of_file(bound + "\"pred_rate\"\nmax = 0.1\nmin = 0.2\n"),
              HasSubstr("no model can keep all constraints"));
  // Women at most 0.1, men at least 0.4, and a gap of 0.2 at most.
  const std::string parity =
      "[[constraint]]\ntype = \"demographic_parity\"\nattr = \"sex\"\nslack = 0.2\n";
  const std::string women = bound + "\"pred_rate\"\nwhere = {sex = \"F\"}\nmax = 0.1\n";
  const std::string men = bound + "\"pred_rate\"\nwhere = {sex = \"M\"}\nmin = ";
  EXPECT_THAT(of_file(parity + women + men + "0.4\n"),
              HasSubstr("no model can keep all constraints"));
  EXPECT_EQ(of_file(parity + women + men + "0.3\n"), "");
  EXPECT_THAT(of_file("[[constraint]]\nname = \"x\"\nslack = -1.5\nterms = [{coef = -1, pred = "
                      "[\"pos\"], given = {}}]\n"),
              HasSubstr("is impossible"));
}

}  // namespace equinoise::feasibility_test
