// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "equinoise/privacy/ledger.h"
#include "equinoise/report/fields.h"
#include "equinoise/report/ledger/ledger_statement.h"

namespace equinoise {

/// {"path", "dataset", "budget", "spent_before", "spent", "remaining"}
nlohmann::ordered_json to_json(const LedgerStatement& ledger);

/// The reverse. Errors: kInput, naming file and member.
LedgerStatement read_ledger_statement(const OrderedJsonSection& ledger);

template <>
inline constexpr auto fields_of<RunProgress> =
    std::tuple(field("num_done", &RunProgress::num_done, "Runs of the event behind the state"),
               field("state", &RunProgress::state_hash, "Hash of the state"));

template <>
inline constexpr auto fields_of<LedgerEntry> = std::tuple(
    field("sequence", &LedgerEntry::sequence, "Its place in the account"),
    field("time", &LedgerEntry::time, "When it was written, UTC"),
    field("purpose", &LedgerEntry::purpose, "What was to be done, from public facts"),
    field("events", &LedgerEntry::events, "What was paid for"),
    field("hash", &LedgerEntry::hash, "Of this entry and everything before it"),
    field("key", &LedgerEntry::key, "Name of the spend, by --ledger-key").or_nothing(),
    field("progress", &LedgerEntry::progress, "Newest state of its run that may have been seen")
        .or_nothing());

/// The output of `equinoise ledger show`.
nlohmann::ordered_json to_json(const LedgerAccount& account);

}  // namespace equinoise
