// SPDX-License-Identifier: Apache-2.0
// Labels of codes, truth in any spelling, and numbers with units, from a table to what is written.

#include "tests/cli/people.h"
#include "tests/matchers.h"
#include "tests/schema_text.h"

namespace equinoise::testing::spelling_test {
namespace {

constexpr int kNumPatients = 500;

/// sex as codes 1 and 2, smoker in several spellings, pay with thousands and $, and ok.
std::string patients_csv() {
  const std::vector<std::string> yes = {"Yes", "TRUE", "y", "1"};
  const std::vector<std::string> no = {"no", "False", "N", "0"};
  std::string text = "sex,smoker,pay,ok\n";
  for (size_t i = 0; i < kNumPatients; ++i) {
    text += i % 3 == 0 ? "1," : "2,";
    text += (i % 4 == 0 ? yes[i % 16 / 4] : no[i / 7 % 4]) + ",";
    const size_t pay = 800 + 13 * i;
    text += pay < 1000 ? "$" + std::to_string(pay)
                       : "\"$" + std::to_string(pay / 1000) + "," +
                             std::to_string(1000 + pay % 1000).substr(1) + "\"";
    text += (i % 3 == 0) != (i % 10 == 0) ? ",t\n" : ",f\n";
  }
  return text;
}

const std::string kSchema =
    schema_head("patients", "ok", kNumPatients) + group_size("sex = \"Male\"", 167) +
    categorical_section("sex", {"1", "2"}, "labels = { \"1\" = \"Male\", \"2\" = \"Female\" }\n") +
    "[columns.smoker]\ntype = \"boolean\"\nvalues = [\"no\", \"yes\"]\n" +
    numeric_section("pay", 0, 10000, "thousands = \",\"\nunit = \"$\"\n") +
    "[columns.ok]\ntype = \"boolean\"\nlabels = { true = \"accepted\" }\n";

class Spelling : public ::testing::Test {
 protected:
  void SetUp() override {
    workspace.write("patients.csv", patients_csv());
    workspace.write("patients.toml", kSchema);
  }
  Workspace workspace;
};

TEST_F(Spelling, LabelsStandInEveryOutputButRows) {
  const ToolResult trained = ok(workspace.run(
      "train --schema patients.toml --data patients.csv --epsilon 8 --delta 1e-5 --groups sex "
      "--steps 40 --batch-size 128 --out model --insecure-test-rng --seed 3"));
  EXPECT_THAT(trained.out, HasAll("Male", "Female"));
  EXPECT_THAT(workspace.text("model/model.json"),
              AllOf(HasSubstr("sex=Male"), HasSubstr("accepted"), Not(HasSubstr("sex=1"))));
  // Codes and labels are both read, and predictions are labels.
  workspace.write("new.csv", "sex,smoker,pay\n1,no,\"$1,200\"\nMale,FALSE,1200\nfemale,on,12\n");
  const ToolResult predicted =
      ok(workspace.run("predict --model model --data new.csv --out p.csv"));
  const std::string predictions = workspace.text("p.csv");
  EXPECT_THAT(predictions, AnyOf(HasSubstr("accepted"), HasSubstr("false")));
  EXPECT_THAT(predicted.out, HasSubstr("column sex: 1 cells with a category that the schema does"));

  const ToolResult rows =
      ok(workspace.run("synth --drop-incomplete --schema patients.toml --data patients.csv "
                       "--epsilon 20 --delta 1e-6 --method mst --stratify sex --relation zero_out "
                       "--out rows --insecure-test-rng --seed 1"));
  EXPECT_THAT(rows.out, HasSubstr("Male"));
  const std::string csv = workspace.text("rows/rows.csv");
  EXPECT_THAT(csv, AllOf(HasSubstr("\n1,"), HasSubstr("\n2,"), HasSubstr(",no,"),
                         HasSubstr(",true\n"), Not(HasSubstr("Male")), Not(HasSubstr("$"))));
  ok(
      workspace.run("synth evaluate --schema patients.toml --real patients.csv --synthetic "
                    "rows/rows.csv --degree 1 --by sex"));
  for (const std::string given : {"sex=Male", "sex=1"}) {
    ok(workspace.run({"synth", "sample", "--model", "rows", "--rows", "20", "--given", given,
                      "--out", "men.csv", "--force"}));
    EXPECT_THAT(workspace.text("men.csv"), AllOf(HasSubstr("\n1,"), Not(HasSubstr("\n2,"))));
  }
}

}  // namespace
}  // namespace equinoise::testing::spelling_test
