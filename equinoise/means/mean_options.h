// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/means/estimator.h"

namespace equinoise {

/// The field of an estimator's own struct: kOwnMeanField<&LaplaceOptions::gamma>.
template <auto member>
constexpr auto kOwnMeanField = &own_field_at<MeanConfig, member>;

/// The field of an estimator's own struct that holds an enumeration, by its words.
template <const auto& words, auto member>
constexpr MeanOption::Word kOwnMeanWord = own_word_at<MeanConfig, words, member>();

}  // namespace equinoise
