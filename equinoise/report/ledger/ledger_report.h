// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "equinoise/privacy/ledger.h"
#include "equinoise/privacy/ledger_file.h"
#include "equinoise/report/ledger/ledger_json.h"

namespace equinoise {

/// The output of `equinoise ledger explain` for terminals, in words: the guarantee, the spends and
/// their purposes, and the rest of the budget, overall and for each capped group.
std::string explain_ledger(const LedgerAccount& account, const std::string& path);

struct ExplainedEntry : LedgerEntry {
  double cost_alone = 0;  ///< epsilon
};
template <>
inline constexpr auto fields_of<ExplainedEntry> = std::tuple_cat(
    fields_of<LedgerEntry>, std::tuple(field("cost_alone", &ExplainedEntry::cost_alone,
                                             "Epsilon, if nothing else had been paid for")));

struct ExplainedGroup : GroupSpending {
  bool is_named = false;
};
template <>
inline constexpr auto fields_of<ExplainedGroup> = std::tuple_cat(
    fields_of<GroupSpending>,
    std::tuple(field("named", &ExplainedGroup::is_named, "Whether any entry names the group")));

/// An account for programs, as `equinoise ledger show` and `explain` print it.
struct LedgerExplanation : LedgerAccount {
  /// By another accountant than the account's.
  struct Recomputed {
    Epsilon epsilon;
    double delta;
    std::string accountant;
    Relation relation;
    std::string unit;
    std::string caveat;
  };
  std::vector<ExplainedGroup> explained_groups;
  std::vector<ExplainedEntry> explained_entries;
  std::optional<Recomputed> recomputed;
};
template <>
inline constexpr auto fields_of<LedgerExplanation::Recomputed> = [] {
  using Recomputed = LedgerExplanation::Recomputed;
  return std::tuple(field("epsilon", &Recomputed::epsilon, "Of all entries together"),
                    field("delta", &Recomputed::delta, "That of the budget"),
                    field("accountant", &Recomputed::accountant, "Rule by which costs add up"),
                    field("relation", &Recomputed::relation, "That of the budget"),
                    field("unit", &Recomputed::unit, "That of the budget"),
                    field("caveat", &Recomputed::caveat, "When it is no guarantee"));
}();
template <>
inline constexpr auto fields_of<LedgerExplanation> = std::tuple_cat(
    kAccountFields,
    std::tuple(
        field("groups", &LedgerExplanation::explained_groups, "Capped groups"),
        field("entries", &LedgerExplanation::explained_entries, "What was paid for"),
        field("recomputed", &LedgerExplanation::recomputed, "By another rule").or_nothing()));

LedgerExplanation explanation_of(const LedgerAccount& account);

/// An account as `equinoise ledger verify` sums it up.
struct VerifiedAccount : LedgerAccount {};
template <>
inline constexpr auto fields_of<VerifiedAccount> = std::tuple(
    field("dataset", &LedgerAccount::dataset, "Name of the table in the schema"),
    computed(
        "entries", +[](const LedgerAccount& account) { return account.entries.size(); },
        "Number of entries"),
    field("spent", &LedgerAccount::spent, "Guarantee of all entries together"),
    computed(
        "unit", +[](const LedgerAccount& account) { return account.budget.unit; },
        "What is protected"),
    computed(
        "fixed_groups", +[](const LedgerAccount& account) { return account.budget.fixed_groups; },
        "Statement that nobody changes groups"),
    computed("closed", &closed_because, "Why nothing more can be spent").or_null(),
    field("spent_by_name", &LedgerAccount::spent_by_name, "Total by the rule of an older version")
        .or_nothing());

/// The answer of `equinoise ledger verify`; a ledger that is not intact is an error.
template <>
inline constexpr auto fields_of<LedgerVerification> = std::tuple(
    computed(
        "ok", +[](const LedgerVerification&) { return true; }, "The chain of hashes is intact"),
    field("records", &LedgerVerification::num_records, "Number of records"),
    field("last_hash", &LedgerVerification::last_hash, "To be kept elsewhere"),
    computed(
        "accounts",
        +[](const LedgerVerification& verified) {
          std::vector<VerifiedAccount> accounts;
          for (const LedgerAccount& account : verified.accounts) accounts.push_back({account});
          return accounts;
        },
        "Accounts"));

/// All records as they are stored, and the resulting accounts, from which another tool can check
/// the chain and redo the accounting.
struct LedgerExport {
  std::string last_hash;
  std::vector<LedgerAccount> accounts;
  std::vector<LedgerRecord> records;
};
template <>
inline constexpr auto fields_of<LedgerRecord> =
    std::tuple(field("sequence", &LedgerRecord::sequence, "1, 2, ... without gaps"),
               field("body", &LedgerRecord::body, "A JSON object"),
               field("hash", &LedgerRecord::hash, "Of the record and everything before it"));
template <>
inline constexpr auto fields_of<LedgerExport> = std::tuple(
    computed(
        "chain",
        +[](const LedgerExport&) {
          return "hash = SHA-256, in hexadecimal digits, of the previous hash (empty for the first "
                 "record), a line feed and body";
        },
        "How a hash follows from the record"),
    field("last_hash", &LedgerExport::last_hash, "To be kept elsewhere"),
    field("accounts", &LedgerExport::accounts, "Accounts that follow from the records"),
    field("records", &LedgerExport::records, "Records as they are stored"));

LedgerExport export_ledger(const Ledger& ledger);

/// All entries as CSV (RFC 4180), one line each; events are JSON.
std::string export_ledger_csv(const Ledger& ledger);

}  // namespace equinoise
