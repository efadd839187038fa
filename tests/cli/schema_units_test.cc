// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/people.h"

namespace equinoise::testing::schema_units_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

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

/// 300 patients with 1 to 4 visits each, who are known by a number.
std::string stay_csv() {
  std::string csv = "patient_nbr,ward,days,readmitted\n";
  int row = 0;
  for (int patient = 0; patient < 300; ++patient) {
    for (int visit = 0; visit <= patient * 7 % 4; ++visit, ++row)
      csv += std::to_string(100000 + 7 * patient) + (row % 3 == 0 ? ",a," : ",b,") +
             std::to_string(1 + row * 5 % 28) + (row % 4 == 0 ? ",yes\n" : ",no\n");
  }
  return csv;
}

/// Changes s.toml.
void edit(const Workspace& workspace, const std::string& from, const std::string& to) {
  workspace.write("s.toml", replaced(read_bytes(workspace.path("s.toml")), from, to));
}

TEST(SchemaUnits, ATableOfVisitsGoesFromDraftToCard) {
  const Workspace workspace;
  workspace.write("v.csv", stay_csv());
  const Words draft = {"schema",     "draft",     "--data", "v.csv", "--target",
                       "readmitted", "--dataset", "v",      "--out", "s.toml"};
  const Words check = {"schema", "check", "--schema", "s.toml", "--data", "v.csv"};
  const auto train = [](const std::string& ledger) {
    return Words{"train", "--schema", "s.toml",   "--data", "v.csv",     "--steps", "5",
                 "--out", "m",        "--ledger", ledger,   "--epsilon", "1",       "--force"};
  };
  const Words means = {"means",     "--schema",   "s.toml",   "--data",   "v.csv",
                       "--columns", "days",       "--ledger", "v.ledger", "--epsilon",
                       "1",         "--relation", "zero_out"};
  const Words synth = {"synth", "--schema", "s.toml",   "--data",    "v.csv", "--out",
                       "r",     "--ledger", "v.ledger", "--epsilon", "1"};
  const auto open_account = [&](const std::string& ledger, const Words& more) {
    const ToolResult opened = workspace.run(
        join({"ledger", "init", "--ledger", ledger, "--dataset", "v", "--epsilon", "9"}, more));
    EXPECT_EQ(opened.exit_code, 0) << opened;
  };
  const ToolResult drafted = workspace.run(draft);
  EXPECT_THAT(drafted.out, HasSubstr("\"patient_nbr\" may be an identifier")) << drafted;
  EXPECT_THAT(read_bytes(workspace.path("s.toml")),
              AllOf(HasSubstr("\nunit = \"\"\n"), HasSubstr("--unit \"patient_nbr\"")));

  // Nothing private runs before the owner has answered.
  edit(workspace, "reviewed = false", "reviewed = true");
  for (const Words& words :
       {check, Words{"schema", "check", "--schema", "s.toml"}, train("v.ledger"),
        Words{"plan", "--schema", "s.toml", "--epsilon", "1"}, means, synth}) {
    const ToolResult refused = workspace.run(words);
    EXPECT_EQ(refused.exit_code, 3) << ::testing::PrintToString(words) << refused;
    EXPECT_THAT(refused.err,
                AllOf(HasSubstr("does not say whose rows these are"), HasSubstr("unit = \"row\"")));
  }
  EXPECT_FALSE(workspace.has("m"));

  // "row" is a statement, which everything repeats; `check` still names the column.
  edit(workspace, "unit = \"\"", "unit = \"row\"");
  const ToolResult rows = workspace.run(check);
  EXPECT_EQ(rows.exit_code, 0) << rows;
  EXPECT_THAT(rows.out, AllOf(HasSubstr("the owner states that each person has one row"),
                              HasSubstr("column patient_nbr may be an identifier, and repeats")));
  open_account("v.ledger", {});
  const ToolResult stated = workspace.run(train("v.ledger"));
  EXPECT_EQ(stated.exit_code, 0) << stated;
  EXPECT_THAT(stated.err, Not(HasSubstr("taken for one person")));
  for (const char* file :
       {"m/model_card.md", "m/report.html", "m/report.json", "m/model_card.json"})
    EXPECT_THAT(read_bytes(workspace.path(file)),
                HasSubstr("the owner states that each person has one row"))
        << file;

  EXPECT_THAT(workspace.run(join(means, {"--verbose"})).out,
              HasSubstr("the owner states that each person has one row"));
  EXPECT_EQ(workspace.run(synth).exit_code, 0);
  EXPECT_THAT(read_bytes(workspace.path("r/rows_card.md")),
              HasSubstr("the owner states that each person has one row"));

  // Without the key all is as it was, with a notice.
  edit(workspace, "unit = \"row\"\n", "");
  EXPECT_THAT(workspace.run(check).out, AllOf(HasSubstr("a row is taken for one person"),
                                              HasSubstr("column patient_nbr may be")));
  const ToolResult assumed = workspace.run(train("v.ledger"));
  EXPECT_EQ(assumed.exit_code, 0) << assumed;
  EXPECT_THAT(assumed.err, HasSubstr("warning: nobody has said whose rows these are"));
  EXPECT_THAT(read_bytes(workspace.path("m/model_card.md")),
              HasSubstr("any one row (taken for one person)"));

  // A column is the answer of one word, too.
  EXPECT_EQ(workspace.run(join(draft, {"--force", "--unit", "patient_nbr"})).exit_code, 0);
  edit(workspace, "reviewed = false", "reviewed = true");
  const ToolResult units = workspace.run(check);
  EXPECT_EQ(units.exit_code, 0) << units;
  EXPECT_THAT(units.out, AllOf(HasSubstr("300 units (patient_nbr)"),
                               HasSubstr("of each patient_nbr, 4 rows count"),
                               Not(HasSubstr("may be an identifier"))));
  open_account("units.ledger", {"--unit", "patient_nbr"});
  const ToolResult of_units = workspace.run(train("units.ledger"));
  EXPECT_EQ(of_units.exit_code, 0) << of_units;
  EXPECT_THAT(read_bytes(workspace.path("m/model_card.md")),
              HasSubstr("any one unit (patient_nbr)"));
}

}  // namespace
}  // namespace equinoise::testing::schema_units_test
