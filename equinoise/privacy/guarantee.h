// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "equinoise/base/enum_words.h"
#include "equinoise/privacy/units.h"

namespace equinoise {

/// The source of a guarantee: a row of accountants/accountant.h or a rule of account_cost.h.
enum class AccountantName { kZcdp, kRdp, kPld };
inline constexpr EnumWords<AccountantName, 3> kAccountantNames = {{{AccountantName::kZcdp, "zcdp"},
                                                                   {AccountantName::kRdp, "rdp"},
                                                                   {AccountantName::kPld, "pld"}}};
inline std::string_view to_string(AccountantName name) { return word_of(kAccountantNames, name); }

/// The guarantee of a release: (epsilon, delta)-differential privacy under `relation`, as computed
/// by `accountant`.
struct Guarantee {
  Epsilon epsilon;
  Delta delta;
  AccountantName accountant;
  Relation relation;
};

/// {"epsilon", "delta", "accountant", "relation"}
inline nlohmann::ordered_json to_json(const Guarantee& guarantee) {
  return {{"epsilon", guarantee.epsilon.value()},
          {"delta", guarantee.delta.value()},
          {"accountant", to_string(guarantee.accountant)},
          {"relation", to_string(guarantee.relation)}};
}

/// The realised cost to the members of a group, in a run whose noise depends on its own noisy
/// outputs; at most the charged cost. It depends on outputs and is known only afterwards, so it is
/// not a guarantee.
struct RealisedGuarantee {
  double share = 0;  ///< of the budget of groups
  double rho = 0;    ///< of zero-concentrated DP
  Guarantee privacy;
};

}  // namespace equinoise
