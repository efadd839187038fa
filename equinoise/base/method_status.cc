// SPDX-License-Identifier: Apache-2.0
#include "equinoise/base/method_status.h"

namespace equinoise {

std::string_view to_string(PrivacyStatus status) {
  return status == PrivacyStatus::kPrivate ? "private" : "not private";
}

std::string_view to_string(Maturity maturity) {
  return maturity == Maturity::kStable ? "stable" : "experimental";
}

}  // namespace equinoise
