// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/privacy/budget.h"
#include "equinoise/privacy/charge.h"
#include "equinoise/privacy/guarantee.h"
#include "equinoise/privacy/ledger_entry.h"

namespace equinoise {

class LedgerFile;
struct LedgerRecord;

/// The spending of a capped group's members.
struct GroupSpending {
  GroupCap cap;
  Guarantee spent;
};

/// The state of one dataset's budget. `spent` is one account of all entries at the budget's delta
/// (account_cost.h), valid even if later entries were chosen after earlier outputs were seen.
struct LedgerAccount {
  std::string dataset;
  Budget budget;
  Guarantee spent;
  std::vector<LedgerEntry> entries;
  std::vector<GroupSpending> groups = {};  ///< (group_caps)
  /// True if an older version opened the account; it added up the costs of groups by name over
  /// entries.
  bool opened_by_name = false;
  /// The total when costs are added up by name, which is not a bound if somebody changed groups.
  /// Empty if the account was opened under the current rule, or if the names do not match.
  std::optional<Guarantee> spent_by_name = {};
};

/// Returns whether the account was opened by name and groups have paid differently in some entry.
/// Its guarantee then holds only if nobody changed groups.
bool rests_on_names(const LedgerAccount& account);

/// The reason why nothing more can be spent from the account, at any cost, and the remedy; "" if
/// something can. Either the account is above its budget under the current rule, or it has caps of
/// groups without the statement that they depend on (Budget::fixed_groups). Only old files can be
/// in these states.
std::string closed_because(const LedgerAccount& account);

/// The warning before a run whose ledger does not exist.
std::string no_ledger_warning(const std::filesystem::path& path, std::string_view dataset,
                              const Neighbours& neighbours);

/// The answer of a ledger to a spend before it is made.
struct LedgerQuote {
  LedgerAccount account;
  Guarantee after;               ///< the account's total with the spend
  std::optional<Error> refusal;  ///< the error that reserve() would throw now; empty: none
};

/// A spend that has been recorded: the right to draw, and the number and hash of its entry.
struct Reservation {
  Charge charge;
  int64_t entry = 0;
  std::string hash;
  Guarantee spent;  ///< of the account, with this entry
};

/// The confirmed content of a ledger.
struct LedgerVerification {
  int64_t num_records = 0;
  std::string last_hash;
  std::vector<LedgerAccount> accounts;
};

/// The durable account of privacy: an append-only SQLite file with a hash chain, one account per
/// dataset.
///
/// A cost is recorded (and forced to the disk) before anything is drawn, so a crash leaves budget
/// spent, never un-spent. There is one writer at a time: a call waits up to 10 seconds for a locked
/// ledger. The chain detects edits of the file, but not its replacement by an older copy. Errors:
/// kLedger for a file that is missing, locked, read-only, not a ledger or broken in its chain, or
/// when the disk is full; the message explains how to recover. Every call verifies structure and
/// chain first.
class Ledger {
 public:
  /// Opens an account for `dataset`, creating the file if there is none. Errors: kLedger if the
  /// account exists; kUsage, naming the field, for an invalid budget (check_budget), or for caps of
  /// groups without fixed_groups.
  static void open_account(const std::filesystem::path& path, const std::string& dataset,
                           const Budget& budget);

  /// Opens an existing ledger for spending. Where there is none, the error has the command that
  /// opens an account of this dataset there.
  explicit Ledger(const std::filesystem::path& path, std::string_view dataset = "NAME",
                  const std::optional<Neighbours>& neighbours = {});
  ~Ledger();
  Ledger(Ledger&&) noexcept;
  Ledger& operator=(Ledger&&) noexcept;

  /// The names of the datasets that have an account.
  std::vector<std::string> datasets() const;

  /// The end of the hash chain: changes with every entry of any account.
  std::string last_hash() const;

  /// All stored lines, for other tools (ledger_file.h).
  std::vector<LedgerRecord> records() const;

  /// The account of `dataset`. Errors: kLedger if there is none (the message names those that
  /// exist), or, naming the entry, if one cannot be accounted for.
  LedgerAccount account(const std::string& dataset) const;

  /// Checks structure, definition and chain, and that every entry fitted into budget and caps when
  /// it was added. An entry must fit by the current rule; in an account that an older version
  /// opened, fitting by the sum by name is enough. Errors: kLedger, naming the entry.
  LedgerVerification verify() const;

  /// The result that a reservation of `events` would have. Spends nothing. Errors: those of
  /// account(); kUsage if the accountant cannot bound an event, or if the neighbours differ from
  /// the account's in relation or unit (costs for another unit cannot be compared).
  LedgerQuote quote(const std::string& dataset, const std::vector<Event>& events,
                    const Neighbours& neighbours, const std::string& key = {}) const;

  /// The entry that was reserved with this key, if any, for a script that is run again.
  std::optional<LedgerEntry> find_key(const std::string& dataset, const std::string& key) const;

  /// Records the cost of `events` and returns the right to draw them, once. `resumable`: the run
  /// promises to record its progress before any of its outputs can be seen, and may be resumed.
  ///
  /// `key`, if it is not "", names this spend within the account, so that a script that is run
  /// again does not pay again. A used key is always refused, and nothing is spent. The ledger knows
  /// that the charge was handed out, but not which part of it was drawn, and a second charge for
  /// one payment could draw noise twice. (If the first charge is known to have left nothing,
  /// resume() continues from the recorded state.) The message names the entry that holds the key.
  ///
  /// Errors: kBudget, naming the limit, if the budget, the cap of a group or the share for failures
  /// would be exceeded, or for closed_because(); kUsage for a used key, for no events, and as
  /// quote(). Then the file is unchanged.
  Reservation reserve(const std::string& dataset, const std::vector<Event>& events,
                      const Neighbours& neighbours, const std::string& purpose,
                      bool resumable = false, const std::string& key = {});

  /// Records that a run has moved from `before` (empty: its start) to `now`. Call it before anyone
  /// can see the state that belongs to `now`.
  ///
  /// Guarantee: the recorded states of one entry form one run: each continues the one before it. If
  /// two processes continue from the same state, only the first can record; the later draws of the
  /// other one must not be released. Costs nothing: every state is a post-processing of the entry's
  /// paid releases. Errors: kLedger if the entry is not resumable or its newest recorded progress
  /// is not `before`; kUsage if `now` does not come after it (the first may be 0) or is beyond the
  /// end.
  void record_progress(const std::string& dataset, int64_t entry,
                       const std::optional<RunProgress>& before, const RunProgress& now);

  /// The right to draw the rest of entry `entry`, which has been paid for, from its newest progress
  /// `at`. Draws after that state were never recorded, so never released: the draws of the new run
  /// take their place. Each charge that is handed out for a state may be drawn, but an output may
  /// be released only after record_progress() of the state that it belongs to.
  ///
  /// If the only event of the entry is a kParallel, this concerns the first group's run. The other
  /// groups must draw after its last state was recorded, in the process that recorded it. Only one
  /// of two processes that continue from an earlier state records it, and from the last state on
  /// the resumed charge holds nothing for these groups. So they are drawn at most once, or never.
  /// Errors: kLedger if there is no such entry or `at` is not its newest progress.
  Charge resume(const std::string& dataset, int64_t entry, const RunProgress& at);

 private:
  std::unique_ptr<LedgerFile> file_;
};

}  // namespace equinoise
