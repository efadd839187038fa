// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "equinoise/privacy/ledger.h"

namespace equinoise {

/// The output of `equinoise ledger explain` for terminals, in words: the guarantee, the spends and
/// their purposes, and the rest of the budget, overall and for each capped group.
std::string explain_ledger(const LedgerAccount& account, const std::string& path);

/// The same for programs: to_json(account) with "cost_alone" (epsilon) in each entry and "named" in
/// each group, whether any entry names the group.
nlohmann::ordered_json explain_ledger_json(const LedgerAccount& account);

/// All records as they are stored, and the resulting accounts, from which another tool can check
/// the chain and redo the accounting.
nlohmann::ordered_json export_ledger(const Ledger& ledger);

/// All entries as CSV (RFC 4180), one line each; events are JSON.
std::string export_ledger_csv(const Ledger& ledger);

}  // namespace equinoise
