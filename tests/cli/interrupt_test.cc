// SPDX-License-Identifier: Apache-2.0

#include <random>

#include "tests/cli/people.h"
#include "tests/matchers.h"

namespace equinoise::testing::interrupt_test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kLongestAnswer(20);  // seconds on a busy machine, not a goal

/// Commands that get SIGINT at moments of a seeded generator.
class Interrupted : public ::testing::Test {
 protected:
  void SetUp() override {
    workspace_.write("people.toml", replaced(people_schema(kRecords), "reviewed = true",
                                             "reviewed = true\npublic_bins = 40"));
    workspace_.open_ledger("60");
  }

  size_t num_entries() const { return workspace_.ledger().at("entries").size(); }

  void interrupt(const Words& words) {
    constexpr int kMoments = 5;
    const Clock::time_point start = Clock::now();
    const ToolResult whole = workspace_.run(words);
    const std::chrono::duration<double> lasts = Clock::now() - start;
    ASSERT_THAT(whole.exit_code, AnyOf(0, 5)) << whole;
    const size_t paid = num_entries() - num_paid_;
    const double price = workspace_.spent();
    remove_output();
    num_paid_ = num_entries();
    for (int i = 0; i < kMoments; ++i) {
      const std::chrono::duration<double> moment =
          lasts * std::uniform_real_distribution<double>(0, 1.1)(generator_);
      SCOPED_TRACE("SIGINT after " + std::to_string(moment.count()) + " s of " +
                   std::to_string(lasts.count()) + " s: " + words.front() + " " + words.back());
      ToolProcess process(words, workspace_.here());
      std::this_thread::sleep_for(moment);
      process.send(SIGINT);
      const Clock::time_point sent = Clock::now();
      check(process.finish(), paid);
      EXPECT_LT(Clock::now() - sent, kLongestAnswer);
    }
    EXPECT_GE(workspace_.spent(), price);
  }

  /// Whether a run that got a signal left all or nothing.
  void check(const ToolResult& result, size_t paid) {
    EXPECT_FALSE(result.timed_out) << result;
    const size_t entries = num_entries();
    const Words left = workspace_.names("out");
    if (result.exit_code == 0 || result.exit_code == 5) {
      EXPECT_EQ(entries, num_paid_ + paid) << result;
    } else if (result.exit_code == 1) {
      EXPECT_THAT(result.err, HasSubstr("interrupted")) << result;
      EXPECT_THAT(left, IsEmpty());
      const bool says_spent = result.err.find("stays spent") != std::string::npos;
      EXPECT_EQ(entries, num_paid_ + (says_spent ? paid : 0)) << result;
    } else {
      // Before there was anything to clean up.
      EXPECT_EQ(result.signal, SIGINT) << result;
      for (const std::string& name : left) EXPECT_TRUE(is_probe(workspace_.path(name))) << name;
      EXPECT_EQ(entries, num_paid_) << result;
    }
    num_paid_ = entries;
    if (result.signal == 0) {
      EXPECT_THAT(workspace_.names("out.partial"), IsEmpty());
    }
    remove_output();
  }

  void remove_output() const {
    for (const std::string& name : workspace_.names("out"))
      std::filesystem::remove_all(workspace_.path(name));
  }

  /// Whether the signal met a command that tried for a moment whether it can write.
  static bool is_probe(const std::filesystem::path& path) {
    if (std::filesystem::is_regular_file(path)) return std::filesystem::file_size(path) == 0;
    for (const auto& entry : std::filesystem::directory_iterator(path))
      if (entry.path().filename() != "reserved-space") return false;
    return true;
  }

  static Words with_table(const Words& words) {
    return join(words, "--schema people.toml --data people.csv");
  }
  static Words paid(const Words& words) {
    return join(with_table(words), "--epsilon 0.5 --ledger people.ledger --out out");
  }

  static constexpr int kRecords = 20'000;
  Workspace workspace_{kRecords};
  std::mt19937 generator_{20261129};
  size_t num_paid_ = 0;
};

TEST_F(Interrupted, PaidCommandsPayAllOrNothing) {
  interrupt(paid({"train"}));
  interrupt(paid("means --columns age"));
  for (const std::string method : {"swift", "mst", "aim"})
    interrupt(paid({"synth", "--drop-incomplete", "--method", method}));
}

TEST_F(Interrupted, AnAccountOfManyStepsDoesNotDelayTheAnswer) {
  ToolProcess process(join(with_table("train --steps 3000000 --batch-size 3200"),
                           "--noise-multiplier 3000 --ledger people.ledger --out out"),
                      workspace_.here());
  ASSERT_TRUE(process.wait_for("reserving epsilon"));
  process.send(SIGINT);
  const Clock::time_point sent = Clock::now();
  const ToolResult result = process.finish();
  EXPECT_LT(Clock::now() - sent, kLongestAnswer);
  EXPECT_EQ(result.exit_code, 1) << result;
  EXPECT_THAT(result.err, HasSubstr("interrupted")) << result;
  EXPECT_THAT(workspace_.names("out"), IsEmpty());
}

TEST_F(Interrupted, OthersLeaveNoFiles) {
  interrupt(with_table("compare --methods dpsgd,sgd --epsilon 1 --seeds 2 --steps 40 --out out"));
  interrupt(
      with_table("compare synth --drop-incomplete --methods mst --epsilon 1 --seeds 2 --out out"));
  ok(workspace_.run(with_table("train --method sgd --out model")));
  interrupt("audit --model model --data people.csv --out out");
  interrupt("predict --model model --data people.csv --out out");
  interrupt("count --schema people.toml --from people.csv --out out.csv");
  ok(workspace_.run(with_table(
      "synth --drop-incomplete --epsilon 1 --method mst --insecure-test-rng --seed 1 --out rows")));
  for (const std::string name : {"out.csv", "out.parquet"})
    interrupt({"synth", "sample", "--model", "rows", "--rows", "100000", "--out", name});
  interrupt(
      "synth evaluate --schema people.toml --real people.csv --synthetic people.csv --degree 2 "
      "--by sex --target label --positive yes --out out");
}

}  // namespace
}  // namespace equinoise::testing::interrupt_test
