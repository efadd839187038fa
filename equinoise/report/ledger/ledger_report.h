// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "equinoise/privacy/ledger.h"

namespace equinoise {

/// The answer of `equinoise ledger explain` for terminals: in words, what is guaranteed, what was
/// spent on what, and what is left, overall and for each capped group.
std::string explain_ledger(const LedgerAccount& account, const std::string& path);

/// The same for programs: to_json(account) with "cost_alone" (epsilon) in each entry and "named" in
/// each group, whether any entry names the group.
nlohmann::ordered_json explain_ledger_json(const LedgerAccount& account);

/// Everything that another tool needs to check the chain and to redo the accounting: all records as
/// they are stored, and the accounts that they make.
nlohmann::ordered_json export_ledger(const Ledger& ledger);

/// All entries as CSV (RFC 4180), one line each; events are JSON.
std::string export_ledger_csv(const Ledger& ledger);

}  // namespace equinoise
