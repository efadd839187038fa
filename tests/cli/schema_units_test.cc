// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/people.h"
#include "tests/schema_text.h"

namespace equinoise::testing::schema_units_test {
namespace {

const std::string kSchema = units_head("visits", "ill", 3, "person_id", 2) +
                            ignored_section("person_id") + numeric_section("age", 0, 100) +
                            categorical_section("sex", {"F", "M"}) +
                            categorical_section("ill", {"no", "yes"});

const std::string kTable =
    "person_id,age,sex,ill\na,30,F,no\na,31,F,yes\na,32,F,no\nb,50,M,no\nc,20,F,yes\n";

TEST(SchemaUnits, TheSchemaAndTheirRowsAreChecked) {
  const Workspace workspace;
  workspace.write("visits.toml", kSchema);
  workspace.write("visits.csv", kTable);
  const Words words = "schema check --schema visits.toml --data visits.csv";
  const ToolResult text = ok(workspace.run(words));
  EXPECT_THAT(text.out, HasAll("3 units (person_id), 4 columns", "of each person_id, 2 rows count",
                               "not private: 3 units (person_id) have 5 rows: each has at least 1",
                               "2 keeps 4 of 5 rows (80 %)"));
  const Json json = json_of(workspace.run(join(words, "--json")));
  EXPECT_EQ(json.at("unit"), "person_id");
  EXPECT_EQ(json.at("max_records_per_unit"), 2);
  EXPECT_EQ(json.at("num_units"), 3);
  EXPECT_FALSE(json.contains("num_records"));
  EXPECT_EQ(json.at("not_private_units").at("rows"), 5);
}

TEST(SchemaUnits, AnAuditOfPredictionsDoesNotKnowThemAndRefusesThem) {
  const Workspace workspace;
  workspace.write("visits.toml", kSchema);
  workspace.write("scores.csv", "ill,sex,score\nno,F,0.3\nyes,M,0.6\n");
  expect_refused(
      workspace,
      "audit --predictions scores.csv --schema visits.toml --probability score --groups sex", 2,
      {"does not know units", "unit = \"person_id\"", "unit = \"row\""});
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
  workspace.write("s.toml", replaced(workspace.text("s.toml"), from, to));
}

TEST(SchemaUnits, ATableOfVisitsGoesFromDraftToCard) {
  const Workspace workspace;
  workspace.write("v.csv", stay_csv());
  const Words draft = "schema draft --data v.csv --target readmitted --dataset v --out s.toml";
  const Words check = "schema check --schema s.toml --data v.csv";
  const auto train = [](const std::string& ledger) {
    return Words{"train", "--schema", "s.toml",   "--data", "v.csv",     "--steps", "5",
                 "--out", "m",        "--ledger", ledger,   "--epsilon", "1",       "--force"};
  };
  const Words means =
      "means --schema s.toml --data v.csv --columns days --ledger v.ledger --epsilon 1 --relation "
      "zero_out";
  const Words synth = "synth --schema s.toml --data v.csv --out r --ledger v.ledger --epsilon 1";
  const auto open_account = [&](const std::string& ledger, const Words& more) {
    ok(workspace.run(
        join({"ledger", "init", "--ledger", ledger, "--dataset", "v", "--epsilon", "9"}, more)));
  };
  const ToolResult drafted = workspace.run(draft);
  EXPECT_THAT(drafted.out, HasSubstr("\"patient_nbr\" may be an identifier")) << drafted;
  EXPECT_THAT(workspace.text("s.toml"), HasAll("\nunit = \"\"\n", "--unit \"patient_nbr\""));

  // Nothing private runs before the owner has answered.
  edit(workspace, "reviewed = false", "reviewed = true");
  for (const Words& words : {check, Words("schema check --schema s.toml"), train("v.ledger"),
                             Words("plan --schema s.toml --epsilon 1"), means, synth}) {
    expect_error(workspace.run(words), 3, {"does not say whose rows these are", "unit = \"row\""});
  }
  EXPECT_FALSE(workspace.has("m"));

  // "row" is a statement, which everything repeats; `check` still names the column.
  edit(workspace, "unit = \"\"", "unit = \"row\"");
  const ToolResult rows = ok(workspace.run(check));
  EXPECT_THAT(rows.out, HasAll("the owner states that no person has two rows",
                               "column patient_nbr may be an identifier, and repeats"));
  open_account("v.ledger", {});
  const ToolResult stated = ok(workspace.run(train("v.ledger")));
  EXPECT_THAT(stated.err, Not(HasSubstr("whose rows these are")));
  for (const char* file :
       {"m/model_card.md", "m/report.html", "m/report.json", "m/model_card.json"})
    EXPECT_THAT(workspace.text(file), HasSubstr("the owner states that no person has two rows"))
        << file;

  EXPECT_THAT(workspace.run(join(means, "--verbose")).out,
              HasSubstr("the owner states that no person has two rows"));
  ok(workspace.run(synth));
  EXPECT_THAT(workspace.text("r/rows_card.md"),
              HasSubstr("the owner states that no person has two rows"));

  // Without the key all is as it was, with a notice.
  edit(workspace, "unit = \"row\"\n", "");
  EXPECT_THAT(workspace.run(check).out,
              HasAll("nobody has said whose rows these are", "column patient_nbr may be"));
  const ToolResult assumed = ok(workspace.run(train("v.ledger")));
  EXPECT_THAT(assumed.err, HasSubstr("warning: nobody has said whose rows these are"));
  EXPECT_THAT(workspace.text("m/model_card.md"),
              HasSubstr("any one row (nobody has said whose rows these are)"));

  // A column is the answer of one word, too.
  ok(workspace.run(join(draft, "--force --unit patient_nbr")));
  edit(workspace, "reviewed = false", "reviewed = true");
  const ToolResult units = ok(workspace.run(check));
  EXPECT_THAT(units.out, AllOf(HasSubstr("300 units (patient_nbr)"),
                               HasSubstr("of each patient_nbr, 4 rows count"),
                               Not(HasSubstr("may be an identifier"))));
  open_account("units.ledger", "--unit patient_nbr");
  ok(workspace.run(train("units.ledger")));
  EXPECT_THAT(workspace.text("m/model_card.md"), HasSubstr("any one unit (patient_nbr)"));
}

}  // namespace
}  // namespace equinoise::testing::schema_units_test
