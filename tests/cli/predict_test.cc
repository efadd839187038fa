// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "tests/cli/people.h"

namespace equinoise::testing::predict_test {
namespace {

const std::string kSecret = "hunter2secret";

/// A workspace with a trained model in the folder "model"; the run spent nothing.
class PredictCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    ok(workspace.train(
        "--method sgd --split-seed 18446744073709551615 --insecure-test-rng --seed 1 --out model"));
  }

  static Words words(const Words& more = {}) {
    return join("predict --model model --data people.csv --out out.csv", more);
  }

  Words lines() const {
    std::istringstream stream(workspace.text("out.csv"));
    Words result;
    for (std::string line; std::getline(stream, line);) result.push_back(line);
    return result;
  }

  Workspace workspace;
};

TEST_F(PredictCommand, WritesAPredictionForEveryRow) {
  const Json json = json_of(ok(workspace.run(words("--json"))));
  expect_keys(json, {"rows", "not_predicted", "seconds", "files"});
  EXPECT_EQ(json.at("rows"), kNumPeople);
  EXPECT_EQ(json.at("not_predicted"), 0);
  EXPECT_EQ(json.at("files"), Json({"out.csv"}));
  const Words written = lines();
  ASSERT_EQ(written.size(), static_cast<size_t>(kNumPeople + 1));
  EXPECT_EQ(written[0], "row,prediction,probability of no,probability of yes");
  EXPECT_THAT(written[1], AllOf(StartsWith("1,")));
  int yes = 0;
  for (const std::string& line : written) yes += line.find(",yes,") != line.npos ? 1 : 0;
  EXPECT_GT(yes, 100);
  EXPECT_LT(yes, 300);
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(workspace.path("out.csv")).permissions(),
            perms::owner_read | perms::owner_write);
}

TEST_F(PredictCommand, SaysWhichGuaranteeTheModelHas) {
  EXPECT_EQ(json_of(workspace.run(words("--json"))).at("model_status"), "not private");
  EXPECT_THAT(workspace.run(words("--force")).out,
              HasSubstr("Guarantee of the model: NOT PRIVATE"));
  workspace.open_ledger();
  ok(workspace.train("--epsilon 1 --out paid"));
  EXPECT_THAT(workspace.run(with_option(words("--force"), "--model", "paid")).out,
              HasSubstr("Guarantee of the model: epsilon 1"));
}

TEST_F(PredictCommand, RecordsThatTheRulesDropAreEmptyAndCounted) {
  workspace.write("people.csv", "age,city,sex\n30,north,Male\n,north,Male\n30," + kSecret +
                                    ",Male\n500,south,Female\n");
  const ToolResult result = ok(workspace.run(words("--json")));
  const Json json = json_of(result);
  EXPECT_EQ(json.at("rows"), 4);
  EXPECT_THAT(json.at("notice").dump(), HasSubstr("DO NOT PUBLISH"));
  EXPECT_EQ(json.at("not_predicted"), 2);
  EXPECT_THAT(json.at("ingest").dump(), HasSubstr("column age: 1 numbers outside"));
  const Words written = lines();
  ASSERT_EQ(written.size(), 5U);
  EXPECT_EQ(written[2], "2,,,");
  EXPECT_EQ(written[3], "3,,,");
  EXPECT_THAT(result.out + result.err + workspace.text("out.csv"), Not(HasSubstr(kSecret)));
}

/// A model keeps what its training made of missing cells.
TEST_F(PredictCommand, AModelFillsOrDropsAsItsTrainingDid) {
  workspace.write("schema.toml", replaced(replaced(people_schema(), "bounds = [17, 90]\n",
                                                   "bounds = [17, 90]\nmissing = \"allowed\"\n"),
                                          "\"east\"]\n", "\"east\"]\nmissing = \"allowed\"\n"));
  workspace.write("people.csv", people_csv());
  const auto predictions = [&](const Words& more) {
    ok(workspace.run(join(
        "train --schema schema.toml --data people.csv --method sgd --steps 5 --out gaps --force",
        more)));
    workspace.write("asked.csv", "age,city,sex\n30,north,Male\n,north,Male\n30,,Male\n");
    ok(workspace.run("predict --model gaps --data asked.csv --out out.csv --force"));
    std::vector<bool> has_class;
    for (const std::string& line : lines()) has_class.push_back(!line.ends_with(",,,"));
    return has_class;
  };
  EXPECT_THAT(predictions({}), ::testing::ElementsAre(true, true, true, true));
  EXPECT_THAT(predictions("--drop-incomplete"), ::testing::ElementsAre(true, true, false, false));
  EXPECT_THAT(workspace.text("gaps/run.toml"), HasSubstr("drop_incomplete = true"));
}

TEST_F(PredictCommand, AnExistingOutIsKeptUnlessForced) {
  workspace.write("out.csv", "mine");
  expect_refused(workspace, words(), 2, {"out.csv exists", "--force"});
  EXPECT_THAT(lines(), ::testing::ElementsAre("mine"));
  ok(workspace.run(words("--force")));
  EXPECT_EQ(lines().size(), static_cast<size_t>(kNumPeople + 1));
}

