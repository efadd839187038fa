// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "equinoise/privacy/budget.h"
#include "equinoise/privacy/event.h"
#include "equinoise/privacy/guarantee.h"

namespace equinoise {

/// The events that the entries of an account were spent on, oldest first.
using Spends = std::vector<std::vector<Event>>;

/// The names of the accounting rules, the default first.
const std::vector<std::string_view>& account_rules();

/// The cost of all entries of an account together, and the accountant that gave it. It is an upper
/// bound even if each entry was chosen after the outputs of earlier entries were seen. It never
/// falls when an entry is added.
///
/// Groups are in parallel within an entry, which reads one table. The table of another entry may
/// have a person in another group, so an entry costs as much as its costliest group pays. With
/// budget.fixed_groups, which states that nobody changes groups, costs of the same group add up
/// over entries, and the largest of these sums counts.
///
/// Guarantee: a process that adds an entry only if the result stays at most budget.epsilon and
/// failures_exceed_share() finds nothing is (budget.epsilon, budget.delta)-DP as a whole.
/// docs/theory/ledger.md has the proofs.
///
/// - "rdp": one entry is a fixed plan, so the smallest figure of all accountants and of the
///   budget's orders holds. With several, 15/16 of delta are shared among these orders (half of it
///   to the best one for the first entry), and the rest is kept for failures. At one fixed order
///   RDP composes fully adaptively [FeldmanZrnic2021].
/// - "zcdp": the same with one rho for all orders, so that no order needs a share.
/// - "pld": one entry has all of delta. From the second on, entry i (1, 2, ...) has delta / 2^i and
///   costs its own epsilon there. These add up by basic composition, which holds for entries chosen
///   in turn [RogersRothUllmanVadhan2016].
///
/// Errors: kUsage, naming the event, if the account's accountant cannot bound one.
Guarantee account_guarantee(const Budget& budget, const Spends& spends);

/// The cost to the members of the cap's group (events_of_group). If several divisions have a group
/// of that name, the costliest counts. Without budget.fixed_groups members may have been in any
/// group, so an entry costs them as much as its costliest group pays.
Guarantee group_guarantee(const Budget& budget, const GroupCap& cap, const Spends& spends);

/// An excess over the share for failures and the advice to the user; both "" if there is none.
struct FailureExcess {
  std::string excess;
  std::string advice;
};

/// The excess of sampler errors and deltas of approximate-DP events over the share of delta that an
/// account of several entries reserves for them, for all records and for each capped group. Errors:
/// kUsage, naming an event whose failures cannot be separated.
FailureExcess failures_exceed_share(const Budget& budget, const Spends& spends);

/// A warning if the budget or a cap is so large that the sampler errors of one more training run
/// would exceed the share for failures, so that the account has room for one run only. Otherwise
/// "".
std::string too_large_for_several(const Budget& budget);

/// The epsilon at budget.delta that the accountant `accountant` gives all entries, as if all had
/// been fixed before the first output. For comparison only: entries that were chosen in turn may
/// cost more. Errors: kUsage for an event that it cannot bound, or for an unknown name.
Epsilon fixed_plan_epsilon(const Budget& budget, const Spends& spends, std::string_view accountant);

}  // namespace equinoise
