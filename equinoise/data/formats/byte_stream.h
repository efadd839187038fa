// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/data/formats/input_file.h"
#include "equinoise/data/formats/unpacker.h"

namespace equinoise {

/// The content of a file, block by block. A file that begins like gzip, zip or zstd is unpacked,
/// see unpacker.h. A byte order mark of UTF-8 is left out.
///
/// Errors (kInput, `data.table`): a file that is empty apart from a byte order mark or empty gzip
/// members; a file of a kind that no reader takes (file_kind.h), packed or not; those of the
/// unpacker.
class ByteStream {
 public:
  static constexpr size_t kBlockBytes = size_t{1} << 18;

  /// `block_bytes` is at least 3, the size of the byte order mark.
  explicit ByteStream(InputFile file, size_t block_bytes = kBlockBytes);
  ~ByteStream();
  ByteStream(ByteStream&& other) noexcept;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  ByteStream& operator=(ByteStream&&) = delete;

  const std::string& name() const { return file_.name(); }  ///< of the file, for messages

  /// The rest of the block, or all of the next one; empty at the end only. Valid until a call that
  /// moves on to the next block.
  std::string_view block();

  /// Drops the first `size` bytes of the result of block().
  void skip(size_t size) { position_ += size; }

  /// Whether the content began with a byte order mark, and so is in UTF-8.
  bool has_byte_order_mark() const { return has_byte_order_mark_; }

 private:
  InputFile file_;
  std::unique_ptr<Unpacker> unpacker_;  ///< nullptr: a plain file
  std::vector<char> buffer_;
  bool has_byte_order_mark_ = false;
  size_t position_ = 0;
  size_t size_ = 0;
};

}  // namespace equinoise
