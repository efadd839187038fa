#include "equinoise/privacy/accountants/accountant.h"

#include <fmt/format.h>

#include <optional>

#include "equinoise/base/error.h"
#include "equinoise/privacy/accountants/pld.h"
#include "equinoise/privacy/accountants/rdp.h"
#include "equinoise/privacy/accountants/zcdp.h"

namespace equinoise {

namespace {

/// For the accountants that compose event by event.
template <typename Kind>
std::unique_ptr<Accountant> compose_all(Relation relation, const std::vector<Event>& events) {
  auto accountant = std::make_unique<Kind>(relation);
  for (const Event& event : events) accountant->compose(event);
  return accountant;
}

}  // namespace

const std::vector<AccountantRow>& accountant_rows() {
  static const std::vector<AccountantRow> rows = {
      {"zcdp", "zero-concentrated DP, tight conversion; no sampled events",
       compose_all<ZcdpAccountant>},
      {"rdp", "Renyi DP at 156 orders; the ledger's default", compose_all<RdpAccountant>},
      {"pld", "privacy loss distributions, the tightest; no zCDP black boxes",
       [](Relation relation, const std::vector<Event>& events) -> std::unique_ptr<Accountant> {
         return std::make_unique<PldAccountant>(relation, events);
       }},
  };
  return rows;
}

const AccountantRow& find_accountant(std::string_view name) {
  std::vector<std::string_view> known;
  for (const AccountantRow& row : accountant_rows()) {
    if (row.name == name) return row;
    known.push_back(row.name);
  }
  throw Error(
      ErrorKind::kUsage, "privacy.accountant",
      fmt::format("there is no accountant \"{}\"; there are {}", name, fmt::join(known, ", ")));
}

Guarantee smallest_guarantee(Relation relation, const std::vector<Event>& events, Delta delta) {
  const auto by = [&](const char* name) {
    const Epsilon epsilon = find_accountant(name).make(relation, events)->epsilon(delta);
    return Guarantee{epsilon, delta, name, relation};
  };
  const auto if_bounded = [&](const char* name) -> std::optional<Guarantee> {
    try {
      return by(name);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kUsage) throw;
      return std::nullopt;
    }
  };
  const std::optional<Guarantee> pld = if_bounded("pld");
  // Where PLD cannot bound the events they have no losses to follow, only a rho: for small budgets
  // its best order is beyond those of RDP.
  const std::optional<Guarantee> other = pld ? if_bounded("rdp") : if_bounded("zcdp");
  if (pld) return other && other->epsilon.value() < pld->epsilon.value() ? *other : *pld;
  if (!other) return by("rdp");
  const std::optional<Guarantee> rdp = if_bounded("rdp");
  return rdp && rdp->epsilon.value() <= other->epsilon.value() ? *rdp : *other;
}

}  // namespace equinoise
