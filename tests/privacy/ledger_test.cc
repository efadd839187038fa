#include "equinoise/privacy/ledger.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <optional>

#include "equinoise/base/error.h"
#include "equinoise/privacy/accountants/rdp.h"
#include "equinoise/privacy/mechanisms/gaussian_sum.h"
#include "tests/test_support.h"

namespace equinoise {
namespace {

const Budget kBudget{Epsilon(3), Delta(1e-6), Relation::kZeroOut};
const std::vector<Event> kEvents = {
    Event::repeat(10, Event::poisson_sampled(0.01, {Event::gaussian(1.5)}))};

std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

class LedgerTest : public ::testing::Test {
 protected:
  TempFolder folder_;
  std::filesystem::path path_ = folder_.path() / "test.ledger";

  void SetUp() override { Ledger::open_account(path_, "adult", kBudget); }

  /// Runs SQL on the file behind the ledger's back; returns SQLite's status.
  int tamper(const std::string& sql) const {
    sqlite3* connection = nullptr;
    sqlite3_open(path_.c_str(), &connection);
    const int status = sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr);
    sqlite3_close(connection);
    return status;
  }
};

TEST_F(LedgerTest, StartsWithNothingSpent) {
  const LedgerAccount account = Ledger(path_).account("adult");
  EXPECT_EQ(account.spent.epsilon.value(), 0);
  EXPECT_TRUE(account.entries.empty());
  EXPECT_EQ(account.budget.epsilon.value(), 3);
}

TEST_F(LedgerTest, RecordsEventsAndAccountsForAllOfThemTogether) {
  Ledger ledger(path_);
  const Guarantee predicted = ledger.spent_with("adult", kEvents, Relation::kZeroOut);
  ledger.reserve("adult", kEvents, Relation::kZeroOut, "first");
  EXPECT_EQ(ledger.account("adult").spent.epsilon.value(), predicted.epsilon.value());
  ledger.reserve("adult", {Event::gaussian(4)}, Relation::kZeroOut, "second");
  const LedgerAccount account = Ledger(path_).account("adult");
  ASSERT_EQ(account.entries.size(), 2U);
  EXPECT_EQ(account.entries[0].events, kEvents);
  EXPECT_EQ(account.entries[1].purpose, "second");
  // The second entry may depend on the output of the first, so the account is adaptive.
  RdpAccountant accountant(Relation::kZeroOut);
  accountant.compose(kEvents[0]);
  const double favoured = accountant.optimal_order(Delta(1e-6));
  accountant.compose(Event::gaussian(4));
  EXPECT_EQ(account.spent.epsilon.value(),
            accountant.adaptive_epsilon(Delta(1e-6), favoured).value());
}

TEST_F(LedgerTest, RefusesWhatExceedsTheBudgetAndStaysAsItWas) {
  Ledger ledger(path_);
  ledger.reserve("adult", kEvents, Relation::kZeroOut, "first");
  const std::string before = read_bytes(path_);
  error_of(ErrorKind::kBudget, [&] {
    ledger.reserve("adult", {Event::gaussian(0.5)}, Relation::kZeroOut, "too much");
  });
  EXPECT_EQ(read_bytes(path_), before);
}

TEST_F(LedgerTest, TheChargeServesTheSecureSource) {
  Charge charge = Ledger(path_).reserve("adult", kEvents, Relation::kZeroOut, "release").charge;
  SecureSource source;
  std::vector<int64_t> units(4, 0);
  add_gaussian_noise(charge.next_batch(0).take(0), Sensitivity(1e6, Norm::kL2, Relation::kZeroOut),
                     units, source);
  EXPECT_NE(units, std::vector<int64_t>(4, 0));
}

TEST_F(LedgerTest, ThePaidChargeRefusesASeededSource) {
  Charge charge = Ledger(path_).reserve("adult", kEvents, Relation::kZeroOut, "release").charge;
  SeededSource source(1);
  std::vector<int64_t> units(4, 0);
  EXPECT_THROW(add_gaussian_noise(charge.next_batch(0).take(0),
                                  Sensitivity(1e6, Norm::kL2, Relation::kZeroOut), units, source),
               Error);
}

TEST_F(LedgerTest, RefusesSampledEventsUnderReplaceOne) {
  Ledger::open_account(path_, "replace", {Epsilon(3), Delta(1e-6), Relation::kReplaceOne});
  Ledger ledger(path_);
  error_of(ErrorKind::kUsage,
           [&] { ledger.reserve("replace", kEvents, Relation::kReplaceOne, "x"); });
  EXPECT_TRUE(ledger.account("replace").entries.empty());
}

TEST_F(LedgerTest, KeepsAccountsApart) {
  Ledger::open_account(path_, "other", {Epsilon(1), Delta(1e-5), Relation::kReplaceOne});
  Ledger ledger(path_);
  ledger.reserve("adult", kEvents, Relation::kZeroOut, "first");
  EXPECT_EQ(ledger.account("other").spent.epsilon.value(), 0);
  EXPECT_EQ(ledger.datasets(), (std::vector<std::string>{"adult", "other"}));
  error_of(ErrorKind::kUsage, [&] { ledger.reserve("other", kEvents, Relation::kZeroOut, "x"); });
  error_of(ErrorKind::kLedger, [&] { ledger.reserve("nobody", kEvents, Relation::kZeroOut, "x"); });
}

TEST_F(LedgerTest, ABudgetIsOpenedOnce) {
  error_of(ErrorKind::kLedger, [&] { Ledger::open_account(path_, "adult", kBudget); });
}

TEST_F(LedgerTest, IsAppendOnly) {
  Ledger(path_).reserve("adult", kEvents, Relation::kZeroOut, "first");
  EXPECT_NE(tamper("UPDATE entries SET body = '{}'"), SQLITE_OK);
  EXPECT_NE(tamper("DELETE FROM entries WHERE sequence = 2"), SQLITE_OK);
  EXPECT_NE(tamper("INSERT INTO entries VALUES (9, '{}', 'x')"), SQLITE_OK);
  EXPECT_NO_THROW(Ledger{path_});
}

TEST_F(LedgerTest, NoticesThatAnEntryWasChangedOrRemoved) {
  Ledger(path_).reserve("adult", kEvents, Relation::kZeroOut, "first");
  Ledger(path_).reserve("adult", kEvents, Relation::kZeroOut, "second");
  const std::filesystem::path copy = folder_.path() / "copy.ledger";
  std::filesystem::copy_file(path_, copy);
  ASSERT_EQ(tamper("DROP TRIGGER entries_are_not_changed; UPDATE entries SET body = replace(body, "
                   "'1.5', '150') "
                   "WHERE sequence = 2"),
            SQLITE_OK);
  error_of(ErrorKind::kLedger, [&] { Ledger{path_}; });
  std::filesystem::copy_file(copy, path_, std::filesystem::copy_options::overwrite_existing);
  ASSERT_EQ(tamper("DROP TRIGGER entries_are_not_removed; DELETE FROM entries WHERE sequence = 2"),
            SQLITE_OK);
  error_of(ErrorKind::kLedger, [&] { Ledger{path_}; });
}

TEST_F(LedgerTest, RefusesFilesThatAreNoLedger) {
  error_of(ErrorKind::kLedger, [&] { Ledger{folder_.path() / "missing.ledger"}; });
  error_of(ErrorKind::kLedger, [&] { Ledger{folder_.path()}; });
  folder_.write_file("text.ledger", std::string(5000, 'x'));
  error_of(ErrorKind::kLedger, [&] { Ledger{folder_.path() / "text.ledger"}; });
  folder_.write_file("empty.ledger", "");
  error_of(ErrorKind::kLedger, [&] { Ledger{folder_.path() / "empty.ledger"}; });
  std::filesystem::resize_file(path_, 5000);
  error_of(ErrorKind::kLedger, [&] { Ledger(path_).account("adult"); });
}

TEST_F(LedgerTest, RefusesABudgetThatIsNoBudget) {
  const std::filesystem::path path = folder_.path() / "new.ledger";
  EXPECT_THROW(Ledger::open_account(path, "x", {Epsilon(0), Delta(1e-6), Relation::kZeroOut}),
               Error);
  EXPECT_THROW(Ledger::open_account(path, "x", {Epsilon(1), Delta(0), Relation::kZeroOut}), Error);
  EXPECT_THROW(Ledger::open_account(path, "", kBudget), Error);
  EXPECT_FALSE(std::filesystem::exists(path));
}

/// The account of `count` entries of one event each.
double adaptive_cost(size_t count, const Event& event) {
  RdpAccountant accountant(Relation::kZeroOut);
  accountant.compose(event);
  const double favoured = accountant.optimal_order(Delta(1e-6));
  accountant.compose(event, static_cast<int64_t>(count) - 1);
  return accountant.adaptive_epsilon(Delta(1e-6), favoured).value();
}

/// Processes that race for one budget: exactly as many win as fit, and the chain stays whole.
TEST_F(LedgerTest, ConcurrentProcessesNeverOverspend) {
  const std::vector<Event> fifth = {Event::gaussian(6)};
  int fitting = 1;
  while (adaptive_cost(static_cast<size_t>(fitting) + 1, fifth[0]) <= 3) ++fitting;
  ASSERT_GT(fitting, 1);
  std::vector<pid_t> children;
  for (int i = 0; i < fitting + 3; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      try {
        Ledger(path_).reserve("adult", fifth, Relation::kZeroOut, "race");
        _exit(0);
      } catch (const Error& error) {
        _exit(static_cast<int>(error.kind()));
      }
    }
    children.push_back(child);
  }
  int won = 0;
  int refused = 0;
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    won += WEXITSTATUS(status) == 0 ? 1 : 0;
    refused += WEXITSTATUS(status) == static_cast<int>(ErrorKind::kBudget) ? 1 : 0;
  }
  EXPECT_EQ(won, fitting);
  EXPECT_EQ(refused, 3);
  EXPECT_EQ(Ledger(path_).account("adult").entries.size(), static_cast<size_t>(fitting));
}

