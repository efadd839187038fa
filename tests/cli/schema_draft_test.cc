// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/people.h"

namespace equinoise::testing::schema_draft_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const Words kDraft = {"schema", "draft", "--data", "people.csv", "--target", "label"};

TEST(SchemaDraft, PrintsADraftThatFitsItsTable) {
  const Workspace workspace;
  const ToolResult result = workspace.run(kDraft);
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.out, AllOf(StartsWith("# A draft, NOT PRIVATE"),
                                HasSubstr("dataset = \"people\"\nreviewed = false\n"
                                          "target = \"label\""),
                                HasSubstr("[columns.note]\ntype = \"ignored\"")));
  EXPECT_THAT(result.err, HasSubstr("NOT PRIVATE"));
  EXPECT_THAT(workspace.run(join(kDraft, {"--quiet"})).err, IsEmpty());
  workspace.write("draft.toml", result.out);
  const ToolResult check =
      workspace.run({"schema", "check", "--schema", "draft.toml", "--data", "people.csv"});
  EXPECT_EQ(check.exit_code, 0) << check;
  EXPECT_THAT(check.out, HasSubstr("people.csv: fits the schema"));
}

TEST(SchemaDraft, WritesAFileAndSaysWhatIsNext) {
  const Workspace workspace;
  const Words words = join(kDraft, {"--out", "draft.toml", "--dataset", "town"});
  const ToolResult result = workspace.run(words);
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.out, AllOf(HasSubstr("NOT PRIVATE"), HasSubstr("set reviewed = true"),
                                HasSubstr("schema check --schema draft.toml --data people.csv")));
  const std::string text = read_bytes(workspace.path("draft.toml"));
  EXPECT_THAT(text, HasSubstr("dataset = \"town\""));

  workspace.write("draft.toml", "mine");
  const NothingChanges nothing(workspace);
  const ToolResult again = workspace.run(words);
  EXPECT_EQ(again.exit_code, 2) << again;
  EXPECT_THAT(again.err, HasSubstr("draft.toml exists; give another --out or --force"));
  nothing.check("an existing file");
  EXPECT_EQ(read_bytes(workspace.path("draft.toml")), "mine");
  EXPECT_EQ(workspace.run(join(words, {"--force"})).exit_code, 0);
  EXPECT_EQ(read_bytes(workspace.path("draft.toml")), text);
}

TEST(SchemaDraft, AnswersInJson) {
  const Workspace workspace;
  const ToolResult result = workspace.run(join(kDraft, {"--json", "--quiet"}));
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.err, IsEmpty());
  const Json json = json_of(result);
  EXPECT_EQ(json.at("status"), "not private");
  EXPECT_EQ(json.at("reviewed"), false);
  EXPECT_EQ(json.at("draft"), workspace.run(kDraft).out);
  EXPECT_THAT(json.at("files"), IsEmpty());
  const Json written = json_of(workspace.run(join(kDraft, {"--json", "--out", "d.toml"})));
  EXPECT_THAT(written.at("files").get<Words>(), ElementsAre("d.toml"));
  EXPECT_EQ(read_bytes(workspace.path("d.toml")), written.at("draft"));
}

TEST(SchemaDraft, BadRequestsEndWithTheirCodeAndWriteNothing) {
  struct Case {
    Words words;
    int exit_code;
    std::string message;
  };
  const std::vector<Case> cases = {
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
  const NothingChanges nothing(workspace);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.message);
    const ToolResult result = workspace.run(c.words);
    EXPECT_EQ(result.exit_code, c.exit_code) << result;
    EXPECT_THAT(result.err, HasSubstr(c.message));
    EXPECT_THAT(result.out, IsEmpty());
    nothing.check(c.message);
  }
}

TEST(SchemaDraft, AFullDiskIsAnErrorAndLeavesNothing) {
  const Workspace workspace;
  ToolOptions options;
  options.max_file_bytes = 100;
  const ToolResult result = workspace.run(join(kDraft, {"--out", "draft.toml"}), options);
  EXPECT_EQ(result.exit_code, 1) << result;
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(workspace.names("draft.toml"), IsEmpty());
}

TEST(SchemaDraft, DoesNotReplaceItsTable) {
  const Workspace workspace;
  const NothingChanges nothing(workspace);
  const ToolResult result = workspace.run(join(kDraft, {"--out", "people.csv", "--force"}));
  EXPECT_EQ(result.exit_code, 2) << result;
  EXPECT_EQ(read_bytes(workspace.path("people.csv")), people_csv());
  nothing.check("people.csv");
}

TEST(DomainSchema, ChecksATableOfCodes) {
  const Workspace workspace;
  workspace.write("codes-domain.json", "{\"sex\": 2, \"income>50K\": 2}");
  workspace.write("codes.csv", "sex,income>50K\n0,1\n1,0\n1,2\n");
  const Words words = {"schema", "check", "--schema", "codes-domain.json"};
  const ToolResult result = workspace.run(
      join(words, {"--num-records", "3", "--target", "income>50K", "--data", "codes.csv"}));
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("dataset codes, 3 records, 2 columns, 2 features after encoding, "
                              "target income>50K"),
                    HasSubstr("column income>50K: 1 of 3 cells (33.3 %) hold a category"),
                    Not(HasSubstr("not reviewed"))));
  EXPECT_THAT(workspace.run(join(words, {"--num-records", "3", "--dataset", "town"})).out,
              HasSubstr("dataset town"));

  const std::vector<std::pair<Words, std::string>> refused = {
      {{"--num-records", "0"}, "--num-records must lie between 1 and"},
      {{"--num-records", "1e3"}, "--num-records"},
      {{"--num-records", "3", "--target", "sx"}, "did you mean 'sex'?"},
  };
  for (const auto& [more, message] : refused) {
    const ToolResult refusal = workspace.run(join(words, more));
    EXPECT_EQ(refusal.exit_code, 2) << refusal;
    EXPECT_THAT(refusal.err, HasSubstr(message));
  }
  // How many records there are may be private, but not for what needs their number.
  EXPECT_THAT(workspace.run(words).out, HasSubstr("no public number of records"));
  const ToolResult plan = workspace.run(
      {"plan", "--schema", "codes-domain.json", "--target", "income>50K", "--epsilon", "1"});
  EXPECT_EQ(plan.exit_code, 2) << plan;
  EXPECT_THAT(plan.err, HasSubstr("give --num-records N"));
  workspace.write("codes-domain.json", "{\"sex\": 2,\n\"income>50K\": }");
  const ToolResult broken = workspace.run(join(words, {"--num-records", "3"}));
  EXPECT_EQ(broken.exit_code, 3) << broken;
  EXPECT_THAT(broken.err, HasSubstr("codes-domain.json:2:15: is not JSON"));
}

TEST(DomainSchema, ATomlSchemaTakesNoFactsOfADomain) {
  const Workspace workspace;
  const ToolResult result =
      workspace.run({"schema", "check", "--schema", "people.toml", "--num-records", "400"});
  EXPECT_EQ(result.exit_code, 2) << result;
  EXPECT_THAT(result.err, HasSubstr("are for a domain.json of private-pgm"));
}

}  // namespace
}  // namespace equinoise::testing::schema_draft_test
