// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/people.h"

namespace equinoise::testing::schema_draft_test {
namespace {

const Words kDraft = "schema draft --data people.csv --target label";

TEST(SchemaDraft, PrintsADraftThatFitsItsTable) {
  const Workspace workspace;
  const ToolResult result = ok(workspace.run(kDraft));
  EXPECT_THAT(result.out, AllOf(StartsWith("# A draft, NOT PRIVATE"),
                                HasSubstr("dataset = \"people\"\nreviewed = false\n"
                                          "target = \"label\""),
                                HasSubstr("[columns.note]\ntype = \"ignored\"")));
  EXPECT_THAT(result.err, HasSubstr("NOT PRIVATE"));
  EXPECT_THAT(workspace.run(join(kDraft, "--quiet")).err, IsEmpty());
  workspace.write("draft.toml", result.out);
  const ToolResult check = ok(workspace.run("schema check --schema draft.toml --data people.csv"));
  EXPECT_THAT(check.out, HasSubstr("people.csv: fits the schema"));
}

TEST(SchemaDraft, WritesAFileAndSaysWhatIsNext) {
  const Workspace workspace;
  const Words words = join(kDraft, "--out draft.toml --dataset town");
  const ToolResult result = ok(workspace.run(words));
  EXPECT_THAT(result.out, HasAll("NOT PRIVATE", "set reviewed = true",
                                 "schema check --schema draft.toml --data people.csv"));
  const std::string text = workspace.text("draft.toml");
  EXPECT_THAT(text, HasSubstr("dataset = \"town\""));

  workspace.write("draft.toml", "mine");
  expect_refused(workspace, words, 2, "draft.toml exists; give another --out or --force");
  EXPECT_EQ(workspace.text("draft.toml"), "mine");
  ok(workspace.run(join(words, "--force")));
  EXPECT_EQ(workspace.text("draft.toml"), text);
}

TEST(SchemaDraft, AnswersInJson) {
  const Workspace workspace;
  const ToolResult result = ok(workspace.run(join(kDraft, "--json --quiet")));
  EXPECT_THAT(result.err, IsEmpty());
  const Json json = json_of(result);
  EXPECT_EQ(json.at("status"), "not private");
  EXPECT_EQ(json.at("reviewed"), false);
  EXPECT_EQ(json.at("draft"), workspace.run(kDraft).out);
  EXPECT_THAT(json.at("files"), IsEmpty());
  const Json written = json_of(workspace.run(join(kDraft, "--json --out d.toml")));
  EXPECT_THAT(written.at("files").get<Words>(), ElementsAre("d.toml"));
  EXPECT_EQ(workspace.text("d.toml"), written.at("draft"));
}

TEST(SchemaDraft, BadRequestsEndWithTheirCodeAndWriteNothing) {
  const std::vector<Refusal> refusals = {
      {{"schema", "draft"}, 2, "--data is required"},
      {with_option(kDraft, "--target", "lable"), 2, "'lable' is not a column"},
      {with_option(kDraft, "--target", "note"), 2, "cannot be the target: it has no value at all"},
      {with_option(kDraft, "--target", ""), 2, "the value is empty"},
      {with_option(kDraft, "--dataset", "a b"), 2, "must consist of letters"},
      {with_option(kDraft, "--data", "none.csv"), 3, "none.csv"},
      {with_option(kDraft, "--data", "."), 3, "is a directory"},
      {with_option(kDraft, "--out", "people.csv/draft.toml"), 1, "people.csv/draft.toml"},
  };
  const Workspace workspace;
  expect_refusals(workspace, refusals, [](const Words& words) { return words; });
}

TEST(SchemaDraft, LeavesNothingOnAFullDiskAndDoesNotReplaceItsTable) {
  const Workspace workspace;
  expect_refused(workspace, join(kDraft, "--out draft.toml"), 1, {}, {.max_file_bytes = 100});
  expect_refused(workspace, join(kDraft, "--out people.csv --force"), 2, {});
  EXPECT_EQ(workspace.text("people.csv"), people_csv());
}

TEST(DomainSchema, ChecksATableOfCodes) {
  const Workspace workspace;
  workspace.write("codes-domain.json", "{\"sex\": 2, \"income>50K\": 2}");
  workspace.write("codes.csv", "sex,income>50K\n0,1\n1,0\n1,2\n");
  const Words words = "schema check --schema codes-domain.json";
  const ToolResult result =
      ok(workspace.run(join(words, "--num-records 3 --target income>50K --data codes.csv")));
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("dataset codes, 3 records, 2 columns, 2 features after encoding, "
                              "target income>50K"),
                    HasSubstr("column income>50K: 1 of 3 cells (33.3 %) hold a category"),
                    Not(HasSubstr("not reviewed"))));
  EXPECT_THAT(workspace.run(join(words, "--num-records 3 --dataset town")).out,
              HasSubstr("dataset town"));

  const std::vector<Refusal> refusals = {
      {"--num-records 0", 2, "--num-records must lie between 1 and"},
      {"--num-records 1e3", 2, "--num-records"},
      {"--num-records 3 --target sx", 2, "did you mean 'sex'?"},
  };
  expect_refusals(workspace, refusals, [&](const Words& more) { return join(words, more); });
  // How many records there are may be private, but not for what needs their number.
  EXPECT_THAT(workspace.run(words).out, HasSubstr("no public number of records"));
  expect_error(workspace.run("plan --schema codes-domain.json --target income>50K --epsilon 1"), 2,
               "give --num-records N");
  workspace.write("codes-domain.json", "{\"sex\": 2,\n\"income>50K\": }");
  expect_error(workspace.run(join(words, "--num-records 3")), 3,
               "codes-domain.json:2:15: is not JSON");
}

TEST(DomainSchema, ATomlSchemaTakesNoFactsOfADomain) {
  const Workspace workspace;
  expect_error(workspace.run("schema check --schema people.toml --num-records 400"), 2,
               "are for a domain.json of private-pgm");
}

}  // namespace
}  // namespace equinoise::testing::schema_draft_test
