// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/privacy/relation.h"
#include "equinoise/report/fields.h"

namespace equinoise {

/// A question to an accountant; no data, no ledger.
struct AccountQuestion {
  nlohmann::json events;  ///< a list of events; "?" represents the noise or the number of steps
  Relation relation = Relation::kZeroOut;
  std::string accountant{kSmallest};
  std::optional<double> epsilon;
  std::optional<double> delta;
};

/// The cost of the events: epsilon at delta, upper bounds.
struct AccountAnswer {
  double epsilon;
  double delta;  ///< 1: no protection
  std::string accountant;
  Relation relation;
  std::optional<double> noise;
  std::optional<int64_t> steps;
};

template <>
inline constexpr auto fields_of<AccountAnswer> = std::tuple(
    field("epsilon", &AccountAnswer::epsilon, "Upper bound"),
    field("delta", &AccountAnswer::delta, "Upper bound; 1: no protection"),
    field("accountant", &AccountAnswer::accountant, "Rule by which costs add up"),
    field("relation", &AccountAnswer::relation, "What differs in the tables that are compared"),
    field("noise", &AccountAnswer::noise, "The smallest that stays within").or_nothing(),
    field("steps", &AccountAnswer::steps, "The most that stay within").or_nothing());

/// epsilon at the question's delta. Errors: kUsage, naming the field or the event, as all below.
AccountAnswer account_epsilon(const AccountQuestion& question);

/// delta at the question's epsilon.
AccountAnswer account_delta(const AccountQuestion& question);

/// The smallest noise in place of "?" (noise_multiplier or sigma) at which the cost is at most
/// epsilon at delta.
AccountAnswer account_noise(const AccountQuestion& question);

/// The largest number in place of "?" (count or steps) at which the cost is at most epsilon at
/// delta.
AccountAnswer account_steps(const AccountQuestion& question);

/// The answer of one accountant, or the reason why it has none.
struct ComparedAccount {
  std::string accountant;
  std::optional<double> epsilon;
  std::optional<double> delta;
  std::string refusal;
};
struct AccountComparison {
  Relation relation;
  std::vector<ComparedAccount> rows;
};

template <>
inline constexpr auto fields_of<ComparedAccount> =
    std::tuple(field("accountant", &ComparedAccount::accountant, "Rule by which costs add up"),
               field("epsilon", &ComparedAccount::epsilon, "Upper bound").or_nothing(),
               field("delta", &ComparedAccount::delta, "Upper bound").or_nothing(),
               field("refusal", &ComparedAccount::refusal, "Why it has no answer").or_nothing());
template <>
inline constexpr auto fields_of<AccountComparison> = std::tuple(
    field("relation", &AccountComparison::relation, "What differs in the tables that are compared"),
    field("rows", &AccountComparison::rows, "Answers"));

/// epsilon at the question's delta, or delta at its epsilon, by every accountant.
AccountComparison compare_accountants(const AccountQuestion& question);

}  // namespace equinoise
