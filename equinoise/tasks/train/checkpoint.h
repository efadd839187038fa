// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "equinoise/files/file_lock.h"
#include "equinoise/privacy/ledger.h"
#include "equinoise/tasks/input/table_files.h"
#include "equinoise/train/state.h"

namespace equinoise {

/// Keeps the state of a training run in a file, so that the run can go on after a crash. Its cost
/// is neither charged twice nor drawn twice.
///
/// Each state is written to a second file, recorded in the ledger, then moved in place. A crash
/// between any two of these leaves a state that can be resumed; a state that is not in the ledger
/// is removed unread. Only the owner can read the file, and one process at a time holds it.
///
/// Guarantee: the recorded states, and a model that is released after save() of the last state, are
/// post-processings of the releases that the ledger's entry paid for (Ledger::record_progress).
class Checkpoint {
 public:
  /// `run`: public settings that identify the run; a file of another run is refused. Without a
  /// ledger (a run that is not paid for) states are kept but not recorded. Errors: kUsage if
  /// another process holds the file; kRuntime if it cannot be written there.
  Checkpoint(std::filesystem::path path, nlohmann::ordered_json run, Ledger* ledger,
             std::string dataset);

  /// Errors: kUsage if the file exists; kRuntime if `bytes` cannot be written there.
  void require_new(int64_t bytes) const;

  /// Begins a new run that an entry of the ledger paid for. An unpaid run does not call it.
  void begin(int64_t entry, const std::string& entry_hash);

  /// The state of a resumed run. Errors: kUsage if there is no such file, or if it is of another
  /// run (names the setting that differs); kInput if it is damaged; kLedger if it is not the newest
  /// state in the ledger.
  TrainingState load();

  /// Binds a run whose cost depends on the groups or the positions of records in the table to its
  /// files. Every state will hold a salted hash of the files, because the ledger must not reveal
  /// anything about the table. A resumed run must have the files of its first state. Call after
  /// load() and before save(). Errors: kUsage for other files; kRuntime if one cannot be read.
  void hold_to(const TableFiles& files);

  /// Checks, after the table has been read, that its files are those that hold_to() hashed, so that
  /// the states are bound to the table as read. Errors: kInput for files that have changed since.
  void require_unchanged(const TableFiles& files) const;

  /// The right to draw the remaining noise, after load(). Errors: as Ledger::resume.
  Charge resume_charge();

  /// Keeps `state`, unless it is the last one kept. Errors: kLedger, kRuntime.
  void save(const TrainingState& state);

  /// Removes the file, after the run's result has been written.
  void remove() const;

  int64_t entry() const { return entry_; }  ///< of the ledger that has paid

 private:
  struct Content;
  std::optional<Content> read(const std::filesystem::path& path) const;
  LedgerEntry find_entry(int64_t entry) const;
  bool is_newest(const Content& content) const;
  void settle_unrecorded() const;
  void require_same_run(const nlohmann::ordered_json& run) const;

  std::filesystem::path path_;
  std::filesystem::path beside_;  // of a state until it replaces the last one
  FileLock lock_;
  nlohmann::ordered_json run_;
  nlohmann::ordered_json table_;  // salt and hash; null: not bound to a table
  Ledger* ledger_;
  std::string dataset_;
  int64_t entry_ = 0;
  std::string entry_hash_;  // distinguishes this ledger's entry from that of another ledger
  std::optional<RunProgress> progress_;  // of the last state kept
};

}  // namespace equinoise