TEST_F(PredictCommand, AnOutThatCannotBeWrittenIsFoundFirst) {
  const Words broken = with_option(words("--force"), "--data", "nothing.csv");
  std::filesystem::create_symlink("nowhere", workspace.path("link"));
  expect_refused(workspace, join(with_option(broken, "--out", "-"), "--json"), 2,
                 {"--json and --out - both need standard output"});
  expect_refused(workspace, with_option(broken, "--out", "model"), 2, {"model is a folder"});
  expect_refused(workspace, with_option(broken, "--out", "link"), 2,
                 {"link exists and is not a regular"});
  expect_refused(workspace, with_option(broken, "--out", "people.csv/out"), 1, {"[tasks.output] "});
  expect_refused(workspace, with_option(broken, "--out", "/proc/out.csv"), 1, {"[tasks.output] "});
  expect_refused(workspace, with_option(words("--force"), "--out", "people.csv"), 2,
                 {"people.csv is read by this command"});
  expect_refused(workspace, with_option(words("--force"), "--out", "model/model.json"), 2,
                 {"model.json is read by this command"});
}

TEST_F(PredictCommand, AFullDiskLeavesNothing) {
  expect_refused(workspace, words(), 1, {"out.csv: File too large"}, {.max_file_bytes = 4096});
}

TEST_F(PredictCommand, WhatIsWrongWithTheModelIsSaid) {
  expect_refused(workspace, with_option(words(), "--model", "nothing"), 3,
                 {"nothing: no such file"});
  expect_refused(workspace, with_option(words(), "--model", "model/report.json"), 3,
                 {"model/report.json: lacks ", "--out"});
}

TEST_F(PredictCommand, WhatIsWrongWithTheTableIsSaid) {
  workspace.write("lacks.csv", "age,sex\n30,Male\n");
  workspace.write("words.csv", "age,city,sex\n" + kSecret + ",north,Male\n");
  workspace.write("empty.csv", "");
  expect_refused(workspace, with_option(words(), "--data", "lacks.csv"), 3,
                 {"lacks.csv: ", "'city'"});
  expect_refused(workspace, with_option(words(), "--data", "words.csv"), 3,
                 {"words.csv: ", "row 1 (line 2)", "'age' is not a number"});
  expect_refused(workspace, with_option(words(), "--data", "empty.csv"), 3,
                 {"empty.csv: is empty"});
  expect_refused(workspace, with_option(words(), "--data", "model"), 3, {"model: is a directory"});
  expect_refused(workspace, with_option(words(), "--data", "nothing.csv"), 3, {"nothing.csv: "});
}

TEST_F(PredictCommand, RequiredOptionsAreAskedFor) {
  expect_refused(workspace, "predict --data people.csv --out out.csv", 2, {"--model is required"});
  expect_refused(workspace, "predict --model model --out out.csv", 2, {"--data is required"});
  expect_refused(workspace, "predict --model model --data people.csv", 2, {"--out is required"});
  expect_refused(workspace, words("--forec"), 2, {"did you mean --force?"});
  for (const std::string name : {"--model", "--data", "--out"}) {
    expect_refused(workspace, with_option(words(), name, ""), 2, {name + ":"});
  }
}

TEST_F(PredictCommand, KeptColumnsStandNextToThePredictions) {
  workspace.write("people.csv",
                  "note,age,sex,city,label\n\"a, b\",007,Female,north,\n?,30,Male,"
                  "south,no\n");
  ok(workspace.run(words("--keep note,age --keep label")));
  const Words found = lines();
  ASSERT_EQ(found.size(), 3U);
  EXPECT_THAT(found[0], StartsWith("row,note,age,label,prediction,probability of "));
  EXPECT_THAT(found[1], StartsWith("1,\"a, b\",007,,"));
  EXPECT_THAT(found[2], StartsWith("2,?,30,no,"));
  expect_refused(workspace, words("--force --keep notes"), 3,
                 {"people.csv: has no column 'notes'; the nearest name in it is 'note'"});
  expect_refused(workspace, words("--force --keep note,note"), 2, {"--keep note: is named twice"});
}

// The table's own column keeps its name; those of the predictions are found by theirs.
TEST_F(PredictCommand, AKeptColumnMayBeCalledRow) {
  workspace.write("people.csv", "row,age,sex,city,prediction,row_\nx,30,Male,south,no,z\n");
  ok(workspace.run(words("--keep row")));
  EXPECT_THAT(lines()[0], StartsWith("row_,row,prediction,probability of "));
  EXPECT_THAT(lines()[1], StartsWith("1,x,"));
  ok(workspace.run(words("--force --keep row,row_")));
  EXPECT_THAT(lines()[0], StartsWith("row__,row,row_,prediction,"));
  expect_refused(workspace, words("--force --keep prediction"), 2,
                 {"--keep prediction: the output has", "rename the one of the table"});
}

