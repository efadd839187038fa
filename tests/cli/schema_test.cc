// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <sstream>

#include "tests/cli/people.h"
#include "tests/data/table_files.h"

namespace equinoise::testing::schema_test {
namespace {

/// Planted into broken tables: nothing that the tool says or writes may ever hold it.
const std::string kSecret = "hunter2secret";

const std::string kAdult = EQUINOISE_SOURCE_DIR "/data/adult/";

TEST(SchemaCheck, AdultFitsItsSchema) {
  const Words words = {
      "schema", "check", "--schema", kAdult + "schema.toml", "--data", kAdult + "adult.csv.gz"};
  const ToolResult text = ok(run_tool(words));
  EXPECT_THAT(text.out, HasAll("dataset adult, 48,842 records", "adult.csv.gz: fits the schema"));
  const ToolResult result = ok(run_tool(join(words, "--json --quiet")));
  EXPECT_THAT(result.err, IsEmpty());
  const Json json = json_of(result);
  EXPECT_EQ(json.at("dataset"), "adult");
  EXPECT_EQ(json.at("num_records"), 48842);
  EXPECT_EQ(json.at("target"), "income");
  EXPECT_EQ(json.at("reviewed"), true);
  EXPECT_EQ(json.at("data_checked"), true);
}

TEST(SchemaCheck, WithoutDataOnlyTheSchemaIsChecked) {
  const Workspace workspace;
  const ToolResult result = ok(workspace.run("schema check --schema people.toml --json"));
  EXPECT_EQ(json_of(result).at("data_checked"), false);
}

TEST(SchemaCheck, AnUnreviewedSchemaIsCheckedAndSaidToBeUnreviewed) {
  const Workspace workspace;
  workspace.write("people.toml", replaced(people_schema(), "reviewed = true", "reviewed = false"));
  const ToolResult result =
      ok(workspace.run("schema check --schema people.toml --data people.csv"));
  EXPECT_THAT(result.out, HasSubstr("not reviewed"));
}

TEST(SchemaCheck, PlanAndTrainRefuseAnUnreviewedSchema) {
  const Workspace workspace;
  workspace.open_ledger();
  workspace.write("people.toml", replaced(people_schema(), "reviewed = true", "reviewed = false"));
  for (const Words& words : {join(Workspace::plan_words(), "--epsilon 1"),
                             Workspace::train_words("--epsilon 1 --out model")}) {
    expect_refused(workspace, words, 2, {"people.toml: ", "not reviewed", "reviewed = true"});
  }
}

void write_schema(const Workspace& workspace, const std::string& old_part,
                  const std::string& new_part) {
  workspace.write("people.toml", replaced(people_schema(), old_part, new_part));
}

TEST(SchemaCheck, ABadSchemaEndsWithCode3AndTheLineForAllCommands) {
  const Workspace workspace;
  workspace.open_ledger();
  const std::vector<std::pair<std::string, Texts>> cases = {
      {people_csv(), {"people.toml:1:", "not valid TOML"}},
      {replaced(people_schema(), "bounds =", "bound ="),
       {"people.toml:9:1:", "columns.age.bound is not a key", "did you mean 'bounds'?"}},
      {replaced(people_schema(), "= 400", "= -400"), {"people.toml:6:", "num_records", "-400"}}};
  for (const auto& [schema, messages] : cases) {
    workspace.write("people.toml", schema);
    for (const Words& words :
         {Words("schema check --schema people.toml"), join(Workspace::plan_words(), "--epsilon 1"),
          Workspace::train_words("--epsilon 1 --out model")})
      expect_refused(workspace, words, 3, messages);
  }
}

TEST(SchemaCheck, ANumberOfRecordsThatIsPrivateIsNoMistakeInItself) {
  const Workspace workspace;
  workspace.open_ledger();
  write_schema(workspace, "num_records = 400\n", "");
  const Words check = "schema check --schema people.toml --data people.csv";
  const ToolResult checked = ok(workspace.run(check));
  EXPECT_THAT(checked.out, HasSubstr("no public number of records"));
  EXPECT_TRUE(json_of(workspace.run(join(check, "--json"))).at("num_records").is_null());
  for (const Words& words : {join(Workspace::plan_words(), "--epsilon 1"),
                             Workspace::train_words("--epsilon 1 --out model")}) {
    expect_refused(workspace, words, 3, "public.num_records is missing");
  }
}

TEST(SchemaCheck, ATargetWithThreeValuesIsForSoftmaxAndRefusedByLogisticRegression) {
  const Workspace workspace;
  workspace.open_ledger();
  workspace.write("people.toml",
                  replaced(people_schema(), "[\"no\", \"yes\"]", "[\"no\", \"yes\", \"perhaps\"]"));
  for (const Words& words : {join(Workspace::plan_words(), "--epsilon 1"),
                             Workspace::train_words("--epsilon 1 --out model")}) {
    expect_refused(workspace, join(words, "--model logistic"), 2, "logistic");
  }
  ok(workspace.train("--epsilon 1 --out model"));
  EXPECT_EQ(workspace.json("model/model.json").at("model"), "softmax");
}

TEST(SchemaCheck, TrainingNeedsATarget) {
  const Workspace workspace;
  workspace.open_ledger();
  workspace.write("people.toml", replaced(people_schema(), "target = \"label\"\n", ""));
  expect_refused(workspace, Workspace::train_words("--epsilon 1 --out model"), 3, "add target =");
}

/// The table with data row `row` (from 1) replaced.
std::string with_row(int row, const std::string& line) {
  std::string text = people_csv();
  size_t begin = 0;
  for (int i = 0; i < row; ++i) begin = text.find('\n', begin) + 1;
  return text.replace(begin, text.find('\n', begin) - begin, line);
}

/// The table with a cell appended to each line.
std::string with_column(const std::string& name, const std::string& cell) {
  std::string text;
  bool is_header = true;
  for (const char c : people_csv()) {
    if (c == '\n') text += "," + (is_header ? name : cell);
    if (c == '\n') is_header = false;
    text += c;
  }
  return text;
}

struct BadTable {
  std::string name;
  std::string content;
  Words messages;
  Words of_check = {};  ///< what a check, which reads on, says instead
};

void expect_table_refused(const Workspace& workspace, const std::string& data,
                          const BadTable& bad) {
  const NothingChanges nothing(workspace);
  for (const Words& words :
       {Words{"schema", "check", "--schema", "people.toml", "--data", data},
        with_option(Workspace::train_words("--epsilon 1 --out model"), "--data", data)}) {
    const ToolResult result = workspace.run(words);
    EXPECT_EQ(result.exit_code, 3) << result;
    const bool is_check = words[0] == "schema";
    EXPECT_THAT(result.err, HasSubstr((is_check ? "] " : "[data.table] ") + data));
    for (const std::string& message :
         is_check && !bad.of_check.empty() ? bad.of_check : bad.messages)
      EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_THAT(result.out + result.err, Not(HasSubstr(kSecret)));
    // A check of a table that can be read lists what it found.
    if (!is_check) {
      EXPECT_THAT(result.out, IsEmpty());
    }
    nothing.check(words[0]);
  }
}

TEST(Table, EveryBadTableEndsWithCode3AndItsPlaceAndSpendsNothing) {
  const std::string kept = people_csv();
  const std::vector<BadTable> cases = {
      {"empty", "", {"is empty"}},
      {"header only", kept.substr(0, kept.find('\n') + 1), {"has a header but no rows"}},
      {"too few cells",
       with_row(3, "40,north," + kSecret + ",yes"),
       {"row 3 (line 4) has 4 cells, but the header has 5"}},
      {"too many cells",
       with_row(3, "40,north,Male," + kSecret + ",1,yes"),
       {"row 3 (line 4) has 6 cells, but the header has 5"}},
      {"unclosed quote",
       with_row(3, "40,north,Male,\"" + kSecret + ",yes"),
       {"row 3 (line 4) opens a quote that is never closed"}},
      {"quote within a cell",
       with_row(3, "40,north,Male," + kSecret + "\"x,yes"),
       {"row 3 (line 4) has a quote inside a cell"}},
      {"Latin-1", with_row(3, "40,north,Male," + kSecret + "\xe9,yes"), {"line 4", "not UTF-8"}},
      {"NUL",
       with_row(3, "40,north,Male," + kSecret + std::string(1, '\0') + ",yes"),
       {"line 4 contains a NUL byte"}},
      {"missing column", replaced(kept, "age,city,", "age,town,"), {"lacks column 'city'"}},
      {"extra column", with_column("extra", kSecret), {"does not declare column 'extra'"}},
      {"duplicate column", with_column("sex", kSecret), {"names column 'sex' twice"}},
      {"no header",
       with_row(0, kSecret + ",north,Male,,yes"),
       {"names no column of the schema", "if the file has no header"}},
      {"words for a number",
       with_row(3, kSecret + ",north,Male,,yes"),
       {"row 3 (line 4) column 'age' is not a number"},
       {"column age: 1 of 400 cells (0.25 %) hold no number, the first in row 3"}},
      {"a number with words",
       with_row(400, "40" + kSecret + ",north,Male,,yes"),
       {"row 400 (line 401) column 'age' is not a number"},
       {"column age: 1 of 400 cells (0.25 %) hold no number, the first in row 400"}},
      {"NaN",
       with_row(3, "nan,north,Male," + kSecret + ",yes"),
       {"row 3 (line 4) column 'age' is not a number"},
       {"column age: 1 of 400 cells (0.25 %) hold no number, the first in row 3"}},
      {"a row too few",
       kept.substr(0, kept.rfind('\n', kept.size() - 2) + 1),
       {"has 399 rows, but the schema says num_records = 400"}},
      {"a row too many",
       kept + "40,north,Male," + kSecret + ",yes\n",
       {"has 401 rows, but the schema says num_records = 400"}},
      {"damaged gzip", "\x1f\x8b" + kSecret, {"gzip"}},
  };
  const Workspace workspace;
  workspace.open_ledger();
  for (const BadTable& bad : cases) {
    SCOPED_TRACE(bad.name);
    workspace.write("people.csv", bad.content);
    expect_table_refused(workspace, "people.csv", bad);
  }
}

/// The people as JSON rows.
std::string people_json() {
  std::istringstream csv(people_csv());
  std::string line;
  std::getline(csv, line);
  std::string text = "[";
  while (std::getline(csv, line)) {
    std::istringstream cells(line);
    std::string age, city, sex, note, label;
    for (std::string* cell : {&age, &city, &sex, &note, &label}) std::getline(cells, *cell, ',');
    text += (text.size() > 1 ? ",\n" : "") + std::string("{\"age\": ") + age + ", \"city\": \"" +
            city + "\", \"sex\": \"" + sex + "\", \"note\": null, \"label\": \"" + label + "\"}";
  }
  return text + "]\n";
}

/// The workspace's people.csv as Parquet.
std::string people_parquet(const Workspace& workspace) {
  const TempFolder folder;
  return read_bytes(write_parquet(
      folder.path() / "people.parquet",
      "SELECT age::INTEGER AS age, city, sex, note, label FROM read_csv('" +
          workspace.path("people.csv").string() + "', header=true, all_varchar=true)"));
}

TEST(Table, EveryBadFileOfAnotherFormatEndsWithCode3AndSpendsNothing) {
  const Workspace workspace;
  workspace.open_ledger();
  const std::string parquet = people_parquet(workspace);
  const std::string json = people_json();
  const std::vector<BadTable> cases = {
      {"t.arff",
       "@relation r\n@attribute age real\n@attribute city string\n@attribute sex string\n"
       "@attribute note string\n@attribute label string\n@data\n{0 " +
           kSecret + "}\n",
       {"row 1 (line 8) is sparse"}},
      {"t.json",
       "{\"age\": {\"0\": 17}, \"city\": {\"0\": \"" + kSecret + "\"}}",
       {"orient='records'"}},
      {"t.json", "[17, 18]", {"row 1"}},
      {"t.json",
       replaced(json, "{\"age\": 54, ", "{\"age\": 54, \"" + kSecret + "\": 1, "),
       {"row 2"}},
      {"t.json", json.substr(0, json.size() / 2), {"t.json"}},
      {"t.json", replaced(json, "\"age\": 54,", "\"age\": [54],"), {"row 2"}},
      {"t.parquet", parquet.substr(0, parquet.size() / 2), {"cut short"}},
      {"t.parquet", parquet.substr(0, parquet.size() - 1), {"cut short"}},
      {"t.parquet", "PAR1", {"cut short"}},
      {"t.csv.gz", gzip(people_csv()).substr(0, 200), {"cut short"}},
      {"t.csv", "decile,lsat\n1," + kSecret + "\n", {"names no column of the schema"}}};
  for (const BadTable& bad : cases) {
    SCOPED_TRACE(bad.content.substr(0, 100));
    workspace.write(bad.name, bad.content);
    expect_table_refused(workspace, bad.name, bad);
  }
}

TEST(Table, AMissingFileADirectoryAndAPipeAreRefused) {
  const Workspace workspace;
  workspace.open_ledger();
  std::filesystem::create_directory(workspace.path("folder"));
  ASSERT_EQ(::mkfifo(workspace.path("pipe").c_str(), 0600), 0);
  expect_table_refused(workspace, "nothing.csv", {"", "", {"cannot be opened", "No such file"}});
  expect_table_refused(workspace, "folder", {"", "", {"is a directory"}});
  expect_table_refused(workspace, "pipe", {"", "", {"is not a regular file"}});
}

// Trouble with a record's value follows the schema's rules and never stops the run.
TEST(Table, ValuesThatTheSchemaDoesNotListAreCountedAndNeverShown) {
  const Workspace workspace;
  workspace.open_ledger();
  std::string table = with_row(3, "1e999," + kSecret + ",Male," + kSecret + "," + kSecret);
  workspace.write("people.csv", replaced(table, "\n17,north,", "\n,north,"));
  const ToolResult result = ok(workspace.train("--epsilon 1 --out model --json"));
  std::string everything = result.out + result.err;
  for (const auto& entry : std::filesystem::directory_iterator(workspace.path("model"))) {
    everything += read_bytes(entry.path());
  }
  EXPECT_THAT(everything + workspace.ledger_bytes(), Not(HasSubstr(kSecret)));
  const std::string ingest = json_of(result).at("ingest").dump();
  EXPECT_THAT(
      ingest,
      HasAll("column city: 1 cells with a category", "column label: 1 cells with a category",
             "column age: 1 numbers outside the bounds", "missing cells: age 1", "2 records"));
}

TEST(SchemaCheck, AFileThatMayNotBeReadIsNamed) {
  const Workspace workspace;
  std::filesystem::permissions(workspace.path("."), static_cast<std::filesystem::perms>(0755));
  ToolOptions options = {.uid = unprivileged()};
  options.folder = workspace.path(".");
  if (run_tool("--version", options).exit_code != 0)
    GTEST_SKIP() << "that user cannot run the tool here";
  for (const std::string name : {"people.csv", "people.toml"}) {
    std::filesystem::permissions(workspace.path(name), std::filesystem::perms::none);
    expect_error(workspace.run("schema check --schema people.toml --data people.csv", options), 3,
                 {name, "Permission denied"});
    std::filesystem::permissions(workspace.path(name), static_cast<std::filesystem::perms>(0644));
  }
}

TEST(SchemaCheck, ATableWhoseCellsAreWrittenOtherwiseDoesNotFit) {
  const Workspace workspace;
  std::string table = people_csv();
  for (size_t at = 0; (at = table.find("ale,", at)) != std::string::npos; at += 5)
    table.replace(at, 4, "ale.,");
  workspace.write("people.csv", table);
  const Words words = "schema check --schema people.toml --data people.csv";
  const ToolResult text = workspace.run(words);
  EXPECT_EQ(text.exit_code, 3) << text;
  EXPECT_THAT(text.out, HasAll("people.csv: does not fit the schema",
                               "not private: column sex: 400 of 400 cells (100 %) hold no "
                               "category of the schema",
                               "not private: no record contributes anything"));
  EXPECT_THAT(text.err, HasSubstr("people.csv does not fit the schema: 2 reasons"));
  const ToolResult json = workspace.run(join(words, "--json"));
  EXPECT_EQ(json.exit_code, 3) << json;
  EXPECT_EQ(json_of(json).at("fits"), false);
  // A run is warned, on standard error and where figures are not private.
  const ToolResult run =
      ok(workspace.run("synth --drop-incomplete --schema people.toml --data people.csv --epsilon 2 "
                       "--delta 1e-6 --method mst --insecure-test-rng --seed 1 --out rows"));
  EXPECT_THAT(run.err, HasSubstr("warning, not private: column sex: 400 of 400 cells (100 %)"));
  EXPECT_THAT(run.out, HasSubstr("Reading the table (NOT PRIVATE)\ncolumn sex: 400 of 400 cells"));
  EXPECT_THAT(workspace.text("rows/model.json"), Not(HasSubstr("400 of")));
}

}  // namespace
}  // namespace equinoise::testing::schema_test
