// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/privacy/relation.h"

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
  std::optional<AccountAnswer> answer;
  std::string refusal;
};

/// epsilon at the question's delta, or delta at its epsilon, by every accountant.
std::vector<ComparedAccount> compare_accountants(const AccountQuestion& question);

}  // namespace equinoise
