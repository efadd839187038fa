// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/ledger.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "equinoise/base/error.h"
#include "equinoise/privacy/account_cost.h"
#include "equinoise/privacy/ledger_file.h"
#include "equinoise/privacy/mechanisms/gaussian_sum.h"
#include "equinoise/privacy/random/gaussian.h"
#include "equinoise/privacy/random/poisson.h"
#include "equinoise/privacy/unit_events.h"
#include "tests/privacy/mechanisms/permits.h"
#include "tests/test_support.h"

namespace equinoise::ledger_test {

const Budget kBudget{Epsilon(3), Delta(1e-6), Relation::kZeroOut};
const std::vector<Event> kEvents = {
    Event::repeat(10, Event::poisson_sampled(0.01, {Event::gaussian(1.5)})),
    Event::sampler_error(1e-38)};

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

  /// The same with the triggers taken away for the time being.
  void tamper_behind_triggers(const std::string& sql) const {
    std::string create;
    std::string drop;
    sqlite3* connection = nullptr;
    sqlite3_open(path_.c_str(), &connection);
    sqlite3_stmt* rows = nullptr;
    sqlite3_prepare_v2(connection, "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'", -1,
                       &rows, nullptr);
    while (sqlite3_step(rows) == SQLITE_ROW) {
      drop += "DROP TRIGGER " +
              std::string(reinterpret_cast<const char*>(sqlite3_column_text(rows, 0))) + ";";
      create += std::string(reinterpret_cast<const char*>(sqlite3_column_text(rows, 1))) + ";";
    }
    sqlite3_finalize(rows);
    sqlite3_close(connection);
    ASSERT_EQ(tamper(drop + sql + ";" + create), SQLITE_OK) << sql;
  }

