// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "equinoise/base/enum_words.h"

namespace equinoise {

/// States whether the result of a method or a run carries a guarantee.
enum class PrivacyStatus {
  kPrivate,
  kNotPrivate,
  kInsecureRng,  ///< of a run: it would be private, but its randomness has a known seed
};
inline constexpr EnumWords<PrivacyStatus, 3> kPrivacyStatuses = {
    {{PrivacyStatus::kPrivate, "private"},
     {PrivacyStatus::kNotPrivate, "not private"},
     {PrivacyStatus::kInsecureRng, "insecure rng"}}};

template <>
inline constexpr auto words_for<PrivacyStatus> = kPrivacyStatuses;

constexpr std::string_view to_string(PrivacyStatus status) {
  return word_of(kPrivacyStatuses, status);
}

}  // namespace equinoise
