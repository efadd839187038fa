// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "equinoise/privacy/accountants/accountant.h"

namespace equinoise {

/// Accounts by privacy loss distributions. Every rounding is pessimistic, so the result is an upper
/// bound. It is within a few tenths of a percent of the exact value if the dominating pairs are
/// tight.
///
/// Both directions (a record added, a record removed) are composed separately; the worse one
/// counts. Grids of losses become finer until the answer no longer changes. Events of one Poisson
/// batch are composed first and amplified afterwards: joint Laplace and Gaussian noise in closed
/// form. [DoroshenkoGhaziKamathKumarManurangsi2022, ZhuDongWang2022]; docs/theory/accountants.md.
class PldAccountant final : public Accountant {
 public:
  /// Errors: kUsage, naming the event, if it has no dominating pair under the relation. These are:
  /// - a zCDP black box, which includes rows of a unit in groups with different noise that is not
  ///   pure;
  /// - tree aggregation under add_remove;
  /// - randomised response except under replace_one;
  /// - an event other than real Gaussian noise on a Poisson batch under replace_one;
  /// - pure or approximate DP, an exponential choice or a selection on a Poisson batch under
  ///   zero_out;
  /// - selection among mechanisms that are not pure.
  PldAccountant(Relation relation, const std::vector<Event>& events);
  ~PldAccountant() override;

  Epsilon epsilon(Delta delta) const override;
  Epsilon rough_epsilon(Delta delta) const override;
  double delta(Epsilon epsilon) const override;
  double rough_delta(Epsilon epsilon, double small) const override;

 private:
  class Account;

  /// `enough`: the share of it that finer grids may still save.
  Epsilon epsilon(Delta delta, double enough) const;
  double delta(Epsilon epsilon, double small, double enough) const;

  std::vector<std::unique_ptr<Account>> accounts_;  ///< of groups that differ in events
};

}  // namespace equinoise
