// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "equinoise/constraints/rate_constraint.h"

namespace equinoise {

/// The records that parity compares each group with.
struct Versus {
  enum class Kind {
    kRest,       ///< all records outside the group
    kOverall,    ///< all records
    kPairwise,   ///< every other group
    kReference,  ///< one group
  };
  Kind kind = Kind::kRest;
  std::vector<size_t> reference = {};  ///< for kReference: a value of each attribute
};

/// Groups are the combinations of the values of `attributes`, indices into the domain; at least
/// one.
struct ParityGroups {
  std::vector<size_t> attributes;
  Versus versus;
};

/// |P(k | group) - P(k | others)| <= slack for every group and each of `classes`: two constraints
/// each. With two groups, each is the other's rest, and only one comparison is made. `name` begins
/// the constraints' names.
std::vector<RateConstraint> demographic_parity(const ConstraintDomain& domain,
                                               const ParityGroups& groups,
                                               const std::vector<size_t>& classes, double slack,
                                               const std::string& name);

/// Demographic parity among the records of each of `labels`. All labels: equalised odds.
std::vector<RateConstraint> equalized_odds(const ConstraintDomain& domain,
                                           const ParityGroups& groups,
                                           const std::vector<size_t>& classes,
                                           const std::vector<size_t>& labels, double slack,
                                           const std::string& name);

/// Rates that are bounded by themselves, for one class that counts as positive.
enum class RateMetric {
  kFalseNegativeRate,
  kFalsePositiveRate,
  kTruePositiveRate,
  kTrueNegativeRate,
  kPredictionRate,  ///< the share for whom the positive class is predicted
  kPrecision,       ///< of records predicted positive: the denominator depends on the model
};

/// "fnr", "fpr", "tpr", "tnr", "pred_rate", "precision", in the order of RateMetric.
const std::vector<std::string>& rate_metric_names();

/// The rate among the records of `where`.
Rate make_rate(const ConstraintDomain& domain, RateMetric metric, size_t positive,
               const Conjunction& where);

/// rate <= max and rate >= min; a missing bound gives no constraint.
std::vector<RateConstraint> rate_bounds(const Rate& rate, std::optional<double> max,
                                        std::optional<double> min, const std::string& name);

/// P(wrong | group) <= max for every combination of values of `attributes`.
std::vector<RateConstraint> group_error(const ConstraintDomain& domain,
                                        const std::vector<size_t>& attributes, double max,
                                        const std::string& name);

}  // namespace equinoise
