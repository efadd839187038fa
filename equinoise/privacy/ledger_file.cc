// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/ledger_file.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "equinoise/base/sha256.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "privacy.ledger";
constexpr int kWaitMilliseconds = 10'000;
constexpr int kApplicationId = 0x45514e4c;  // "EQNL"

// Never changed: files hold exactly this text, and files with another text are refused.
constexpr const char* kCreate = R"sql(
CREATE TABLE entries (
  sequence INTEGER PRIMARY KEY,
  body TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE
) STRICT;
CREATE TRIGGER entries_are_not_changed BEFORE UPDATE ON entries
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER entries_are_not_removed BEFORE DELETE ON entries
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER entries_are_in_sequence BEFORE INSERT ON entries
  WHEN NEW.sequence IS NOT (SELECT coalesce(max(sequence), 0) + 1 FROM entries)
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
)sql";

constexpr const char* kDefinition =
    "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name";
constexpr const char* kRestore =
    "Restore the newest backup and count everything released since then as spent; do not start an "
    "empty ledger";
constexpr const char* kReadOnly =
    "is read-only; nothing was recorded. Make the file and its folder writable";

std::string chain_hash(const std::string& previous, const std::string& body) {
  return sha256_hex(previous + "\n" + body);
}

using Rows = std::vector<std::vector<std::string>>;

/// Runs a statement; `status` is SQLite's last answer.
Rows run(sqlite3* connection, const std::string& sql, const std::vector<std::string>& values,
         int& status) {
  Rows rows;
  sqlite3_stmt* statement = nullptr;
  status = sqlite3_prepare_v2(connection, sql.c_str(), -1, &statement, nullptr);
  if (status != SQLITE_OK) return rows;
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> guard(statement, sqlite3_finalize);
  for (size_t i = 0; i < values.size(); ++i) {
    sqlite3_bind_text(statement, static_cast<int>(i + 1), values[i].data(),
                      static_cast<int>(values[i].size()), SQLITE_TRANSIENT);
  }
  while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
    std::vector<std::string>& row = rows.emplace_back();
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
      const auto size = static_cast<size_t>(sqlite3_column_bytes(statement, i));
      row.emplace_back(text == nullptr ? std::string() : std::string(text, size));
    }
  }
  if (status == SQLITE_DONE) status = SQLITE_OK;
  return rows;
}

/// The definition of every ledger, as SQLite reports it.
Rows make_definition() {
  sqlite3* connection = nullptr;
  int status = sqlite3_open(":memory:", &connection);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> guard(connection, sqlite3_close);
  if (status == SQLITE_OK) {
    status = sqlite3_exec(connection, kCreate, nullptr, nullptr, nullptr);
  }
  Rows rows;
  if (status == SQLITE_OK) rows = run(connection, kDefinition, {}, status);
  if (status != SQLITE_OK) {
    throw Error(ErrorKind::kLedger, kWhere, "SQLite cannot make a table: {}",
                sqlite3_errstr(status));
  }
  return rows;
}

}  // namespace

std::string how_to_open_account(const std::filesystem::path& path, std::string_view dataset,
                                const std::optional<Neighbours>& neighbours) {
  const bool is_of_rows = !neighbours || neighbours->unit == kRowUnit;
  return fmt::format(
      "equinoise ledger init --ledger {} --dataset {} --epsilon E --delta D --relation {}{}",
      path.string(), dataset, neighbours ? to_string(neighbours->relation) : "R",
      is_of_rows ? "" : " --unit " + neighbours->unit);
}

LedgerFile::LedgerFile(const std::filesystem::path& path, bool create, const std::string& hint)
    : path_(path) {
  std::error_code error;
  const std::filesystem::file_type type = std::filesystem::status(path, error).type();
  if (!create && type == std::filesystem::file_type::not_found)
    refuse_file("there is no such ledger" + hint);
  if (type == std::filesystem::file_type::directory) refuse_file("is a directory, not a ledger");
  const int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
  const int status = sqlite3_open_v2(path.c_str(), &connection_, flags, nullptr);
  try {
    if (status != SQLITE_OK) refuse_file(explain(status));
    sqlite3_busy_timeout(connection_, kWaitMilliseconds);
    sqlite3_db_config(connection_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    execute("PRAGMA trusted_schema=OFF");
    execute("PRAGMA cell_size_check=ON");
    check_identity(create);
    // A copy of the file alone can lack committed records in other modes.
    if (value("PRAGMA journal_mode=DELETE") != "delete") {
      refuse_file(
          "is held in another journal mode by a process that has it open; close that process");
    }
    execute("PRAGMA synchronous=EXTRA");
  } catch (...) {
    sqlite3_close(connection_);
    throw;
  }
}

LedgerFile::~LedgerFile() { sqlite3_close(connection_); }

void LedgerFile::refuse_file(std::string_view message) const {
  throw Error(ErrorKind::kLedger, kWhere, "{}: {}", path_.string(), message);
}

void LedgerFile::refuse_record(int64_t sequence, std::string_view what) const {
  refuse_file(fmt::format("entry {} {}. {}", sequence, what, kRestore));
}

std::string LedgerFile::explain(int status) const {
  switch (status & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fmt::format(
          "locked by another process for more than {} seconds; nothing was recorded, try again "
          "when it has finished",
          kWaitMilliseconds / 1000);
    case SQLITE_READONLY:
      return kReadOnly;
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return "cannot be opened; check that the folder exists and that you may read and write it";
    case SQLITE_FULL:
    case SQLITE_IOERR:
      return "cannot be written (disk full, a quota, or a broken disk); nothing was recorded. "
             "Free some space and try again";
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
    case SQLITE_ERROR:
      return fmt::format("is not a ledger or is damaged. {}", kRestore);
    default:
      return fmt::format("SQLite says: {}", sqlite3_errstr(status));
  }
}

void LedgerFile::execute(const std::string& sql) const {
  const int status = sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr);
  if (status != SQLITE_OK) refuse_file(explain(status));
}

