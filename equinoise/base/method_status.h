// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace equinoise {

/// Whether the result of a method carries a guarantee.
enum class PrivacyStatus { kPrivate, kNotPrivate };

/// The maturity of a method: it is called stable once its proof, pseudocode and code have been read
/// together.
enum class Maturity { kExperimental, kStable };

std::string_view to_string(PrivacyStatus status);  ///< "private", "not private"
std::string_view to_string(Maturity maturity);     ///< "experimental", "stable"

}  // namespace equinoise
