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

/// How far the run that an entry paid for has come: a state of it that may have been seen.
struct RunProgress {
  int64_t num_done = 0;    ///< runs of the entry's first event that are behind the state
  std::string state_hash;  ///< of the state, so that no other one is taken for it

  friend bool operator==(const RunProgress&, const RunProgress&) = default;
};

/// One recorded spend.
struct LedgerEntry {
  int64_t sequence = 0;
  std::string time;     ///< UTC, ISO 8601
  std::string purpose;  ///< what was to be done, from public facts
  std::vector<Event> events;
  std::string hash;                     ///< of this entry and everything before it
  bool resumable = false;               ///< its run records what can be seen of it
  std::optional<RunProgress> progress;  ///< the newest that was recorded, if any
};

/// What has happened to one dataset's budget. `spent` is one RDP account of all entries at the
/// budget's delta, valid although later entries were chosen after earlier outputs were seen.
struct LedgerAccount {
  std::string dataset;
  Budget budget;
  Guarantee spent;
  std::vector<LedgerEntry> entries;
};

/// A spend that has been recorded: the right to draw, and the number and hash of its entry.
struct Reservation {
  Charge charge;
  int64_t entry = 0;
  std::string hash;
  Guarantee spent;  ///< of the account, with this entry
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

  /// Records the cost of `events` and returns the right to draw them, once. `resumable`: the run
  /// promises to record its progress before any of its outputs can be seen, and may be resumed.
  /// Errors: kBudget if the account would exceed its budget; then the file is unchanged.
  Reservation reserve(const std::string& dataset, const std::vector<Event>& events,
                      Relation relation, const std::string& purpose, bool resumable = false);

  /// Records that a run has come from `before` (nothing: its start) to `now`. Call it before the
  /// state that belongs to `now` can be seen by anybody.
  ///
  /// Guarantee: the states of one entry that were recorded form one run: each continues the one
  /// before it. Of two processes that both went on from the same state only the first can record;
  /// what the other one has drawn since must not be released. Costs nothing: every state is a
  /// post-processing of what the entry paid for.
  /// Errors: kLedger if the entry is not resumable or its newest recorded progress is not `before`;
  /// kUsage if `now` is not behind it (the first may be 0) or is beyond the end.
  void record_progress(const std::string& dataset, int64_t entry,
                       const std::optional<RunProgress>& before, const RunProgress& now);

  /// The right to draw the rest of what entry `entry` paid for, for the state of its newest
  /// progress, `at`. What was drawn after that state was never recorded, so never released: the
  /// draws of the new run take its place. Each charge that is handed out for a state may be drawn,
  /// but an output may be released only after record_progress() of the state that it belongs to.
  /// Errors: kLedger if there is no such entry or `at` is not its newest progress.
  Charge resume(const std::string& dataset, int64_t entry, const RunProgress& at);

 private:
  class File;
  std::unique_ptr<File> file_;
};

}  // namespace equinoise
