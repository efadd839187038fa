// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "tests/cli/people.h"

namespace equinoise::testing::report_command_test {
namespace {

/// A trained model in the folder `model`.
void train_people(const Workspace& workspace) {
  ok(
      workspace.run("train --schema people.toml --data people.csv --groups sex --epsilon 1 --steps "
                    "30 --reference --explain-every 10 --insecure-test-rng --seed 1 --out model"));
}

/// A command that writes a page, and what the page has.
struct Written {
  Words words;
  std::string of;
  std::string folder;
  Texts texts;
};

TEST(ReportCommand, MakesPagesAgain) {
  const std::vector<Written> pages = {
      {"train --epsilon 1 --steps 30 --groups sex --explain-every 10 --reference",
       "train",
       "model",
       {"Run file", "equinoise_run = 1"}},
      {"compare --groups sex --methods dpsgd,dpsgd_global,sgd --epsilon 1,3 --seeds 2 --steps 20 "
       "--grid max-grad-norm=0.5,1 --public-data",
       "compare",
       "compared",
       {"Best methods", "Error by sex at epsilon 3"}},
      {"synth evaluate --real people.csv --synthetic other.csv --by sex --target label",
       "synth evaluate",
       "evaluation",
       {"Workload error by sex", "Accuracy"}},
      {"synth --epsilon 3 --drop-incomplete --rows-method sample",
       "synth",
       "rows",
       {"independently from the model", "Rounds"}}};
  const Workspace workspace(1200);
  workspace.write("other.csv", people_csv(100));
  for (const Written& written : pages) {
    SCOPED_TRACE(written.folder);
    Words words = join(written.words, {"--schema", "people.toml", "--out", written.folder});
    if (written.of != "synth evaluate") words = join(words, "--data people.csv");
    if (written.of == "train" || written.of == "synth")
      words = join(words, "--insecure-test-rng --seed 1");
    ok(workspace.run(words));
    const std::string name = written.folder + "/report.html";
    const std::string page = workspace.text(name);
    for (const std::string& text : written.texts) EXPECT_THAT(page, HasSubstr(text));
    std::filesystem::remove(workspace.path(name));
    // The page of synth has no figures without noise, but a test seed protects none.
    EXPECT_EQ(ok(workspace.run({"report", written.folder})).out,
              "wrote " + name + (written.of == "synth" ? " (NO GUARANTEE)\n" : " (NOT PRIVATE)\n"));
    EXPECT_EQ(workspace.text(name), page);
    using std::filesystem::perms;
    EXPECT_EQ(std::filesystem::status(workspace.path(name)).permissions(),
              perms::owner_read | perms::owner_write);
    const Json json = json_of(ok(workspace.run({"report", written.folder, "--json"})));
    EXPECT_EQ(json.at("kind"), "report");
    EXPECT_EQ(json.at("of"), written.of);
    EXPECT_EQ(json.at("files"), Json({name}));
  }
  std::filesystem::remove(workspace.path("rows/rows_card.json"));
  expect_error(workspace.run({"report", "rows"}), 3, "rows_card.json: no such file");
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
  const ToolResult result = ok(workspace.run({"report", "a $(touch x) b", "--open", "--json"}));
  EXPECT_EQ(json_of(result).at("opened"), true);
  ASSERT_TRUE(workspace.wait_for_file("browser.out"));
  EXPECT_EQ(workspace.text("browser.out"), workspace.path("a $(touch x) b/report.html"));
  EXPECT_FALSE(workspace.has("x"));

  environment.set("BROWSER", workspace.path("no-such-browser"));
  const ToolResult missing = ok(workspace.run({"report", "a $(touch x) b", "--open"}));
  EXPECT_THAT(missing.err, HasSubstr("no-such-browser does not start"));

  for (const char* name : {"BROWSER", "DISPLAY", "WAYLAND_DISPLAY"}) environment.set(name, "");
  const ToolResult dark = ok(workspace.run({"report", "a $(touch x) b", "--open"}));
  EXPECT_THAT(dark.err, HasSubstr("there is no screen here"));
}

}  // namespace
}  // namespace equinoise::testing::report_command_test
