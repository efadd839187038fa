// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "equinoise/privacy/ledger.h"
#include "equinoise/report/ledger/ledger_statement.h"
#include "equinoise/report/page/text_table.h"

namespace equinoise {

/// The account that a run is recorded in, in a sentence that may be published.
std::string account_line(const LedgerStatement& ledger);

/// The account before and after, and what it rests on: a line each.
std::vector<std::string> account_items(const LedgerStatement& ledger);

/// The same as lines.
std::string ledger_lines(const LedgerStatement& ledger);

/// The answer of `equinoise ledger show` for terminals.
std::string ledger_to_text(const LedgerAccount& account, const std::string& path);

/// A row for each event of each entry.
TextTable entries_table(std::span<const LedgerEntry> entries);

/// An event as rows of a table: of groups in parallel one for each.
std::vector<std::string> event_lines(const Event& event);

}  // namespace equinoise
