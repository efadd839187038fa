// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "equinoise/files/write_file.h"

namespace equinoise {

/// An output folder that appears whole or not at all: files are written next to it and moved into
/// place by commit().
class OutputFolder {
 public:
  /// Checks that the files `names` can be written into `path` and claims `reserved_bytes` of disk,
  /// so that problems are found before budget is spent. Errors: kUsage if `path` exists and not
  /// `force`, or is "-"; kRuntime if it cannot be written, a folder has the name of a file, or the
  /// disk is full.
  OutputFolder(std::filesystem::path path, bool force, std::vector<std::string> names,
               int64_t reserved_bytes);
  /// Checks existing files and folders only; creates nothing. Errors: as the constructor.
  static void check(std::filesystem::path path, bool force, const std::vector<std::string>& names);
  /// Removes files that were not committed.
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// Writes one of the files. Errors: kRuntime if the disk is full or the folder has gone.
  void write(const std::string& name, const std::string& content) {
    write(name, content, audience_of(name));
  }
  void write(const std::string& name, const std::string& content, Audience audience);
  /// One of the files, to be written piece by piece and synced before commit(). Errors: as write().
  FileWriter open(const std::string& name, Audience audience = Audience::kAnybody) const;

  /// The final path of a file of that name.
  std::string final_path(const std::string& name) const { return (path_ / name).string(); }

  /// Moves everything into place. With force, files of the same names are replaced; others are
  /// kept.
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path staging_;
  std::vector<std::string> names_;
};

}  // namespace equinoise
