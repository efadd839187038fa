#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/privacy/charge.h"
#include "equinoise/privacy/guarantee.h"

namespace equinoise {

/// The budget of one dataset. `delta` is fixed for the life of the account.
struct Budget {
  Epsilon epsilon;
  Delta delta;
  Relation relation;
};

/// One recorded spend.
struct LedgerEntry {
  int64_t sequence = 0;
  std::string time;     ///< UTC, ISO 8601
  std::string purpose;  ///< what was to be done, from public facts
  std::vector<Event> events;
  std::string hash;  ///< of this entry and everything before it
};

/// What has happened to one dataset's budget. `spent` is one RDP account of all entries at the
/// budget's delta, valid although later entries were chosen after earlier outputs were seen.
struct LedgerAccount {
  std::string dataset;
  Budget budget;
  Guarantee spent;
  std::vector<LedgerEntry> entries;
};

/// The durable account of privacy: an append-only SQLite file with a hash chain, one account per
/// dataset.
///
/// A cost is recorded (and forced to the disk) before anything is drawn, so a crash leaves budget
/// spent, never un-spent. One writer at a time: a locked ledger is waited for during 10 seconds.
/// The chain detects edits of the file, not the return of an older copy of it. Errors: kLedger for
/// a file that is missing, locked, read-only, not a ledger or broken in its chain, or when the disk
/// is full; the message says how to recover. Every call verifies the chain first.
class Ledger {
 public:
  /// Opens an account for `dataset`, creating the file if there is none. Errors: kLedger if the
  /// account exists.
  static void open_account(const std::filesystem::path& path, const std::string& dataset,
                           const Budget& budget);

  /// Opens an existing ledger for spending.
  explicit Ledger(const std::filesystem::path& path);
  ~Ledger();
  Ledger(Ledger&&) noexcept;
  Ledger& operator=(Ledger&&) noexcept;

  /// The names of the datasets that have an account.
  std::vector<std::string> datasets() const;

  /// The end of the hash chain: changes with every entry of any account.
  std::string last_hash() const;

  /// The account of `dataset`. Errors: kLedger if there is none; the message names those that
  /// exist.
  LedgerAccount account(const std::string& dataset) const;

  /// What `spent` would become with `events` added. Spends nothing.
  /// Errors: kUsage if the accountant cannot bound an event or `relation` is not the account's.
  Guarantee spent_with(const std::string& dataset, const std::vector<Event>& events,
                       Relation relation) const;

  /// Records the cost of `events` and returns the right to draw them, once.
  /// Errors: kBudget if the account would exceed its budget; then the file is unchanged.
  Charge reserve(const std::string& dataset, const std::vector<Event>& events, Relation relation,
                 const std::string& purpose);

 private:
  class File;
  std::unique_ptr<File> file_;
};

}  // namespace equinoise
