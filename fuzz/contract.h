// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "equinoise/base/error.h"

/// What the fuzzers share. Their contract: whatever the bytes, a call returns or throws
/// equinoise::Error. Any other exception, a crash, a leak or a hang stops libFuzzer, which keeps
/// the input.
namespace equinoise::fuzz {

/// Stops the fuzzer unless `holds`.
inline void require(bool holds, std::string_view claim) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(claim.size()), claim.data());
  std::abort();
}

/// The message of the Error that `call` throws; "" if it returns.
template <typename Call>
std::string error_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// A file for calls that want a path, in a folder that goes away at exit.
class InputFile {
 public:
  explicit InputFile(std::string_view name) {
    std::string folder = (std::filesystem::temp_directory_path() / "fuzz-XXXXXX").string();
    require(::mkdtemp(folder.data()) != nullptr, "a temporary folder can be made");
    path_ = std::filesystem::path(folder) / name;
  }
  ~InputFile() {
    std::error_code ignored;
    std::filesystem::remove_all(path_.parent_path(), ignored);
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Where the file with that content now is.
  const std::filesystem::path& write(std::string_view content) const {
    std::ofstream(path_, std::ios::binary) << content;
    return path_;
  }

 private:
  std::filesystem::path path_;
};

inline std::string_view as_text(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace equinoise::fuzz
