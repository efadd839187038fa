// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/seen_file.h"

#include <system_error>
#include <utility>

#include "equinoise/data/formats/input_file.h"

namespace equinoise {

SeenFile::SeenFile(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code error;
  size_ = std::filesystem::file_size(path_, error);
  if (!error) time_ = std::filesystem::last_write_time(path_, error);
  if (error) fail_in_file(path_.string(), "cannot be read");
}

bool SeenFile::is_same() const {
  std::error_code error;
  return std::filesystem::file_size(path_, error) == size_ &&
         std::filesystem::last_write_time(path_, error) == time_ && !error;
}

}  // namespace equinoise
