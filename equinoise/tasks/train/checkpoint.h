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

/// Keeps the state of a training run in a file, so that the run can go on after a crash without
/// being paid for twice and without drawing twice what was paid once.
///
/// Each state is written beside the file, recorded in the ledger, then moved in place: a crash
/// between any two of these leaves a state that can be resumed, and a state that the ledger does
/// not know is removed unread. The file can be read by its owner alone; one process at a time holds
/// it.
///
/// Guarantee: the states that were recorded, and a model that is released after save() of the last
/// state, are post-processings of what the ledger's entry paid for (Ledger::record_progress).
class Checkpoint {
 public:
  /// `run` is an object of public settings that says which run this is; a file of another run is
  /// refused. Without a ledger (a run that is not paid for) states are kept, not recorded.
  /// Errors: kUsage if another process holds the file; kRuntime if it cannot be written there.
  Checkpoint(std::filesystem::path path, nlohmann::ordered_json run, Ledger* ledger,
             std::string dataset);

  /// Errors: kUsage if the file exists; kRuntime if `bytes` cannot be written there.
  void require_new(int64_t bytes) const;

  /// For a new run that an entry of the ledger paid for. One that is not begins without.
  void begin(int64_t entry, const std::string& entry_hash);

  /// The state of a run that goes on. Errors: kUsage if there is no such file or it is of another
  /// run (names the setting that differs); kInput if it is damaged; kLedger if it is not the newest
  /// state that the ledger knows.
  TrainingState load();

  /// For a run whose cost depends on who is in which group, or stands where, in the table: every
  /// state will hold a hash of the files, with a salt, because the ledger must learn nothing of the
  /// table; a run that goes on must have the files of its first state. After load() and before
  /// save(). Errors: kUsage for other files; kRuntime if one cannot be read.
  void hold_to(const TableFiles& files);

  /// After the table has been read: that it is what hold_to() saw, so that what was read is what
  /// the states are bound to. Errors: kInput for files that have changed since.
  void require_unchanged(const TableFiles& files) const;

  /// The right to draw the rest, after load(). Errors: as Ledger::resume.
  Charge resume_charge();

  /// Keeps `state`, unless it is the one that was kept last. Errors: kLedger, kRuntime.
  void save(const TrainingState& state);

  /// Removes the file, after the run's result has been written.
  void remove() const;

  int64_t entry() const { return entry_; }  ///< of the ledger, that has paid

 private:
  struct Content;
  std::filesystem::path with_suffix(const char* suffix) const;
  std::optional<Content> read(const std::filesystem::path& path) const;
  LedgerEntry find_entry(int64_t entry) const;
  bool is_newest(const Content& content) const;
  void settle_unrecorded() const;
  void require_same_run(const nlohmann::ordered_json& run) const;

  std::filesystem::path path_;
  FileLock lock_;
  nlohmann::ordered_json run_;
  nlohmann::ordered_json table_;  // salt and hash; null: any table will do
  Ledger* ledger_;
  std::string dataset_;
  int64_t entry_ = 0;
  std::string entry_hash_;               // tells this ledger's entry from that of another ledger
  std::optional<RunProgress> progress_;  // of the state that was kept last
};

}  // namespace equinoise
