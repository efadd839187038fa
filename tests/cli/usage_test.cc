// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <regex>

#include "tests/cli/people.h"

namespace equinoise::testing::usage_test {
namespace {

const std::vector<Words> kCommands = {{"schema", "check"}, {"schema", "draft"},  {"ledger", "init"},
                                      {"ledger", "show"},  {"ledger", "verify"}, {"plan"},
                                      {"train"},           {"predict"},          {"audit"},
                                      {"means"},           {"methods"},          {"plan", "means"}};

std::string text_of(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

TEST(Usage, HelpOfEveryCommandShowsItsOptionsAndAnExample) {
  for (const Words& command : kCommands) {
    const ToolResult result = run_tool(join(command, "--help"));
    SCOPED_TRACE(text_of(command));
    EXPECT_EQ(result.exit_code, 0) << result;
    EXPECT_THAT(result.out,
                HasAll("Example:", "equinoise " + text_of(command), "--json", "--quiet"));
    EXPECT_THAT(result.err, IsEmpty());
  }
}

/// --help of large commands is for a screen, --help-all has the rest of it.
TEST(Usage, HelpHasTwoLayers) {
  const auto num_lines = [](const std::string& text) { return std::ranges::count(text, '\n'); };
  for (const Words& command : {Words{"train"},
                               {"plan"},
                               {"synth"},
                               {"synth", "evaluate"},
                               {"means"},
                               {"plan", "means"},
                               {"audit"},
                               {"compare"},
                               {"compare", "means"},
                               {"compare", "synth"},
                               {"predict"}}) {
    SCOPED_TRACE(text_of(command));
    const std::string help = run_tool(join(command, "--help")).out;
    const std::string all = run_tool(join(command, "--help-all")).out;
    EXPECT_LE(num_lines(help), 45) << help;
    EXPECT_THAT(help, AllOf(HasSubstr("--help-all"), Not(HasSubstr("--decimal-comma"))));
    EXPECT_THAT(all, HasAll("\nTable:\n", "--decimal-comma"));
    EXPECT_THAT(help + all, AllOf(Not(HasSubstr("\n\n\n")), Not(HasSubstr("NAME,... ..."))));
    const std::regex flag("\n  (--[a-z-]+)");
    for (std::sregex_iterator found(help.begin(), help.end(), flag);
         found != std::sregex_iterator(); ++found)
      EXPECT_THAT(all, HasSubstr(found->str()));
  }
  // Of a method that is named, also those of its options that few runs need, and none of others.
  const std::string of_method = run_tool("train --method sufficient_statistics --help").out;
  EXPECT_THAT(of_method, AllOf(HasSubstr("--row-bound"), Not(HasSubstr("--learning-rate"))));
}

/// Lines as they are written; a ToolResult has them unwrapped.
TEST(Usage, NoLineIsLongerThanAScreen) {
  const TempFolder folder;
  for (const Words& words : {Words("--help"), Words("train --help-all"), Words("means --help-all"),
                             Words("methods"), Words("methods dpsgd"), Words("reproduce --list")}) {
    folder.write_file("out", "");
    ok(run_tool(words, {.out_path = (folder.path() / "out").string()}));
    std::istringstream lines(read_bytes(folder.path() / "out"));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), kMaxLine) << line;
  }
}

/// A program that reads standard output finds an object there, whatever happened.
TEST(Usage, WithJsonAnErrorIsAnObject) {
  const Workspace workspace;
  const ToolResult result = workspace.run("schema check --schema none.toml --json");
  EXPECT_EQ(result.exit_code, 3) << result;
  const Json json = json_of(result);
  EXPECT_EQ(json.at("schema"), "equinoise/1");
  EXPECT_EQ(json.at("kind"), "error");
  EXPECT_EQ(json.at("error"), "input");
  EXPECT_EQ(json.at("exit_code"), 3);
  EXPECT_EQ(result.err, "equinoise: " + json.at("message").get<std::string>() + "\n");
  const ToolResult usage = run_tool("train --json --epsilom 1");
  EXPECT_EQ(usage.exit_code, 2);
  EXPECT_EQ(json_of(usage).at("error"), "usage");
  EXPECT_THAT(json_of(usage).at("message"), HasSubstr("did you mean --epsilon?"));
}

TEST(Usage, HelpOfTheToolNamesCommandsAndExitCodes) {
  const ToolResult result = ok(run_tool("--help"));
  for (const std::string name : {"schema", "ledger", "account", "plan", "train", "predict", "audit",
                                 "means", "methods", "selftest"}) {
    EXPECT_THAT(result.out, HasSubstr("\n  " + name + " "));
  }
  EXPECT_THAT(result.out, HasAll("Exit codes", "4 budget refused"));
  EXPECT_THAT(run_tool("ledger --help").out, HasAll("init", "show", "verify"));
}

TEST(Usage, DeltaHasOneDefault) {
  const Words commands[] = {{"train"},
                            {"plan"},
                            {"means"},
                            {"plan", "means"},
                            {"synth"},
                            {"ledger", "init"},
                            {"account", "epsilon"},
                            {"account", "noise"},
                            {"account", "steps"},
                            {"account", "compare"}};
  for (const Words& command : commands) {
    SCOPED_TRACE(text_of(command));
    const std::string help = run_tool(join(command, "--help")).out;
    const size_t option = help.find("\n  --delta");
    ASSERT_NE(option, std::string::npos) << help;
    const std::string told = help.substr(option + 1, help.find("\n  --", option + 1) - option);
    EXPECT_THAT(told, HasSubstr("=1e-06"));
  }
  const Workspace workspace;
  ok(workspace.run("ledger init --dataset people --epsilon 9 --ledger people.ledger"));
  const Words run[] = {"train --data people.csv --batch-size 32 --steps 2 --out model",
                       "means --data people.csv --columns age --out means",
                       "synth --drop-incomplete --data people.csv --method mst --out rows"};
  for (const Words& words : run) {
    const ToolResult result =
        ok(workspace.run(join(words, "--schema people.toml --epsilon 1 --ledger people.ledger")));
    EXPECT_THAT(result.out, AllOf(HasSubstr("1e-06"), Not(HasSubstr("1e-09"))));
  }
  const Words noise = "--gaussian 2";
  EXPECT_EQ(run_tool(join({"account", "epsilon"}, noise)).out,
            run_tool(join(join({"account", "epsilon"}, noise), "--delta 1e-6")).out);
  EXPECT_EQ(run_tool(join({"account", "compare"}, noise)).out,
            run_tool(join(join({"account", "compare"}, noise), "--delta 1e-6")).out);
}

TEST(Usage, VersionIsPrinted) {
  const ToolResult result = ok(run_tool("--version"));
  EXPECT_TRUE(std::regex_match(result.out, std::regex("equinoise \\d+\\.\\d+\\.\\d+\n"))) << result;
}

TEST(Usage, EveryMistakeEndsWithCode2AndAMessageThatHelps) {
  const Workspace workspace;
  workspace.open_ledger();
  const std::vector<std::pair<Words, std::string>> cases = {
      {{}, "subcommand is required"},
      {{"ledger"}, "subcommand is required"},
      {{"schema"}, "subcommand is required"},
      {{"trian"}, "unknown argument trian; did you mean train?"},
      {{"ledger", "shwo"}, "did you mean show?"},
      {{"schema", "chek"}, "did you mean check?"},
      {{"frobnicate"}, "unknown argument frobnicate\n"},
      {"frobnicate --json", "unknown argument frobnicate\nRun with"},
      {{"plan", "tables", "--by", "sex"}, "equinoise tables --dry-run plans tables\n"},
      {"--verison", "did you mean --version?"},
      {"methods --jsno", "did you mean --json?"},
      {{"methods", "dpsgd", "extra"}, "unknown argument extra"},
      {{"schema", "draft", "people.csv"},
       "unknown argument people.csv; did you mean --data people.csv?"},
      {{"schema", "check", "people.toml"}, "did you mean --schema people.toml?"},
      {{"ledger", "show", "people.csv"}, "unknown argument people.csv\n"},
      {"--json methods", "put --json after the command methods"},
      {Workspace::train_words("--epsilom 1"), "unknown option --epsilom; did you mean --epsilon?"},
      {Workspace::train_words("--epsilom=1"), "unknown option --epsilom; did you mean --epsilon?"},
      {Workspace::train_words("--epsilon 1 surplus"), "unknown argument surplus"},
      {Workspace::train_words("--epsilon"), "--epsilon"},
      {Workspace::train_words("--epsilon 1 --epsilon 2"), "--epsilon"},
      {Workspace::train_words("--epsilon 1 --threads -1"), "--threads"},
      {Workspace::train_words("--epsilon 1 --threads abc"), "--threads"},
      {"train --data people.csv --epsilon 1", "--schema is required"},
      {"train --schema people.toml --epsilon 1", "--data is required"},
      {"plan --epsilon 1", "--schema is required"},
      {{"schema", "check"}, "--schema is required"},
      {"ledger init --epsilon 1 --delta 1e-6", "--dataset is required"},
      {"ledger init --dataset a --delta 1e-6", "--epsilon is required"},
  };
  for (const auto& [words, message] : cases)
    expect_refused(workspace, words, 2, {"equinoise: ", message, "--help"});
}

// An unset variable of a script leaves an empty value; CLI11 by itself would take it as 0.
TEST(Usage, AnEmptyValueIsRefusedForEveryOption) {
  const Workspace workspace;
  workspace.open_ledger();
  for (const std::string& name :
       Words("--schema --data --ledger --method --delta --relation --batch-size --steps "
             "--learning-rate --final-learning-rate --max-grad-norm --tail-average "
             "--test-fraction --split-seed --out --groups --threads")) {
    expect_refused(workspace, with_option(Workspace::train_words("--epsilon 1"), name, ""), 2,
                   name + ":");
    // In one word, behind which CLI11 would take the next one, here a flag of its own.
    Words words = Workspace::train_words("--epsilon 1");
    words.insert(words.begin() + 1, name + "=");
    expect_refused(workspace, words, 2, name + ": the value is empty");
  }
}

// The command line goes into the model card; JSON that cannot be written would cost the budget.
TEST(Usage, ANameThatIsNotUtf8IsRefusedBeforeAnythingIsSpent) {
  const Workspace workspace;
  workspace.open_ledger();
  expect_refused(workspace, Workspace::train_words({"--epsilon", "1", "--out", "caf\xe9"}), 2,
                 "UTF-8");
  expect_refused(workspace,
                 {"ledger", "init", "--dataset", "\xff", "--epsilon", "1", "--delta", "1e-6",
                  "--ledger", "new.ledger"},
                 2, {});
}

TEST(Usage, ANameInUtf8Works) {
  const Workspace workspace;
  workspace.open_ledger();
  const ToolResult result =
      ok(workspace.train({"--epsilon", "1", "--out", "caf\xc3\xa9", "--json"}));
  EXPECT_THAT(json_of(result).at("command"), HasSubstr("caf\xc3\xa9"));
  EXPECT_TRUE(workspace.has("caf\xc3\xa9/report.json"));
}

TEST(Usage, AFullDiskUnderStandardOutputIsAnError) {
  expect_error(run_tool("methods --json", {.out_path = "/dev/full"}), 1, "standard output");
}

/// As `equinoise methods | head -1` would have it.
TEST(Usage, AClosedPipeUnderStandardOutputEndsQuietly) {
  for (const Words& words :
       {Words("methods"), Words("methods --json"), Words("selftest --quiet")}) {
    const ToolResult result = run_tool(words, {.closes_out = true});
    EXPECT_EQ(result.exit_code, 141) << result;
    EXPECT_EQ(result.err, "");
  }
}

TEST(Usage, AClosedPipeUnderStandardOutputLosesNoPaidRun) {
  const Workspace workspace;
  workspace.open_ledger();
  const ToolResult result =
      workspace.train("--epsilon 1 --out model --quiet", {.closes_out = true});
  EXPECT_EQ(result.exit_code, 141) << result;
  EXPECT_EQ(result.err, "");
  EXPECT_GT(workspace.spent(), 0.5);
  for (const char* name : {"model.json", "model_card.md", "report.html"})
    EXPECT_TRUE(workspace.has(std::string("model/") + name)) << name;
}

TEST(Usage, WithoutStandardErrorExitCodesAreTheSame) {
  const Workspace workspace;
  const ToolOptions full = {.folder = workspace.path(""), .err_path = "/dev/full"};
  EXPECT_EQ(run_tool({"metods"}, full).exit_code, 2);
  EXPECT_EQ(run_tool("schema check --schema none.toml", full).exit_code, 3);
  ok(run_tool("ledger init --dataset people --epsilon 1000 --delta 1e-5 --ledger large.ledger",
              full));
}

TEST(Usage, SizesOfLayersAreNotNegative) {
  for (const char* flag : {"--hidden", "--channels"}) {
    expect_error(run_tool({"plan", "--schema", "s.toml", flag, "16,-5"}), 2, {flag, "-5"});
  }
}

}  // namespace
}  // namespace equinoise::testing::usage_test
