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
  std::optional<Guarantee> pld;
  try {
    pld = by("pld");
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage) throw;
    return by("rdp");
  }
  try {
    const Guarantee rdp = by("rdp");
    return rdp.epsilon.value() < pld->epsilon.value() ? rdp : *pld;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage) throw;
    return *pld;
  }
}

}  // namespace equinoise
