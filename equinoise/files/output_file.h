// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace equinoise {

/// A large output file that appears whole or not at all and that only its owner may read. It is
/// written next to its final place, piece by piece, and moved there by commit().
class OutputFile {
 public:
  /// Checks that the file can be written. Errors: kUsage if `path` exists without `force`, is
  /// not a regular file, is a database, as ledgers are, or is "-"; kRuntime if it cannot be
  /// written.
  OutputFile(std::filesystem::path path, bool force);
  /// Removes a file that was not committed.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Claims about as many bytes as will be written, so that a full disk is found before the work.
  /// Errors: kRuntime.
  void reserve(int64_t bytes) const;

  /// Appends. Errors: kRuntime if the disk is full.
  void write(std::string_view text);

  /// Forces everything to the disk and moves it in place. Errors: kRuntime.
  void commit();

 private:
  [[noreturn]] void fail(int error) const;

  std::filesystem::path path_;
  std::filesystem::path partial_;
  int descriptor_ = -1;
  int64_t written_ = 0;
  bool committed_ = false;
};

}  // namespace equinoise