  /// Adds a body of any form with the right hash.
  void append(const nlohmann::json& body) const {
    LedgerFile file(path_, false);
    LedgerTransaction transaction(file);
    const std::vector<LedgerRecord> records = file.read();
    LedgerRecord last = records.empty() ? LedgerRecord{} : records.back();
    file.append(last, body);
    transaction.commit();
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
  const Guarantee predicted = ledger.quote("adult", kEvents, Relation::kZeroOut).after;
  ledger.reserve("adult", kEvents, Relation::kZeroOut, "first");
  EXPECT_EQ(ledger.account("adult").spent.epsilon.value(), predicted.epsilon.value());
  ledger.reserve("adult", {Event::gaussian(4)}, Relation::kZeroOut, "second");
  const LedgerAccount account = Ledger(path_).account("adult");
  ASSERT_EQ(account.entries.size(), 2U);
  EXPECT_EQ(account.entries[0].events, kEvents);
  EXPECT_EQ(account.entries[1].purpose, "second");
  EXPECT_EQ(account.spent.epsilon.value(),
            account_guarantee(kBudget, {kEvents, {Event::gaussian(4)}}).epsilon.value());
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
  add_gaussian_noise(batch_permit_for(charge, source),
                     Sensitivity(1e6, Norm::kL2, Relation::kZeroOut), units, source);
  EXPECT_NE(units, std::vector<int64_t>(4, 0));
}

TEST_F(LedgerTest, APaidChargeHoldsItsSamplersToWhatWasChargedForTheirErrors) {
  const Sensitivity sensitivity(1e6, Norm::kL2, Relation::kZeroOut);
  SecureSource source;
  std::vector<int64_t> units(4, 0);
  std::vector<uint32_t> records;
  Ledger ledger(path_);
  Charge charge = ledger.reserve("adult", kEvents, Relation::kZeroOut, "release").charge;
  // As many skips as 1e-38 pays for, and then none is left for the noise.
  BatchPermit batch = charge.next_batch(0);
  const auto affordable = static_cast<int64_t>(1e-38 / kSkipError);
  batch.draw(affordable - 1, source, records);
  const std::string message = error_of(
      ErrorKind::kRuntime, [&] { add_gaussian_noise(batch.take(0), sensitivity, units, source); });
  EXPECT_THAT(message, HasSubstr("sampler_error"));
  EXPECT_EQ(units, std::vector<int64_t>(4, 0));
  EXPECT_THROW(charge.next_batch(0).draw(10, source, records), Error);
  Charge none = ledger.reserve("adult", {kEvents[0]}, Relation::kZeroOut, "release").charge;
  EXPECT_THROW(none.next_batch(0).draw(10, source, records), Error);
}

TEST_F(LedgerTest, ThePaidChargeRefusesASeededSource) {
  Charge charge = Ledger(path_).reserve("adult", kEvents, Relation::kZeroOut, "release").charge;
  SeededSource seeded(1);
  std::vector<uint32_t> records;
  EXPECT_THROW(charge.next_batch(0).draw(10, seeded, records), Error);
  SecureSource secure;
  std::vector<int64_t> units(4, 0);
  EXPECT_THROW(add_gaussian_noise(batch_permit_for(charge, secure),
                                  Sensitivity(1e6, Norm::kL2, Relation::kZeroOut), units, seeded),
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
  tamper_behind_triggers(
      "UPDATE entries SET body = replace(body, '1.5', '150') WHERE sequence = 2");
  EXPECT_ERROR(kLedger, HasSubstr("entry 2 does not fit the hash chain"), Ledger{path_});
  std::filesystem::copy_file(copy, path_, std::filesystem::copy_options::overwrite_existing);
  tamper_behind_triggers("DELETE FROM entries WHERE sequence = 2");
  EXPECT_ERROR(kLedger, HasSubstr("entry 2 does not fit the hash chain"), Ledger{path_});
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

/// An account of people, next to that of rows.
class LedgerOfUnits : public LedgerTest {
 protected:
  void SetUp() override {
    LedgerTest::SetUp();
    Budget budget = kBudget;
    budget.unit = "person_id";
    Ledger::open_account(path_, "visits", budget);
  }
  const Neighbours people_{Relation::kZeroOut, "person_id"};
  const std::vector<Event> means_ = for_unit(
      5, {Event::parallel("sex", {"Female", "Male"},
                          {Event::discrete_gaussian(40, 1), Event::discrete_gaussian(50, 1)})});
};

TEST_F(LedgerOfUnits, KeepTheirUnitAndSaysItOnlyWhereItIsNoRow) {
  const Ledger ledger(path_);
  EXPECT_EQ(ledger.account("visits").budget.unit, "person_id");
  EXPECT_EQ(ledger.account("adult").budget.unit, "row");
  const std::vector<LedgerRecord> records = ledger.records();
  // An account of rows is written as before there were other units.
  EXPECT_EQ(nlohmann::json::parse(records[0].body).count("unit"), 0);
  EXPECT_EQ(nlohmann::json::parse(records[1].body).at("unit"), "person_id");
  EXPECT_EQ(ledger.verify().accounts.size(), 2);
}

TEST_F(LedgerOfUnits, CostsOfOtherUnitsAreRefusedWithWhatToDo) {
  Ledger ledger(path_);
  const auto refusals = [&](const std::string& dataset, const Neighbours& neighbours) {
    const std::vector<std::string> all = {
        error_of(ErrorKind::kUsage, [&] { ledger.reserve(dataset, kEvents, neighbours, "run"); }),
        error_of(ErrorKind::kUsage,
                 [&] { static_cast<void>(ledger.quote(dataset, kEvents, neighbours)); })};
    for (const std::string& message : all) EXPECT_EQ(message, all[0]);
    return all[0];
  };
  EXPECT_THAT(refusals("adult", people_),
              HasAll("protects single rows", "units of person_id", "take unit out of the schema",
                     "--unit person_id"));
  EXPECT_THAT(refusals("visits", Relation::kZeroOut),
              HasAll("protects units of person_id", "single rows", "unit = \"person_id\"",
                     "max_records_per_unit", "--unit row"));
  EXPECT_THAT(refusals("visits", {Relation::kZeroOut, "household"}),
              HasAll("units of person_id", "units of household", "--unit household"));
  EXPECT_TRUE(ledger.account("adult").entries.empty());
  EXPECT_TRUE(ledger.account("visits").entries.empty());
  // The relation is checked as well.
  error_of(ErrorKind::kUsage, [&] {
    static_cast<void>(ledger.quote("visits", means_, {Relation::kReplaceOne, "person_id"}));
  });
}

TEST_F(LedgerOfUnits, WhatManyRowsCostAddsUpWhateverTheirNumber) {
  Ledger ledger(path_);
  Reservation paid = ledger.reserve("visits", means_, people_, "means");
  std::vector<Charge> groups = paid.charge.take_groups();
  ASSERT_EQ(groups.size(), 2);
  EXPECT_EQ(groups[1].take(0).event(), Event::discrete_gaussian(50, 1));
  // Other groups of the same name, at another number of rows.
  const std::vector<Event> more =
      for_unit(2, {Event::parallel("sex", {"F", "M"}, {Event::laplace(40), Event::laplace(50)})});
  ledger.reserve("visits", more, people_, "more means");
  ledger.reserve("visits", kEvents, people_, "training");
  const LedgerAccount account = Ledger(path_).account("visits");
  ASSERT_EQ(account.entries.size(), 3);
  EXPECT_EQ(account.entries[0].events, means_);
  EXPECT_EQ(account.entries[1].events, more);
  EXPECT_GT(account.spent.epsilon.value(), paid.spent.epsilon.value());
  EXPECT_NO_THROW(static_cast<void>(Ledger(path_).verify()));
}

TEST_F(LedgerOfUnits, ACapIsChargedWhatTheWholeReleaseCosts) {
  Budget budget = kBudget;
  budget.unit = "person_id";
  budget.fixed_groups = true;
  budget.group_caps = {{"sex", "Male", Epsilon(2)}};
  Ledger::open_account(path_, "capped", budget);
  Ledger ledger(path_);
  ledger.reserve("capped", means_, people_, "means");
  const LedgerAccount account = ledger.account("capped");
  EXPECT_EQ(account.groups[0].spent.epsilon.value(), account.spent.epsilon.value());
}

TEST_F(LedgerOfUnits, ARunThatCanGoOnDrawsItsRows) {
  Ledger ledger(path_);
  const std::vector<Event> events =
      for_unit(3, {Event::repeat(10, Event::laplace(900)), Event::laplace(900)});
  const int64_t entry = ledger.reserve("visits", events, people_, "run", true).entry;
  ledger.record_progress("visits", entry, {}, {4, "aa"});
  Charge charge = ledger.resume("visits", entry, {4, "aa"});
  for (int left = 6; left > 0; --left) charge.take(0);
  EXPECT_THROW(charge.take(0), Error);
  EXPECT_THROW(charge.take(1), Error);
  error_of(ErrorKind::kUsage, [&] {
    ledger.record_progress("visits", entry, RunProgress{4, "aa"}, {11, "b"});
  });
}

TEST_F(LedgerOfUnits, HowToOpenOneIsProposed) {
  EXPECT_THAT(no_ledger_warning("x.ledger", "visits", people_),
              HasSubstr("--relation zero_out --unit person_id"));
  EXPECT_THAT(no_ledger_warning("x.ledger", "adult", Relation::kZeroOut), Not(HasSubstr("--unit")));
}

TEST_F(LedgerTest, RefusesABudgetThatIsNoBudget) {
  const std::filesystem::path path = folder_.path() / "new.ledger";
  EXPECT_THROW(Ledger::open_account(path, "x", {Epsilon(0), Delta(1e-6), Relation::kZeroOut}),
               Error);
  EXPECT_THROW(Ledger::open_account(path, "x", {Epsilon(1), Delta(0), Relation::kZeroOut}), Error);
  for (const char* name : {"", "a b", "a\nb"})
    EXPECT_THROW(Ledger::open_account(path, name, kBudget), Error) << name;
  EXPECT_FALSE(std::filesystem::exists(path));
}

/// The account of `count` entries of one event each.
double adaptive_cost(size_t count, const Event& event) {
  return account_guarantee(kBudget, Spends(count, {event})).epsilon.value();
}

/// The exit codes of `count` processes that run `call` at once.
template <typename Call>
std::vector<int> race(int count, Call&& call) {
  std::vector<pid_t> children;
  for (int i = 0; i < count; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      try {
        call(i);
        _exit(0);
      } catch (const Error& error) {
        _exit(static_cast<int>(error.kind()));
      } catch (...) {
        _exit(99);
      }
    }
    children.push_back(child);
  }
  std::vector<int> codes;
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    codes.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : 98);
  }
  return codes;
}