std::vector<LedgerFile::Row> LedgerFile::query(const std::string& sql, const Row& values) const {
  int status = SQLITE_OK;
  std::vector<Row> rows = run(connection_, sql, values, status);
  if (status != SQLITE_OK) refuse_file(explain(status));
  return rows;
}

std::string LedgerFile::value(const std::string& sql) const {
  const std::vector<Row> rows = query(sql);
  return rows.empty() || rows[0].empty() ? std::string() : rows[0][0];
}

void LedgerFile::check_identity(bool may_be_new) const {
  const std::string id = value("PRAGMA application_id");
  if (id == std::to_string(kApplicationId)) return;
  if (may_be_new && id == "0" && query(kDefinition).empty()) return;
  refuse_file("is not an Equinoise ledger; give the right file with --ledger");
}

void LedgerFile::check_structure() const {
  check_identity(false);
  static const Rows kExpected = make_definition();
  if (query(kDefinition) != kExpected) {
    refuse_file(
        fmt::format("its definition was changed (a table, index, trigger or view was added, "
                    "dropped or altered), so its contents cannot be trusted. {}",
                    kRestore));
  }
  // Finds records that the table has lost but the index still holds, and the reverse.
  const std::string found = value("PRAGMA integrity_check(1)");
  std::error_code error;
  const auto size = std::filesystem::file_size(path_, error);
  const uint64_t whole = std::strtoull(value("PRAGMA page_size").c_str(), nullptr, 10) *
                         std::strtoull(value("PRAGMA page_count").c_str(), nullptr, 10);
  if (found != "ok" || error || size != whole) {
    refuse_file(fmt::format(
        "is damaged, or was copied without its journal while it was being written. {}", kRestore));
  }
}

bool LedgerFile::init() {
  if (value("PRAGMA application_id") != "0") return false;
  execute(fmt::format("PRAGMA application_id={}", kApplicationId));
  execute(kCreate);
  return true;
}

std::vector<LedgerRecord> LedgerFile::read() const {
  // Inside our own transaction the write lock holds; otherwise a read lock fixes one moment.
  const bool is_locked = sqlite3_get_autocommit(connection_) == 0;
  if (!is_locked) execute("BEGIN");
  struct End {
    sqlite3* connection;
    ~End() {
      if (connection != nullptr) sqlite3_exec(connection, "ROLLBACK", nullptr, nullptr, nullptr);
    }
  } const end{is_locked ? nullptr : connection_};
  check_structure();
  std::vector<LedgerRecord> records;
  std::string last;
  for (Row& row : query("SELECT sequence, body, hash FROM entries ORDER BY sequence")) {
    const auto sequence = static_cast<int64_t>(records.size()) + 1;
    if (row[0] != std::to_string(sequence) || row[2] != chain_hash(last, row[1])) {
      refuse_record(sequence, "does not fit the hash chain: the file was edited or damaged");
    }
    last = row[2];
    records.push_back({sequence, std::move(row[1]), std::move(row[2])});
  }
  return records;
}

void LedgerFile::append(LedgerRecord& last, const nlohmann::json& body) {
  LedgerRecord next{last.sequence + 1, {}, {}};
  try {
    next.body = body.dump();
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::kUsage, kWhere,
                "names, purposes and keys in a ledger must be UTF-8; nothing was recorded");
  }
  next.hash = chain_hash(last.hash, next.body);
  query(fmt::format("INSERT INTO entries VALUES ({}, ?1, ?2)", next.sequence),
        {next.body, next.hash});
  last = std::move(next);
}

void LedgerFile::confirm(const LedgerRecord& record) const {
  const std::vector<Row> rows =
      query(fmt::format("SELECT body, hash FROM entries WHERE sequence = {}", record.sequence));
  if (rows != std::vector<Row>{{record.body, record.hash}}) {
    refuse_file(
        fmt::format("entry {} was written but cannot be read back; release nothing that it should "
                    "pay for, and check the disk",
                    record.sequence));
  }
}

LedgerTransaction::LedgerTransaction(LedgerFile& file) : file_(file) {
  if (sqlite3_db_readonly(file_.connection_, "main") == 1) file_.refuse_file(kReadOnly);
  file_.execute("BEGIN IMMEDIATE");
}

LedgerTransaction::~LedgerTransaction() {
  // SQLite undoes it when the file is opened again if this fails.
  if (!committed_) sqlite3_exec(file_.connection_, "ROLLBACK", nullptr, nullptr, nullptr);
}

void LedgerTransaction::commit() {
  file_.execute("COMMIT");
  committed_ = true;
}

}  // namespace equinoise
