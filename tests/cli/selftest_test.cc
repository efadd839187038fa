// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include <set>

#include "tests/cli/run_tool.h"
#include "tests/matchers.h"

namespace equinoise::testing::selftest_test {
namespace {

std::set<std::string> files_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.insert(entry.path().filename());
  }
  return names;
}

/// Sets TMPDIR of the tool for as long as it lives.
class TemporaryPlace {
 public:
  explicit TemporaryPlace(const std::filesystem::path& path) {
    const char* before = ::getenv("TMPDIR");
    if (before != nullptr) before_ = before;
    ::setenv("TMPDIR", path.c_str(), 1);
  }
  ~TemporaryPlace() {
    if (before_) {
      ::setenv("TMPDIR", before_->c_str(), 1);
    } else {
      ::unsetenv("TMPDIR");
    }
  }
  TemporaryPlace(const TemporaryPlace&) = delete;
  TemporaryPlace& operator=(const TemporaryPlace&) = delete;

 private:
  std::optional<std::string> before_;
};

/// A check that fails by chance (1e-6 for each of about fifteen tests) may do so here.
TEST(SelfTest, JsonTellsEveryCheckAndTheMachine) {
  const TempFolder folder;
  const TempFolder temporary;
  const std::filesystem::path ledger = folder.write_file("equinoise.ledger", "somebody's own");
  const TemporaryPlace place(temporary.path());
  const ToolResult result = ok(run_tool("selftest --json --quiet", {folder.path()}));
  EXPECT_THAT(result.err, IsEmpty());
  const Json json = json_of(result);
  EXPECT_EQ(json.at("passed"), true);
  std::set<std::string> names;
  for (const Json& check : json.at("checks")) {
    expect_keys(check, {"name", "what", "passed", "outcome", "detail"});
    EXPECT_EQ(check.at("passed"), true) << check;
    EXPECT_EQ(check.at("outcome"), "passed") << check;
    EXPECT_NE(check.at("what"), "") << check;
    EXPECT_NE(check.at("detail"), "") << check;
    EXPECT_TRUE(names.insert(check.at("name")).second) << check;
  }
  EXPECT_THAT(names, ::testing::IsSupersetOf(
                         {"random source", "fork", "known answers", "accountants", "ledger"}));
  expect_keys(json.at("machine"), {"version", "compiler", "built_for", "processor_has", "kernel"});
  // The user's own ledger is not looked at, and nothing is left behind.
  EXPECT_EQ(read_bytes(ledger), "somebody's own");
  EXPECT_EQ(files_in(folder.path()), std::set<std::string>{"equinoise.ledger"});
  EXPECT_THAT(files_in(temporary.path()), IsEmpty());
}

TEST(SelfTest, TextNamesEveryCheckAndProgressGoesToStandardError) {
  const ToolResult result = ok(run_tool({"selftest"}));
  for (const std::string name : {"random source", "accountants", "ledger"}) {
    EXPECT_THAT(result.out, HasSubstr("passed    " + name + ": "));
    EXPECT_THAT(result.err, HasSubstr("testing " + name + "\n"));
  }
  EXPECT_THAT(result.out, HasSubstr("checks passed in"));
}

/// What cannot be carried out is an error of its check, the others are told all the same.
TEST(SelfTest, WithoutATemporaryFolderTheLedgerCannotBeChecked) {
  const TempFolder folder;
  const TemporaryPlace place(folder.path() / "missing");
  const ToolResult result = run_tool("selftest --json");
  EXPECT_EQ(result.exit_code, 1) << result;
  EXPECT_THAT(result.err, HasSubstr("ledger (error)"));
  const Json json = json_of(result);
  EXPECT_EQ(json.at("passed"), false);
  for (const Json& check : json.at("checks")) {
    const bool needs_files = check.at("name") == "ledger";
    EXPECT_EQ(check.at("passed"), !needs_files) << check;
    EXPECT_EQ(check.at("outcome"), needs_files ? "error" : "passed") << check;
  }
}

TEST(SelfTest, TakesNoOtherOptions) {
  EXPECT_EQ(run_tool("selftest --ledger equinoise.ledger").exit_code, 2);
}

}  // namespace
}  // namespace equinoise::testing::selftest_test
