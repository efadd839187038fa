// SPDX-License-Identifier: Apache-2.0
// Tables and schemas that break tools, through the commands that read them.

#include <sstream>

#include "tests/cli/people.h"
#include "tests/data/table_files.h"

namespace equinoise::testing::hard_input_test {
namespace {

constexpr const char* kSecret = "S3CRET";

struct BadTable {
  std::string what;
  std::string name;
  std::string content;
  std::string says;
};

/// The people as JSON rows.
std::string people_json() {
  std::istringstream csv(people_csv());
  std::string line;
  std::getline(csv, line);
  std::string text = "[";
  while (std::getline(csv, line)) {
    std::istringstream cells(line);
    std::string age;
    std::string city;
    std::string sex;
    std::string note;
    std::string label;
    std::getline(cells, age, ',');
    std::getline(cells, city, ',');
    std::getline(cells, sex, ',');
    std::getline(cells, note, ',');
    std::getline(cells, label, ',');
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

TEST(HardInput, EveryBadTableEndsWithCode3AndSpendsNothing) {
  const Workspace workspace;
  workspace.open_ledger();
  const std::string parquet = people_parquet(workspace);
  const std::string json = people_json();
  const std::vector<BadTable> tables = {
      {"sparse ARFF", "t.arff",
       "@relation r\n@attribute age real\n@attribute city string\n@attribute sex string\n"
       "@attribute note string\n@attribute label string\n@data\n{0 S3CRET}\n",
       "row 1 (line 8) is sparse"},
      {"JSON that is no rows", "t.json", "{\"age\": {\"0\": 17}, \"city\": {\"0\": \"S3CRET\"}}",
       "orient='records'"},
      {"JSON of a number", "t.json", "[17, 18]", "row 1"},
      {"JSON with another key", "t.json",
       replaced(json, "{\"age\": 54, ", "{\"age\": 54, \"S3CRET\": 1, "), "row 2"},
      {"JSON cut short", "t.json", json.substr(0, json.size() / 2), "t.json"},
      {"nested JSON", "t.json", replaced(json, "\"age\": 54,", "\"age\": [54],"), "row 2"},
      {"Parquet cut short", "t.parquet", parquet.substr(0, parquet.size() / 2), "cut short"},
      {"Parquet without its end", "t.parquet", parquet.substr(0, parquet.size() - 1), "cut short"},
      {"only the mark of Parquet", "t.parquet", "PAR1", "cut short"},
      {"gzip cut short", "t.csv.gz", gzip(people_csv()).substr(0, 200), "cut short"},
      {"another dataset", "t.csv", "decile,lsat\n1,S3CRET\n", "names no column of the schema"},
  };
  for (const BadTable& table : tables) {
    workspace.write(table.name, table.content);
    const NothingChanges nothing(workspace);
    for (const Words& words :
         {Words{"schema", "check", "--schema", "people.toml", "--data", table.name},
          with_option(Workspace::train_words("--epsilon 1 --out model"), "--data", table.name)}) {
      const ToolResult result = workspace.run(words);
      EXPECT_EQ(result.exit_code, 3) << table.what << "\n" << result;
      EXPECT_THAT(result.err,
                  AllOf(HasSubstr(table.name), HasSubstr(table.says), Not(HasSubstr(kSecret))))
          << table.what;
      EXPECT_THAT(result.out, IsEmpty());
      nothing.check(table.what);
    }
  }
}

TEST(HardInput, ATargetOfOneClassAndAGroupWithoutRowsAreNoErrors) {
  const Workspace workspace;
  workspace.open_ledger();
  std::string csv = "age,city,sex,note,label\n";
  for (int i = 0; i < kNumPeople; ++i) csv += "40,south,Male,,no\n";
  workspace.write("people.csv", csv);
  const Json json =
      json_of(ok(workspace.train("--epsilon 1 --groups sex,city --reference --out model --json")));
  EXPECT_EQ(json.at("groups").size(), 6U);
  EXPECT_EQ(json.at("groups")[0].at("num_records"), 0);
  EXPECT_TRUE(json.at("groups")[0].at("accuracy").is_null());
  ok(workspace.run("audit --model model --data people.csv --held-out --groups sex,city"));
}

TEST(HardInput, ReversedBoundsAndASchemaOfAnotherDatasetAreNamed) {
  const Workspace workspace;
  workspace.open_ledger();
  const std::vector<std::tuple<std::string, int, std::string>> cases = {
      {replaced(people_schema(), "[17, 90]", "[90, 17]"), 3, "LOWER < UPPER"},
      {replaced(people_schema(), "\"people\"", "\"others\""), 6, "no account for dataset"},
      {replaced(people_schema(), "[columns.city]", "[columns.town]"), 3, "lacks column 'town'"},
      {people_schema(399), 3, "400 rows"},
  };
  for (const auto& [schema, exit_code, says] : cases) {
    workspace.write("people.toml", schema);
    expect_refused(workspace, Workspace::train_words("--epsilon 1 --out model"), exit_code, says);
  }
}

TEST(HardInput, SmallGroupsFollowThePolicy) {
  const Workspace workspace;
  workspace.open_ledger();
  workspace.write(
      "people.toml",
      people_schema() +
          "[groups.life]\ncolumn = \"age\"\ncuts = [30, 60]\n"
          "[[public.groups]]\ngroup = { life = \"below 30\" }\nnum_records = 70\n"
          "[[public.groups]]\ngroup = { life = \"30 to below 60\" }\nnum_records = 163\n"
          "[[public.groups]]\ngroup = { life = \"60 and above\" }\nnum_records = 60\n");
  const auto plan = [&](const Words& more) {
    return workspace.run(join(Workspace::plan_words(), join("--epsilon 1 --json", more)));
  };
  EXPECT_EQ(json_of(plan("--groups life")).at("groups").size(), 3U);
  const Json merged = json_of(plan("--groups life --min-group-size 100 --small-groups merge"));
  ASSERT_EQ(merged.at("groups").size(), 2U);
  EXPECT_EQ(merged.at("groups")[1].at("group").at("life"), "(small groups)");
  EXPECT_EQ(merged.at("groups")[1].at("public_size"), 130);
  expect_error(plan("--groups life --min-group-size 100 --small-groups refuse"), 2,
               {"below 30", "60 and above"});
  expect_error(plan("--groups sex --min-group-size 100 --small-groups merge"), 2);
  EXPECT_EQ(plan("--groups life --min-group-size 100").exit_code, 2);
  EXPECT_THAT(plan("--groups age").err, HasSubstr("[groups."));
}

TEST(HardInput, ADomainOfPrivatePgmIsASchema) {
  const Workspace workspace;
  std::string csv = "age,sex,label\n";
  for (int i = 0; i < 200; ++i) {
    csv += std::to_string(i % 7) + "," + std::to_string(i % 2) + "," + std::to_string(i % 7 / 4) +
           "\n";
  }
  workspace.write("codes.csv", csv);
  workspace.write("codes-domain.json", "{\"age\": 7, \"sex\": 2, \"label\": 2}");
  ok(workspace.run("ledger init --ledger l --dataset codes --epsilon 3 --delta 1e-5"));
  const Words train =
      "train --schema codes-domain.json --data codes.csv --target label --epsilon 1 --delta 1e-5 "
      "--batch-size 50 --steps 50 --ledger l --out model --groups sex";
  expect_error(workspace.run(train), 2, "--num-records");
  ok(workspace.run(join(train, "--num-records 200")));
  // What was saved is a whole schema: the model needs no domain file any more.
  ok(workspace.run("predict --model model --data codes.csv --out predictions.csv"));
}

}  // namespace
}  // namespace equinoise::testing::hard_input_test
