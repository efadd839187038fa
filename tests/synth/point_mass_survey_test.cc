// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/point_mass_survey.h"

#include "equinoise/data/table.h"
#include "tests/schema_text.h"
#include "tests/test_support.h"

namespace equinoise::undeclared_point_masses_test {

/// What is said of 60 records, of which so many hold the first text and the others numbers of their
/// own.
std::vector<std::string> said(const std::string& rules, int num_same, const std::string& same) {
  const TempFolder folder;
  std::string table = "x\n";
  for (int i = 0; i < 60; ++i) table += (i < num_same ? same : std::to_string(100 + i)) + "\n";
  const Schema schema = parse_schema(
      schema_head("d", "", 60) + "[columns.x]\ntype = \"numeric\"\n" + rules, "s.toml");
  const Dataset dataset = read_table(folder.write_file("t.csv", table), schema);
  return undeclared_point_masses(dataset, schema, column_codes(schema, {}));
}

TEST(UndeclaredPointMasses, AValueOfMostCellsIsNamedUnlessItHasItsBin) {
  const std::string bounds = "bounds = [0, 1000]\n";
  EXPECT_THAT(said(bounds, 31, "0"),
              ElementsAre(HasSubstr("column x: 31 of 60 cells with a value (51.7 %)")));
  EXPECT_THAT(said(bounds + "whole = true\n", 60, "777"), ElementsAre(HasSubstr("(100 %)")));
  EXPECT_THAT(said(bounds, 30, "0"), IsEmpty());
  EXPECT_THAT(said(bounds + "atoms = [0]\n", 31, "0"), IsEmpty());
  EXPECT_THAT(said(bounds + "atoms = [0]\n", 31, "1"), ElementsAre(HasSubstr("atoms")));
  // Every whole number has a bin of its own.
  EXPECT_THAT(said("bounds = [100, 131]\nwhole = true\n", 31, "100"), IsEmpty());
}

TEST(UndeclaredPointMasses, GapsThatWereFilledAreNoValues) {
  const std::string filled = "bounds = [0, 1000]\nmissing = \"fill\"\nfill = 5\n";
  EXPECT_THAT(said(filled, 35, ""), IsEmpty());
  EXPECT_THAT(said(filled, 35, "5"), ElementsAre(HasSubstr("35 of 60 cells")));
  EXPECT_THAT(said(filled + "malformed = \"missing\"\n", 35, "x"), IsEmpty());
}

}  // namespace equinoise::undeclared_point_masses_test
