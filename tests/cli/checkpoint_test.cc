// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <thread>

#include "tests/cli/people.h"

namespace equinoise::testing::checkpoint_test {
namespace {

/// A run of a few seconds that keeps its state a few hundred times.
Words long_run(const Words& more = {}) {
  return join(
      "train --schema people.toml --data people.csv --ledger people.ledger --batch-size 64 --steps "
      "60000 --delta 1e-5 --epsilon 1 --checkpoint run.checkpoint --checkpoint-every 200 --out "
      "model",
      more);
}

Json newest_progress(const Workspace& workspace) {
  return workspace.ledger().at("entries").at(0).value("progress", Json());
}

TEST(Checkpoint, CtrlCKeepsTheStateAndResumeGoesOnForFree) {
  const Workspace workspace;
  workspace.open_ledger();
  ToolProcess process(long_run(), workspace.here());
  ASSERT_TRUE(workspace.wait_for_file("run.checkpoint"));
  process.send(SIGINT);
  expect_error(process.finish(), 1, "--resume");
  EXPECT_THAT(workspace.names("model"), IsEmpty());
  const double paid = workspace.spent();
  EXPECT_GT(paid, 0.9);

  expect_error(workspace.run(long_run()), 2, "--resume");

  const ToolResult resumed = ok(workspace.run(long_run("--resume --json")));
  EXPECT_THAT(resumed.err, HasSubstr("resuming after step"));
  EXPECT_EQ(workspace.spent(), paid);
  EXPECT_EQ(workspace.ledger().at("entries").size(), 1U);
  EXPECT_EQ(json_of(resumed).at("privacy").at("epsilon"), paid);
  EXPECT_TRUE(workspace.has("model/model.json"));
  EXPECT_THAT(workspace.names("run.checkpoint"), IsEmpty());
  EXPECT_EQ(newest_progress(workspace).at("num_done"), 60000);
}

/// The same of methods that keep more than iterates; two_stage once in each of its stages.
TEST(Checkpoint, RunsThatFollowGroupsGoOnForFree) {
  for (const Words& method :
       {Words{"mgr_w"}, Words{"mgr"}, Words("dpse --split error"),
        Words("two_stage --first-stage 0.005"), Words("two_stage --first-stage 0.9")}) {
    const Workspace workspace;
    workspace.write("people.toml", people_schema_with_sizes(134, 266));
    workspace.open_ledger();
    const Words words = join(
        join("train --schema people.toml --data people.csv --ledger people.ledger --groups sex "
             "--epsilon 1 --checkpoint run.state --checkpoint-every 200 --out model --steps",
             method[0] == "two_stage" ? "60000" : "20000"),
        join("--method", method));
    ToolProcess process(words, workspace.here());
    ASSERT_TRUE(workspace.wait_for_file("run.state")) << method[0];
    process.send(SIGINT);
    ASSERT_EQ(process.finish().exit_code, 1);
    const double paid = workspace.spent();
    const ToolResult resumed = ok(workspace.run(join(words, "--resume --json")));
    EXPECT_THAT(resumed.err, HasSubstr("resuming after step")) << method[0];
    EXPECT_EQ(workspace.spent(), paid);
    EXPECT_EQ(workspace.ledger().at("entries").size(), 1U);
    const Json report = json_of(resumed);
    if (method[0] == "dpse") {
      EXPECT_TRUE(report.at("groups")[0].contains("realised_output_dependent"));
    } else {
      EXPECT_EQ(report.at("group_path").size(), method[0] == "two_stage" ? 3U : 100U)
          << "with the steps before";
    }
  }
}

/// Killed again and again, at moments that fall on any part of keeping a state.
TEST(Checkpoint, KillAtAnyMomentLeavesAStateToGoOnFrom) {
  const Workspace workspace;
  workspace.open_ledger();
  int64_t last = 0;
  int kills = 0;
  bool finished = false;
  for (int attempt = 0; attempt < 40 && !finished; ++attempt) {
    const bool resume = workspace.has("run.checkpoint") || workspace.has("run.checkpoint.new");
    ToolProcess process(long_run(resume ? Words("--resume") : Words{}), workspace.here());
    if (process.wait_for(resume ? "resuming after" : "reserving")) {
      // Once the first state is there, moments a few milliseconds apart.
      ASSERT_TRUE(workspace.wait_for_file("run.checkpoint"));
      std::this_thread::sleep_for(std::chrono::milliseconds(20 + 7 * attempt));
    }
    process.send(SIGKILL);
    const ToolResult result = process.finish();
    finished = result.exit_code == 0;
    if (!finished) {
      ASSERT_EQ(result.signal, SIGKILL) << result;
      ++kills;
    }
    ok(workspace.run("ledger verify --ledger people.ledger"));
    const Json progress = newest_progress(workspace);
    ASSERT_FALSE(progress.is_null());
    ASSERT_GE(progress.at("num_done"), last);
    last = progress.at("num_done");
    // Killed between its last output and its end.
    finished = finished || workspace.has("model/model.json");
  }
  EXPECT_GT(kills, 2);
  if (!finished) {
    ok(workspace.run(long_run("--resume")));
  }
  EXPECT_TRUE(workspace.has("model/model.json"));
  EXPECT_EQ(workspace.ledger().at("entries").size(), 1U);
}

TEST(Checkpoint, IsHeldByOneProcessAtATime) {
  const Workspace workspace;
  workspace.open_ledger();
  // Long enough to be there still when the second one looks, on however busy a machine; with known
  // noise, as a search for it takes the second one long.
  Words words =
      with_option(with_option(long_run(), "--steps", "3000000"), "--checkpoint-every", "3000");
  const auto budget = std::ranges::find(words, "--epsilon");
  *budget = "--noise-multiplier";
  *(budget + 1) = "3000";
  ToolProcess process(words, workspace.here());
  ASSERT_TRUE(workspace.wait_for_file("run.checkpoint"));
  expect_error(workspace.run(join(words, "--resume")), 2, "in use");
}

TEST(Checkpoint, OfTwoProcessesThatGoOnFromOneStateOneReleasesAModel) {
  const Workspace workspace;
  workspace.open_ledger();
  {
    ToolProcess process(long_run(), workspace.here());
    ASSERT_TRUE(process.wait_for("reserving"));
    ASSERT_TRUE(workspace.wait_for_file("run.checkpoint"));
    process.send(SIGTERM);
    ASSERT_EQ(process.finish().exit_code, 1);
  }
  const std::string state = workspace.text("run.checkpoint");
  workspace.write("copy.checkpoint", state);
  ToolProcess first(long_run("--resume"), workspace.here());
  ToolProcess second(
      with_option(with_option(long_run("--resume"), "--checkpoint", "copy.checkpoint"), "--out",
                  "other"),
      workspace.here());
  const ToolResult one = first.finish();
  const ToolResult two = second.finish();
  EXPECT_EQ((one.exit_code == 0) + (two.exit_code == 0), 1) << one << two;
  EXPECT_EQ(std::max(one.exit_code, two.exit_code), 6) << one << two;
  EXPECT_EQ(workspace.has("model/model.json") + workspace.has("other/model.json"), 1);
}

TEST(Checkpoint, MistakesAreNamedBeforeAnythingIsSpent) {
  const Workspace workspace;
  workspace.open_ledger();
  workspace.write("damaged", "{\"kind\": ");
  const std::vector<Refusal> refusals = {
      {"--resume", 2, "need --checkpoint"},
      {"--checkpoint-every 5", 2, "need --checkpoint"},
      {"--checkpoint c --checkpoint-every -1", 2, "checkpoint_every"},
      {"--checkpoint c --checkpoint-every 1", 2, "at least 2"},
      {"--checkpoint c --resume", 2, "no such checkpoint"},
      {"--checkpoint damaged --resume", 3, "not a complete checkpoint"},
      {"--checkpoint people.csv", 2, "people.csv: exists; add --resume"},
      {"--checkpoint no/folder/c", 1, "no/folder/c"},
  };
  expect_refusals(workspace, refusals, [](const Words& words) {
    const Words more = join("--epsilon 1 --out model", words);
    return with_option(Workspace::train_words(more), "--steps", "2000");
  });
}

}  // namespace
}  // namespace equinoise::testing::checkpoint_test
