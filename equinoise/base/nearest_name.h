// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace equinoise {

/// The first candidate that differs from `word` only in upper case. Otherwise the one with the
/// smallest edit distance to it, or "" if none is within a third of its length (at least 2).
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace equinoise
