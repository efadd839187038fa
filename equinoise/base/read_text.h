// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace equinoise {

/// The text of a small file. Errors: kInput, by `where`, naming the file, if it is missing,
/// unreadable, not a regular file, empty, or larger than 16 MiB, when it is more likely a table.
std::string read_text(const std::filesystem::path& path, std::string_view where);

}  // namespace equinoise
