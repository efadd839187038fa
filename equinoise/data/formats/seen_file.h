// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

namespace equinoise {

/// A file as it was when it was first seen.
class SeenFile {
 public:
  /// Errors: kInput for a file that cannot be looked at.
  explicit SeenFile(std::filesystem::path path);

  /// Whether its size and the time of its last change are what they were.
  bool is_same() const;

 private:
  std::filesystem::path path_;
  uintmax_t size_ = 0;
  std::filesystem::file_time_type time_;
};

}  // namespace equinoise
