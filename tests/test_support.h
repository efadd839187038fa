// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "equinoise/base/error.h"
#include "tests/matchers.h"

namespace equinoise {

/// A new folder that goes away with the object.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "equinoise-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw Error(ErrorKind::kRuntime, "tests", "mkdtemp");
    path_ = name;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// Writes a file into the folder and returns where it is.
  std::filesystem::path write_file(std::string_view name, std::string_view content) const {
    const std::filesystem::path file = path_ / name;
    std::ofstream(file, std::ios::binary) << content;
    return file;
  }

 private:
  std::filesystem::path path_;
};

/// The message of the Error of that kind which `call` throws; fails the test if it throws none.
template <typename Call>
std::string error_of(ErrorKind kind, Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(kind)) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error was thrown";
  return "";
}

/// Matches a text that holds all of these.
template <typename... Parts>
auto HasAll(const Parts&... parts) {
  return AllOf(HasSubstr(parts)...);
}

/// That the last argument, an expression, throws an Error of that kind whose message matches.
#define EXPECT_ERROR(kind, matcher, ...) \
  EXPECT_THAT(::equinoise::error_of(::equinoise::ErrorKind::kind, [&] { __VA_ARGS__; }), matcher)

}  // namespace equinoise
