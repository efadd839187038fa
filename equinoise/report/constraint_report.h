// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "equinoise/audit/constraint_check.h"

namespace equinoise {

/// A constraint and how a model keeps it on the records that judge it. What training saw of it is
/// not here: that was about steps, whose mean the model is.
struct ConstraintReport {
  std::string name;
  std::string text;  ///< "P(>50K | sex=F) - P(>50K | sex=M) <= 0.05"
  double slack = 0;
  std::string origin = {};                        ///< of an audit: "training" or "audit"
  std::optional<ConstraintCheck> check = {};      ///< of the model; not private
  std::optional<ConstraintCheck> reference = {};  ///< not private
  /// Of the model, by counts with noise that the run paid for; publishable.
  std::optional<ConstraintCheck> private_check = {};
};

}  // namespace equinoise
