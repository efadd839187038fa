// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/account_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "equinoise/base/error.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/privacy/accountants/partitions.h"
#include "equinoise/privacy/accountants/rdp.h"
#include "equinoise/privacy/failure_events.h"
#include "equinoise/privacy/group_events.h"

namespace equinoise {

namespace {

/// The share of delta that an account of several entries reserves for failures. It is fixed in
/// advance, because the proof does not cover a share that depends on the path of an adaptive
/// process.
constexpr double kFailureShare = 1.0 / 16;

/// The error of the samplers in a training run of moderate size: 1e9 draws of 2^-140.
constexpr double kErrorOfARun = 1e9 * 0x1p-140;

constexpr std::string_view kWhere = "privacy.account_cost";

Delta delta_for_losses(Delta delta) {
  return Delta(next_down(delta.value() * (1 - kFailureShare)));
}

/// The events of an entry in the form in which they are composed with those of other entries.
std::vector<Event> events_of_entry(const Budget& budget, size_t entry,
                                   const std::vector<Event>& events) {
  if (budget.fixed_groups) return events;
  Partitions partitions;
  for (const Event& event : events) partitions.add(kWhere, event);
  std::vector<Event> apart;
  apart.reserve(events.size());
  // Labels have equal length, so that partitions of later entries sort last where costs are added
  // up.
  const std::string label = fmt::format("entry {:016}: ", entry);
  for (const Event& event : events) apart.push_back(groups_apart(event, label));
  return apart;
}

/// Merges equal events and adds up their counts, in order of first appearance, so that a repeated
/// plan costs no time.
class EventCounts {
 public:
  void add(const std::vector<Event>& events) {
    for (const Event& event : events) add(event);
  }

  void add(const Event& event) {
    const bool repeated = event.kind() == Event::Kind::kRepeat;
    const Event& one = repeated ? event.events()[0] : event;
    const int64_t count = repeated ? event.count() : 1;
    for (size_t i = 0; i < events_.size(); ++i) {
      // Starts a new item where the sum would exceed the largest count of an event.
      if (events_[i] == one && counts_[i] + count <= kLargestCount) {
        counts_[i] += count;
        return;
      }
    }
    events_.push_back(one);
    counts_.push_back(count);
  }

  std::vector<Event> repeats() const {
    std::vector<Event> all;
    for (size_t i = 0; i < events_.size(); ++i) {
      all.push_back(counts_[i] == 1 ? events_[i] : Event::repeat(counts_[i], events_[i]));
    }
    return all;
  }

 private:
  static constexpr int64_t kLargestCount = int64_t{1} << 53;

