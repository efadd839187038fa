// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <sstream>
#include <thread>

#include "tests/cli/people.h"
#include "tests/matchers.h"

namespace equinoise::testing::train_test {
namespace {

const std::string kAdult = EQUINOISE_SOURCE_DIR "/data/adult/";

/// Whether some object in `json`, however deep, has that key.
bool has_key_anywhere(const Json& json, const std::string& key) {
  if (json.is_object() && json.contains(key)) return true;
  for (const Json& child : json) {
    if (child.is_structured() && has_key_anywhere(child, key)) return true;
  }
  return false;
}

std::vector<double> parameters_of(const Workspace& workspace, const std::string& folder) {
  std::vector<double> values;
  const Json model = workspace.json(folder + "/model.json");
  for (const Json& parameter : model.at("parameters")) values.push_back(parameter.at("value"));
  return values;
}

void expect_metrics(const Json& row) {
  expect_keys(row, {"num_records", "accuracy", "loss"});
  EXPECT_GT(row.at("num_records"), 0);
  EXPECT_GT(row.at("accuracy"), 0);
  EXPECT_LE(row.at("accuracy"), 1);
  EXPECT_GT(row.at("loss"), 0);
}

// One long test: it follows the demonstration from the empty folder to the model.
TEST(Train, AdultEndToEndHoldsTheContract) {
  const Workspace workspace;
  const Words ledger = "--ledger adult.ledger";
  ok(workspace.run(join("ledger init --dataset adult --epsilon 3 --delta 1e-6", ledger)));
  const ToolResult result = ok(workspace.run(
      join({"train", "--schema", kAdult + "schema.toml", "--data", kAdult + "adult.csv.gz",
            "--epsilon", "1", "--delta", "1e-6", "--steps", "200", "--groups", "sex,race",
            "--groups", "race", "--reference", "--out", "made/model", "--json"},
           ledger)));
  EXPECT_THAT(result.err,
              HasAll("reading", "48,842 records", "reserving epsilon 1", "200/200 steps"));

  const Json json = json_of(result);
  expect_keys(json, {"method", "status", "privacy", "overall", "groups", "reference", "constraints",
                     "seconds", "files"});
  EXPECT_EQ(json.at("method"), "dpsgd");
  EXPECT_EQ(json.at("status"), "private");
  expect_keys(json.at("privacy"), {"epsilon", "delta", "accountant", "relation"});
  EXPECT_LE(json.at("privacy").at("epsilon"), 1.0);
  EXPECT_GT(json.at("privacy").at("epsilon"), 0.99);
  EXPECT_EQ(json.at("privacy").at("relation"), "zero_out");
  expect_metrics(json.at("overall"));
  EXPECT_EQ(json.at("overall").at("num_records"), 12210);
  EXPECT_GT(json.at("overall").at("accuracy"), 0.78);  // all "<=50K" would give 0.76
  EXPECT_EQ(json.at("constraints"), Json::array());
  EXPECT_GT(json.at("seconds"), 0);

  ASSERT_EQ(json.at("groups").size(), 15U);
  int64_t tested = 0;
  for (size_t i = 0; i < 15; ++i) {
    const Json& group = json.at("groups")[i];
    expect_metrics(group);
    EXPECT_EQ(group.at("group").contains("sex"), i < 10) << group;
    EXPECT_TRUE(group.at("group").contains("race")) << group;
    EXPECT_EQ(group.at("privacy"), json.at("privacy"));
    if (i < 10) tested += group.at("num_records").get<int64_t>();
  }
  EXPECT_EQ(tested, 12210);
  EXPECT_EQ(json.at("reference").at("status"), "not private");
  expect_metrics(json.at("reference").at("overall"));
  EXPECT_EQ(json.at("reference").at("groups").size(), 15U);

  const Words files = json.at("files");
  EXPECT_THAT(files, UnorderedElementsAre("made/model/model.json", "made/model/model_card.html",
                                          "made/model/model_card.md", "made/model/model_card.json",
                                          "made/model/report.json", "made/model/report.html",
                                          "made/model/run.toml"));
  for (const std::string& file : files) EXPECT_TRUE(workspace.has(file)) << file;
  // Folders may name people or projects.
  for (const char* card : {"model_card.md", "model_card.html", "model_card.json"}) {
    EXPECT_THAT(workspace.text(std::string("made/model/") + card),
                AllOf(HasSubstr("--data adult.csv.gz"), Not(HasSubstr(kAdult))));
  }
  EXPECT_THAT(workspace.text("made/model/model_card.md"),
              HasSubstr("Columns that are no features: fnlwgt."));
  const Json shown = json_of(workspace.run(join("ledger show --json", ledger)));
  EXPECT_EQ(shown.at("spent").at("epsilon"), json.at("privacy").at("epsilon"));
  EXPECT_EQ(shown.at("entries").size(), 1U);
  EXPECT_THAT(workspace.names("made"), UnorderedElementsAre("made"));
}

/// Clipping bounds its steps, and nothing those of the reference.
TEST(Train, AReferenceThatIsTheWorseModelIsToldWithoutBeingPublished) {
  const Workspace workspace;
  workspace.open_ledger();
  const Words seeded =
      "--epsilon 5 --seed 1 --insecure-test-rng --groups sex --reference --max-grad-norm 0.02";
  const auto told = [&](const std::string& rate, const std::string& folder) {
    return workspace.train(
        join(seeded, {"--learning-rate", rate, "--final-learning-rate", rate, "--out", folder}));
  };
  const ToolResult bad = ok(told("60", "bad"));
  const std::string note = "the reference is worse than the model";
  EXPECT_THAT(bad.out + bad.err, HasSubstr(note)) << bad;
  EXPECT_THAT(workspace.text("bad/report.json"), HasSubstr(note));
  EXPECT_THAT(workspace.text("bad/model_card.json"), Not(HasSubstr(note)));
  const ToolResult good = told("0.5", "good");
  EXPECT_THAT(good.out + good.err, Not(HasSubstr(note)));
}

TEST(Train, PublishableFilesHoldNoFigureFromTheRecords) {
  const Workspace workspace;
  workspace.open_ledger();
  ok(workspace.train("--epsilon 1 --groups sex --reference --out model"));
  const Json report = workspace.json("model/report.json");
  EXPECT_THAT(report.at("notice").get<std::string>(), HasAll("NON-PRIVATE", "DO NOT PUBLISH"));
  EXPECT_TRUE(has_key_anywhere(report, "accuracy"));
  for (const std::string file : {"model/model.json", "model/model_card.json"}) {
    const Json json = workspace.json(file);
    for (const std::string key :
         {"accuracy", "accuracy_interval", "accuracy_cost", "loss", "loss_interval", "overall",
          "reference", "ingest", "num_records", "seconds"}) {
      EXPECT_FALSE(has_key_anywhere(json, key)) << file << " has " << key;
    }
    EXPECT_EQ(json.at("status"), "private");
    EXPECT_EQ(json.at("privacy"), report.at("privacy"));
  }
  std::istringstream card(workspace.text("model/model_card.md"));
  for (std::string line; std::getline(card, line);) {
    const bool speaks_of_quality =
        line.find("accuracy") != line.npos || line.find("loss") != line.npos;
    EXPECT_FALSE(speaks_of_quality && line.find_first_of("0123456789") != line.npos) << line;
  }
}

/// Activations overflow, records have no gradient any more: the run ends, and has cost what it was
/// to cost.
TEST(Train, ARunThatDivergesEndsAndSaysSo) {
  const Workspace workspace;
  workspace.open_ledger();
  const ToolResult result =
      ok(workspace.train("--epsilon 1 --groups sex --model mlp --hidden 32,32,32,32,32,32 "
                         "--activation relu --learning-rate 1e6 --max-grad-norm 1000 --out model"));
  EXPECT_THAT(
      result.out,
      HasSubstr("records have no prediction because the output of the model is not finite"));
  EXPECT_THAT(result.out, HasSubstr("is not finite or more than ten times that of a model of "
                                    "zeros: the run diverged"));
  EXPECT_THAT(workspace.text("model/model_card.md"),
              HasSubstr("Warning: training diverged: the model's output is not finite"));
  const Json model = workspace.json("model/model.json");
  for (const Json& parameter : model.at("parameters"))
    EXPECT_TRUE(parameter.at("value").is_number());
  EXPECT_THAT(result.out, HasSubstr("spent 0 before this run, 1 after it"));
}

TEST(Train, QuietSaysNothingOnStandardError) {
  const Workspace workspace;
  workspace.open_ledger();
  const ToolResult result =
      ok(workspace.train("--epsilon 1 --reference --out model --quiet --json"));
  EXPECT_THAT(result.err, IsEmpty());
  expect_metrics(json_of(result).at("overall"));
}

TEST(Train, SpendsWhatItSaysAndRefusesWhatTheBudgetDoesNotHold) {
  const Workspace workspace;
  workspace.open_ledger("1.2");
  const Json json = json_of(workspace.train("--epsilon 1 --json"));
  EXPECT_EQ(workspace.spent(), json.at("privacy").at("epsilon").get<double>());

  expect_refused(workspace, Workspace::train_words("--epsilon 1 --out model"), 4,
                 {"above its budget of 1.2", "\"people\"", "Nothing was spent"});
  // A small one still fits.
  ok(workspace.train("--epsilon 0.1"));
}

TEST(Train, OfTwoAtOnceOnlyOneGetsABudgetForOne) {
  const Workspace workspace;
  workspace.open_ledger("1");
  ToolProcess first(Workspace::train_words("--epsilon 0.9"), workspace.here());
  ToolProcess second(Workspace::train_words("--epsilon 0.9"), workspace.here());
  const ToolResult one = first.finish();
  const ToolResult two = second.finish();
  EXPECT_EQ(one.exit_code + two.exit_code, 4) << one << two;
  EXPECT_EQ(one.exit_code * two.exit_code, 0) << one << two;
  EXPECT_EQ(workspace.ledger().at("entries").size(), 1U);
}

TEST(Train, WithoutALedgerItSaysHowToOpenOne) {
  const Workspace workspace;
  expect_refused(workspace, Workspace::train_words("--epsilon 1 --out model"), 6,
                 "equinoise ledger init --ledger people.ledger");
}

TEST(Train, ALedgerOfAnotherDatasetOrRelationDoesNotPay) {
  const Workspace workspace;
  const std::vector<Refusal> refusals = {
      {"--dataset others", 6, {"no account for dataset \"people\"", "datasets in it: others"}},
      {"--dataset people --relation add_remove", 2, {"add_remove", "zero_out"}}};
  for (const auto& [account, exit_code, texts] : refusals) {
    ok(workspace.run(join("ledger init --ledger people.ledger --epsilon 3 --delta 1e-5", account)));
    expect_refused(workspace, Workspace::train_words("--epsilon 1 --out model"), exit_code, texts);
  }
}

TEST(Train, AnExistingOutIsRefusedAndKept) {
  const Workspace workspace;
  workspace.open_ledger();
  std::filesystem::create_directory(workspace.path("model"));
  workspace.write("model/notes.txt", "mine");
  workspace.write("file", "mine");
  for (const std::string out : {"model", "model/", "file", "people.ledger"}) {
    expect_refused(workspace, Workspace::train_words({"--epsilon", "1", "--out", out}), 2,
                   {"exists", "--force"});
  }
  EXPECT_EQ(workspace.text("model/notes.txt"), "mine");
}

TEST(Train, ForceReplacesTheModelAndLeavesOtherFiles) {
  const Workspace workspace;
  workspace.open_ledger();
  ok(workspace.train("--epsilon 0.5 --out model"));
  workspace.write("model/notes.txt", "mine");
  const std::vector<double> before = parameters_of(workspace, "model");
  ok(workspace.train("--epsilon 0.6 --out model --force"));
  EXPECT_NE(parameters_of(workspace, "model"), before);
  EXPECT_EQ(workspace.text("model/notes.txt"), "mine");
  EXPECT_THAT(workspace.names("model"), UnorderedElementsAre("model"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(workspace.path("model")), {}), 8);
}

TEST(Train, ForceDoesNotReplaceAFileByAFolder) {
  const Workspace workspace;
  workspace.open_ledger();
  workspace.write("file", "mine");
  expect_refused(workspace, Workspace::train_words("--epsilon 1 --out file --force"), 1,
                 "file: Not a directory");
}

TEST(Train, ASeedNeedsInsecureTestRngAndTheOtherWayRound) {
  const Workspace workspace;
  workspace.open_ledger();
  for (const Words& more :
       {Words("--seed 7"), Words("--insecure-test-rng"), Words("--seed -1 --insecure-test-rng")}) {
    expect_refused(workspace, Workspace::train_words(join("--epsilon 1 --out model", more)), 2,
                   "--seed");
  }
}

TEST(Train, ASeededRunIsReproducibleNotPrivateAndSpendsNothing) {
  const Workspace workspace;
  const auto train = [&](const std::string& seed, const std::string& out) {
    const ToolResult result =
        ok(workspace.train({"--epsilon", "1", "--groups", "sex", "--seed", seed,
                            "--insecure-test-rng", "--out", out, "--json"}));
    return json_of(result);
  };
  // There is no ledger: none is needed and none is made.
  const Json json = train("7", "one");
  EXPECT_THAT(workspace.names("people.ledger"), IsEmpty());
  EXPECT_EQ(json.at("status"), "insecure rng");
  EXPECT_TRUE(json.at("privacy").is_null());
  for (const Json& group : json.at("groups")) EXPECT_TRUE(group.at("privacy").is_null()) << group;
  for (const std::string file : {"one/model.json", "one/model_card.json", "one/report.json"}) {
    const Json written = workspace.json(file);
    EXPECT_EQ(written.at("status"), "insecure rng") << file;
    EXPECT_TRUE(written.at("privacy").is_null()) << file;
  }
  EXPECT_THAT(workspace.text("one/model_card.md"), HasSubstr("NOT PRIVATE"));

  workspace.open_ledger();
  const std::string ledger = workspace.ledger_bytes();
  train("7", "two");
  train("8", "three");
  EXPECT_EQ(workspace.ledger_bytes(), ledger);
  EXPECT_EQ(parameters_of(workspace, "one"), parameters_of(workspace, "two"));
  EXPECT_NE(parameters_of(workspace, "one"), parameters_of(workspace, "three"));
  EXPECT_THAT(workspace.train("--epsilon 1 --seed 7 --insecure-test-rng").out,
              HasSubstr("NOT PRIVATE: made with a reproducible random source"));
}

TEST(Train, WithoutASeedTwoRunsDiffer) {
  const Workspace workspace;
  workspace.open_ledger();
  ok(workspace.train("--epsilon 1 --out one"));
  ok(workspace.train("--epsilon 1 --out two"));
  EXPECT_NE(parameters_of(workspace, "one"), parameters_of(workspace, "two"));
}

TEST(Train, TheNumberOfThreadsDoesNotChangeTheModel) {
  const Workspace workspace;
  for (const std::string threads : {"1", "2", "7"}) {
    ok(workspace.train({"--epsilon", "1", "--seed", "7", "--insecure-test-rng", "--threads",
                        threads, "--out", threads}));
    EXPECT_EQ(parameters_of(workspace, threads), parameters_of(workspace, "1")) << threads;
  }
}

TEST(Train, SgdIsNotPrivateAndNeedsNoLedger) {
  const Workspace workspace;
  const Json json = json_of(ok(workspace.train("--method sgd --groups sex --out model --json")));
  EXPECT_EQ(json.at("method"), "sgd");
  EXPECT_EQ(json.at("status"), "not private");
  EXPECT_TRUE(json.at("privacy").is_null());
  for (const Json& group : json.at("groups")) EXPECT_TRUE(group.at("privacy").is_null()) << group;
  EXPECT_THAT(workspace.names("people.ledger"), IsEmpty());
  EXPECT_THAT(workspace.text("model/model_card.md"), HasSubstr("NOT PRIVATE"));
  EXPECT_THAT(workspace.train("--method sgd").out, HasSubstr("NOT PRIVATE: no guarantee"));
}

TEST(Train, UnknownMethodsAndGroupsAreRefusedWithTheNearestName) {
  const Workspace workspace;
  workspace.open_ledger();
  const std::vector<Refusal> refusals = {
      {"--method dpsdg", 2, {"no method \"dpsdg\"", "did you mean \"dpsgd\"?"}},
      {"--method gradient-boosting", 2, {"\"gradient-boosting\"", "equinoise methods"}},
      {"--groups sxe", 2, {"no column 'sxe'", "did you mean 'sex'?"}},
      {"--groups sex,citty", 2, {"no column 'citty'", "did you mean 'city'?"}},
      {"--groups sex --groups xyzzyx", 2, "no column 'xyzzyx'"},
      {"--groups age", 2, "'age' is numeric"},
      {"--groups note", 2, "'note' is ignored"},
      {"--groups sex,sex", 2, "'sex' is named twice"},
      {"--groups sex,", 2, "no column ''"}};
  expect_refusals(workspace, refusals, [](const Words& words) {
    return Workspace::train_words(join("--epsilon 1 --out model", words));
  });
}

TEST(Train, RepeatedGroupsAreSeparateGroupingsAndTheTargetMayBeOne) {
  const Workspace workspace;
  workspace.open_ledger();
  const Json json =
      json_of(workspace.train("--epsilon 1 --groups city,sex --groups sex --groups label --json"));
  ASSERT_EQ(json.at("groups").size(), 10U);
  std::vector<int64_t> tested(3, 0);
  for (size_t i = 0; i < 10; ++i) {
    const Json& group = json.at("groups")[i];
    const size_t grouping = i < 6 ? 0 : i < 8 ? 1 : 2;
    EXPECT_EQ(group.at("group").contains("city"), grouping == 0) << group;
    EXPECT_EQ(group.at("group").contains("sex"), grouping < 2) << group;
    EXPECT_EQ(group.at("group").contains("label"), grouping == 2) << group;
    tested[grouping] += group.at("num_records").get<int64_t>();
  }
  EXPECT_EQ(tested, std::vector<int64_t>(3, 100));
}

/// A run that would take long enough to be stopped.
const Words kLongRun = "--epsilon 1 --out model";

ToolProcess start_long_run(const Workspace& workspace) {
  return ToolProcess(with_option(Workspace::train_words(kLongRun), "--steps", "100000"),
                     workspace.here());
}

void expect_spent_once(const Workspace& workspace) {
  ok(workspace.run("ledger verify --ledger people.ledger"));
  EXPECT_EQ(workspace.ledger().at("entries").size(), 1U);
  EXPECT_GT(workspace.spent(), 0.99);
}

/// Waits until a run has written into the ledger, which was `before`; at most a minute. Its cost
/// is not asked for, as that takes as long as the run.
void wait_until_paid(const Workspace& workspace, const std::string& before) {
  const auto path = workspace.path("people.ledger");
  const auto journal = workspace.path("people.ledger-journal");
  for (int i = 0; i < 6000; ++i) {
    if (read_bytes(path) != before && !std::filesystem::exists(journal)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

TEST(Interrupt, CtrlCOrTermStopsARunWhoseBudgetStaysSpent) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Workspace workspace;
    workspace.open_ledger();
    const std::string before = workspace.text("people.ledger");
    ToolProcess process = start_long_run(workspace);
    ASSERT_TRUE(process.wait_for("reserving epsilon"));
    wait_until_paid(workspace, before);
    process.send(signal);
    const ToolResult result = process.finish();
    EXPECT_EQ(result.exit_code, 1) << result;
    EXPECT_THAT(result.err, HasAll("interrupted", "stays spent"));
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_THAT(workspace.names("model"), IsEmpty());
    expect_spent_once(workspace);
  }
}

TEST(Interrupt, KillLeavesTheBudgetSpentAndTheLedgerWhole) {
  const Workspace workspace;
  workspace.open_ledger();
  const std::string before = workspace.text("people.ledger");
  ToolProcess process = start_long_run(workspace);
  ASSERT_TRUE(process.wait_for("reserving epsilon"));
  wait_until_paid(workspace, before);
  process.send(SIGKILL);
  EXPECT_EQ(process.finish().signal, SIGKILL);
  EXPECT_FALSE(workspace.has("model"));
  expect_spent_once(workspace);
  // What is left of the folder does not stand in the way of the next run.
  ok(workspace.train("--epsilon 1 --out model"));
}

TEST(Output, AnOutThatCannotBeMadeIsFoundBeforeAnythingIsSpent) {
  const Workspace workspace;
  workspace.open_ledger();
  workspace.write("file", "mine");
  std::filesystem::create_symlink("nowhere", workspace.path("link"));
  std::filesystem::create_directories(workspace.path("model/report.json"));
  const auto into = [](const std::string& out) {
    return Workspace::train_words({"--epsilon", "1", "--out", out});
  };
  // Enough for the ledger and its journal.
  const ToolOptions full = {.max_file_bytes = 32768};
  expect_refused(workspace, into("new"), 1, {"new", "File too large"}, full);
  ok(workspace.train("--epsilon 1", full));
  expect_refused(workspace, into("link"), 2, "link exists");
  expect_refused(workspace, join(into("model"), "--force"), 1, "model/report.json");
  EXPECT_THAT(workspace.names("model"), UnorderedElementsAre("model"));
  EXPECT_FALSE(workspace.has("model/model.json"));
  for (const std::string& out :
       {std::string("file/model"), std::string("/proc/model"), std::string(300, 'x')}) {
    expect_refused(workspace, into(out), 1, "[tasks.output] ");
    EXPECT_THAT(workspace.run(into(out)).err, Not(HasSubstr("unexpected")));
  }
}

}  // namespace
}  // namespace equinoise::testing::train_test
