// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "equinoise/privacy/ledger.h"
#include "equinoise/report/ledger/ledger_statement.h"

namespace equinoise {

/// {"path", "dataset", "budget", "spent_before", "spent", "remaining"}
nlohmann::ordered_json to_json(const LedgerStatement& ledger);

/// {"sequence", "time", "purpose", "events", "hash"}, with "key" and "progress" where it has them.
nlohmann::ordered_json to_json(const LedgerEntry& entry);

/// The answer of `equinoise ledger show`.
nlohmann::ordered_json to_json(const LedgerAccount& account);

}  // namespace equinoise