  std::vector<Event> events_;
  std::vector<int64_t> counts_;
};

RdpAccountant compose_rdp(const Budget& budget, const std::vector<Event>& events) {
  RdpAccountant accountant(budget.relation, budget.rdp_orders);
  for (const Event& event : events) accountant.compose(event);
  return accountant;
}

/// The accountant's epsilon, or infinity if it finds none.
double epsilon_or_infinity(const Accountant& accountant, Delta delta) {
  try {
    return accountant.epsilon(delta).value();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage) throw;
    return std::numeric_limits<double>::infinity();
  }
}

/// An epsilon at the budget's delta, and the accountant that gave it.
struct Cost {
  double epsilon;
  AccountantName accountant;
};

/// `first` is the whole first entry; `spends` may be one group's view of the entries.
using Rule = Cost (*)(const Budget& budget, const Spends& spends, const std::vector<Event>& first);

Cost rdp_rule(const Budget& budget, const Spends& spends, const std::vector<Event>& first) {
  if (spends.empty()) return {0, AccountantName::kRdp};
  // First, because no entry could follow one that RDP cannot bound.
  const RdpAccountant one = compose_rdp(budget, spends[0]);
  if (spends.size() == 1) {
    const Guarantee smallest = smallest_guarantee(budget.relation, spends[0], budget.delta);
    // Return at most the figure from the account's own orders, because a second entry is compared
    // with that.
    const double own = epsilon_or_infinity(one, budget.delta);
    if (own < smallest.epsilon.value()) return {own, AccountantName::kRdp};
    return {smallest.epsilon.value(), smallest.accountant};
  }
  const double alone = one.epsilon(budget.delta).value();
  const double favoured =
      (first == spends[0] ? one : compose_rdp(budget, first)).optimal_order(budget.delta);
  EventCounts counts;
  for (size_t i = 0; i < spends.size(); ++i)
    counts.add(events_of_entry(budget, i, split_failures(spends[i]).ideal));
  // Sums and conversion stay monotone under rounding, because events keep the order of their first
  // occurrence.
  const RdpAccountant all = compose_rdp(budget, counts.repeats());
  const Epsilon together = all.adaptive_epsilon(delta_for_losses(budget.delta), favoured);
  return {std::max(alone, together.value()), AccountantName::kRdp};
}

Cost zcdp_rule(const Budget& budget, const Spends& spends, const std::vector<Event>&) {
  if (spends.empty()) return {0, AccountantName::kZcdp};
  const AccountantRow& zcdp = find_accountant("zcdp");
  // The conversion is optimised numerically, so the largest value so far keeps it monotone.
  double most = zcdp.make(budget.relation, spends[0])->epsilon(budget.delta).value();
  const Delta delta = delta_for_losses(budget.delta);
  EventCounts counts;
  for (size_t i = 0; i < spends.size(); ++i) {
    counts.add(events_of_entry(budget, i, split_failures(spends[i]).ideal));
    if (i == 0) continue;
    most = std::max(most, zcdp.make(budget.relation, counts.repeats())->epsilon(delta).value());
  }
  return {most, AccountantName::kZcdp};
}

Cost pld_rule(const Budget& budget, const Spends& spends, const std::vector<Event>&) {
  if (budget.fixed_groups) {
    Partitions partitions;
    for (const std::vector<Event>& spend : spends) {
      for (const Event& event : spend) partitions.add(kWhere, event);
    }
  }
  const AccountantRow& pld = find_accountant("pld");
  const auto cost = [&](size_t entry, double delta) {
    if (spends[entry].empty()) return 0.0;
    return pld.make(budget.relation, spends[entry])->epsilon(Delta(delta)).value();
  };
  if (spends.empty()) return {0, AccountantName::kPld};
  const double alone = cost(0, budget.delta.value());
  if (spends.size() == 1) return {alone, AccountantName::kPld};
  double total = 0;
  double share = budget.delta.value();
  for (size_t i = 0; i < spends.size(); ++i) {
    share /= 2;
    try {
      total = add_up(total, cost(i, share));
    } catch (const Error& error) {
      throw Error(
          error.kind(), kWhere,
          fmt::format(
              "spend {} of an account kept by pld has only delta / 2^{} = {:.3g} for itself: {}",
              i + 1, i + 1, share, error.what()));
    }
  }
  return {std::max(alone, total),
          AccountantName::kPld};  // rounded up, a sum could be the smaller one
}

struct RuleRow {
  std::string_view name;
  Rule rule;
  bool shares_failures;  ///< one sum of failures for all entries
};

constexpr RuleRow kRules[] = {
    {"rdp", rdp_rule, true}, {"zcdp", zcdp_rule, true}, {"pld", pld_rule, false}};

const RuleRow& find_rule(std::string_view name) {
  for (const RuleRow& row : kRules) {
    if (row.name == name) return row;
  }
  throw Error(ErrorKind::kUsage, kWhere, "an account can be kept by {}, not by \"{}\"",
              fmt::join(account_rules(), ", "), name);
}

/// The spends that members of the cap's group are charged for, one list for each division with a
/// group of that name (each may hold other people). Without such a division, the costliest group
/// counts. Without budget.fixed_groups all spends count, since members may have been in any group.
std::vector<Spends> spends_of_group(const Budget& budget, const Spends& spends,
                                    const GroupCap& cap) {
  if (!budget.fixed_groups) return {spends};
  std::set<std::string> partitions;
  for (const std::vector<Event>& spend : spends)
    partitions.merge(partitions_with_group(spend, cap.partition, cap.group));
  if (partitions.empty()) partitions.insert(cap.partition);
  std::vector<Spends> all;
  for (const std::string& partition : partitions) {
    Spends& seen = all.emplace_back();
    for (const std::vector<Event>& spend : spends)
      seen.push_back(events_of_group(spend, partition, cap.group));
  }
  return all;
}

double kept_for_failures(const Budget& budget) { return budget.delta.value() * kFailureShare; }

/// The factor on eta that outputs within eta of the stated ones, on both neighbours, cost at a
/// total epsilon of at most `epsilon`.
double cost_of_failures(double epsilon) { return round_up(1 + std::exp(epsilon), 1e-15); }

/// Returns whether there is an epsilon at which eta costs at most `kept`; it costs 2 eta at epsilon
/// 0.
bool some_epsilon_keeps(double kept, double eta) { return kept > 2 * eta; }

/// The largest such epsilon as it is printed: three digits, rounded down. Pre:
/// some_epsilon_keeps().
double epsilon_that_keeps(double kept, double eta) {
  const double epsilon = std::log(kept / eta - 1);
  const double digit = std::pow(10, std::floor(std::log10(epsilon)) - 2);
  return std::floor(epsilon / digit) * digit;
}

/// `limit` is the whole budget or cap, not the amount that has been spent. Spending follows
/// outputs, and the proof covers only that the ideal process is (limit, 15/16 delta)-DP. To bound
/// the loss also by the amount spent on each path would take a share of delta for each such
/// epsilon, as in odometers [RogersRothUllmanVadhan2016]; no such share is reserved.
FailureExcess excess(const Budget& budget, double limit, std::string_view name,
                     const Spends& spends) {
  SplitEvents total;
  for (const std::vector<Event>& spend : spends) {
    const SplitEvents parts = split_failures(spend);
    total.sampler_error = add_up(total.sampler_error, parts.sampler_error);
    total.delta = add_up(total.delta, parts.delta);
  }
  const double taken =
      add_up(total.delta, multiply_up(total.sampler_error, cost_of_failures(limit)));
  const double kept = kept_for_failures(budget);
  if (taken <= kept) return {};
  const std::string found = fmt::format(
      "the failures of all entries together (sampler errors, deltas of approximate DP) could take "
      "{:.3g} of delta; from the second entry on an account reserves {:.3g} for them",
      std::min(taken, 1.0), kept);
  if (!some_epsilon_keeps(kept, total.sampler_error)) {
    return {found,
            "sampler errors are too large for this delta at any epsilon; use fewer steps, or open "
            "an account with a larger delta"};
  }
  if (!some_epsilon_keeps(kept - total.delta, total.sampler_error))
    return {found, "ask for a smaller delta"};
  const double fitting = epsilon_that_keeps(kept - total.delta, total.sampler_error);
  return {
      found,
      fmt::format(
          "sampler errors cost 1 + exp(epsilon) times as much, where epsilon is that of {}, {:g}, "
          "whatever this entry asks for; at {:.3g} or less they would fit. A smaller epsilon for "
          "the entry does not help; use fewer steps, or open an account with a smaller epsilon",
          name, limit, fitting)};
}

/// `seen` is `spends` or one group's view of it.
Guarantee guarantee_by_rule(const Budget& budget, const Spends& seen, const Spends& spends) {
  const std::vector<Event> first = spends.empty() ? std::vector<Event>{} : spends[0];
  const Cost cost = find_rule(budget.accountant).rule(budget, seen, first);
  return {Epsilon(cost.epsilon), budget.delta, cost.accountant, budget.relation};
}

}  // namespace

