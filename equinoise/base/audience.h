// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace equinoise {

/// Who may read a file: anyone the umask allows, or only its owner.
enum class Audience { kAnybody, kOwner };

/// The audience of a file that commands write into their folder: its owner, if the file has figures
/// without noise. `file`: a name or path. A page without such figures is an exception.
inline Audience audience_of(const std::filesystem::path& file) {
  constexpr std::array<std::string_view, 6> kConfidential = {
      "report.json", "report.html", "compare.json", "compare.csv", "errors.csv", "curves.csv"};
  const bool is_confidential = std::ranges::count(kConfidential, file.filename().string()) > 0;
  return is_confidential ? Audience::kOwner : Audience::kAnybody;
}

}  // namespace equinoise
