// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace equinoise {

/// What other programs write for a missing cell. Each may also be a value, as None of a list of
/// colours, so only what a schema or an option says is read as missing.
inline constexpr std::array<std::string_view, 13> kUsualMissingMarks = {
    "", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", ".", "n/a", "#N/A", "<NA>"};

}  // namespace equinoise