/// Processes that race for one budget: exactly as many win as fit, and the chain stays whole.
TEST_F(LedgerTest, ConcurrentProcessesNeverOverspend) {
  const std::vector<Event> fifth = {Event::gaussian(6)};
  int fitting = 1;
  while (adaptive_cost(static_cast<size_t>(fitting) + 1, fifth[0]) <= 3) ++fitting;
  ASSERT_GT(fitting, 1);
  const std::vector<int> codes = race(
      fitting + 3, [&](int) { Ledger(path_).reserve("adult", fifth, Relation::kZeroOut, "race"); });
  EXPECT_EQ(std::ranges::count(codes, 0), fitting);
  EXPECT_EQ(std::ranges::count(codes, static_cast<int>(ErrorKind::kBudget)), 3);
  EXPECT_EQ(Ledger(path_).account("adult").entries.size(), static_cast<size_t>(fitting));
}

/// Costs of all sizes, several by each process: who was told that it may draw is in the file.
TEST_F(LedgerTest, EverySuccessOfConcurrentProcessesIsInTheFile) {
  const std::vector<int> codes = race(6, [&](int process) {
    int won = 0;
    for (int i = 0; i < 8; ++i) {
      try {
        Ledger(path_).reserve("adult", {Event::gaussian(6 + 4 * ((process + i) % 5))},
                              Relation::kZeroOut, "process " + std::to_string(process));
        ++won;
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::kBudget) throw;
      }
    }
    _exit(100 + won);
  });
  const LedgerVerification verified = Ledger(path_).verify();
  const std::vector<LedgerEntry>& entries = verified.accounts[0].entries;
  size_t total = 0;
  for (size_t process = 0; process < codes.size(); ++process) {
    ASSERT_GE(codes[process], 100);
    const auto won = codes[process] - 100;
    EXPECT_EQ(
        std::ranges::count(entries, "process " + std::to_string(process), &LedgerEntry::purpose),
        won);
    total += static_cast<size_t>(won);
  }
  EXPECT_EQ(entries.size(), total);
  EXPECT_GT(total, 5U);
  EXPECT_LT(total, 48U) << "the budget was never reached";
  EXPECT_LE(verified.accounts[0].spent.epsilon.value(), 3);
}

TEST_F(LedgerTest, AUsedKeyIsRefusedAndItsEntryNamed) {
  Ledger ledger(path_);
  ledger.reserve("adult", kEvents, Relation::kZeroOut, "first run", false, "monday");
  const std::string before = read_bytes(path_);
  for (const std::vector<Event>& events : {kEvents, {Event::gaussian(20)}}) {
    const std::string message = error_of(ErrorKind::kUsage, [&] {
      ledger.reserve("adult", events, Relation::kZeroOut, "again", false, "monday");
    });
    EXPECT_THAT(message, HasSubstr("already paid for and run: entry 2 of dataset \"adult\""));
    EXPECT_THAT(message, HasSubstr("first run"));
    const LedgerQuote quote = ledger.quote("adult", events, Relation::kZeroOut, "monday");
    ASSERT_TRUE(quote.refusal);
    EXPECT_EQ(quote.refusal->kind(), ErrorKind::kUsage);
    EXPECT_EQ(quote.refusal->what(), message);
  }
  EXPECT_EQ(read_bytes(path_), before);
  EXPECT_EQ(ledger.find_key("adult", "monday")->sequence, 2);
  EXPECT_FALSE(ledger.find_key("adult", "tuesday"));
  EXPECT_FALSE(ledger.find_key("adult", ""));
}

TEST_F(LedgerTest, KeysBelongToTheirAccountAndNoKeyIsNone) {
  Ledger::open_account(path_, "other", kBudget);
  Ledger ledger(path_);
  const std::vector<Event> small = {Event::gaussian(30)};
  ledger.reserve("adult", small, Relation::kZeroOut, "a", false, "k");
  ledger.reserve("other", small, Relation::kZeroOut, "b", false, "k");
  ledger.reserve("adult", small, Relation::kZeroOut, "c", false, "K");
  ledger.reserve("adult", small, Relation::kZeroOut, "d");
  ledger.reserve("adult", small, Relation::kZeroOut, "e");
  EXPECT_EQ(ledger.account("adult").entries.size(), 4U);
  error_of(ErrorKind::kUsage, [&] {
    ledger.reserve("adult", small, Relation::kZeroOut, "f", false, std::string(201, 'k'));
  });
}

