// SPDX-License-Identifier: Apache-2.0
// Processes that train, and processes that pay and release, on one ledger, killed at any moment:
// whatever can be found afterwards must have been paid for, and the ledger must be whole.

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "equinoise/base/sha256.h"
#include "equinoise/privacy/account_cost.h"
#include "equinoise/privacy/ledger.h"
#include "equinoise/privacy/mechanisms/gaussian_sum.h"
#include "tests/cli/people.h"
#include "tests/matchers.h"
#include "tests/privacy/mechanisms/permits.h"

namespace equinoise::testing::ledger_crash_slow_test {
namespace {

constexpr int kKills = 520;
constexpr int kProcesses = 4;
constexpr double kNoise = 2000;
constexpr int64_t kPlainSteps = 40;  // a run without checkpoint: this many steps and its number
constexpr int64_t kLongSteps = 20000;

using Clock = std::chrono::steady_clock;

/// What a job pays for: several of them may be tried until one is through.
enum class Job { kRelease, kTrain, kTrainWithCheckpoint };

class CrashTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(workspace_
                  .run({"ledger", "init", "--ledger", "people.ledger", "--dataset", "people",
                        "--epsilon", "30", "--delta", "1e-5"})
                  .exit_code,
              0);
  }

  std::filesystem::path ledger() const { return workspace_.path("people.ledger"); }

  /// Pays, draws, and appends "entry hash noise" to the released lines, again and again.
  [[noreturn]] void release_until_killed(int job) const {
    try {
      Ledger account(ledger());
      SecureSource source;
      for (int i = 0;; ++i) {
        // Half of the time by a new connection, as another program would.
        if (i % 2 == 0) account = Ledger(ledger());
        const std::vector<Event> events = {Event::poisson_sampled(1, {Event::gaussian(kNoise)}),
                                           Event::sampler_error(1e-30)};
        Reservation paid = account.reserve("people", events, Relation::kZeroOut, "release", false,
                                           fmt::format("{}.{}", job, i));
        std::vector<int64_t> sum(2, 0);
        add_gaussian_noise(batch_permit_for(paid.charge, source),
                           Sensitivity(1e3, Norm::kL2, Relation::kZeroOut), sum, source);
        const std::string line =
            fmt::format("{} {} {} {}\n", paid.entry, paid.hash, sum[0], sum[1]);
        std::ofstream(workspace_.path("released"), std::ios::app) << line << std::flush;
      }
    } catch (const Error& error) {
      std::ofstream(workspace_.path("errors"), std::ios::app) << error.what() << std::endl;
      _exit(static_cast<int>(error.kind()));
    }
  }

  Words train_words(Job kind, int job) const {
    const bool keeps = kind == Job::kTrainWithCheckpoint;
    const std::string checkpoint = fmt::format("checkpoint{}", job);
    Words words = {"train",
                   "--schema",
                   "people.toml",
                   "--data",
                   "people.csv",
                   "--ledger",
                   "people.ledger",
                   "--batch-size",
                   "64",
                   "--delta",
                   "1e-5",
                   "--noise-multiplier",
                   "400",
                   "--quiet",
                   "--steps",
                   std::to_string((keeps ? kLongSteps : kPlainSteps) + job),
                   "--out",
                   fmt::format("model{}", job),
                   "--force"};
    if (!keeps) return words;
    words = join(words, {"--checkpoint", checkpoint, "--checkpoint-every", "200"});
    const bool begun = workspace_.has(checkpoint) || workspace_.has(checkpoint + ".new");
    return begun ? join(words, {"--resume"}) : words;
  }

