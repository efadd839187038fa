// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace equinoise {

/// Whether what a method returns carries a guarantee.
enum class PrivacyStatus { kPrivate, kNotPrivate };

/// How far a method has come: proof, pseudocode and code read together before it is called stable.
enum class Maturity { kExperimental, kStable };

std::string_view to_string(PrivacyStatus status);  ///< "private", "not private"
std::string_view to_string(Maturity maturity);     ///< "experimental", "stable"

}  // namespace equinoise
