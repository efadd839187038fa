// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "equinoise/privacy/accountants/accountant.h"

namespace equinoise {

/// Accounts by privacy loss distributions: pessimistic at every rounding, so an upper bound; within
/// a few tenths of a percent of the exact value where the dominating pairs are tight.
///
/// Both directions (a record added, a record removed) are composed on their own; the worse one
/// counts. Grids of losses become finer until the answer stays. Events of one Poisson batch are
/// composed first and amplified afterwards: joint Laplace and Gaussian noise in closed form.
/// [DoroshenkoGhaziKamathKumarManurangsi2022, ZhuDongWang2022]; docs/theory/accountants.md.
class PldAccountant final : public Accountant {
 public:
  /// Errors: kUsage, naming the event, for one that has no dominating pair under the relation: a
  /// zCDP black box (rows of a unit in groups with different noise that are not pure are one), tree
  /// aggregation under add_remove, randomised response but under replace_one, other than Gaussian
  /// noise on a Poisson batch under replace_one, and selection among mechanisms that are not pure.
  PldAccountant(Relation relation, const std::vector<Event>& events);
  ~PldAccountant() override;

  Epsilon epsilon(Delta delta) const override;
  Epsilon rough_epsilon(Delta delta) const override;
  double delta(Epsilon epsilon) const override;
  double rough_delta(Epsilon epsilon, double small) const override;

 private:
  class Account;

  /// `enough`: part of it that finer grids may still take off.
  Epsilon epsilon(Delta delta, double enough) const;
  double delta(Epsilon epsilon, double small, double enough) const;

  std::vector<std::unique_ptr<Account>> accounts_;  ///< of groups that differ in events
};

}  // namespace equinoise
