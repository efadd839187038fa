// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <cstdlib>

#include "tests/cli/people.h"

namespace equinoise::testing::report_command_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// A trained model in the folder `model`.
void train_people(const Workspace& workspace) {
  const ToolResult result =
      workspace.run({"train", "--schema", "people.toml", "--data", "people.csv", "--groups", "sex",
                     "--epsilon", "1", "--steps", "30", "--reference", "--explain-every", "10",
                     "--insecure-test-rng", "--seed", "1", "--out", "model"});
  ASSERT_EQ(result.exit_code, 0) << result;
}

TEST(ReportCommand, MakesThePageOfTrainingAgain) {
  const Workspace workspace;
  train_people(workspace);
  const std::string path = workspace.path("model/report.html");
  const std::string page = read_bytes(path);
  EXPECT_THAT(page, AllOf(HasSubstr("Run file"), HasSubstr("equinoise_run = 1")));
  std::filesystem::remove(path);
  const ToolResult result = workspace.run({"report", "model"});
  ASSERT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(result.out, "wrote model/report.html\n");
  EXPECT_EQ(read_bytes(path), page);
  struct stat facts = {};
  ASSERT_EQ(::stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600U);
}

TEST(ReportCommand, MakesThePageOfAComparisonAgain) {
  const Workspace workspace(1200);
  const ToolResult compared = workspace.run({"compare",
                                             "--schema",
                                             "people.toml",
                                             "--data",
                                             "people.csv",
                                             "--groups",
                                             "sex",
                                             "--methods",
                                             "dpsgd,dpsgd_global,sgd",
                                             "--epsilon",
                                             "1,3",
                                             "--seeds",
                                             "2",
                                             "--steps",
                                             "20",
                                             "--grid",
                                             "max-grad-norm=0.5,1",
                                             "--public-data",
                                             "--out",
                                             "compared"});
  ASSERT_EQ(compared.exit_code, 0) << compared;
  const std::string path = workspace.path("compared/report.html");
  const std::string page = read_bytes(path);
  EXPECT_THAT(page, AllOf(HasSubstr("Best methods"), HasSubstr("Error by sex at epsilon 3")));
  std::filesystem::remove(path);
  const ToolResult result = workspace.run({"report", "compared", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(json_of(result).at("kind"), "report");
  EXPECT_EQ(json_of(result).at("of"), "compare");
  EXPECT_EQ(json_of(result).at("files"), Json({"compared/report.html"}));
  EXPECT_EQ(read_bytes(path), page);
}

TEST(ReportCommand, MakesThePageOfAnEvaluationAgain) {
  const Workspace workspace;
  workspace.write("other.csv", people_csv(100));
  const ToolResult evaluated = workspace.run(
      {"synth", "evaluate", "--schema", "people.toml", "--real", "people.csv", "--synthetic",
       "other.csv", "--by", "sex", "--target", "label", "--out", "evaluation"});
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated;
  const std::string path = workspace.path("evaluation/report.html");
  const std::string page = read_bytes(path);
  EXPECT_THAT(page, AllOf(HasSubstr("Workload error by sex"), HasSubstr("Accuracy")));
  std::filesystem::remove(path);
  EXPECT_EQ(workspace.run({"report", "evaluation"}).out, "wrote evaluation/report.html\n");
  EXPECT_EQ(read_bytes(path), page);
}

TEST(ReportCommand, MakesThePageOfSyntheticRowsAgain) {
  const Workspace workspace;
  const ToolResult made =
      workspace.run({"synth", "--schema", "people.toml", "--data", "people.csv", "--epsilon", "3",
                     "--drop-incomplete", "--rows-method", "sample", "--insecure-test-rng",
                     "--seed", "1", "--out", "rows"});
  ASSERT_EQ(made.exit_code, 0) << made;
  const std::string path = workspace.path("rows/report.html");
  const std::string page = read_bytes(path);
  EXPECT_THAT(page, AllOf(HasSubstr("independently from the model"), HasSubstr("Rounds")));
  std::filesystem::remove(path);
  const ToolResult result = workspace.run({"report", "rows", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(json_of(result).at("of"), "synth");
  EXPECT_EQ(read_bytes(path), page);
  std::filesystem::remove(workspace.path("rows/rows_card.json"));
  const ToolResult lacking = workspace.run({"report", "rows"});
  EXPECT_EQ(lacking.exit_code, 3);
  EXPECT_THAT(lacking.err, HasSubstr("rows_card.json: no such file"));
}

TEST(ReportCommand, RefusesOtherFoldersAndLeavesThemAlone) {
  const Workspace workspace;
  for (const char* folder : {"audit", "old", "broken", "lacking", "empty"})
    std::filesystem::create_directory(workspace.path(folder));
  workspace.write("audit/report.json", R"({"schema": "equinoise/1", "kind": "audit"})");
  workspace.write("old/report.json", R"({"schema": "equinoise/1"})");
  workspace.write("broken/compare.json", R"({"schema": )");
  workspace.write("lacking/report.json", R"({"report": "train"})");
  workspace.write("empty/model.json", "{}");
  const NothingChanges nothing(workspace);
  const auto refusal = [&](const std::string& folder) {
    const ToolResult result = workspace.run({"report", folder});
    EXPECT_EQ(result.exit_code, 3) << result;
    return result.err;
  };
  EXPECT_THAT(refusal("audit"), HasSubstr("equinoise audit"));
  EXPECT_THAT(refusal("old"), HasSubstr("old/report.json: does not say which command"));
  EXPECT_THAT(refusal("broken"), HasSubstr("broken/compare.json:1:"));
  EXPECT_THAT(refusal("lacking"), HasSubstr("lacking/report.json: lacks classes"));
  EXPECT_THAT(refusal("empty"), HasSubstr("compare.json or report.json"));
  EXPECT_THAT(refusal("nowhere"), HasSubstr("compare.json or report.json"));
  EXPECT_EQ(workspace.run({"report"}).exit_code, 2);
}

/// Sets variables of this process, which the tool inherits, and resets them.
class Environment {
 public:
  void set(const char* name, const std::string& value) {
    const char* before = std::getenv(name);
    before_.emplace_back(name, std::nullopt);
    if (before != nullptr) before_.back().second = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Environment() {
    for (const auto& [name, value] : before_)
      value ? ::setenv(name.c_str(), value->c_str(), 1) : ::unsetenv(name.c_str());
  }

 private:
  std::vector<std::pair<std::string, std::optional<std::string>>> before_;
};

TEST(ReportCommand, OpensThePageWithoutAShell) {
  const Workspace workspace;
  train_people(workspace);
  std::filesystem::rename(workspace.path("model"), workspace.path("a $(touch x) b"));
  workspace.write("browser",
                  "#!/bin/sh\nprintf '%s' \"$1\" > \"$0.tmp\"\nmv \"$0.tmp\" \"$0.out\"\n");
  std::filesystem::permissions(workspace.path("browser"), std::filesystem::perms::owner_all);
  Environment environment;
  environment.set("BROWSER", workspace.path("browser"));
  const ToolResult result = workspace.run({"report", "a $(touch x) b", "--open", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(json_of(result).at("opened"), true);
  ASSERT_TRUE(workspace.wait_for_file("browser.out"));
  EXPECT_EQ(read_bytes(workspace.path("browser.out")),
            workspace.path("a $(touch x) b/report.html"));
  EXPECT_FALSE(workspace.has("x"));

  environment.set("BROWSER", workspace.path("no-such-browser"));
  const ToolResult missing = workspace.run({"report", "a $(touch x) b", "--open"});
  EXPECT_EQ(missing.exit_code, 0) << missing;
  EXPECT_THAT(missing.err, HasSubstr("no-such-browser does not start"));

  for (const char* name : {"BROWSER", "DISPLAY", "WAYLAND_DISPLAY"}) environment.set(name, "");
  const ToolResult dark = workspace.run({"report", "a $(touch x) b", "--open"});
  EXPECT_EQ(dark.exit_code, 0) << dark;
  EXPECT_THAT(dark.err, HasSubstr("there is no screen here"));
}

}  // namespace
}  // namespace equinoise::testing::report_command_test
