// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

namespace equinoise {

/// Keeps a file to one process: a lock on PATH.lock, which ends with the process.
class FileLock {
 public:
  /// `option`: what names the file on the command line. Errors: kUsage if another process holds it;
  /// kRuntime if nothing can be written there, or the file system has no locks.
  FileLock(const std::filesystem::path& path, std::string_view option);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  std::filesystem::path path_;  // of the lock
  int descriptor_ = -1;
};

}  // namespace equinoise