TEST_F(LedgerTest, OfProcessesWithOneKeyOnePays) {
  const std::vector<int> codes = race(5, [&](int) {
    Ledger(path_).reserve("adult", {Event::gaussian(30)}, Relation::kZeroOut, "x", false, "once");
  });
  EXPECT_EQ(std::ranges::count(codes, 0), 1);
  EXPECT_EQ(std::ranges::count(codes, static_cast<int>(ErrorKind::kUsage)), 4);
  EXPECT_EQ(Ledger(path_).account("adult").entries.size(), 1U);
}

TEST_F(LedgerTest, ACapOfAGroupHoldsAndIsNamed) {
  Budget budget{Epsilon(3), Delta(1e-6), Relation::kZeroOut};
  budget.group_caps = {{"sex", "Female", Epsilon(1)}, {"sex", "Male", Epsilon(2.5)}};
  EXPECT_ERROR(kUsage, HasSubstr("--fixed-groups"), Ledger::open_account(path_, "capped", budget));
  budget.fixed_groups = true;
  Ledger::open_account(path_, "capped", budget);
  Ledger ledger(path_);
  const auto by_sex = [](double female, double male) {
    return std::vector<Event>{Event::parallel("sex", {"Female", "Male"},
                                              {Event::gaussian(female), Event::gaussian(male)})};
  };
  ledger.reserve("capped", by_sex(6, 3), Relation::kZeroOut, "fits");
  const std::string before = read_bytes(path_);
  const std::string message = error_of(ErrorKind::kBudget, [&] {
    ledger.reserve("capped", by_sex(4, 100), Relation::kZeroOut, "too much for one group");
  });
  EXPECT_THAT(message, HasSubstr("group sex=Female, above its cap of 1"));
  EXPECT_EQ(read_bytes(path_), before);
  ledger.reserve("capped", by_sex(100, 20), Relation::kZeroOut, "fits");
  const LedgerAccount account = Ledger(path_).account("capped");
  ASSERT_EQ(account.groups.size(), 2U);
  EXPECT_EQ(account.groups[0].cap.group, "Female");
  EXPECT_LT(account.groups[0].spent.epsilon.value(), 1);
  EXPECT_GT(account.groups[1].spent.epsilon.value(), account.groups[0].spent.epsilon.value());
  // What is for all counts for each group.
  EXPECT_ERROR(kBudget, HasSubstr("sex=Female"),
               ledger.reserve("capped", {Event::gaussian(6)}, Relation::kZeroOut, "all"));
}

/// Accounts of files from before it was asked whether anybody changes groups.
class LedgerOfBefore : public LedgerTest {
 protected:
  static Event by_sex(double female, double male) {
    return Event::parallel("sex", {"Female", "Male"},
                           {Event::gaussian(female), Event::gaussian(male)});
  }
  void open_account(double epsilon, const nlohmann::json& caps = nlohmann::json::array()) const {
    append({{"kind", "open"},
            {"dataset", "old"},
            {"time", "t"},
            {"epsilon", epsilon},
            {"delta", 1e-6},
            {"relation", "zero_out"},
            {"accountant", "rdp"},
            {"group_caps", caps}});
  }
  void spend(const Event& event) const {
    append({{"kind", "spend"},
            {"dataset", "old"},
            {"time", "t"},
            {"purpose", "p"},
            {"events", {event.to_json()}}});
  }
  std::string refusal() const {
    return error_of(ErrorKind::kBudget, [&] {
      Ledger(path_).reserve("old", {Event::gaussian(1000)}, Relation::kZeroOut, "x");
    });
  }
};

TEST_F(LedgerOfBefore, IsReadAndAccountedByTheRuleOfToday) {
  open_account(4);
  spend(by_sex(3, 60));
  spend(by_sex(60, 3));
  const LedgerAccount account = Ledger(path_).account("old");
  const Budget& budget = account.budget;
  EXPECT_EQ(account.spent.epsilon.value(),
            account_guarantee(budget, {{by_sex(3, 60)}, {by_sex(60, 3)}}).epsilon.value());
  ASSERT_TRUE(account.spent_by_name);
  EXPECT_LT(account.spent_by_name->epsilon.value(), 0.9 * account.spent.epsilon.value());
  EXPECT_EQ(closed_because(account), "");
  EXPECT_NO_THROW(Ledger(path_).verify());
  Ledger(path_).reserve("old", {Event::gaussian(40)}, Relation::kZeroOut, "x");
  EXPECT_FALSE(Ledger(path_).account("adult").spent_by_name);
}

TEST_F(LedgerOfBefore, ThatIsAboveItsBudgetNowIsShownAndPaysNothing) {
  open_account(2);
  spend(by_sex(3, 60));
  spend(by_sex(60, 3));
  const LedgerVerification verified = Ledger(path_).verify();
  EXPECT_GT(verified.accounts[1].spent.epsilon.value(), 2);
  EXPECT_THAT(closed_because(verified.accounts[1]), HasSubstr("above its budget of 2"));
  const std::string before = read_bytes(path_);
  EXPECT_THAT(refusal(), HasAll("nothing more can be spent", "by name"));
  EXPECT_TRUE(rests_on_names(verified.accounts[1]));
  EXPECT_EQ(read_bytes(path_), before);
  // One that was above by its own rule is still a file that no version wrote.
  spend(by_sex(3, 60));
  EXPECT_ERROR(kLedger, HasSubstr("brings dataset \"old\" to epsilon"), Ledger(path_).verify());
}

