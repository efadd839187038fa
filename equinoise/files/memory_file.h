// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

namespace equinoise {

/// A file in memory for readers that take a path. It is in no folder and ends with this object.
class MemoryFile {
 public:
  /// Errors: kRuntime if the system has no room.
  explicit MemoryFile(std::string_view content);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile(MemoryFile&&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  MemoryFile& operator=(MemoryFile&&) = delete;

  /// The path by which this process can open the file.
  std::filesystem::path path() const;

 private:
  int descriptor_ = -1;
};

}  // namespace equinoise
