// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/people.h"

namespace equinoise::testing::plan_test {
namespace {

const std::string kAdultSchema = EQUINOISE_SOURCE_DIR "/data/adult/schema.toml";

TEST(Plan, WithoutALedgerItSaysHowToOpenOneAndOpensNone) {
  const Workspace workspace;
  const NothingChanges nothing(workspace);
  const Words words = join(Workspace::plan_words(), "--epsilon 1");
  const Json json = json_of(workspace.run(join(words, "--json")));
  EXPECT_TRUE(json.at("ledger_after").is_null());
  const ToolResult result = ok(workspace.run(words));
  EXPECT_THAT(result.out, HasAll("there is no ledger people.ledger",
                                 "ledger init --ledger people.ledger --dataset people"));
  nothing.check("plan");
}

TEST(Plan, ReadsNoData) {
  const Workspace workspace;
  std::filesystem::remove(workspace.path("people.csv"));
  ok(workspace.run(join(Workspace::plan_words(), "--epsilon 1")));
  ok(workspace.train("--epsilon 1 --dry-run"));
}

/// What a run would refuse before it reads anything.
TEST(Plan, ADryRunRefusesWhatTheRunWould) {
  const Workspace workspace;
  workspace.open_ledger();
  workspace.write("taken", "");
  const std::vector<Refusal> refusals = {
      {"--checkpoint-every 20", 2, "need --checkpoint FILE"},
      {"--groups sex --explain-every 1000000", 2, "explain_every"},
      {"--explain-every 10", 2, "name them with --groups"},
      {"--out taken", 2, "taken exists"},
      {"--labels taken", 2, "the schema has no [image]"},
  };
  for (const Words& dry_run : {Words{}, Words("--dry-run")})
    expect_refusals(workspace, refusals, [&](const Words& words) {
      return Workspace::train_words(join(join("--epsilon 1", words), dry_run));
    });
  expect_error(workspace.train("--epsilon 1 --checkpoint state --resume --dry-run"), 2,
               "there is no cost to predict");
}

TEST(Plan, SaysWhatTheLedgerWillHoldAndLeavesItAsItIs) {
  const Workspace workspace;
  workspace.open_ledger();
  const NothingChanges nothing(workspace);
  const Json json = json_of(ok(workspace.train("--epsilon 1 --dry-run --json")));
  EXPECT_EQ(json.at("ledger_after").at("spent").at("epsilon"), json.at("privacy").at("epsilon"));
  EXPECT_EQ(json.at("ledger_after").at("budget").at("epsilon"), 3);
  nothing.check("dry run");

  ok(workspace.train("--epsilon 1"));
  EXPECT_EQ(workspace.spent(), json.at("privacy").at("epsilon").get<double>());
  const Json second = json_of(workspace.train("--epsilon 1 --dry-run --json"));
  EXPECT_GT(second.at("ledger_after").at("spent").at("epsilon"), workspace.spent());
}

TEST(Plan, IsTheDryRunOfTrain) {
  const Workspace workspace;
  workspace.open_ledger();
  const Words more = "--epsilon 1 --groups sex --json --steps 50";
  const ToolResult plan = workspace.run(join(Workspace::plan_words(), more));
  const ToolResult dry_run =
      workspace.train("--epsilon 1 --groups sex --json --dry-run --out model");
  EXPECT_EQ(json_of(plan), json_of(dry_run));
  EXPECT_FALSE(workspace.has("model"));
}

TEST(Plan, WarnsOfACostAboveTheBudget) {
  const Workspace workspace;
  workspace.open_ledger("0.5");
  const NothingChanges nothing(workspace);
  const ToolResult result = ok(workspace.run(join(Workspace::plan_words(), "--epsilon 1")));
  EXPECT_THAT(result.out, HasSubstr("the ledger will refuse this run"));
  nothing.check("plan");
}

TEST(Plan, TakesANoiseMultiplierInsteadOfEpsilon) {
  const Workspace workspace;
  const Json json =
      json_of(workspace.run(join(Workspace::plan_words(), "--noise-multiplier 2 --json")));
  EXPECT_GT(json.at("privacy").at("epsilon"), 0);
  EXPECT_THAT(json.at("events").dump(), HasSubstr("\"noise_multiplier\":2.0"));
}

TEST(Plan, NeedsExactlyOneOfEpsilonAndNoiseMultiplier) {
  const Workspace workspace;
  for (const Words& more : {Words{}, Words("--epsilon 1 --noise-multiplier 1")}) {
    expect_error(workspace.run(join(Workspace::plan_words(), more)), 2,
                 {"epsilon", "noise_multiplier"});
  }
}

TEST(Plan, OffersNoOtherRelationThanZeroOut) {
  const Workspace workspace;
  for (const std::string relation : {"add_remove", "replace_one", "neighbours"}) {
    expect_error(
        workspace.run(join(Workspace::plan_words(), {"--epsilon", "1", "--relation", relation})), 2,
        {relation, "zero_out"});
  }
}

struct WrongNumber {
  std::string option;
  std::string field;  ///< what the message must name
  Words values;
};

/// Values that none of the options may take.
const Words kNeverNumbers = {"nan", "inf", "-inf", "1e999", "abc", " ", "1,5", "1.5x"};

const std::vector<WrongNumber>& wrong_numbers() {
  static const std::vector<WrongNumber> numbers = {
      // Beyond 1e300 and below 1e-8 a run can only waste its budget, or the accountant would
      // compute
      // for hours.
      {"--epsilon", "epsilon", {"-1", "0", "-0.0", "1e300"}},
      {"--delta", "delta", {"-1", "0", "1", "1.5", "1e300", "1e-300"}},
      {"--noise-multiplier", "noise_multiplier", {"-1", "0", "1e-8", "1e-300", "1e300"}},
      // The sampler takes rates from 2^-30: that must be said before the run is paid for.
      {"--batch-size", "batch_size", {"-1", "0", "301", "1e300", "1e-8", "1e-300"}},
      {"--steps", "steps", {"-1", "0", "1.5", "2000000000", "99999999999999999999"}},
      {"--learning-rate", "learning_rate", {"-1", "0", "1e300"}},
      {"--final-learning-rate", "final_learning_rate", {"-1", "1e300"}},
      {"--max-grad-norm", "max_grad_norm", {"-1", "0", "1e300", "1e-300"}},
      {"--tail-average", "tail_average", {"-1", "1.5", "1e300"}},
      {"--test-fraction", "test_fraction", {"-1", "1", "1e300", "1e-300"}},
      {"--split-seed", "split-seed", {"-1", "1.5", "99999999999999999999"}},
  };
  return numbers;
}

std::string dashes_to_underscores(std::string text) {
  for (char& c : text) c = c == '-' ? '_' : c;
  return text;
}

/// Expects that plan and train refuse the number, name the field, and that nothing changes.
void expect_refused(const Workspace& workspace, const WrongNumber& number,
                    const std::string& value) {
  SCOPED_TRACE(number.option + " " + value);
  const NothingChanges nothing(workspace);
  const bool sets_noise = number.option == "--epsilon" || number.option == "--noise-multiplier";
  const Words cost = sets_noise ? Words{} : Words("--epsilon 1");
  for (const Words& words :
       {join(Workspace::plan_words(), cost), Workspace::train_words(join(cost, "--out model"))}) {
    const ToolResult result =
        workspace.run(with_option(words, number.option, value), {.timeout_seconds = 60});
    EXPECT_EQ(result.exit_code, 2) << words[0] << ": " << result;
    EXPECT_THAT(dashes_to_underscores(result.err), HasSubstr(dashes_to_underscores(number.field)));
    EXPECT_THAT(result.out, IsEmpty());
    nothing.check(words[0]);
  }
}

TEST(Numbers, WhatCannotBeIsRefusedAndTheFieldNamed) {
  const Workspace workspace;
  workspace.open_ledger();
  for (const WrongNumber& number : wrong_numbers()) {
    for (const std::string& value : join(number.values, kNeverNumbers)) {
      expect_refused(workspace, number, value);
    }
  }
}

TEST(Numbers, UnusualOnesThatMakeSenseWork) {
  const Workspace workspace;
  for (const Words& more :
       {Words("--epsilon 1e-2"), Words("--epsilon 20"), Words("--noise-multiplier 1e3"),
        Words("--epsilon 1 --learning-rate 1e-6"), Words("--epsilon 1 --steps 1"),
        Words("--epsilon 1 --steps 1000000"), Words("--epsilon 1 --max-grad-norm 1e-6"),
        Words("--epsilon 1 --tail-average 0"), Words("--epsilon 1 --test-fraction 0"),
        Words("--epsilon 1 --split-seed 18446744073709551615")}) {
    ok(workspace.run(join(Workspace::plan_words(), more)));
  }
  ok(workspace.run(
      with_option(join(Workspace::plan_words(), "--epsilon 1"), "--batch-size", "300")));
}

TEST(Numbers, ADeltaOfOneRecordIsAWarning) {
  const Workspace workspace;
  workspace.open_ledger("40");
  for (const std::string delta : {"0.0025", "0.5"}) {
    const Words more = "--epsilon 1";
    const Words words = with_option(Workspace::train_words(more), "--delta", delta);
    for (const Words& run : {words, join(words, "--dry-run")}) {
      const ToolResult result = ok(workspace.run(run));
      EXPECT_THAT(result.out,
                  HasSubstr("warning: delta " + delta + " is not below 1 / num_records"));
      const Json json = json_of(workspace.run(join(run, "--json")));
      EXPECT_THAT(json.at("warnings").dump(), HasSubstr("delta " + delta));
    }
  }
  EXPECT_THAT(workspace.train("--epsilon 1 --out model").out, Not(HasSubstr("warning: delta")));
  const Words means = "means --columns age --epsilon 1 --dry-run";
  const Words synth = "synth --drop-incomplete --method mst --epsilon 1 --dry-run";
  const Words by_0025 = "--schema people.toml --delta 0.0025";
  for (const Words& words : {means, synth}) {
    EXPECT_THAT(workspace.run(join(words, by_0025)).out,
                HasSubstr("warning: delta 0.0025 is not below 1 / num_records"));
  }
  // Whose number of records is private is not told whether delta is below what follows from it.
  EXPECT_THAT(workspace.run(join(join(synth, by_0025), "--relation add_remove")).out,
              Not(HasSubstr("1 / num_records")));
}

// A plan must not fail with a stray exception where the ledger cannot even be looked for.
TEST(Plan, ALedgerWhoseNameIsTooLongIsALedgerError) {
  const Workspace workspace;
  const Words words =
      with_option(join(Workspace::plan_words(), "--epsilon 1"), "--ledger", std::string(300, 'x'));
  const ToolResult result = workspace.run(words);
  EXPECT_EQ(result.exit_code, 6) << result;
  EXPECT_THAT(result.err, AllOf(HasSubstr("[privacy.ledger]"), Not(HasSubstr("unexpected"))));
}

}  // namespace
}  // namespace equinoise::testing::plan_test
