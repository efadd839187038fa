// SPDX-License-Identifier: Apache-2.0
#include <sqlite3.h>

#include <chrono>
#include <thread>
#include <tuple>

#include "tests/cli/people.h"

namespace equinoise::testing::ledger_test {
namespace {

const Words kLedger = "--ledger people.ledger";

Words init_words(const std::string& dataset, const std::string& epsilon = "3",
                 const std::string& delta = "1e-5") {
  return join({"ledger", "init", "--dataset", dataset, "--epsilon", epsilon, "--delta", delta},
              kLedger);
}

/// Every command that opens a ledger.
std::vector<Words> all_commands() {
  return {join({"ledger", "show"}, kLedger),
          join({"ledger", "verify"}, kLedger),
          join({"ledger", "explain"}, kLedger),
          join({"ledger", "export"}, kLedger),
          init_words("another"),
          join(Workspace::plan_words(), "--epsilon 1"),
          Workspace::train_words("--epsilon 1 --out model")};
}

std::string name_of(const Words& words) { return words[0] + " " + words[1]; }

/// Expects that every command refuses the ledger with code 6 and that message, and that nothing
/// changes.
void expect_all_refuse(const Workspace& workspace, const Words& messages,
                       const ToolOptions& options = {}) {
  const NothingChanges nothing(workspace);
  for (const Words& words : all_commands()) {
    const ToolResult result = workspace.run(words, options);
    EXPECT_EQ(result.exit_code, 6) << name_of(words) << ": " << result;
    for (const std::string& message : messages) {
      EXPECT_THAT(result.err, HasSubstr(message)) << name_of(words);
    }
    EXPECT_THAT(result.err, HasSubstr("[privacy.ledger] people.ledger: ")) << name_of(words);
    EXPECT_THAT(result.out, IsEmpty());
    nothing.check(name_of(words));
  }
}

/// What only the owner of the ledger can act on is on no page or card that may be published.
TEST(Ledger, WarningsAboutItAreItsOwners) {
  const Workspace workspace;
  workspace.open_ledger("9");
  const std::string at_another = "the ledger uses delta 1e-05 but this run is planned at delta";
  const Words common =
      "--schema people.toml --data people.csv --ledger people.ledger --epsilon 1 --delta 1e-6 "
      "--out";
  const auto check = [&](const Words& words, const std::string& folder, const Words& published) {
    EXPECT_THAT(ok(workspace.run(join(words, join(common, Words{folder})))).out,
                HasSubstr(at_another));
    for (const std::string& file : published)
      EXPECT_THAT(workspace.text(folder + "/" + file), Not(HasSubstr(at_another))) << file;
  };
  check("synth --method mst --drop-incomplete", "rows",
        "report.html rows_card.md rows_card.json model.json");
  check("tables --mean age", "ages", "report.html report.json tables_card.md");
  check("train --batch-size 64 --steps 50", "model",
        "model_card.html model_card.md model_card.json");
  for (const char* file : {"model/report.html", "model/report.json", "rows/report.json"})
    EXPECT_THAT(workspace.text(file), HasSubstr(at_another)) << "for its owner";
  ok(workspace.run("report rows"));
  EXPECT_THAT(workspace.text("rows/report.html"), Not(HasSubstr(at_another)));
  ok(workspace.run(join("tables --mean age", join(common, Words{"ages.json"}))));
  EXPECT_THAT(workspace.text("ages.json"), Not(HasSubstr(at_another)));
}

TEST(Ledger, InitShowAndVerifyHoldTheContract) {
  const Workspace workspace;
  const ToolResult opened = ok(workspace.run(join(init_words("people"), "--json --quiet")));
  EXPECT_THAT(opened.err, IsEmpty());
  ok(workspace.train("--epsilon 1"));

  for (const Json& json : {json_of(opened), workspace.ledger()}) {
    expect_keys(json, {"dataset", "budget", "spent", "remaining", "entries"});
    EXPECT_EQ(json.at("dataset"), "people");
    EXPECT_EQ(json.at("budget").at("epsilon"), 3);
    EXPECT_EQ(json.at("budget").at("delta"), 1e-5);
    EXPECT_EQ(json.at("budget").at("relation"), "zero_out");
    expect_keys(json.at("spent"), {"epsilon", "delta", "accountant", "relation"});
  }
  EXPECT_EQ(json_of(opened).at("spent").at("epsilon"), 0);
  EXPECT_EQ(json_of(opened).at("entries"), Json::array());
  const Json shown = workspace.ledger();
  EXPECT_DOUBLE_EQ(shown.at("remaining").at("epsilon").get<double>(), 3 - workspace.spent());
  ASSERT_EQ(shown.at("entries").size(), 1U);
  expect_keys(shown.at("entries")[0], {"time", "purpose", "events", "hash"});
  EXPECT_THAT(shown.at("entries")[0].at("purpose").get<std::string>(), HasSubstr("dpsgd"));

  const Json verified = json_of(workspace.run(join("ledger verify --json", kLedger)));
  EXPECT_EQ(verified.at("ok"), true);
  ASSERT_EQ(verified.at("accounts").size(), 1U);
  EXPECT_EQ(verified.at("accounts")[0].at("dataset"), "people");
  EXPECT_EQ(verified.at("accounts")[0].at("spent"), shown.at("spent"));
}

TEST(Ledger, TextSaysBudgetSpentAndWhatVerifyCannotSee) {
  const Workspace workspace;
  const ToolResult opened = workspace.run(init_words("people"));
  EXPECT_THAT(opened.out,
              HasSubstr("opened an account for dataset people in people.ledger: budget epsilon 3"));
  EXPECT_THAT(workspace.run(join({"ledger", "show"}, kLedger)).out,
              HasAll("budget     epsilon 3", "spent      epsilon 0", "No entries"));
  const ToolResult verified = ok(workspace.run(join({"ledger", "verify"}, kLedger)));
  EXPECT_THAT(verified.out, HasAll("the hash chain is intact", "older copy"));
}

TEST(Ledger, ASecondInitDoesNotChangeTheBudget) {
  const Workspace workspace;
  workspace.open_ledger("3");
  expect_refused(workspace, init_words("people", "300"), 6,
                 "already has an account for dataset \"people\"");
}

struct WrongBudget {
  std::string epsilon;
  std::string delta;
  std::string message;
};

TEST(Ledger, ABudgetThatIsNoneIsRefusedAndNoFileMade) {
  const Workspace workspace;
  for (const WrongBudget& wrong : std::vector<WrongBudget>{{"nan", "1e-5", "epsilon"},
                                                           {"0", "1e-5", "epsilon"},
                                                           {"-1", "1e-5", "epsilon"},
                                                           {"inf", "1e-5", "epsilon"},
                                                           {"1e999", "1e-5", "epsilon"},
                                                           {"abc", "1e-5", "--epsilon"},
                                                           {"", "1e-5", "--epsilon"},
                                                           {"1", "nan", "delta"},
                                                           {"1", "0", "delta"},
                                                           {"1", "1", "delta"},
                                                           {"1", "-0.1", "delta"},
                                                           {"1", "1.5", "delta"},
                                                           {"1", "abc", "--delta"},
                                                           {"1", "", "--delta"}}) {
    expect_refused(workspace, init_words("people", wrong.epsilon, wrong.delta), 2, wrong.message);
  }
  expect_refused(workspace, join(init_words("people"), "--relation neighbours"), 2,
                 {"neighbours", "zero_out"});
}

TEST(Ledger, AMissingOneIsNotMadeByLookingAtIt) {
  const Workspace workspace;
  for (const std::string command : {"show", "verify"}) {
    expect_refused(workspace, join({"ledger", command}, kLedger), 6,
                   "equinoise ledger init --ledger people.ledger");
  }
}

TEST(Ledger, InitNeedsAnExistingFolderAndADatasetName) {
  const Workspace workspace;
  const NothingChanges nothing(workspace);
  expect_error(
      workspace.run(
          "ledger init --dataset people --epsilon 1 --delta 1e-5 --ledger nowhere/a.ledger"),
      6, "check that the folder exists");
  // The rule of the schema, which could not name another one.
  EXPECT_EQ(workspace.run(init_words("")).exit_code, 2);
  for (const char* name : {"my people", "people/2024", "people,others"}) {
    expect_error(workspace.run(init_words(name)), 2, "letters, digits and the characters _ . -");
  }
  nothing.check("init");
}

TEST(Ledger, OneFileKeepsSeveralDatasetsApart) {
  const Workspace workspace;
  workspace.open_ledger("3");
  const ToolResult second = ok(workspace.run(init_words("others", "5")));
  EXPECT_THAT(second.err, HasAll("also holds accounts for people;", "the sum of their budgets"));
  ok(workspace.train("--epsilon 1"));
  expect_error(workspace.run(join({"ledger", "show"}, kLedger)), 2,
               {"others, people", "--dataset"});
  const auto show = [&](const std::string& dataset) {
    return workspace.run(join({"ledger", "show", "--json", "--dataset", dataset}, kLedger));
  };
  EXPECT_EQ(json_of(show("others")).at("spent").at("epsilon"), 0);
  EXPECT_EQ(json_of(show("others")).at("budget").at("epsilon"), 5);
  EXPECT_GT(json_of(show("people")).at("spent").at("epsilon"), 0.99);
  expect_error(show("peopel"), 6, {"no account for dataset \"peopel\"", "others, people"});
}

TEST(Ledger, AFileThatIsNoneIsRefusedAndKept) {
  const Workspace workspace;
  for (const std::string& content :
       {std::string("budget: plenty\n"), people_csv(), std::string(8192, '\0')}) {
    workspace.write("people.ledger", content);
    expect_all_refuse(workspace, {"is not a ledger or is damaged", "do not start an empty ledger"});
  }
  std::filesystem::remove(workspace.path("people.ledger"));
  std::filesystem::create_directory(workspace.path("people.ledger"));
  expect_all_refuse(workspace, {"is a directory, not a ledger"});
}

/// A connection of this process to the ledger.
class Connection {
 public:
  explicit Connection(const std::filesystem::path& path) {
    EXPECT_EQ(sqlite3_open(path.c_str(), &connection_), SQLITE_OK);
  }
  ~Connection() { sqlite3_close(connection_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int execute(const std::string& sql) {
    return sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr);
  }

 private:
  sqlite3* connection_ = nullptr;
};

TEST(Ledger, ADatabaseOfSomebodyElseIsRefusedAndKept) {
  const Workspace workspace;
  ASSERT_EQ(Connection(workspace.path("people.ledger")).execute("CREATE TABLE t (x)"), SQLITE_OK);
  expect_all_refuse(workspace, {"is not an Equinoise ledger"});
}

TEST(Ledger, ATruncatedOneIsRefused) {
  const Workspace workspace;
  workspace.open_ledger();
  ok(workspace.train("--epsilon 1"));
  const std::string whole = workspace.ledger_bytes();
  for (const size_t size : {size_t{10}, size_t{1000}, size_t{4096}, whole.size() / 2}) {
    SCOPED_TRACE(size);
    workspace.write("people.ledger", whole.substr(0, size));
    expect_all_refuse(workspace, {"Restore the newest backup"});
  }
}

TEST(Ledger, AnEditedOneIsRefused) {
  const Workspace workspace;
  workspace.open_ledger();
  ok(workspace.train("--epsilon 1"));
  const std::string whole = workspace.ledger_bytes();
  // A larger budget, a smaller spend, another time: of equal length, so the database stays whole.
  for (const auto& [old_part, new_part, entry] :
       {std::tuple("\"epsilon\":3.0", "\"epsilon\":9.0", "entry 1 "),
        std::tuple("\"count\":50", "\"count\":10", "entry 2 "),
        std::tuple("\"purpose\":\"train", "\"purpose\":\"TRAIN", "entry 2 ")}) {
    workspace.write("people.ledger", replaced(whole, old_part, new_part));
    expect_all_refuse(workspace, {entry, "does not fit the hash chain", "count everything"});
  }
}

TEST(Ledger, AnEntryTakenOutOfTheMiddleIsNoticed) {
  const Workspace workspace;
  workspace.open_ledger("10");
  ok(workspace.train("--epsilon 1"));
  ok(workspace.train("--epsilon 0.5"));
  {
    Connection connection(workspace.path("people.ledger"));
    EXPECT_NE(connection.execute("DELETE FROM entries WHERE sequence = 2"), SQLITE_OK)
        << "the ledger is append-only";
    ASSERT_EQ(connection.execute("DROP TRIGGER entries_are_not_removed"), SQLITE_OK);
    ASSERT_EQ(connection.execute("DELETE FROM entries WHERE sequence = 2"), SQLITE_OK);
  }
  expect_all_refuse(workspace, {"its definition was changed", "Restore the newest backup"});
  ASSERT_EQ(Connection(workspace.path("people.ledger"))
                .execute("CREATE TRIGGER entries_are_not_removed BEFORE DELETE ON entries\n"
                         "  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END"),
            SQLITE_OK);
  expect_all_refuse(workspace, {"does not fit the hash chain"});
}

TEST(Ledger, ALockedOneIsWaitedForTenSecondsAndThenRefused) {
  const Workspace workspace;
  workspace.open_ledger();
  const NothingChanges nothing(workspace);
  Connection connection(workspace.path("people.ledger"));
  ASSERT_EQ(connection.execute("BEGIN EXCLUSIVE"), SQLITE_OK);
  // All three wait at the same time.
  const auto start = std::chrono::steady_clock::now();
  ToolProcess show(join({"ledger", "show"}, kLedger), workspace.here());
  ToolProcess init(init_words("another"), workspace.here());
  ToolProcess train(Workspace::train_words("--epsilon 1 --out model"), workspace.here());
  for (ToolProcess* process : {&show, &init, &train}) {
    expect_error(process->finish(), 6,
                 {"locked by another process for more than 10 seconds", "nothing was recorded"});
  }
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start;
  EXPECT_GT(waited.count(), 9.5);
  ASSERT_EQ(connection.execute("ROLLBACK"), SQLITE_OK);
  nothing.check("locked");
}

TEST(Ledger, ALockThatIsReleasedInTimeIsNoError) {
  const Workspace workspace;
  workspace.open_ledger();
  Connection connection(workspace.path("people.ledger"));
  ASSERT_EQ(connection.execute("BEGIN EXCLUSIVE"), SQLITE_OK);
  ToolProcess process(Workspace::train_words("--epsilon 1"), workspace.here());
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  ASSERT_EQ(connection.execute("ROLLBACK"), SQLITE_OK);
  ok(process.finish());
}

TEST(Ledger, AFullDiskSpendsNothing) {
  const Workspace workspace;
  workspace.open_ledger();
  const NothingChanges nothing(workspace);
  for (const rlim_t limit : {rlim_t{0}, rlim_t{100}, rlim_t{1000}, rlim_t{5000}}) {
    for (const Words& words : {Workspace::train_words("--epsilon 1"), init_words("another")}) {
      expect_error(workspace.run(words, {.max_file_bytes = limit}), 6,
                   {"cannot be written (disk full", "nothing was recorded"});
      // Reading also cleans up what the failed write left, as the next user would.
      EXPECT_EQ(workspace.spent(), 0);
      nothing.check(name_of(words));
    }
  }
  ok(workspace.train("--epsilon 1"));
}

/// A workspace that another user may look into; the ledger is in a folder of its own.
class LedgerOfAnotherUser : public ::testing::Test {
 protected:
  LedgerOfAnotherUser() : options_{.uid = unprivileged()} {
    std::filesystem::permissions(workspace_.path("."), static_cast<std::filesystem::perms>(0755));
    workspace_.open_ledger();
    options_.folder = workspace_.path(".");
  }
  void SetUp() override {
    const ToolResult result = run_tool("--version", options_);
    if (result.exit_code != 0) {
      GTEST_SKIP() << "a user without rights cannot run " << EQUINOISE_CLI
                   << " here (its folder or library is closed to them):\n"
                   << result;
    }
  }
  /// Rights of the ledger and of its folder.
  void set_rights(int ledger, int folder) const {
    std::filesystem::permissions(workspace_.path("people.ledger"),
                                 static_cast<std::filesystem::perms>(ledger));
    std::filesystem::permissions(workspace_.path("."), static_cast<std::filesystem::perms>(folder));
  }
  void TearDown() override { set_rights(0600, 0700); }

