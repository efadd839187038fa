// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "equinoise/synth/synthesizer.h"

namespace equinoise {

/// The field of a configuration of synthetic data at the end of a path of members.
template <auto... Path>
constexpr auto kSynthField = &field_at<SynthConfig, Path...>;

/// The field of a method's own struct: kOwnSynthField<&AimOptions::rounds_per_attribute>.
template <auto member>
constexpr auto kOwnSynthField = &own_field_at<SynthConfig, member>;

/// The field of a method's own struct that holds an enumeration, by its words.
template <const auto& words, auto member>
constexpr SynthOption::Word kOwnSynthWord = own_word_at<SynthConfig, words, member>();

/// Options of methods that follow a workload of marginals.
const SynthOptions& workload_options();

/// The share of a round's budget for its measurement; `usual` is the default in words.
SynthOption measurement_share_option(std::string usual);

}  // namespace equinoise
