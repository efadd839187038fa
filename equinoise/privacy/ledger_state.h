// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "equinoise/privacy/account_cost.h"
#include "equinoise/privacy/ledger_entry.h"
#include "equinoise/privacy/ledger_file.h"

namespace equinoise {

/// One account according to its records.
struct AccountState {
  Budget budget;
  std::vector<LedgerEntry> entries;
  bool opened_by_name = false;  ///< by a version that added costs of groups up by name

  Spends spends() const;
  /// The entry of that number, or nullptr.
  const LedgerEntry* find(int64_t sequence) const;
  /// The entry that was reserved with that key, or nullptr; nullptr for "".
  const LedgerEntry* find_key(const std::string& key) const;
};

/// The contents of a ledger's records.
struct LedgerState {
  std::map<std::string, AccountState> accounts;
  LedgerRecord last;
};

/// Reads the file and interprets its records. Errors: kLedger, naming the entry, for a record of an
/// unknown kind, with a member that this version does not know (it may be a restriction), or in a
/// place where it cannot be.
LedgerState load_state(const LedgerFile& file);

/// The bodies of records. `time`: UTC, ISO 8601.
nlohmann::json open_body(const std::string& dataset, const Budget& budget, const std::string& time);
nlohmann::json spend_body(const std::string& dataset, const LedgerEntry& entry);
nlohmann::json progress_body(const std::string& dataset, int64_t entry, const RunProgress& now,
                             const std::string& time);

}  // namespace equinoise
