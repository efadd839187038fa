#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace equinoise {

/// An output folder that appears whole or not at all: files are written beside it and moved in
/// place by commit().
class OutputFolder {
 public:
  /// Checks that `path` can be written and claims `reserved_bytes` of disk, so that a full disk is
  /// found before budget is spent. Errors: kUsage if `path` exists and not `force`; kRuntime if it
  /// cannot be created or the disk is full.
  OutputFolder(std::filesystem::path path, bool force, int64_t reserved_bytes);
  /// Removes what was not committed.
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// Errors: kRuntime if the disk is full or the folder has gone.
  void write(const std::string& name, const std::string& content);

  /// The final path of a file of that name.
  std::string final_path(const std::string& name) const { return (path_ / name).string(); }

  /// Moves everything in place. With force, files of the same names are replaced and others are
  /// left alone.
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path staging_;
  std::vector<std::string> names_;
};

}  // namespace equinoise
