// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "equinoise/privacy/ledger.h"
#include "equinoise/report/fields.h"
#include "equinoise/report/ledger/ledger_statement.h"

namespace equinoise {

/// The account of a run from its JSON. Errors: kInput, naming file and member.
LedgerStatement read_ledger_statement(const OrderedJsonSection& ledger);

/// What is left of a budget, or the cap of a group.
struct EpsilonAlone {
  double epsilon;
};
template <>
inline constexpr auto fields_of<EpsilonAlone> = publishable(field("epsilon", &EpsilonAlone::epsilon,
                                                                  ""));

/// At least 0.
EpsilonAlone remaining_of(Epsilon budget, const Guarantee& spent);

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

template <>
inline constexpr auto fields_of<Budget> = publishable(
    field("epsilon", &Budget::epsilon, "Of all entries together"),
    computed(
        "delta", +[](const Budget& budget) { return budget.delta.value(); },
        "Of all entries together"),
    field("relation", &Budget::relation, "What differs in the tables that are compared"),
    field("unit", &Budget::unit, "What is protected"),
    field("accountant", &Budget::accountant, "Rule by which costs add up"),
    field("fixed_groups", &Budget::fixed_groups, "Statement that nobody changes groups"));

template <>
inline constexpr auto fields_of<LedgerStatement> =
    publishable(field("path", &LedgerStatement::path, "Name of the file"),
                field("dataset", &LedgerStatement::dataset, "Name of the table in the schema"),
                field("budget", &LedgerStatement::budget, "What may be spent"),
                field("spent_before", &LedgerStatement::spent_before, "Before the run"),
                field("spent", &LedgerStatement::spent_after, "With the run"),
                computed(
                    "remaining",
                    +[](const LedgerStatement& ledger) {
                      return remaining_of(ledger.budget.epsilon, ledger.spent_after);
                    },
                    "What is left"),
                field("entry", &LedgerStatement::entry, "Entry that paid").or_nothing(),
                field("fits", &LedgerStatement::fits, "Whether the account would pay for the plan")
                    .or_nothing(),
                field("largest_epsilon", &LedgerStatement::largest_epsilon,
                      "Largest --epsilon that is known to fit, where the plan does not")
                    .or_nothing());

template <>
inline constexpr auto fields_of<GroupSpending> = std::tuple(
    computed(
        "partition", +[](const GroupSpending& group) { return group.cap.partition; },
        "Columns that make the groups"),
    computed(
        "group", +[](const GroupSpending& group) { return group.cap.group; }, "Its values"),
    computed(
        "cap", +[](const GroupSpending& group) { return EpsilonAlone{group.cap.epsilon.value()}; },
        "Most that its members may lose"),
    field("spent", &GroupSpending::spent, "What they have lost"),
    computed(
        "remaining",
        +[](const GroupSpending& group) { return remaining_of(group.cap.epsilon, group.spent); },
        "What is left"));

/// The fields of an account but its groups and entries.
inline constexpr auto kAccountFields = std::tuple(
    field("dataset", &LedgerAccount::dataset, "Name of the table in the schema"),
    field("budget", &LedgerAccount::budget, "What may be spent"),
    field("spent", &LedgerAccount::spent, "Guarantee of all entries together"),
    computed(
        "remaining",
        +[](const LedgerAccount& account) {
          return remaining_of(account.budget.epsilon, account.spent);
        },
        "What is left"),
    computed("closed", &closed_because, "Why nothing more can be spent").or_null(),
    field("spent_by_name", &LedgerAccount::spent_by_name, "Total by the rule of an older version")
        .or_nothing());

/// The JSON of `equinoise ledger init` and, with more, of the other commands of a ledger.
template <>
inline constexpr auto fields_of<LedgerAccount> = std::tuple_cat(
    kAccountFields, std::tuple(field("groups", &LedgerAccount::groups, "Capped groups"),
                               field("entries", &LedgerAccount::entries, "What was paid for")));

}  // namespace equinoise
