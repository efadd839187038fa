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

/// The names of the rules by which an account can be kept, the default first.
const std::vector<std::string_view>& account_rules();

/// The cost of all entries of an account together, and the accountant that gave it: an upper bound
/// even if each entry was chosen after the outputs of earlier entries were seen. It never falls
/// when an entry is added.
///
/// Groups are in parallel within an entry, which reads one table. The table of another entry may
/// have a person in another group, so an entry costs what its costliest group pays, unless
/// budget.fixed_groups states that nobody changes groups: then costs of the same group add up over
/// entries, and of these sums the largest counts.
///
/// Guarantee: a process that adds an entry only if the result stays at most budget.epsilon and
/// failures_exceed_share() finds nothing is (budget.epsilon, budget.delta)-DP as a whole.
/// docs/theory/ledger.md has the proofs.
///
/// - "rdp": one entry is a fixed plan: the smallest figure of all accountants and of the budget's
///   orders. With several, 15/16 of delta are shared among these orders (half of it to the best one
///   for the first entry), the rest is kept for failures. At one fixed order RDP composes fully
///   adaptively [FeldmanZrnic2021].
/// - "zcdp": the same with one rho for all orders, so that no order needs a share.
/// - "pld": one entry has all of delta. From the second on, entry i (1, 2, ...) has delta / 2^i and
///   costs its own epsilon there; these add up, by basic composition, which holds for entries
///   chosen in turn [RogersRothUllmanVadhan2016].
///
/// Errors: kUsage, naming the event, if the account's accountant cannot bound one.
Guarantee account_guarantee(const Budget& budget, const Spends& spends);

/// The same for the members of the cap's group (events_of_group), of whichever division of that
/// name costs them most. Without budget.fixed_groups they may have been in any group: as above.
Guarantee group_guarantee(const Budget& budget, const GroupCap& cap, const Spends& spends);

/// What exceeds the share, and what to do; "" if nothing does.
struct FailureExcess {
  std::string excess;
  std::string advice;
};

/// Whether sampler errors and the deltas of approximate-DP events, for all records and for each
/// capped group, exceed the share of delta that an account of several entries reserves for them.
/// Errors: kUsage, naming an event whose failures cannot be told apart.
FailureExcess failures_exceed_share(const Budget& budget, const Spends& spends);

/// A warning if the budget or a cap is so large that the sampler errors of one more training run
/// would exceed that share, so that the account has room for one run only; otherwise "".
std::string too_large_for_several(const Budget& budget);

/// The epsilon at budget.delta that the accountant of that name gives all entries, as if all of
/// them had been fixed before the first output. For comparison only: entries that were chosen in
/// turn may cost more. Errors: kUsage as above, or for an unknown name.
Epsilon fixed_plan_epsilon(const Budget& budget, const Spends& spends, std::string_view accountant);

}  // namespace equinoise
