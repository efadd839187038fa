// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "equinoise/base/enum_words.h"

namespace equinoise {

/// Whether what a method or a run returns carries a guarantee.
enum class PrivacyStatus {
  kPrivate,
  kNotPrivate,
  kInsecureRng,  ///< of a run: it would be private, but its randomness has a known seed
};
inline constexpr EnumWords<PrivacyStatus, 3> kPrivacyStatuses = {
    {{PrivacyStatus::kPrivate, "private"},
     {PrivacyStatus::kNotPrivate, "not private"},
     {PrivacyStatus::kInsecureRng, "insecure rng"}}};

/// The maturity of a method: it is called stable once its proof, pseudocode and code have been read
/// together.
enum class Maturity { kExperimental, kStable };
inline constexpr EnumWords<Maturity, 2> kMaturities = {
    {{Maturity::kExperimental, "experimental"}, {Maturity::kStable, "stable"}}};

constexpr std::string_view to_string(PrivacyStatus status) {
  return word_of(kPrivacyStatuses, status);
}
constexpr std::string_view to_string(Maturity maturity) { return word_of(kMaturities, maturity); }

}  // namespace equinoise
