// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/units.h"

#include "equinoise/base/check.h"

namespace equinoise {

Epsilon::Epsilon(double value) : value_(value) { check_non_negative("privacy", "epsilon", value); }

Delta::Delta(double value) : value_(value) {
  if (!(value >= 0 && value < 1)) {
    throw Error(ErrorKind::kUsage, "privacy",
                "delta must lie in [0, 1), got {}; use less than 1 / num_records", value);
  }
}

Rho::Rho(double value) : value_(value) { check_non_negative("privacy", "rho", value); }

Sensitivity::Sensitivity(double value, Norm norm, Relation relation)
    : value_(value), norm_(norm), relation_(relation) {
  check_positive("privacy", "sensitivity", value);
}

}  // namespace equinoise
