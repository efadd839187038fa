// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "equinoise/privacy/event.h"
#include "equinoise/privacy/guarantee.h"
#include "equinoise/privacy/units.h"

namespace equinoise {

/// Turns a fixed list of events, composed in order, into guarantees: upper bounds, rounded up, that
/// hold when all events were chosen before the first output was seen.
class Accountant {
 public:
  virtual ~Accountant() = default;

  /// The smallest epsilon that this accountant can show at `delta`. Errors: kUsage if none is
  /// finite.
  virtual Epsilon epsilon(Delta delta) const = 0;

  /// An upper bound of epsilon(delta) that is at most a few percent larger and takes less time: for
  /// searches.
  virtual Epsilon rough_epsilon(Delta delta) const { return epsilon(delta); }

  /// The smallest delta that this accountant can show at `epsilon`; 1 if it can show none.
  virtual double delta(Epsilon epsilon) const = 0;

  /// An upper bound of delta(epsilon), close to delta(epsilon) only where that is above `small`.
  virtual double rough_delta(Epsilon epsilon, double /*small*/) const { return delta(epsilon); }
};

/// One row of the table of accountants.
struct AccountantRow {
  std::string_view name;
  std::string_view description;
  /// Errors: kUsage, naming the event, if it cannot be bounded under the relation.
  std::unique_ptr<Accountant> (*make)(Relation relation, const std::vector<Event>& events);
};

/// One row for each AccountantName, in this order.
const std::vector<AccountantRow>& accountant_rows();

/// The name that selects the smallest figure of all accountants. Each figure holds for a plan that
/// is fixed before the first output, and so does the smallest. A ledger's account, whose entries
/// are chosen in turn, uses one rule instead (account_cost.h).
inline constexpr std::string_view kSmallest = "smallest";

/// A row of the table, or that of kSmallest. Errors: kUsage for an unknown name.
const AccountantRow& find_accountant(std::string_view name);

/// The smallest epsilon of all accountants at `delta`, for events fixed before the first output,
/// and the accountant that gives it. Errors: if no accountant has an answer, the error of PLD,
/// which names the cause, or that of RDP for events that none can bound.
Guarantee smallest_guarantee(Relation relation, const std::vector<Event>& events, Delta delta);

struct NamedDelta {
  double delta;
  AccountantName accountant;
};
/// The smallest delta of all accountants at `epsilon`. Events and errors: as smallest_guarantee().
NamedDelta smallest_delta(Relation relation, const std::vector<Event>& events, Epsilon epsilon);

}  // namespace equinoise
