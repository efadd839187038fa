// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/ledger_file.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/test_support.h"

namespace equinoise::ledger_file_test {

class LedgerFileTest : public ::testing::Test {
 protected:
  TempFolder folder_;
  std::filesystem::path path_ = folder_.path() / "test.ledger";
  std::filesystem::path journal_ = folder_.path() / "test.ledger-journal";

  void SetUp() override {
    LedgerFile file(path_, true);
    LedgerTransaction transaction(file);
    ASSERT_TRUE(file.init());
    LedgerRecord last;
    for (int i = 0; i < 3; ++i) file.append(last, {{"number", i}});
    transaction.commit();
  }

  int tamper(const std::string& sql) const {
    sqlite3* connection = nullptr;
    sqlite3_open(path_.c_str(), &connection);
    const int status = sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr);
    sqlite3_close(connection);
    return status;
  }

  std::vector<LedgerRecord> read() const { return LedgerFile(path_, false).read(); }

  /// A process that is killed in the middle of a transaction which has reached the file.
  void die_in_transaction() const {
    const pid_t child = fork();
    if (child == 0) {
      sqlite3* connection = nullptr;
      sqlite3_open(path_.c_str(), &connection);
      // Two pages of memory, so that everything else must go to the disk before the commit.
      sqlite3_exec(connection,
                   "PRAGMA cache_size=2; BEGIN IMMEDIATE;"
                   "INSERT INTO entries VALUES (4, hex(randomblob(100000)), 'x');"
                   "INSERT INTO entries VALUES (5, hex(randomblob(100000)), 'y');",
                   nullptr, nullptr, nullptr);
      ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
  }
};

TEST_F(LedgerFileTest, KeepsAChain) {
  const std::vector<LedgerRecord> records = read();
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].body, R"({"number":0})");
  // printf '\n{"number":0}' | sha256sum
  EXPECT_EQ(records[0].hash, "164a517fa4a3e168568956df61a5d1efa0c212cbfc3c0c2a386d42de6af0c7f4");
  EXPECT_EQ(records[2].sequence, 3);
}

TEST_F(LedgerFileTest, WhatAKilledProcessLeftIsUndone) {
  const auto size = std::filesystem::file_size(path_);
  die_in_transaction();
  ASSERT_TRUE(std::filesystem::exists(journal_));
  ASSERT_GT(std::filesystem::file_size(path_), size);
  EXPECT_EQ(read().size(), 3U);
  EXPECT_FALSE(std::filesystem::exists(journal_));
  EXPECT_EQ(std::filesystem::file_size(path_), size);
}

TEST_F(LedgerFileTest, ACopyWithoutItsJournalIsNoticed) {
  die_in_transaction();
  std::filesystem::remove(journal_);
  EXPECT_ERROR(kLedger, HasSubstr("Restore the newest backup"), read());
}

TEST_F(LedgerFileTest, NothingThatTheFileBringsAlongIsRun) {
  const std::filesystem::path copy = folder_.path() / "copy.ledger";
  std::filesystem::copy_file(path_, copy);
  for (const std::string sql :
       {"CREATE TRIGGER t BEFORE INSERT ON entries BEGIN SELECT RAISE(IGNORE); END",
        "CREATE TRIGGER t AFTER INSERT ON entries BEGIN SELECT 1; END", "CREATE TABLE t (x)",
        "CREATE VIEW v AS SELECT * FROM entries", "CREATE INDEX i ON entries (body)", "ANALYZE",
        "DROP TRIGGER entries_are_not_removed", "ALTER TABLE entries ADD COLUMN note TEXT",
        "DROP TRIGGER entries_are_not_removed; CREATE TRIGGER entries_are_not_removed BEFORE "
        "DELETE ON entries BEGIN SELECT 1; END",
        "ALTER TABLE entries RENAME TO real; CREATE VIEW entries AS SELECT * FROM real WHERE "
        "sequence < 2"}) {
    ASSERT_EQ(tamper(sql), SQLITE_OK) << sql;
    EXPECT_ERROR(kLedger, HasSubstr("its definition was changed"), read()) << sql;
    std::filesystem::copy_file(copy, path_, std::filesystem::copy_options::overwrite_existing);
  }
}

/// Records that a damaged tree of the table no longer shows are still in the index.
TEST_F(LedgerFileTest, ARecordThatTheTableLostIsNoticed) {
  ASSERT_EQ(tamper("PRAGMA writable_schema=ON;"
                   "UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE "
                   "name = 'sqlite_autoindex_entries_1') WHERE name = 'entries'"),
            SQLITE_OK);
  error_of(ErrorKind::kLedger, [&] { read(); });
}

TEST_F(LedgerFileTest, IsPutBackFromAnotherJournalMode) {
  ASSERT_EQ(tamper("PRAGMA journal_mode=WAL"), SQLITE_OK);
  EXPECT_EQ(read().size(), 3U);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "test.ledger-wal"));
}

TEST_F(LedgerFileTest, AFileOfSomebodyElseIsNotTouched) {
  const std::filesystem::path path = folder_.path() / "other.db";
  sqlite3* connection = nullptr;
  sqlite3_open(path.c_str(), &connection);
  sqlite3_exec(connection, "PRAGMA journal_mode=WAL; CREATE TABLE t (x)", nullptr, nullptr,
               nullptr);
  for (const bool create : {false, true}) {
    EXPECT_ERROR(kLedger, HasSubstr("is not an Equinoise ledger"), LedgerFile file(path, create));
  }
  sqlite3_stmt* mode = nullptr;
  sqlite3_prepare_v2(connection, "PRAGMA journal_mode", -1, &mode, nullptr);
  sqlite3_step(mode);
  EXPECT_STREQ(reinterpret_cast<const char*>(sqlite3_column_text(mode, 0)), "wal");
  sqlite3_finalize(mode);
  sqlite3_close(connection);
}

TEST_F(LedgerFileTest, ConfirmsWhatIsThere) {
  const LedgerFile file(path_, false);
  LedgerRecord last = read().back();
  EXPECT_NO_THROW(file.confirm(last));
  last.body += " ";
  EXPECT_ERROR(kLedger, HasSubstr("release nothing"), file.confirm(last));
}

TEST_F(LedgerFileTest, AnUnfinishedTransactionLeavesNothing) {
  {
    LedgerFile file(path_, false);
    LedgerTransaction transaction(file);
    LedgerRecord last = file.read().back();
    file.append(last, {{"number", 4}});
  }
  EXPECT_EQ(read().size(), 3U);
}

}  // namespace equinoise::ledger_file_test
