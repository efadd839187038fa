// SPDX-License-Identifier: Apache-2.0
// The manual page and what shells complete, held to what --help and `equinoise methods` say.

#include <cstdio>
#include <regex>
#include <set>

#include "equinoise/models/registry.h"
#include "tests/cli/people.h"
#include "tests/matchers.h"

namespace equinoise::testing::self_description_test {
namespace {

using ::testing::IsSupersetOf;
using ::testing::UnorderedElementsAreArray;

struct ShellResult {
  int status = -1;
  std::string out;  ///< both streams
};

/// Runs a command by sh.
ShellResult run_shell(const std::string& command) {
  ShellResult result;
  FILE* stream = ::popen((command + " 2>&1").c_str(), "r");
  if (stream == nullptr) return result;
  std::array<char, 4096> buffer;
  for (size_t count = 1; count > 0;) {
    count = std::fread(buffer.data(), 1, buffer.size(), stream);
    result.out.append(buffer.data(), count);
  }
  result.status = ::pclose(stream);
  return result;
}

bool is_installed(const std::string& program) {
  return run_shell("command -v " + program).status == 0;
}

Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (!line.empty()) lines.push_back(line);
  return lines;
}

std::string script_of(const std::string& shell) {
  const ToolResult result = ok(run_tool({"completion", shell}));
  EXPECT_THAT(result.err, IsEmpty());
  return result.out;
}

/// A command and what its help shows of it.
struct Command {
  Words words;
  std::set<std::string> flags;
};

/// The command and all below it, as help names them.
void collect(const Words& words, std::vector<Command>& commands) {
  const std::string help = run_tool(join(words, {words.empty() ? "--help" : "--help-all"})).out;
  EXPECT_THAT(help, Not(HasSubstr("Excludes: \n")));
  Command command{words, {}};
  Words below;
  bool is_list = false;
  const std::regex flag("^  (?:-[a-zA-Z],)?(--[a-z0-9-]+)");
  const std::regex child("^  ([a-z]+) .*");
  for (const std::string& line : lines_of(help)) {
    std::smatch found;
    if (line == "Subcommands:") {
      is_list = true;
    } else if (line.front() != ' ') {
      is_list = false;
    } else if (is_list && std::regex_match(line, found, child)) {
      below.push_back(found[1]);
    } else if (std::regex_search(line, found, flag)) {
      command.flags.insert(found[1]);
    }
  }
  commands.push_back(command);
  for (const std::string& name : below) collect(join(words, {name}), commands);
}

std::vector<Command> all_commands() {
  std::vector<Command> commands;
  collect({}, commands);
  return commands;
}

/// The flags of the methods for a task, which the task's help shows with --method alone.
std::set<std::string> method_flags(const std::string& task) {
  std::set<std::string> flags;
  const Json json = json_of(run_tool("methods --json"));
  for (const Json& row : json.at("rows")) {
    if (row.at("task") != task) continue;
    for (const Json& option : row.at("options")) flags.insert(option.at("option"));
  }
  EXPECT_THAT(flags, Not(IsEmpty()));
  return flags;
}

Words method_names(const std::string& task, const std::string& prefix) {
  Words names;
  const Json json = json_of(run_tool("methods --json"));
  for (const Json& row : json.at("rows")) {
    const std::string name = row.at("name");
    if ((task.empty() || row.at("task") == task) && name.starts_with(prefix)) names.push_back(name);
  }
  return names;
}

std::string as_troff(const std::string& text) {
  return std::regex_replace(text, std::regex("-"), "\\-");
}

std::string path_of(const Words& words) {
  std::string path = "equinoise";
  for (const std::string& word : words) path += " " + word;
  return path;
}

TEST(SelfDescription, TheManualHasEveryCommandAndEveryFlag) {
  const ToolResult manual = ok(run_tool({"manual"}));
  EXPECT_THAT(manual.err, IsEmpty());
  const std::vector<Command> commands = all_commands();
  ASSERT_GT(commands.size(), 20U);
  EXPECT_THAT(manual.out, Not(HasSubstr("Excludes: \n")));
  for (const Command& command : commands) {
    SCOPED_TRACE(path_of(command.words));
    const std::string title =
        command.words.empty() ? ".SH OPTIONS\n" : ".SS \"" + path_of(command.words) + "\"\n";
    const size_t begin = manual.out.find(title);
    ASSERT_NE(begin, std::string::npos) << title;
    const std::string section =
        manual.out.substr(begin, manual.out.find("\n.S", begin + 1) - begin);
    std::set<std::string> flags = command.flags;
    EXPECT_THAT(flags, Contains("--help"));
    if (command.words == Words{"train"} || command.words == Words{"plan"})
      flags.merge(method_flags("train"));
    for (const std::string& flag : flags)
      EXPECT_THAT(section, HasSubstr("\\fB" + as_troff(flag) + "\\fP"));
  }
  EXPECT_EQ(json_of(run_tool("manual --json")).at("manual"), manual.out);
}

TEST(SelfDescription, TheManualIsFormattedWithoutAWarning) {
  if (!is_installed("groff")) GTEST_SKIP() << "groff is not installed";
  const Workspace workspace;
  const std::filesystem::path page = workspace.path("equinoise.1");
  const auto warnings_of = [&](const std::string& text) {
    workspace.write("equinoise.1", text);
    return run_shell("groff -man -Tutf8 -ww -z " + page.string()).out;
  };
  const std::string manual = run_tool({"manual"}).out;
  EXPECT_THAT(warnings_of(manual), IsEmpty());
  EXPECT_THAT(warnings_of(manual + ".nonsense\n"), HasSubstr("nonsense"));
  const std::string shown =
      run_shell("groff -man -Tascii -P-c " + page.string() + " | sed 's/.\\x08//g'").out;
  EXPECT_THAT(shown, HasSubstr("equinoise ledger init --dataset adult"));
}

class BashCompletion : public ::testing::Test {
 protected:
  BashCompletion() { workspace_.write("completion.bash", script_of("bash")); }