/// By name they would be another list of the same partition: still an account that can be read.
TEST_F(LedgerOfBefore, TakesEntriesWhoseGroupsHaveOtherNames) {
  open_account(8);
  spend(by_sex(3, 60));
  const Event other = Event::parallel("sex", {"Female", "Male", "X"},
                                      {Event::gaussian(9), Event::gaussian(5), Event::gaussian(7)});
  Ledger(path_).reserve("old", {other}, Relation::kZeroOut, "x");
  EXPECT_FALSE(Ledger(path_).account("old").spent_by_name);
  EXPECT_NO_THROW(Ledger(path_).verify());
  Ledger(path_).reserve("old", {Event::gaussian(40)}, Relation::kZeroOut, "x");
}

/// Where groups are nested, adding up by name can give more than today's rule, by which the entry
/// was admitted.
TEST_F(LedgerOfBefore, VerifiesWhatFitsByTheRuleOfToday) {
  open_account(3);
  spend(Event::gaussian(1000));
  const auto by_city = [](double x, double y) {
    return Event::parallel("city", {"X", "Y"}, {Event::gaussian(x), Event::gaussian(y)});
  };
  const Event nested = Event::parallel("sex", {"Female", "Male"}, {by_city(2, 40), by_city(2, 40)});
  Ledger(path_).reserve("old", {nested, by_city(40, 2)}, Relation::kZeroOut, "x");
  EXPECT_NO_THROW(Ledger(path_).verify());
}

TEST_F(LedgerOfBefore, WithCapsPaysNothingMoreAndSaysTheWayOut) {
  open_account(4, {{{"partition", "sex"}, {"group", "Female"}, {"epsilon", 1}}});
  spend(by_sex(20, 10));
  const LedgerAccount account = Ledger(path_).account("old");
  ASSERT_EQ(account.groups.size(), 1U);
  EXPECT_EQ(account.groups[0].spent.epsilon.value(), account.spent.epsilon.value());
  EXPECT_THAT(refusal(), HasAll("caps of groups", "--fixed-groups"));
  EXPECT_NO_THROW(Ledger(path_).verify());
}

TEST_F(LedgerTest, AnAccountIsKeptByItsOwnAccountant) {
  Budget budget = kBudget;
  budget.accountant = "zcdp";
  Ledger::open_account(path_, "z", budget);
  Ledger ledger(path_);
  ledger.reserve("z", {Event::zcdp(0.01)}, Relation::kZeroOut, "x");
  EXPECT_EQ(ledger.account("z").spent.accountant, AccountantName::kZcdp);
  EXPECT_EQ(ledger.account("z").spent.epsilon.value(),
            account_guarantee(budget, {{Event::zcdp(0.01)}}).epsilon.value());
  const std::string before = read_bytes(path_);
  EXPECT_ERROR(kUsage, HasSubstr("Poisson batch"),
               ledger.reserve("z", kEvents, Relation::kZeroOut, "x"));
  EXPECT_EQ(read_bytes(path_), before);
  budget.accountant = "zdcp";
  error_of(ErrorKind::kUsage, [&] { Ledger::open_account(path_, "y", budget); });
}

TEST_F(LedgerTest, TinySpendsAreRecordedAndLowerNothing) {
  Ledger ledger(path_);
  double before = 0;
  for (const double rho : {std::numeric_limits<double>::denorm_min(), 1e-300, 0.01, 1e-300,
                           std::numeric_limits<double>::denorm_min()}) {
    ledger.reserve("adult", {Event::zcdp(rho)}, Relation::kZeroOut, "tiny");
    const LedgerAccount account = Ledger(path_).account("adult");
    EXPECT_EQ(account.entries.back().events[0].rho(), rho);
    EXPECT_GE(account.spent.epsilon.value(), before);
    before = account.spent.epsilon.value();
  }
  EXPECT_EQ(Ledger(path_).account("adult").entries.size(), 5U);
}

TEST_F(LedgerTest, NothingToPayForAndTextThatIsNoTextAreRefused) {
  Ledger ledger(path_);
  const std::string before = read_bytes(path_);
  error_of(ErrorKind::kUsage, [&] { ledger.reserve("adult", {}, Relation::kZeroOut, "x"); });
  error_of(ErrorKind::kUsage,
           [&] { ledger.reserve("adult", kEvents, Relation::kZeroOut, "\xff"); });
  error_of(ErrorKind::kUsage,
           [&] { ledger.reserve("adult", kEvents, Relation::kZeroOut, "x", false, "\xff"); });
  EXPECT_EQ(read_bytes(path_), before);
}

TEST_F(LedgerTest, ABudgetHoldsForFailuresToo) {
  const std::vector<Event> failing = {Event::gaussian(30), Event::sampler_error(4e-9)};
  Ledger ledger(path_);
  ledger.reserve("adult", failing, Relation::kZeroOut, "alone it may use all of delta");
  EXPECT_ERROR(kBudget,
               AllOf(HasSubstr("failures of all entries together"),
                     HasSubstr("the account's budget"), Not(HasSubstr("use the ledger's delta"))),
               ledger.reserve("adult", failing, Relation::kZeroOut, "x"));
}

