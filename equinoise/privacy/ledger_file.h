// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/privacy/neighbours.h"

struct sqlite3;

namespace equinoise {

/// One stored line of a ledger: `hash` is the SHA-256 of the hash before it (empty for the first),
/// a line feed and `body`, in lower-case hexadecimal digits.
struct LedgerRecord {
  int64_t sequence = 0;  ///< 1, 2, ... without gaps
  std::string body;      ///< a JSON object
  std::string hash;
};

/// The command that opens an account in a ledger that does not exist: "equinoise ledger init ...".
/// `neighbours` are those of the planned run, if known.
std::string how_to_open_account(const std::filesystem::path& path, std::string_view dataset,
                                const std::optional<Neighbours>& neighbours);

/// The SQLite file of a ledger: a chain of records that only grows. No SQL stored in the file is
/// run: its definition (tables, indices, triggers, views) must be exactly the one that init()
/// makes. Errors: kLedger; the message explains how to recover.
class LedgerFile {
 public:
  /// Opens a file; `create`: makes an empty one if there is none. `hint`: the end of the message
  /// that there is none. A file that is not a ledger is refused and left unchanged. A transaction
  /// that a killed process left half-written is undone.
  LedgerFile(const std::filesystem::path& path, bool create, const std::string& hint = "");
  ~LedgerFile();
  LedgerFile(const LedgerFile&) = delete;
  LedgerFile& operator=(const LedgerFile&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// Makes an empty ledger of a new file. Returns false, and does nothing, if the file is a ledger
  /// already. Pre: within a LedgerTransaction.
  bool init();

  /// All records at one moment, after checking the file's structure, its definition, sequence and
  /// chain. Pre: within a LedgerTransaction nothing has been written yet.
  std::vector<LedgerRecord> read() const;

  /// Adds `body` after `last`, which becomes the new record. Pre: within a LedgerTransaction.
  /// Errors: kUsage for text that is not UTF-8.
  void append(LedgerRecord& last, const nlohmann::json& body);

  /// Throws unless the record is in the file now, unchanged.
  void confirm(const LedgerRecord& record) const;

  /// Throws kLedger with the file's name in front.
  [[noreturn]] void refuse_file(std::string_view message) const;

  /// Throws, naming the record, for one that is invalid.
  [[noreturn]] void refuse_record(int64_t sequence, std::string_view what) const;

 private:
  friend class LedgerTransaction;
  using Row = std::vector<std::string>;

  void execute(const std::string& sql) const;
  /// The rows of a query as texts; NULL is "".
  std::vector<Row> query(const std::string& sql, const Row& values = {}) const;
  std::string value(const std::string& sql) const;
  void check_identity(bool may_be_new) const;
  void check_structure() const;
  std::string explain(int status) const;

  std::filesystem::path path_;
  sqlite3* connection_ = nullptr;
};

/// Holds the write lock of a ledger; undoes everything unless committed. Waits up to 10 seconds for
/// a locked ledger.
class LedgerTransaction {
 public:
  explicit LedgerTransaction(LedgerFile& file);
  ~LedgerTransaction();
  LedgerTransaction(const LedgerTransaction&) = delete;
  LedgerTransaction& operator=(const LedgerTransaction&) = delete;

  /// Returns when everything is on the disk.
  void commit();

 private:
  LedgerFile& file_;
  bool committed_ = false;
};

}  // namespace equinoise