/// A run of kEvents, ten batches, that keeps states.
class LedgerProgress : public LedgerTest {
 protected:
  void SetUp() override {
    LedgerTest::SetUp();
    ledger.emplace(path_);
    entry = ledger->reserve("adult", kEvents, Relation::kZeroOut, "run", true).entry;
  }
  std::optional<RunProgress> newest() const {
    return Ledger(path_).account("adult").entries.back().progress;
  }
  void record(const std::optional<RunProgress>& before, const RunProgress& now) {
    ledger->record_progress("adult", entry, before, now);
  }
  static int64_t draws_of(Charge charge) {
    int64_t draws = 0;
    while (true) {
      try {
        charge.next_batch(0);
      } catch (const Error&) {
        return draws;
      }
      ++draws;
    }
  }

  std::optional<Ledger> ledger;
  int64_t entry = 0;
};

TEST_F(LedgerProgress, CostsNothingAndIsRemembered) {
  const double spent = ledger->account("adult").spent.epsilon.value();
  EXPECT_FALSE(newest());
  record({}, {4, "aa"});
  record(RunProgress{4, "aa"}, {7, "bb"});
  EXPECT_EQ(newest(), (RunProgress{7, "bb"}));
  EXPECT_EQ(Ledger(path_).account("adult").spent.epsilon.value(), spent);
  EXPECT_EQ(Ledger(path_).account("adult").entries.size(), 1U);
}