/// Files from before accounts had policies and entries keys.
TEST_F(LedgerTest, ARecordThatIsNotOursIsNamedThoughItsHashIsRight) {
  using nlohmann::json;
  Ledger(path_).reserve("adult", kEvents, Relation::kZeroOut, "first", true, "k");
  const std::filesystem::path copy = folder_.path() / "copy.ledger";
  std::filesystem::copy_file(path_, copy);
  const json open = {{"kind", "open"},      {"dataset", "b"},
                     {"time", "t"},         {"epsilon", 3.0},
                     {"delta", 1e-6},       {"relation", "zero_out"},
                     {"accountant", "rdp"}, {"group_caps", json::array()}};
  const json spend = {{"kind", "spend"},
                      {"dataset", "adult"},
                      {"time", "t"},
                      {"purpose", "p"},
                      {"events", {{{"type", "gaussian"}, {"noise_multiplier", 4.0}}}}};
  const json progress = {{"kind", "progress"}, {"dataset", "adult"}, {"time", "t"},
                         {"entry", 2},         {"num_done", 1},      {"state", "s"}};
  for (const json& patch :
       {json{{"epsilon", -3.0}},
        json{{"epsilon", "3"}},
        json{{"delta", 2}},
        json{{"delta", 0}},
        json{{"relation", "none"}},
        json{{"accountant", "none"}},
        json{{"accountant", 1}},
        json{{"group_caps", 1}},
        json{{"group_caps", {1}}},
        json{{"dataset", "adult"}},
        json{{"group_caps", {{{"partition", "p"}, {"group", "g"}, {"epsilon", 0}}}}},
        json{{"fixed_groups", 1}},
        json{{"rdp_orders", 7}},
        json{{"rdp_orders", json::array()}},
        json{{"rdp_orders", {2, 2}}},
        json{{"rdp_orders", {1.0, 2.0}}},
        json{{"rdp_orders", {2, 1e6}}},
        json{{"rdp_orders", {"2"}}},
        json{{"fixed_groups", false},
             {"group_caps", {{{"partition", "p"}, {"group", "g"}, {"epsilon", 1}}}}},
        json{{"unit", ""}},
        json{{"unit", 1}},
        json{{"limit_of_next_version", 1}}}) {
    json body = open;
    body.update(patch);
    append(body);
    EXPECT_ERROR(kLedger, HasSubstr("entry 3 "), Ledger{path_}) << body;
    std::filesystem::copy_file(copy, path_, std::filesystem::copy_options::overwrite_existing);
  }
  for (const char* name : {"epsilon", "relation", "accountant", "group_caps"}) {
    json body = open;
    body.erase(name);
    append(body);
    EXPECT_ERROR(kLedger, HasSubstr("entry 3 "), Ledger{path_}) << body;
    std::filesystem::copy_file(copy, path_, std::filesystem::copy_options::overwrite_existing);
  }
  for (const json& patch :
       {json{{"kind", "refund"}}, json{{"kind", 1}}, json{{"dataset", "nobody"}},
        json{{"events", 1}}, json{{"events", {1}}}, json{{"key", "k"}}, json{{"key", 1}},
        json{{"events", {{{"type", "gaussian"}, {"noise_multiplier", -4.0}}}}},
        json{{"resumable", 1}}, json{{"time", 5}}, json{{"rebate", 1}}}) {
    json body = spend;
    body.update(patch);
    append(body);
    EXPECT_ERROR(kLedger, HasSubstr("entry 3 "), Ledger{path_}) << body;
    std::filesystem::copy_file(copy, path_, std::filesystem::copy_options::overwrite_existing);
  }
  for (const json& patch : {json{{"entry", 9}}, json{{"entry", 2.5}}, json{{"num_done", 1e300}},
                            json{{"num_done", 18446744073709551615U}}, json{{"num_done", 11}},
                            json{{"num_done", -1}}, json{{"state", 1}}}) {
    json body = progress;
    body.update(patch);
    append(body);
    EXPECT_ERROR(kLedger, HasSubstr("entry 3 "), Ledger{path_}) << body;
    std::filesystem::copy_file(copy, path_, std::filesystem::copy_options::overwrite_existing);
  }
  append(json::array());
  EXPECT_ERROR(kLedger, HasSubstr("entry 3 "), Ledger{path_});
}

TEST_F(LedgerTest, AnEntryBeyondTheBudgetIsFoundByVerify) {
  Budget budget = kBudget;
  budget.group_caps = {{"sex", "Female", Epsilon(0.5)}};
  budget.fixed_groups = true;
  Ledger::open_account(path_, "capped", budget);
  const auto spend = [&](const std::string& dataset, const Event& event) {
    append({{"kind", "spend"},
            {"dataset", dataset},
            {"time", "t"},
            {"purpose", "p"},
            {"events", {event.to_json()}}});
  };
  spend("capped", Event::gaussian(20));
  EXPECT_NO_THROW(Ledger(path_).verify());
  spend("capped", Event::gaussian(5));
  EXPECT_ERROR(kLedger, HasSubstr("entry 4 brings dataset \"capped\" to epsilon"),
               Ledger(path_).verify());
  spend("adult", Event::gaussian(0.5));
  EXPECT_ERROR(kLedger, HasSubstr("entry 5 brings dataset \"adult\""), Ledger(path_).verify());
  error_of(ErrorKind::kBudget, [&] {
    Ledger(path_).reserve("adult", {Event::gaussian(100)}, Relation::kZeroOut, "x");
  });
}