  /// What bash proposes for the last of the words.
  Words complete(const Words& words) const {
    std::string array;
    for (const std::string& word : words) array += " '" + word + "'";
    workspace_.write("run.bash", "source '" + workspace_.path("completion.bash").string() +
                                     "'\nCOMP_WORDS=(equinoise" + array +
                                     ")\nCOMP_CWORD=" + std::to_string(words.size()) +
                                     "\n_equinoise\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
    const ShellResult result = run_shell("bash " + workspace_.path("run.bash").string());
    EXPECT_EQ(result.status, 0) << result.out;
    return lines_of(result.out);
  }

  Workspace workspace_;
};

TEST_F(BashCompletion, TheScriptIsBash) {
  const std::string path = workspace_.path("completion.bash").string();
  const ShellResult result = run_shell("bash -n " + path);
  EXPECT_EQ(result.status, 0) << result.out;
  EXPECT_THAT(run_shell("bash -c 'source " + path + "; complete -p equinoise'").out,
              HasSubstr("-F _equinoise equinoise"));
}

TEST_F(BashCompletion, CompletesCommandsFlagsAndValues) {
  EXPECT_THAT(complete({"tr"}), ElementsAre("train"));
  EXPECT_THAT(complete({"schema", ""}), ElementsAre("check", "draft", "sizes", "export"));
  EXPECT_THAT(complete({"completion", ""}), ElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(complete("train --opti"), ElementsAre("--optimizer"));
  EXPECT_THAT(complete({"train", "--optimizer", ""}), ElementsAre("sgd", "momentum", "adam"));
  EXPECT_THAT(complete("train --optimizer = a"), ElementsAre("adam"));
  EXPECT_THAT(complete("train --optimizer ="), ElementsAre("sgd", "momentum", "adam"));
  EXPECT_THAT(complete("synth sample --rows-method r"), ElementsAre("round"));
  EXPECT_THAT(complete("train --method dpsgd"),
              UnorderedElementsAreArray(method_names("train", "dpsgd")));
  EXPECT_THAT(complete({"synth", "--method", ""}),
              UnorderedElementsAreArray(method_names("synth", "")));
  Words methods_and_models = method_names("", "");
  for (const ModelRow& row : model_kinds()) methods_and_models.emplace_back(row.name);
  EXPECT_THAT(complete({"methods", ""}), UnorderedElementsAreArray(methods_and_models));
  EXPECT_THAT(complete("means --method a"), ElementsAre("auto"));
}

TEST_F(BashCompletion, LeavesFilesToTheShell) {
  EXPECT_THAT(complete({"train", "--schema", ""}), IsEmpty());
  EXPECT_THAT(complete("plan --schema m"), IsEmpty());
  EXPECT_THAT(complete("plan --json m"), ElementsAre("means"));
}

TEST_F(BashCompletion, KnowsAllFlagsOfEveryCommand) {
  for (const Command& command : all_commands()) {
    SCOPED_TRACE(path_of(command.words));
    const Words flags = complete(join(command.words, "--"));
    EXPECT_THAT(flags, IsSupersetOf(command.flags));
    if (command.words == Words{"train"}) {
      EXPECT_THAT(flags, IsSupersetOf(method_flags("train")));
    }
  }
}

TEST(SelfDescription, ZshReadsItsScript) {
  const std::string script = script_of("zsh");
  EXPECT_THAT(script, HasSubstr("#compdef equinoise\n"));
  if (!is_installed("zsh")) GTEST_SKIP() << "zsh is not installed";
  const Workspace workspace;
  workspace.write("_equinoise", script);
  const ShellResult result = run_shell("zsh -n " + workspace.path("_equinoise").string());
  EXPECT_EQ(result.status, 0) << result.out;
  EXPECT_THAT(result.out, IsEmpty());
}

TEST(SelfDescription, FishCompletesCommandsFlagsAndValues) {
  const std::string script = script_of("fish");
  EXPECT_THAT(script, HasSubstr("complete -c equinoise"));
  if (!is_installed("fish")) GTEST_SKIP() << "fish is not installed";
  const Workspace workspace;
  workspace.write("equinoise.fish", script);
  const auto complete = [&](const std::string& line) {
    workspace.write("run.fish", "source " + workspace.path("equinoise.fish").string() +
                                    "\ncomplete -C '" + line + "' | string split -f1 \\t\n");
    return lines_of(run_shell("HOME=" + workspace.path("").string() + " fish --no-config " +
                              workspace.path("run.fish").string())
                        .out);
  };
  EXPECT_THAT(complete("equinoise tr"), ElementsAre("train"));
  EXPECT_THAT(complete("equinoise schema "), ElementsAre("check", "draft"));
  EXPECT_THAT(complete("equinoise train --opti"), ElementsAre("--optimizer"));
  EXPECT_THAT(complete("equinoise train --optimizer "),
              UnorderedElementsAreArray({"sgd", "momentum", "adam"}));
}

TEST(SelfDescription, AnUnknownShellIsAMistakeThatNamesTheOthers) {
  for (const Words& words : {Words{"completion"}, Words{"completion", "tcsh"}}) {
    const ToolResult result = run_tool(words);
    EXPECT_EQ(result.exit_code, 2) << result;
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_THAT(result.err, HasSubstr("shell"));
  }
  EXPECT_THAT(run_tool({"completion", "tcsh"}).err, HasSubstr("bash"));
  const Json json = json_of(run_tool("completion bash --json"));
  EXPECT_EQ(json.at("shell"), "bash");
  EXPECT_EQ(unwrapped(json.at("script")), script_of("bash"));
}

}  // namespace
}  // namespace equinoise::testing::self_description_test