TEST_F(LedgerProgress, TheRestCanBeDrawnFromTheNewestStateOnly) {
  error_of(ErrorKind::kLedger, [&] { ledger->resume("adult", entry, {4, "aa"}); });
  record({}, {4, "aa"});
  EXPECT_EQ(draws_of(ledger->resume("adult", entry, {4, "aa"})), 6);
  error_of(ErrorKind::kLedger, [&] { ledger->resume("adult", entry, {4, "other"}); });
  error_of(ErrorKind::kLedger, [&] { ledger->resume("adult", entry, {3, "aa"}); });
  error_of(ErrorKind::kLedger, [&] { ledger->resume("adult", entry + 1, {4, "aa"}); });
  record(RunProgress{4, "aa"}, {10, "end"});
  error_of(ErrorKind::kLedger, [&] { ledger->resume("adult", entry, {4, "aa"}); });
  EXPECT_EQ(draws_of(ledger->resume("adult", entry, {10, "end"})), 0);
}

TEST_F(LedgerProgress, AResumedChargeHasTheEventsOfThePlanAndNoOtherItemToDraw) {
  const std::vector<Event> two = {kEvents[0], Event::poisson_sampled(0.1, {Event::gaussian(9)})};
  const int64_t second = ledger->reserve("adult", two, Relation::kZeroOut, "two items", true).entry;
  ledger->record_progress("adult", second, {}, {9, "aa"});
  Charge charge = ledger->resume("adult", second, {9, "aa"});
  EXPECT_EQ(charge.events(), two);
  EXPECT_THROW(charge.next_batch(1), Error);
  EXPECT_NO_THROW(charge.next_batch(0));
  EXPECT_THROW(charge.next_batch(0), Error);
}

