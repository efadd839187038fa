#pragma once

#include <optional>
#include <string>

#include "equinoise/audit/constraint_check.h"
#include "equinoise/constraints/rate_values.h"

namespace equinoise {

/// A constraint, what training saw of it where training obeyed it, and how a model keeps it on the
/// records that judge it.
struct ConstraintReport {
  std::string name;
  std::string text;  ///< "P(>50K | sex=F) - P(>50K | sex=M) <= 0.05"
  double slack = 0;
  std::string origin = {};                          ///< of an audit: "training" or "audit"
  std::optional<ConstraintEstimate> released = {};  ///< of noisy histograms; publishable
  std::optional<ConstraintEstimate> observed = {};  ///< of histograms without noise; not private
  std::optional<ConstraintCheck> check = {};        ///< of the model; not private
  std::optional<ConstraintCheck> reference = {};    ///< not private
  /// Of the model, by counts with noise that the run paid for; publishable.
  std::optional<ConstraintCheck> private_check = {};
};

}  // namespace equinoise