  pid_t start(Job kind, int job) const {
    Words words = {EQUINOISE_CLI};
    if (kind != Job::kRelease) words = join(words, train_words(kind, job));
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const pid_t child = ::fork();
    if (child != 0) return child;
    if (::chdir(workspace_.path(".").c_str()) != 0) _exit(127);
    if (kind == Job::kRelease) release_until_killed(job);
    const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    ::dup2(nothing, STDOUT_FILENO);
    const int errors = ::open("errors", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    ::dup2(errors, STDERR_FILENO);
    ::execv(EQUINOISE_CLI, arguments.data());
    _exit(127);
  }

  Workspace workspace_;
};

TEST_F(CrashTest, WhatWasReleasedWasPaidForAndTheLedgerIsWhole) {
  const auto seed = static_cast<uint32_t>(std::random_device{}());
  std::mt19937 random(seed);
  struct Running {
    Job kind;
    int job;
    pid_t process;
    Clock::time_point end;
  };
  int jobs = 0;
  std::vector<Running> running;
  std::vector<int> unfinished;  // jobs with a checkpoint that were killed
  int kills = 0;
  int verified = 0;
  std::map<int, int> exits;

  const auto start_one = [&] {
    const auto kind = static_cast<Job>(random() % 3);
    int job = jobs;
    if (kind == Job::kTrainWithCheckpoint && !unfinished.empty() && random() % 4 != 0) {
      job = unfinished.back();
      unfinished.pop_back();
    } else {
      ++jobs;
    }
    // From before the ledger is opened to after the model is written.
    const auto life =
        std::chrono::microseconds(random() % (random() % 3 != 0 ? 60'000 : 1'200'000));
    running.push_back({kind, job, start(kind, job), Clock::now() + life});
  };

  while (kills < kKills) {
    while (running.size() < kProcesses) start_one();
    const auto next = std::ranges::min_element(
        running, [](const Running& a, const Running& b) { return a.end < b.end; });
    std::this_thread::sleep_until(next->end);
    const Running done = *next;
    running.erase(next);
    ::kill(done.process, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(done.process, &status, 0), done.process);
    if (WIFSIGNALED(status)) {
      ++kills;
      if (done.kind == Job::kTrainWithCheckpoint) unfinished.push_back(done.job);
      if (kills % 20 == 0) {
        ASSERT_NO_THROW(Ledger(ledger()).verify()) << "after kill " << kills;
        ++verified;
      }
    } else {
      ++exits[WEXITSTATUS(status)];
    }
  }
  for (const Running& left : running) {
    ::kill(left.process, SIGKILL);
    ::waitpid(left.process, nullptr, 0);
  }

  const ToolResult verify = workspace_.run({"ledger", "verify", "--ledger", "people.ledger"});
  ASSERT_EQ(verify.exit_code, 0) << verify;
  const LedgerAccount account = Ledger(ledger()).account("people");
  std::map<int64_t, const LedgerEntry*> entries;
  for (const LedgerEntry& entry : account.entries) entries[entry.sequence] = &entry;
  Spends released;
  std::set<int64_t> paid_by;  // each payment may be used once

  // Lines of the processes that pay and release. The last one of a killed process may be cut.
  int lines = 0;
  std::istringstream text(read_bytes(workspace_.path("released")));
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    int64_t sequence = 0;
    std::string hash;
    words >> sequence >> hash;
    if (hash.size() != 64) continue;
    ++lines;
    ASSERT_TRUE(entries.count(sequence)) << line;
    EXPECT_EQ(entries[sequence]->hash, hash);
    EXPECT_TRUE(paid_by.insert(sequence).second) << "entry " << sequence << " was used twice";
    released.push_back({Event::gaussian(kNoise)});
  }

  // Models: the number of steps says which job it was.
  const auto entry_of_steps = [&](int64_t steps) -> const LedgerEntry* {
    for (const LedgerEntry& entry : account.entries) {
      const bool same =
          entry.events[0].kind() == Event::Kind::kRepeat && entry.events[0].count() == steps;
      // The last state of a run with a checkpoint is recorded before the model is written.
      const bool done = steps < kLongSteps || (entry.progress && entry.progress->num_done == steps);
      if (same && done && paid_by.insert(entry.sequence).second) return &entry;
    }
    return nullptr;
  };
  int models = 0;
  int states = 0;
  for (const std::string& name : workspace_.names("model")) {
    const std::string bytes = read_bytes(workspace_.path(name + "/model.json"));
    if (bytes.empty()) continue;
    const Json model = Json::parse(bytes);
    const int64_t steps = model.at("settings").at("num_steps");
    const LedgerEntry* entry = entry_of_steps(steps);
    ASSERT_NE(entry, nullptr) << name;
    released.push_back(entry->events);
    ++models;
  }
  for (const std::string& name : workspace_.names("checkpoint")) {
    if (name.find('.') != name.npos) continue;  // not in its place, so not shown
    const std::string bytes = read_bytes(workspace_.path(name));
    const Json state = Json::parse(bytes);
    const int64_t sequence = state.at("entry");
    ASSERT_TRUE(entries.count(sequence)) << name;
    EXPECT_EQ(entries[sequence]->hash, state.at("entry_hash"));
    ASSERT_TRUE(entries[sequence]->progress.has_value()) << name;
    const int64_t done = state.at("num_steps_done");
    const RunProgress& newest = *entries[sequence]->progress;
    EXPECT_GE(newest.num_done, done) << name;
    if (newest.num_done == done) {
      EXPECT_EQ(newest.state_hash, sha256_hex(bytes)) << name;
    }
    if (paid_by.insert(sequence).second) released.push_back(entries[sequence]->events);
    ++states;
  }

  const double recorded = account.spent.epsilon.value();
  EXPECT_GE(recorded, account_guarantee(account.budget, released).epsilon.value());
  EXPECT_LE(recorded, account.budget.epsilon.value());
  std::cout << "seed " << seed << ": " << kills << " kills, " << lines << " released sums, "
            << models << " models, " << states << " states in their place, "
            << account.entries.size() << " entries, epsilon " << recorded << " recorded, "
            << account_guarantee(account.budget, released).epsilon.value() << " released, "
            << verified << " verifications on the way\n";
  for (const auto& [code, count] : exits) {
    std::cout << "  " << count << " processes ended by themselves with code " << code << "\n";
  }
  EXPECT_GT(lines, 20);
  EXPECT_GT(models, 0);
  EXPECT_GT(states, 0);
  // Nothing else stops a process: not a lock, not what another one left. A run that was killed
  // before its first state was recorded has nothing to go on from, and says so.
  std::istringstream errors(read_bytes(workspace_.path("errors")));
  for (std::string line; std::getline(errors, line);) {
    if (line.empty()) continue;
    EXPECT_THAT(line, AnyOf(HasSubstr("there is no such checkpoint to resume"),
                            HasSubstr(".new: is not a complete state")));
  }
}

}  // namespace
}  // namespace equinoise::testing::ledger_crash_slow_test
