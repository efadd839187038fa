// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/accountant.h"

#include <fmt/format.h>

#include <optional>

#include "equinoise/base/error.h"
#include "equinoise/privacy/accountants/pld.h"
#include "equinoise/privacy/accountants/rdp.h"
#include "equinoise/privacy/accountants/zcdp.h"

namespace equinoise {

namespace {

/// Makes an accountant that composes event by event.
template <typename Kind>
std::unique_ptr<Accountant> compose_all(Relation relation, const std::vector<Event>& events) {
  auto accountant = std::make_unique<Kind>(relation);
  for (const Event& event : events) accountant->compose(event);
  return accountant;
}

struct NamedFigure {
  double value;
  AccountantName accountant;
};

/// Takes the smallest figure of all accountants that can bound the events. Each figure is an upper
/// bound for a plan that is fixed before the first output, so the smallest is one too.
class SmallestAccountant final : public Accountant {
 public:
  SmallestAccountant(Relation relation, const std::vector<Event>& events) {
    // PLD comes first, so that it is named where others are equally tight.
    const std::vector<AccountantRow>& rows = accountant_rows();
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
      const AccountantName name = value_of(kAccountantNames, row->name).value();
      const std::optional<Error> refusal = refusal_of([&] {
        known_.push_back({name, row->make(relation, events)});
      });
      if (refusal) refusals_.emplace_back(name, *refusal);
    }
    if (known_.empty()) refuse_events();
  }

  Epsilon epsilon(Delta delta) const override { return Epsilon(min_epsilon(delta).value); }
  Epsilon rough_epsilon(Delta delta) const override {
    return Epsilon(
        least([&](const Accountant& one) { return one.rough_epsilon(delta).value(); }).value);
  }
  double delta(Epsilon epsilon) const override { return min_delta(epsilon).value; }

  double rough_delta(Epsilon epsilon, double small) const override {
    return least([&](const Accountant& one) { return one.rough_delta(epsilon, small); }).value;
  }

  NamedFigure min_epsilon(Delta delta) const {
    return least([&](const Accountant& one) { return one.epsilon(delta).value(); });
  }
  NamedFigure min_delta(Epsilon epsilon) const {
    return least([&](const Accountant& one) { return one.delta(epsilon); });
  }

 private:
  struct Known {
    AccountantName name;
    std::unique_ptr<Accountant> accountant;
  };

  template <typename Call>
  static std::optional<Error> refusal_of(Call call) {
    try {
      call();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kUsage) throw;
      return error;
    }
    return std::nullopt;
  }

  /// Refuses as the first of them does if none of them has an answer.
  template <typename Ask>
  NamedFigure least(Ask ask) const {
    std::optional<NamedFigure> least;
    std::optional<Error> first_refusal;
    for (const Known& one : known_) {
      const std::optional<Error> refusal = refusal_of([&] {
        const double value = ask(*one.accountant);
        if (!least || value < least->value) least = NamedFigure{value, one.name};
      });
      if (!first_refusal) first_refusal = refusal;
    }
    if (!least) throw first_refusal.value();
    return *least;
  }

  /// Throws RDP's error, because RDP covers most kinds of events.
  [[noreturn]] void refuse_events() const {
    for (const auto& [name, error] : refusals_) {
      if (name == AccountantName::kRdp) throw error;
    }
    throw refusals_.back().second;
  }

  std::vector<Known> known_;
  std::vector<std::pair<AccountantName, Error>> refusals_;
};

}  // namespace

const std::vector<AccountantRow>& accountant_rows() {
  static const std::vector<AccountantRow> rows = {
      {to_string(AccountantName::kZcdp),
       "zero-concentrated DP, tight conversion; no sampled events", compose_all<ZcdpAccountant>},
      {to_string(AccountantName::kRdp), "Renyi DP at many orders; the ledger's default",
       compose_all<RdpAccountant>},
      {to_string(AccountantName::kPld),
       "privacy loss distributions, usually the tightest; no events given as zCDP",
       [](Relation relation, const std::vector<Event>& events) -> std::unique_ptr<Accountant> {
         return std::make_unique<PldAccountant>(relation, events);
       }},
  };
  return rows;
}

const AccountantRow& find_accountant(std::string_view name) {
  static const AccountantRow smallest = {
      kSmallest, "the smallest result of these",
      [](Relation relation, const std::vector<Event>& events) -> std::unique_ptr<Accountant> {
        return std::make_unique<SmallestAccountant>(relation, events);
      }};
  if (name == kSmallest) return smallest;
  std::vector<std::string_view> known = {kSmallest};
  for (const AccountantRow& row : accountant_rows()) {
    if (row.name == name) return row;
    known.push_back(row.name);
  }
  throw Error(ErrorKind::kUsage, "privacy.accountant",
              "there is no accountant \"{}\"; choose one of {}", name, fmt::join(known, ", "));
}

Guarantee smallest_guarantee(Relation relation, const std::vector<Event>& events, Delta delta) {
  const SmallestAccountant all(relation, events);
  const NamedFigure least = all.min_epsilon(delta);
  return {Epsilon(least.value), delta, least.accountant, relation};
}

NamedDelta smallest_delta(Relation relation, const std::vector<Event>& events, Epsilon epsilon) {
  const NamedFigure least = SmallestAccountant(relation, events).min_delta(epsilon);
  return {least.value, least.accountant};
}

}  // namespace equinoise
