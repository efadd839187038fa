// SPDX-License-Identifier: Apache-2.0
// Cells of a numeric column that hold no number, under the schema's rule for them.

#include "tests/cli/people.h"
#include "tests/matchers.h"

namespace equinoise::testing::malformed_test {
namespace {

/// The people with another first age.
std::string people_with_age(const std::string& age) {
  return replaced(people_csv(), "\n17,", "\n" + age + ",");
}

/// Both sexes have public sizes; ages have these rules.
std::string schema_with(const std::string& rules) {
  return replaced(people_schema_with_sizes(134, 266), "bounds = [17, 90]",
                  "bounds = [17, 90]\n" + rules);
}

/// Whoever reads what is published learns no more of a malformed cell than of a missing one.
TEST(MalformedNumbers, ArePublishedNoMoreThanMissingOnes) {
  const Workspace workspace;
  const Words seeded = "--insecure-test-rng --seed 7 --json --force";
  const auto run_with_age = [&](const Words& command, const std::string& age) {
    workspace.write("people.csv", people_with_age(age));
    const ToolResult result = ok(workspace.run(join(command, seeded)));
    EXPECT_THAT(result.out + result.err, Not(HasSubstr("S3CRET")));
  };
  const auto expect_same = [&](const Words& command, const Words& published, const Words& fenced) {
    SCOPED_TRACE(command[0]);
    run_with_age(command, "");
    Words before;
    for (const std::string& name : published) before.push_back(workspace.text(name));
    run_with_age(command, "S3CRET");
    for (size_t i = 0; i < published.size(); ++i) {
      EXPECT_NE(before[i], "");
      EXPECT_EQ(workspace.text(published[i]), before[i]) << published[i];
    }
    for (const std::string& name : fenced) {
      EXPECT_THAT(workspace.text(name), HasSubstr("column age: 1 cells that do not hold a number"));
    }
  };
  const Words shared = "--schema people.toml --data people.csv --epsilon 1 --delta 1e-5";
  const Words train = join("train --steps 20 --groups sex --batch-size 64 --out model", shared);
  const Words synth =
      join("synth --drop-incomplete --method mst --stratify sex --out rows", shared);
  for (const std::string rules : {"malformed = \"drop\"\n", "malformed = \"missing\"\n",
                                  "malformed = \"missing\"\nmissing = \"fill\"\nfill = 40\n"}) {
    SCOPED_TRACE(rules);
    workspace.write("people.toml", schema_with(rules));
    expect_same(train, {"model/model.json", "model/model_card.json"}, {"model/report.json"});
    expect_same(synth, {"rows/model.json", "rows/rows.csv"}, {"rows/report.json"});
  }
}

TEST(MalformedNumbers, StopARunByDefaultBeforeAnythingIsSpent) {
  const Workspace workspace;
  workspace.write("people.csv", people_with_age("S3CRET"));
  workspace.open_ledger();
  const ToolResult result = workspace.train("--epsilon 1");
  EXPECT_EQ(result.exit_code, 3) << result;
  EXPECT_THAT(result.err, AllOf(HasSubstr("row 1 (line 2) column 'age' is not a number"),
                                HasSubstr("malformed = \"drop\""), Not(HasSubstr("S3CRET"))));
  EXPECT_EQ(workspace.spent(), 0);
  // A check lists them all, and ends as a run would.
  workspace.write("people.csv", people_with_age("nan"));
  expect_error(workspace.run("schema check --schema people.toml --data people.csv"), 3,
               "column age: 1 of 400 cells (0.25 %) hold no number, the first in "
               "row 1 (line 2); every run stops there");
}

/// A mean is of those who have a number: where cells may be malformed, nobody may count on all.
TEST(MalformedNumbers, OfMeansAreGapsWhereTheyDrop) {
  const Workspace workspace;
  workspace.write("people.csv", people_with_age("S3CRET"));
  const auto means_under = [&](const std::string& rules) {
    workspace.write("people.toml", schema_with(rules));
    const ToolResult result =
        ok(workspace.run("means --schema people.toml --data people.csv --columns age --by sex "
                         "--rho 0.5 --relation zero_out --insecure-test-rng --seed 3 --verbose"));
    return result.out;
  };
  const char* of_those =
      "the mean of the records that have a value: their number is released with noise";
  // What fills a missing cell is among these.
  EXPECT_THAT(
      means_under("malformed = \"drop\"\nmissing = \"fill\"\nfill = 40\n"),
      HasSubstr("the mean of the records that have a value, or a missing cell, which counts "
                "as one: their number is released with noise"));
  EXPECT_THAT(means_under("malformed = \"drop\"\nmissing = \"none\"\n"), HasSubstr(of_those));
  EXPECT_THAT(means_under("malformed = \"missing\"\nmissing = \"fill\"\nfill = 40\n"),
              HasSubstr("a missing cell counts as 40"));
}

TEST(MalformedNumbers, OfRecordsToPredictForFollowTheModelsRule) {
  const Workspace workspace;
  const auto predictions_for = [&](const std::string& rules) {
    workspace.write("people.toml", schema_with(rules));
    ok(workspace.run(
        "train --schema people.toml --data people.csv --epsilon 1 --delta 1e-5 --batch-size 64 "
        "--steps 5 --out model --force --insecure-test-rng --seed 1"));
    workspace.write("new.csv", "age,city,sex\n30,north,Male\nS3CRET,north,Male\n");
    return workspace.run("predict --model model --data new.csv --out predictions.csv --force");
  };
  EXPECT_EQ(predictions_for("").exit_code, 3);
  ToolResult result = predictions_for("malformed = \"drop\"\n");
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(workspace.text("predictions.csv"), HasSubstr("\n2,,,\n"));
  result = predictions_for("malformed = \"missing\"\nmissing = \"fill\"\nfill = 40\n");
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(workspace.text("predictions.csv"), Not(HasSubstr("\n2,,,\n")));
}

}  // namespace
}  // namespace equinoise::testing::malformed_test