const std::vector<std::string_view>& account_rules() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const RuleRow& row : kRules) all.push_back(row.name);
    return all;
  }();
  return names;
}

Guarantee account_guarantee(const Budget& budget, const Spends& spends) {
  return guarantee_by_rule(budget, spends, spends);
}

Guarantee group_guarantee(const Budget& budget, const GroupCap& cap, const Spends& spends) {
  std::optional<Guarantee> worst;
  for (const Spends& seen : spends_of_group(budget, spends, cap)) {
    Guarantee guarantee = guarantee_by_rule(budget, seen, spends);
    if (!worst || guarantee.epsilon.value() > worst->epsilon.value()) worst = std::move(guarantee);
  }
  return *worst;
}

FailureExcess failures_exceed_share(const Budget& budget, const Spends& spends) {
  if (spends.size() < 2 || !find_rule(budget.accountant).shares_failures) return {};
  FailureExcess found = excess(budget, budget.epsilon.value(), "the account's budget", spends);
  for (const GroupCap& cap : budget.group_caps) {
    const std::string name = fmt::format("the cap of {}={}", cap.partition, cap.group);
    for (const Spends& seen : spends_of_group(budget, spends, cap))
      if (found.excess.empty()) found = excess(budget, cap.epsilon.value(), name, seen);
  }
  return found;
}

std::string too_large_for_several(const Budget& budget) {
  if (!find_rule(budget.accountant).shares_failures) return "";
  double limit = budget.epsilon.value();
  for (const GroupCap& cap : budget.group_caps) limit = std::max(limit, cap.epsilon.value());
  const double kept = kept_for_failures(budget);
  if (multiply_up(kErrorOfARun, cost_of_failures(limit)) <= kept) return "";
  const std::string remedy =
      some_epsilon_keeps(kept, kErrorOfARun)
          ? fmt::format("{:.3g} or less", epsilon_that_keeps(kept, kErrorOfARun))
          : std::string("a larger delta, since no epsilon is small enough at this one");
  return fmt::format(
      "at epsilon {:g} the account may have room for one training run only: from the second entry "
      "on sampler errors cost 1 + exp({:g}) times as much, more than the {:.3g} of delta reserved "
      "for them. A budget is fixed once it is opened: while nothing is spent, begin a new ledger "
      "with {}",
      limit, limit, kept, remedy);
}

Epsilon fixed_plan_epsilon(const Budget& budget, const Spends& spends,
                           std::string_view accountant) {
  EventCounts counts;
  for (size_t i = 0; i < spends.size(); ++i) counts.add(events_of_entry(budget, i, spends[i]));
  return find_accountant(accountant).make(budget.relation, counts.repeats())->epsilon(budget.delta);
}

}  // namespace equinoise
