// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "equinoise/privacy/ledger.h"
#include "equinoise/report/ledger/ledger_statement.h"
#include "equinoise/report/page/document.h"

namespace equinoise {

/// The account before and after a run, and its assumptions: a sentence each. Publishable.
std::vector<std::string> account_sentences(const LedgerStatement& ledger);

/// Adds the account of a run, if there is one.
void add_account(const std::optional<LedgerStatement>& ledger, Document& document);

/// The output of `equinoise ledger show` for terminals: what is left, and a line for each entry.
std::string ledger_to_text(const LedgerAccount& account, const std::string& path);

/// The cost of an entry if it were the only one.
Epsilon cost_alone(const Budget& budget, const LedgerEntry& entry);

/// A row for each entry.
TextTable entries_table(std::span<const LedgerEntry> entries);

/// An event as rows of a table; groups in parallel have one row each.
std::vector<std::string> event_lines(const Event& event);

}  // namespace equinoise
