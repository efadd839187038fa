// SPDX-License-Identifier: Apache-2.0
#include "cli/tool.h"

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/description.h"
#include "equinoise/data/formats/record_reader.h"
#include "tests/cli/people.h"
#include "tests/matchers.h"

namespace equinoise::cli::tool_test {
namespace {

using testing::Words;

/// Colours of twenty records.
class Colours final : public RecordReader {
 public:
  Colours() : RecordReader("colours") {
    header_ = {"colour"};
    cells_.resize(1);
    settle_names();
  }
  bool next() override {
    cells_[0] = std::string_view(row_ % 2 == 0 ? "red" : "blue");
    return row_++ < 20;
  }
};

/// Keeps what it is given, and holds a table "colours".
class KeepingHost final : public ToolHost {
 public:
  void print(std::string_view text) override { printed += text; }
  void tell(const std::string& text) noexcept override { told += text; }
  TableSource table(const std::string& name) override {
    if (name != "colours") return name;
    return {name, [] { return std::make_unique<Colours>(); }};
  }
  std::unique_ptr<TrainProgress> make_progress(bool) override {
    return std::make_unique<TrainProgress>();
  }

  std::string printed;
  std::string told;
};

TEST(RunTool, WhatIsPrintedGoesToTheHost) {
  ::testing::internal::CaptureStdout();
  for (const Words& words : {Words("methods"), Words("--help"), Words("account epsilon --help")}) {
    KeepingHost host;
    EXPECT_EQ(run_tool(words, host), 0);
    EXPECT_EQ(testing::unwrapped(host.printed), equinoise::testing::run_tool(words).out);
    EXPECT_THAT(host.told, IsEmpty());
  }
  EXPECT_THAT(::testing::internal::GetCapturedStdout(), IsEmpty());
}

TEST(RunTool, AWrongCommandLineIsAnErrorInTheToolsWords) {
  const Words words = "train --epsilom --schemata";
  KeepingHost host;
  try {
    run_tool(words, host);
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), StartsWith("unknown option --epsilom; did you mean --epsilon?\n"));
    EXPECT_THAT(error.what(), Not(HasSubstr("equinoise:")));
    EXPECT_EQ(error.told(), equinoise::testing::run_tool(words).err);
  }
  EXPECT_THAT(host.told, IsEmpty());
}

TEST(RunTool, RecordsOfTheHostAreReadByTheirName) {
  KeepingHost host;
  EXPECT_EQ(run_tool(Words("schema draft --data colours"), host), 0);
  EXPECT_THAT(host.printed, HasSubstr("values = [\"blue\", \"red\"]"));
  EXPECT_THROW(run_tool(Words("schema draft --data shades"), host), Error);
}

TEST(RunTool, AFailedThresholdIsAnExitCodeThatTheHostIsToldOf) {
  const equinoise::testing::Workspace workspace;
  workspace.open_ledger();
  const std::string model = workspace.path("model");
  ok(workspace.train({"--epsilon", "1", "--out", model}));
  KeepingHost host;
  EXPECT_EQ(run_tool({"audit", "--model", model, "--data", workspace.path("people.csv"), "--groups",
                      "sex", "--min-ratio", "selection_rate=1", "--strict", "--json"},
                     host),
            static_cast<int>(ErrorKind::kThreshold));
  EXPECT_EQ(nlohmann::json::parse(host.printed).at("schema"), "equinoise/1");
  EXPECT_THAT(host.told, HasSubstr("selection rate"));
}

TEST(DescribeTool, NamesCommandsOptionsAndMethods) {
  const nlohmann::json described = nlohmann::json::parse(describe_tool());
  const nlohmann::json& commands = described["commands"];
  for (const char* name : {"train", "synth sample", "account epsilon", "plan means"})
    EXPECT_TRUE(commands.contains(name)) << name;
  std::vector<std::string> names;
  for (const nlohmann::json& option : commands["train"]["options"]) {
    names.push_back(option["name"]);
    if (option["name"] == "max_grad_norm") {
      EXPECT_EQ(option["flag"], "--max-grad-norm");
      EXPECT_EQ(option["type"], "FLOAT");
      EXPECT_THAT(option["of"].get<std::vector<std::string>>(), Contains("dpsgd"));
    }
    if (option["name"] == "model") {
      EXPECT_EQ(option["default"], "auto");
      EXPECT_THAT(option["values"].get<std::vector<std::string>>(), Contains("mlp"));
    }
    if (option["name"] == "json") {
      EXPECT_EQ(option["takes_value"], false);
      EXPECT_TRUE(option["of"].is_null());
    }
  }
  EXPECT_THAT(names, ::testing::IsSupersetOf({"max_grad_norm", "model", "json", "epsilon"}));
  EXPECT_EQ(described["methods"]["means"][0]["name"], "bounded");
}

}  // namespace
}  // namespace equinoise::cli::tool_test
