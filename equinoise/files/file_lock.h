// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

namespace equinoise {

/// Reserves a file for one process, by a lock on PATH.lock that ends with the process.
class FileLock {
 public:
  /// `option`: the command-line option that names the file. Errors: kUsage if another process holds
  /// it; kRuntime if nothing can be written there, or the file system has no locks.
  FileLock(const std::filesystem::path& path, std::string_view option);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  std::filesystem::path path_;  // of the lock file
  int descriptor_ = -1;
};

}  // namespace equinoise