  void expect_refused(const std::vector<Words>& commands, const std::string& message) const {
    const std::string before = workspace_.ledger_bytes();
    for (const Words& words : commands) {
      expect_error(workspace_.run(words, options_), 6, {"[privacy.ledger]", message});
      EXPECT_TRUE(workspace_.ledger_bytes() == before) << name_of(words);
    }
  }

  const Words train_ = Workspace::train_words("--epsilon 1");
  Workspace workspace_;
  ToolOptions options_;
};

TEST_F(LedgerOfAnotherUser, AReadOnlyOneIsShownButDoesNotPay) {
  set_rights(0444, 0555);
  for (const std::string command : {"show", "verify"}) {
    ok(workspace_.run(join({"ledger", command}, kLedger), options_));
  }
  ok(workspace_.run(join(Workspace::plan_words(), "--epsilon 1"), options_));
  expect_refused({train_, init_words("another")}, "is read-only; nothing was recorded");
}

TEST_F(LedgerOfAnotherUser, AReadOnlyFolderDoesNotPay) {
  // The journal has no place.
  set_rights(0666, 0555);
  expect_refused({train_, init_words("another")}, "Make the file and its folder writable");
}

TEST_F(LedgerOfAnotherUser, AnUnreadableOneIsRefusedByAll) {
  set_rights(0000, 0755);
  expect_refused(all_commands(), "cannot be opened; check that");
}

TEST_F(LedgerOfAnotherUser, AnUnreachableFolderIsRefusedAndNoNewLedgerProposed) {
  std::filesystem::create_directory(workspace_.path("closed"));
  std::filesystem::rename(workspace_.path("people.ledger"), workspace_.path("closed/a.ledger"));
  std::filesystem::create_symlink("closed/a.ledger", workspace_.path("people.ledger"));
  std::filesystem::permissions(workspace_.path("closed"), std::filesystem::perms::none);
  for (const Words& words : all_commands()) {
    const ToolResult result = workspace_.run(words, options_);
    EXPECT_EQ(result.exit_code, 6) << name_of(words) << result;
    EXPECT_THAT(result.err, AllOf(HasSubstr("[privacy.ledger]"), Not(HasSubstr("there is no")),
                                  Not(HasSubstr("unexpected"))));
  }
  std::filesystem::permissions(workspace_.path("closed"), std::filesystem::perms::owner_all);
}

/// A user who may write the ledger and the folder of the outputs, but nothing else.
class OutputOfAnotherUser : public LedgerOfAnotherUser {
 protected:
  void SetUp() override {
    LedgerOfAnotherUser::SetUp();
    std::filesystem::create_directory(workspace_.path("own"));
    std::filesystem::rename(workspace_.path("people.ledger"), workspace_.path("own/people.ledger"));
    std::filesystem::create_symlink("own/people.ledger", workspace_.path("people.ledger"));
    for (const std::string name : {"own", "own/people.ledger"}) {
      if (options_.uid) {
        ASSERT_EQ(::chown(workspace_.path(name).c_str(), *options_.uid, *options_.uid), 0);
      }
    }
    before_ = workspace_.ledger_bytes();
  }

