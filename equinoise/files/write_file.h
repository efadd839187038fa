// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "equinoise/base/audience.h"

namespace equinoise {

/// Writes a file and forces it to the disk, including its name in the folder. Errors: kRuntime,
/// naming the file.
void write_file(const std::filesystem::path& path, const std::string& content, Audience audience);

/// A file that is written piece by piece. Errors: kRuntime, naming the file.
class FileWriter {
 public:
  FileWriter(const std::filesystem::path& path, Audience audience);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  /// Claims `bytes` of disk.
  void reserve(int64_t bytes) const;

  void write(std::string_view text) const;

  /// Forces the file to the disk, including its name in the folder.
  void sync() const;

 private:
  std::filesystem::path path_;
  int descriptor_;
};

/// Replaces a file by another one and forces that to the disk. Errors: kRuntime.
void move_file(const std::filesystem::path& from, const std::filesystem::path& to);

/// Claims `bytes` of disk for a file that the caller removes. Errors: kRuntime, e.g. a full disk.
void reserve_space(const std::filesystem::path& path, int64_t bytes);

/// Forces the names in the folder of `path` to the disk, as far as the file system can.
void sync_folder_of(const std::filesystem::path& path);

}  // namespace equinoise
