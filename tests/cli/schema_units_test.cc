// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/people.h"

namespace equinoise::testing::schema_units_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::string_view kSchema = R"(schema = "equinoise/1"
dataset = "visits"
reviewed = true
target = "ill"
unit = "person_id"
max_records_per_unit = 2
[public]
num_units = 3
[columns.person_id]
type = "ignored"
[columns.age]
type = "numeric"
bounds = [0, 100]
[columns.sex]
type = "categorical"
values = ["F", "M"]
[columns.ill]
type = "categorical"
values = ["no", "yes"]
)";

constexpr std::string_view kTable =
    "person_id,age,sex,ill\na,30,F,no\na,31,F,yes\na,32,F,no\nb,50,M,no\nc,20,F,yes\n";

TEST(SchemaUnits, TheSchemaAndTheirRowsAreChecked) {
  const Workspace workspace;
  workspace.write("visits.toml", std::string(kSchema));
  workspace.write("visits.csv", std::string(kTable));
  const Words words = {"schema", "check", "--schema", "visits.toml", "--data", "visits.csv"};
  const ToolResult text = workspace.run(words);
  EXPECT_EQ(text.exit_code, 0) << text;
  EXPECT_THAT(text.out,
              AllOf(HasSubstr("3 units (person_id), 4 columns"),
                    HasSubstr("of each person_id, 2 rows count"),
                    HasSubstr("not private: 3 units (person_id) have 5 rows: each has at least 1"),
                    HasSubstr("2 keeps 4 of 5 rows (80 %)")));
  const Json json = json_of(workspace.run(join(words, {"--json"})));
  EXPECT_EQ(json.at("unit"), "person_id");
  EXPECT_EQ(json.at("max_records_per_unit"), 2);
  EXPECT_EQ(json.at("num_units"), 3);
  EXPECT_FALSE(json.contains("num_records"));
  EXPECT_EQ(json.at("not_private_units").at("rows"), 5);
}

TEST(SchemaUnits, AnAuditOfPredictionsDoesNotKnowThemAndRefusesThem) {
  const Workspace workspace;
  workspace.write("visits.toml", std::string(kSchema));
  workspace.write("scores.csv", "ill,sex,score\nno,F,0.3\nyes,M,0.6\n");
  const NothingChanges nothing(workspace);
  const ToolResult result =
      workspace.run({"audit", "--predictions", "scores.csv", "--schema", "visits.toml",
                     "--probability", "score", "--groups", "sex"});
  EXPECT_EQ(result.exit_code, 2) << result;
  EXPECT_THAT(result.err, AllOf(HasSubstr("does not know units"), HasSubstr("unit = \"person_id\""),
                                HasSubstr("unit = \"row\"")));
  nothing.check("audit");
}

}  // namespace
}  // namespace equinoise::testing::schema_units_test