TEST_F(LedgerProgress, OfTwoProcessesThatGoOnOnlyTheFirstMayRecord) {
  record({}, {4, "aa"});
  Ledger other(path_);
  Charge first = ledger->resume("adult", entry, {4, "aa"});
  Charge second = other.resume("adult", entry, {4, "aa"});
  other.record_progress("adult", entry, RunProgress{4, "aa"}, {6, "theirs"});
  const std::string message = error_of(ErrorKind::kLedger, [&] {
    record(RunProgress{4, "aa"}, {6, "ours"});
  });
  EXPECT_NE(message.find("must not be released"), std::string::npos) << message;
  EXPECT_EQ(newest(), (RunProgress{6, "theirs"}));
}

TEST_F(LedgerProgress, OnlyMovesForwardsAndNeverBeyondTheEnd) {
  error_of(ErrorKind::kUsage, [&] { record({}, {-1, "aa"}); });
  error_of(ErrorKind::kUsage, [&] { record({}, {11, "aa"}); });
  record({}, {0, "start"});
  record(RunProgress{0, "start"}, {4, "aa"});
  error_of(ErrorKind::kUsage, [&] { record(RunProgress{4, "aa"}, {4, "bb"}); });
  error_of(ErrorKind::kUsage, [&] { record(RunProgress{4, "aa"}, {3, "bb"}); });
  error_of(ErrorKind::kLedger, [&] { record({}, {5, "bb"}); });
  EXPECT_EQ(newest(), (RunProgress{4, "aa"}));
}

/// Its outputs were released without a record: drawing the rest would be drawing twice.
TEST_F(LedgerProgress, ARunThatPromisedNoRecordCannotGoOn) {
  const int64_t plain = ledger->reserve("adult", kEvents, Relation::kZeroOut, "plain").entry;
  error_of(ErrorKind::kLedger, [&] { ledger->record_progress("adult", plain, {}, {1, "aa"}); });
  error_of(ErrorKind::kLedger, [&] { ledger->resume("adult", plain, {1, "aa"}); });
}

TEST_F(LedgerProgress, IsPartOfTheChain) {
  record({}, {4, "aa"});
  tamper("DROP TRIGGER entries_are_not_removed; DELETE FROM entries WHERE sequence = 3");
  EXPECT_EQ(tamper("DROP TRIGGER entries_are_not_changed"), SQLITE_OK);
  Ledger(path_).account("adult");  // an older copy: only the kept last hash tells
  tamper("UPDATE entries SET body = replace(body, 'run', 'ran') WHERE sequence = 2");
  error_of(ErrorKind::kLedger, [&] { Ledger(path_).account("adult"); });
}

}  // namespace
}  // namespace equinoise
