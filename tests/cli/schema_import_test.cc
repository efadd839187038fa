// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/people.h"

namespace equinoise::testing::schema_import_test {
namespace {

const std::string kDescription =
    "{\"schema\": {\"age\": {\"dtype\": \"int64\", \"min\": 17, \"max\": 90},"
    "\"city\": {\"dtype\": \"object\", \"values\": [\"north\", \"south\", \"east\"]},"
    "\"sex\": {\"dtype\": \"object\", \"values\": [\"Female\", \"Male\"]},"
    "\"note\": {\"dtype\": \"object\"},"
    "\"label\": {\"dtype\": \"object\", \"values\": [\"no\", \"yes\"], \"colour\": \"red\"}}}";

TEST(SchemaImport, MakesADraftThatFitsTheTable) {
  const Workspace workspace;
  workspace.write("d.json", kDescription);
  const Words words = "schema draft --import d.json --target label --out d.toml --dataset town";
  const ToolResult result = ok(workspace.run(words));
  EXPECT_THAT(result.out, HasAll("colour", "No record was looked at", "REVIEW"));
  const std::string draft = workspace.text("d.toml");
  EXPECT_THAT(draft, HasAll("reviewed = false", "# num_records = 0"));
  workspace.write("d.toml",
                  replaced(draft, "# [public]\n# num_records = 0", "[public]\nnum_records = 400"));
  ok(workspace.run("schema check --schema d.toml --data people.csv"));
  EXPECT_EQ(workspace.run(words).exit_code, 2);
  EXPECT_EQ(workspace.run(join(words, "--data people.csv")).exit_code, 2);
  EXPECT_THAT(workspace.run({"schema", "draft"}).err, HasAll("--data is required", "--import"));
  workspace.write("d.json", "{\"schema\": {");
  const ToolResult broken = workspace.run("schema draft --import d.json");
  EXPECT_EQ(broken.exit_code, 3) << broken;
  EXPECT_THAT(broken.err, HasSubstr("d.json:1:"));
  EXPECT_THAT(broken.out, IsEmpty());
}

TEST(SchemaExport, WritesWhatOthersRead) {
  const Workspace workspace;
  const ToolResult domain = ok(workspace.run("schema export --schema people.toml --to domain"));
  EXPECT_EQ(Json::parse(domain.out).at("sex"), 2);
  EXPECT_THAT(domain.err, HasSubstr("numeric columns have no codes"));
  const ToolResult sdv =
      ok(workspace.run("schema export --schema people.toml --to sdv --out s.json --json"));
  EXPECT_EQ(json_of(sdv).at("files"), Json({"s.json"}));
  EXPECT_TRUE(workspace.json("s.json").contains("tables"));
  expect_error(workspace.run("schema export --schema people.toml --to x"), 2);
  expect_error(workspace.run("schema export --schema people.toml --to sdv --json"), 2);
}

}  // namespace
}  // namespace equinoise::testing::schema_import_test
