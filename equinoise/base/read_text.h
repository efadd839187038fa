// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include "equinoise/base/error.h"

namespace equinoise {

/// The text of a small file. Errors: kInput, by `where`, naming the file, if it is missing,
/// unreadable, not a regular file, empty, or larger than 16 MiB, when it is more likely a table.
inline std::string read_text(const std::filesystem::path& path, std::string_view where) {
  constexpr size_t kMaxBytes = size_t{1} << 24;
  const auto fail = [&](std::string_view problem) {
    throw Error(ErrorKind::kInput, where, "{}: {}", path.string(), problem);
  };
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) fail("no such file");
  if (!std::filesystem::is_regular_file(status)) fail("is not a regular file");
  if (std::filesystem::file_size(path, error) > kMaxBytes)
    fail("is larger than 16 MiB; is this the table?");
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) fail(fmt::format("cannot be opened: {}", std::generic_category().message(errno)));
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) fail("cannot be read");
  std::string content = std::move(text).str();
  if (content.empty()) fail("is empty");
  return content;
}

}  // namespace equinoise