TEST_F(LedgerTest, AnEntryThatCannotBeAccountedForIsNamed) {
  const Event batch = Event::poisson_sampled(0.1, {Event::sampler_error(1e-9)});
  append({{"kind", "spend"},
          {"dataset", "adult"},
          {"time", "t"},
          {"purpose", "p"},
          {"events", {batch.to_json()}}});
  const Ledger ledger(path_);
  EXPECT_ERROR(kLedger, HasSubstr("entry 2 cannot be accounted for"), ledger.account("adult"));
  EXPECT_ERROR(kLedger, HasSubstr("entry 2 cannot be accounted for"), ledger.verify());
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

TEST_F(LedgerProgress, AResumedChargeHasTheRestOfWhatSamplersMayErr) {
  record({}, {4, "aa"});
  Charge charge = ledger->resume("adult", entry, {4, "aa"});
  SecureSource source;
  std::vector<uint32_t> records;
  const auto affordable = static_cast<int64_t>(1e-38 / kSkipError);
  EXPECT_THROW(charge.next_batch(0).draw(affordable * 7 / 10, source, records), Error);
  EXPECT_NO_THROW(charge.next_batch(0).draw(affordable / 2, source, records));
}

/// A run of kEvents on one part of a table and a release from the other one.
Event in_parallel(const std::string& split) {
  return Event::parallel(split, {"trained on", "held out"},
                         {Event::composed(kEvents), Event::discrete_gaussian(4, 1)});
}

TEST_F(LedgerProgress, WhatGroupsBesideTheRunDrawIsDrawnAfterItsLastStateOrNever) {
  const Event event = in_parallel("one split");
  const int64_t run =
      ledger->reserve("adult", {event}, Relation::kZeroOut, "both parts", true).entry;
  EXPECT_EQ(num_runs(ledger->account("adult").entries.back()), 10);
  const auto groups_at = [&](const RunProgress& at) {
    return ledger->resume("adult", run, at).take_groups();
  };
  ledger->record_progress("adult", run, {}, {4, "aa"});
  {
    std::vector<Charge> groups = groups_at({4, "aa"});
    EXPECT_EQ(groups[0].events(), kEvents);
    EXPECT_EQ(draws_of(std::move(groups[0])), 6);
    EXPECT_FALSE(groups[1].is_used_up(0));
  }
  error_of(ErrorKind::kUsage, [&] {
    ledger->record_progress("adult", run, RunProgress{4, "aa"}, {11, "x"});
  });
  ledger->record_progress("adult", run, RunProgress{4, "aa"}, {10, "end"});
  error_of(ErrorKind::kLedger, [&] { groups_at({4, "aa"}); });
  std::vector<Charge> groups = groups_at({10, "end"});
  EXPECT_EQ(draws_of(std::move(groups[0])), 0);
  EXPECT_TRUE(groups[1].is_used_up(0));
  error_of(ErrorKind::kRuntime, [&] { groups[1].take(0); });
}

/// Groups that take the steps of one run together are resumed together.
TEST_F(LedgerProgress, GroupsThatStepTogetherAreResumedTogether) {
  const auto part = [](double noise_multiplier) {
    return Event::composed(
        {Event::repeat(10, Event::poisson_sampled(0.1, {Event::gaussian(noise_multiplier)})),
         Event::sampler_error(1e-30)});
  };
  const Event event = Event::parallel("sex", {"Female", "Male"}, {part(2), part(5)});
  const int64_t run = ledger->reserve("adult", {event}, Relation::kZeroOut, "run", true).entry;
  ledger->record_progress("adult", run, {}, {8, "aa"});
  Charge charge = ledger->resume("adult", run, {8, "aa"});
  EXPECT_EQ(charge.next_batches(0).size(), 2);
  charge.next_batches(0);
  EXPECT_THROW(charge.next_batches(0), Error);
  Charge resumed = ledger->resume("adult", run, {8, "aa"});
  for (Charge& group : resumed.take_groups()) {
    group.next_batch(0);
    group.next_batch(0);
    EXPECT_THROW(group.next_batch(0), Error);
  }
}

/// A part is drawn with the last step: a run that is resumed before it has it, with what its
/// samplers may err; one that is resumed after it has nothing.
TEST_F(LedgerProgress, APartIsLeftUntilTheLastStepIsRecorded) {
  const Event last =
      Event::composed({Event::gaussian(20), Event::sampler_error(kGaussianDrawError)});
  const std::vector<Event> one = {kEvents[0], Event::sampler_error(1e-38), last};
  const Event groups =
      Event::parallel("sex", {"Female", "Male"}, {Event::composed(one), Event::composed(one)});
  for (const std::vector<Event>& events : {one, std::vector{groups}}) {
    const int64_t run = ledger->reserve("adult", events, Relation::kZeroOut, "run", true).entry;
    ledger->record_progress("adult", run, {}, {4, "aa"});
    Charge charge = ledger->resume("adult", run, {4, "aa"});
    for (int step = 4; step < 10; ++step) {
      EXPECT_THROW(charge.take_parts(2), Error);
      charge.next_batches(0);
    }
    std::vector<Charge> parts = charge.take_parts(2);
    EXPECT_EQ(parts.size(), events.size() == 1 ? 2 : 1);
    for (Charge& part : parts) {
      SecureSource source;
      std::vector<int64_t> units = {5};
      EXPECT_NO_THROW(add_gaussian_noise(
          part.take(0), Sensitivity(1000, Norm::kL2, Relation::kZeroOut), units, source));
    }
    EXPECT_THROW(charge.take_parts(2), Error);
    ledger->record_progress("adult", run, RunProgress{4, "aa"}, {10, "end"});
    EXPECT_THROW(ledger->resume("adult", run, {10, "end"}).take_parts(2), Error);
  }
}

/// Before the first step nothing that was drawn has been seen; after it what stands beside the
/// steps has been drawn.
TEST_F(LedgerProgress, DrawsBesideTheStepsAreLeftUntilAStepIsRecorded) {
  const Event part =
      Event::composed({Event::repeat(10, Event::poisson_sampled(1, {Event::gaussian(20)})),
                       Event::gaussian(20), Event::sampler_error(1e-30)});
  const Event event = Event::parallel("sex", {"Female", "Male"}, {part, part});
  const int64_t run = ledger->reserve("adult", {event}, Relation::kZeroOut, "run", true).entry;
  ledger->record_progress("adult", run, {}, {0, "start"});
  EXPECT_EQ(ledger->resume("adult", run, {0, "start"}).take_each(1).size(), 2);
  ledger->record_progress("adult", run, RunProgress{0, "start"}, {1, "aa"});
  Charge charge = ledger->resume("adult", run, {1, "aa"});
  EXPECT_THROW(charge.take_each(1), Error);
  EXPECT_EQ(charge.next_batches(0).size(), 2);
}

TEST_F(LedgerTest, PartsOfOneSplitCostTheLargerOneAndSplitsAddUp) {
  Ledger ledger(path_);
  const double alone = ledger.quote("adult", kEvents, Relation::kZeroOut).after.epsilon.value();
  const Guarantee both = ledger.quote("adult", {in_parallel("one")}, Relation::kZeroOut).after;
  const std::vector<Event> release = {Event::discrete_gaussian(4, 1)};
  EXPECT_EQ(
      both.epsilon.value(),
      std::max(alone, ledger.quote("adult", release, Relation::kZeroOut).after.epsilon.value()));
  ledger.reserve("adult", {in_parallel("one")}, Relation::kZeroOut, "run");
  EXPECT_EQ(ledger.account("adult").entries[0].events, std::vector<Event>{in_parallel("one")});
  EXPECT_EQ(ledger.verify().accounts[0].spent.epsilon.value(), both.epsilon.value());
  // A later release on the part that was trained on: in another split those may be other people.
  const auto release_on_first_part = [](const std::string& split) {
    return std::vector<Event>{Event::parallel(
        split, {"trained on", "held out"}, {Event::discrete_gaussian(4, 1), Event::composed({})})};
  };
  const auto spent_with = [&](const std::vector<Event>& events) {
    return ledger.quote("adult", events, Relation::kZeroOut).after.epsilon.value();
  };
  // Nobody has stated that the table of a later entry has everybody in the same part.
  EXPECT_EQ(spent_with(release_on_first_part("one")), spent_with(release_on_first_part("two")));
  EXPECT_EQ(spent_with(release_on_first_part("two")), spent_with(release));
}

/// What samplers may err in one group is no other group's.
TEST_F(LedgerTest, AGroupIsHeldToTheSamplerErrorsOfItsOwn) {
  const Event event = Event::parallel("split", {"a", "b"}, {Event::composed(kEvents), kEvents[0]});
  std::vector<Charge> groups =
      Ledger(path_).reserve("adult", {event}, Relation::kZeroOut, "run").charge.take_groups();
  SecureSource source;
  std::vector<uint32_t> records;
  EXPECT_NO_THROW(groups[0].next_batch(0).draw(10, source, records));
  EXPECT_THROW(groups[1].next_batch(0).draw(10, source, records), Error);
}

/// Whether a charge suffices must not tell how many records there are where that is private.
TEST_F(LedgerTest, UnderAddRemoveABatchIsPaidForWhateverItsTable) {
  const std::filesystem::path path = folder_.path() / "private_size.ledger";
  Ledger::open_account(path, "adult", {Epsilon(3), Delta(1e-6), Relation::kAddRemove});
  const Event batch = Event::poisson_sampled(0.01, {Event::gaussian(1.5)});
  SecureSource source;
  std::vector<uint32_t> records;
  for (const auto& [error, suffices] : {std::pair{0x1p-109, false}, {0x1p-108, true}}) {
    for (const int64_t num_records : {int64_t{3}, int64_t{100'000}}) {
      Charge charge = Ledger(path)
                          .reserve("adult", {batch, Event::sampler_error(error)},
                                   Relation::kAddRemove, "release")
                          .charge;
      BatchPermit permit = charge.next_batch(0);
      if (suffices) {
        EXPECT_NO_THROW(permit.draw(num_records, source, records));
      } else {
        EXPECT_THROW(permit.draw(num_records, source, records), Error);
      }
    }
  }
}

TEST_F(LedgerProgress, OfTwoProcessesThatGoOnOnlyTheFirstMayRecord) {
  record({}, {4, "aa"});
  Ledger other(path_);
  Charge first = ledger->resume("adult", entry, {4, "aa"});
  Charge second = other.resume("adult", entry, {4, "aa"});
  other.record_progress("adult", entry, RunProgress{4, "aa"}, {6, "theirs"});
  EXPECT_ERROR(kLedger, HasSubstr("must not be released"),
               record(RunProgress{4, "aa"}, {6, "ours"}));
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
  tamper_behind_triggers("DELETE FROM entries WHERE sequence = 3");
  Ledger(path_).account("adult");  // an older copy: only the kept last hash tells
  tamper_behind_triggers(
      "UPDATE entries SET body = replace(body, 'run', 'ran') WHERE sequence = 2");
  error_of(ErrorKind::kLedger, [&] { Ledger(path_).account("adult"); });
}

TEST_F(LedgerProgress, AUsedKeyPointsToTheCheckpoint) {
  const auto reserve = [&] {
    ledger->reserve("adult", kEvents, Relation::kZeroOut, "run", true, "k");
  };
  reserve();
  EXPECT_THAT(error_of(ErrorKind::kUsage, reserve), HasSubstr("resume from its checkpoint"));
}

}  // namespace equinoise::ledger_test
