// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace equinoise {

/// The text of a small file. Errors: kInput, by `where`, naming the file: missing, unreadable, not
/// a regular file, empty, or larger than 16 MiB, which more likely is a table.
std::string read_text(const std::filesystem::path& path, std::string_view where);

}  // namespace equinoise
