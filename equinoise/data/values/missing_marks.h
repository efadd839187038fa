// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace equinoise {

/// Texts that other programs write for a missing cell. Each may also be a value, e.g. None in a
/// list of colours, so only marks in a schema or an option are read as missing.
inline constexpr std::array<std::string_view, 13> kUsualMissingMarks = {
    "", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", ".", "n/a", "#N/A", "<NA>"};

}  // namespace equinoise
