// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/data/formats/byte_stream.h"

namespace equinoise {

/// A file of unsigned bytes in the idx format, in which MNIST is published, plain or gzip: two zero
/// bytes, the type 0x08, the number of dimensions, the size of each (32 bits, highest byte first),
/// the values.
///
/// Errors (kInput, `data.table`) name the file and the place, in bytes from its beginning (for
/// gzip, of the unpacked content), and never give a value: another magic number; sizes of which one
/// is 0 or whose product overflows; a file that is cut short or continues after the last value.
class IdxFile {
 public:
  /// Labels (one dimension) or images (images, rows, columns).
  enum class Content { kLabels, kImages };

  /// Reads the header.
  IdxFile(const std::filesystem::path& path, Content content);

  const std::string& name() const { return bytes_.name(); }  ///< of the file, for messages
  /// The number of labels; or the numbers of images, rows and columns.
  const std::vector<int64_t>& sizes() const { return sizes_; }

  /// Reads the values, in the file's order, and checks that the file ends after them. Memory: at
  /// most about twice the file's content, whatever its header states. To be called once.
  std::vector<uint8_t> read_values();

  [[noreturn]] void fail_at(int64_t byte, std::string_view problem) const;

 private:
  uint32_t read_word();
  [[noreturn]] void fail_damaged(int64_t byte, std::string_view problem) const;

  ByteStream bytes_;
  int64_t header_bytes_ = 0;
  std::vector<int64_t> sizes_;
  int64_t num_values_ = 1;
};

}  // namespace equinoise
