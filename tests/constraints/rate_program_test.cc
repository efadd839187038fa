// SPDX-License-Identifier: Apache-2.0
#include "equinoise/constraints/rate_program.h"

#include <gtest/gtest.h>

#include "equinoise/constraints/constraint_reader.h"
#include "tests/constraints/constraint_cases.h"
#include "tests/shared_vectors.h"
#include "tests/test_support.h"

namespace equinoise::rate_program_test {

using testing::sex_and_race;

RateProgram compile(const std::vector<std::string>& lines, std::vector<std::string>& notes,
                    const ConstraintDomain& domain = sex_and_race()) {
  std::vector<RateConstraint> constraints;
  for (const std::string& line : lines) {
    for (RateConstraint& constraint : parse_constraint(line, domain))
      constraints.push_back(std::move(constraint));
  }
  return compile_constraints(domain, constraints, notes);
}

RateProgram compile(const std::vector<std::string>& lines) {
  std::vector<std::string> notes;
  RateProgram program = compile(lines, notes);
  EXPECT_THAT(notes, IsEmpty());
  return program;
}

/// Cells of the vectors go by the whole domain; ours leave out attributes that no constraint names.
TEST(RateProgram, CellsAreThoseOfTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/raco_step.json");
  for (const nlohmann::json& c : cases) {
    SCOPED_TRACE(c["id"].get<std::string>());
    const ConstraintDomain domain = testing::domain_of(c);
    std::vector<std::string> notes;
    const RateProgram program = compile_constraints(
        domain,
        parse_constraints_json(testing::constraint_file(c["constraints"]), "vectors", domain),
        notes);
    EXPECT_EQ(program.num_cells, c["num_cells"].get<size_t>());
    EXPECT_EQ(program.constraints.size(), c["constraints"].size());
    const size_t repeats = c["cells"].size() / program.num_contexts;
    ASSERT_EQ(program.num_contexts * repeats, c["cells"].size());
    for (size_t a = 0; a < program.num_contexts; ++a) {
      for (size_t y = 0; y < program.num_classes; ++y) {
        const std::vector<int32_t> want = c["cells"][repeats == 1 ? a : 0][y];
        const auto cells = program.cells_of(a, y);
        EXPECT_EQ(std::vector<int32_t>(cells.begin(), cells.end()), want) << a << " " << y;
      }
    }
  }
}

TEST(RateProgram, CellsAreAsFewAsTheConstraintsAllow) {
  EXPECT_EQ(compile({"demographic_parity:sex:0.05"}).num_cells, 4);
  EXPECT_EQ(compile({"demographic_parity:sex:0.05"}).constraints.size(), 2);
  EXPECT_EQ(compile({"equalized_odds:sex:0.1"}).num_cells, 8);
  EXPECT_EQ(compile({"equalized_odds:sex:0.1"}).constraints.size(), 4);
  EXPECT_EQ(compile({"fnr:0.1"}).num_cells, 2);
  EXPECT_EQ(compile({"fnr:0.1"}).num_contexts, 1);
  EXPECT_EQ(compile({"demographic_parity:sex,race:0.1"}).num_cells, 12);
  EXPECT_EQ(compile({"equalized_odds:sex,race:0.1"}).num_cells, 24);
  EXPECT_EQ(compile({"group_error:race:0.2"}).num_cells, 6);
  ConstraintDomain domain = sex_and_race();
  domain.attributes[1].values = {"1", "2", "3", "4", "5", "6", "7", "8", "9"};
  std::vector<std::string> notes;
  const RateProgram nine = compile({"demographic_parity:race:0.05"}, notes, domain);
  EXPECT_EQ(nine.num_cells, 18);
  EXPECT_EQ(nine.constraints.size(), 18);
}

/// Whatever the constraints, a record's prediction adds at most 1 to the histogram in all: each
/// prediction has one cell at most.
TEST(RateProgram, OnlyPrecisionHasADenominatorThatDependsOnPredictions) {
  const RateProgram program = compile({"demographic_parity:sex:0.05", "precision:0.7"});
  int fixed = 0;
  for (const RateProgram::CellRate& rate : program.rates) fixed += rate.fixed_denominator ? 1 : 0;
  EXPECT_EQ(program.rates.size(), 3);
  EXPECT_EQ(fixed, 2);
}

TEST(RateProgram, WhatIsSaidTwiceIsSaidOnce) {
  std::vector<std::string> notes;
  const RateProgram program =
      compile({"demographic_parity:sex:0.05", "demographic_parity:sex:0.02"}, notes);
  ASSERT_EQ(program.constraints.size(), 2);
  EXPECT_EQ(program.constraints[0].slack, 0.02);
  EXPECT_EQ(program.constraints[1].slack, 0.02);
  ASSERT_EQ(notes.size(), 2);
  EXPECT_THAT(notes[0], HasSubstr("follows from"));
  notes.clear();
  EXPECT_EQ(compile({"fnr:0.1", "fnr:0.1", "fnr:0.2"}, notes).constraints.size(), 1);
  EXPECT_EQ(notes.size(), 2);
}

TEST(RateProgram, TermsOfOneRateAreAddedUp) {
  const ConstraintDomain domain = sex_and_race();
  const auto read = [&](const std::string& terms, const std::string& slack) {
    std::vector<std::string> notes;
    return compile_constraints(
        domain,
        parse_constraints_toml("[[constraint]]\nname = \"x\"\nslack = " + slack + "\nterms = [" +
                                   terms +
                                   "]\n[[constraint]]\ntype = \"rate_bound\"\n"
                                   "metric = \"fnr\"\nmax = 0.1",
                               "c.toml", domain),
        notes);
  };
  const std::string half = "{coef = 0.5, pred = [\"pos\"], given = {}}, ";
  const RateProgram program = read(half + half, "0.3");
  ASSERT_EQ(program.constraints.size(), 2);
  ASSERT_EQ(program.constraints[0].terms.size(), 1);
  EXPECT_EQ(program.constraints[0].terms[0].coefficient, 1);
  const std::string against = "{coef = -0.5, pred = [\"pos\"], given = {sex = [\"F\", \"M\"]}}";
  EXPECT_EQ(read(half + against, "0.3").constraints.size(), 1);
  EXPECT_ERROR(kInput, HasSubstr("\"x\" cannot hold: its rates cancel"),
               read(half + against, "-0.3"));
  std::vector<std::string> notes;
  const RateConstraint nothing = {"x", {}, 0.1};
  EXPECT_ERROR(kInput, HasSubstr("no constraint is left"),
               compile_constraints(domain, {nothing}, notes));
}

TEST(RateProgram, ARateOfNobodyIsRefused) {
  const ConstraintDomain domain = {{{"sex", {"F"}}, {"race", {"White", "Black"}}}, {"neg", "pos"}};
  std::vector<std::string> notes;
  EXPECT_ERROR(kInput, HasSubstr("applies to no record"),
               compile_constraints(
                   domain, {{"nobody", {{1, {{Outcome::Kind::kClasses, {1}}, {}}}}, 0.1}}, notes));
  EXPECT_ERROR(kInput, HasSubstr("there is no constraint"), compile_constraints(domain, {}, notes));
}

TEST(RateProgram, TooManyCombinationsAreRefused) {
  ConstraintDomain domain = sex_and_race();
  domain.attributes[0].values.resize(3000, "x");
  domain.attributes[1].values.resize(3000, "y");
  const Rate rate{{Outcome::Kind::kLabel, {}}, {{{{0, {1}}, {1, {1}}}}}};
  std::vector<std::string> notes;
  EXPECT_ERROR(kInput, HasSubstr("more than 65536 combinations"),
               compile_constraints(domain, {{"x", {{1, rate}}, 0.1}}, notes));
}

}  // namespace equinoise::rate_program_test
