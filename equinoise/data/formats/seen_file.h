// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

namespace equinoise {

/// The size and time of a file when it was first seen.
class SeenFile {
 public:
  /// Errors: kInput for a file whose size or time cannot be read.
  explicit SeenFile(std::filesystem::path path);

  /// Whether its size and the time of its last change are unchanged.
  bool is_same() const;

 private:
  std::filesystem::path path_;
  uintmax_t size_ = 0;
  std::filesystem::file_time_type time_;
};

}  // namespace equinoise