  void expect_out_refused(const Words& out) const {
    expect_error(workspace_.run(join(train_, out), options_), 1,
                 {"[tasks.output]", "Permission denied"});
    EXPECT_TRUE(workspace_.ledger_bytes() == before_) << "budget was spent";
  }

  std::string before_;
};

TEST_F(OutputOfAnotherUser, AnOutInAReadOnlyFolderIsFoundBeforeAnythingIsSpent) {
  std::filesystem::permissions(workspace_.path("."), static_cast<std::filesystem::perms>(0555));
  expect_out_refused("--out model");
  ok(workspace_.run(join(train_, "--out own/model"), options_));
}

TEST_F(OutputOfAnotherUser, AReadOnlyOutToReplaceIsFoundBeforeAnythingIsSpent) {
  std::filesystem::create_directory(workspace_.path("own/model"));
  std::filesystem::permissions(workspace_.path("own/model"),
                               static_cast<std::filesystem::perms>(0555));
  expect_out_refused("--out own/model --force");
}

TEST(Ledger, WarnsOfABudgetUnderWhichNoSecondTrainingRunFits) {
  const Workspace workspace;
  const auto init = [&](const std::string& dataset, const std::string& epsilon) {
    return workspace.run({"ledger", "init", "--ledger", "people.ledger", "--dataset", dataset,
                          "--epsilon", epsilon, "--delta", "1e-5"});
  };
  const ToolResult usual = ok(init("others", "60"));
  EXPECT_EQ(usual.err, "");
  const ToolResult large = ok(init("people", "80"));
  EXPECT_THAT(large.err,
              HasSubstr("warning: at epsilon 80 the account may have room for one training run"));
  ok(workspace.train("--epsilon 1 --out one"));
  expect_error(workspace.train("--epsilon 1 --out two"), 4,
               "that of the account's budget, 80, whatever this entry asks");
}

}  // namespace
}  // namespace equinoise::testing::ledger_test