TEST_F(PredictCommand, AThresholdDecidesTheClass) {
  const auto num_yes = [&](const std::string& threshold) {
    ok(workspace.run(words({"--force", "--threshold", threshold})));
    const Words found = lines();
    for (size_t i = 1; i < found.size(); ++i) {
      const double probability = std::stod(found[i].substr(found[i].rfind(',') + 1));
      EXPECT_EQ(found[i].find(",yes,") != std::string::npos, probability >= std::stod(threshold))
          << found[i];
    }
    return std::count_if(found.begin() + 1, found.end(), [](const std::string& line) {
      return line.find(",yes,") != std::string::npos;
    });
  };
  EXPECT_EQ(num_yes("0"), kNumPeople);
  EXPECT_GT(num_yes("0.3"), num_yes("0.7"));
  for (const std::string threshold : {"-0.1", "1.5", "nan"})
    expect_refused(workspace, words({"--force", "--threshold", threshold}), 2, {"threshold"});
  ok(workspace.train("--method sgd --model hinge --out hinge"));
  expect_refused(workspace, with_option(words("--force --threshold 0.5"), "--model", "hinge"), 2,
                 {"a hinge model has none"});
}

// Whatever the rules of the schema do about such a cell: the error names it and nothing is written.
TEST_F(PredictCommand, AMissingCellMayBeAnError) {
  const Words strict = words("--fail-if-missing");
  ok(workspace.run(strict));
  std::filesystem::remove(workspace.path("out.csv"));
  const std::string head = "age,city,sex\n30,north,Male\n";
  workspace.write("people.csv", head + "40,north,\n");
  expect_refused(workspace, strict, 3, {"people.csv: row 2 (line 3) column 'sex' has no value"});
  workspace.write("people.csv", head + "40,north," + kSecret + "\n");
  const ToolResult unlisted = workspace.run(strict);
  EXPECT_THAT(unlisted.err, AllOf(HasSubstr("row 2 (line 3) column 'sex'"), HasSubstr("not listed"),
                                  Not(HasSubstr(kSecret))));
  EXPECT_FALSE(workspace.has("out.csv"));
  workspace.write("people.csv", head + kSecret + ",north,Male\n");
  expect_refused(workspace, strict, 3, {"row 2 (line 3) column 'age' is not a number"});
  // What the model does not look at may be missing.
  workspace.write("people.csv", "age,city,sex,label,note\n30,north,Male,,\n");
  ok(workspace.run(strict));
}

TEST_F(PredictCommand, StreamsFromStandardInputToStandardOutput) {
  ok(workspace.run(words()));
  const std::string table = workspace.text("people.csv");
  const std::string predicted = workspace.text("out.csv");
  const Words stream = with_option(with_option(words(), "--data", "-"), "--out", "-");
  const std::string pipe = workspace.path("pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(pipe) << table; });
  ToolOptions options;
  options.in_path = pipe;
  const ToolResult piped = workspace.run(stream, options);
  writer.join();
  EXPECT_EQ(piped.exit_code, 0) << piped;
  EXPECT_EQ(piped.out, predicted);
  EXPECT_THAT(piped.err, HasAll("NOT PRIVATE", "without a prediction"));
  options.in_path = workspace.path("people.csv").string();
  EXPECT_EQ(workspace.run(join(stream, "--quiet"), options).out, predicted);
  EXPECT_THAT(workspace.run(join(stream, "--quiet"), options).err, IsEmpty());

  const Words onto_itself = join(with_option(stream, "--out", "people.csv"), "--force");
  expect_refused(workspace, onto_itself, 2, {"people.csv is read as standard input"}, options);
  std::filesystem::create_hard_link(workspace.path("people.csv"), workspace.path("same.csv"));
  expect_refused(workspace, with_option(onto_itself, "--out", "same.csv"), 2, {"same.csv is read"},
                 options);

  EXPECT_EQ(workspace.text("people.csv"), table);

  expect_error(workspace.run(stream), 3, "standard input: is empty");
  workspace.write("t.parquet", "PAR1 and so on");
  options.in_path = workspace.path("t.parquet").string();
  EXPECT_THAT(workspace.run(stream, options).err, HasSubstr("holds Parquet"));
  workspace.write("bad.csv", "age,city,sex\n" + kSecret + ",north,Male\n");
  options.in_path = workspace.path("bad.csv").string();
  const ToolResult bad = workspace.run(stream, options);
  EXPECT_EQ(bad.exit_code, 3) << bad;
  EXPECT_THAT(bad.err, AllOf(HasSubstr("standard input: row 1 (line 2) column 'age'"),
                             Not(HasSubstr(kSecret))));
}

TEST_F(PredictCommand, CtrlCLeavesNothing) {
  workspace.write("people.csv", people_csv(1'500'000));
  for (const int signal : {SIGINT, SIGTERM}) {
    ToolProcess process(words(), workspace.here());
    ASSERT_TRUE(process.wait_for("predicting label"));
    // Some of it is written by then.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    process.send(signal);
    const ToolResult result = process.finish();
    EXPECT_NE(result.exit_code, 0) << result;
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_THAT(workspace.names("out.csv"), IsEmpty());
  }
}

}  // namespace
}  // namespace equinoise::testing::predict_test
