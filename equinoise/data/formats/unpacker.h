// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "equinoise/data/formats/input_file.h"

namespace equinoise {

/// The content of a compressed file, piece by piece.
class Unpacker {
 public:
  virtual ~Unpacker() = default;

  /// Reads the content as InputFile::read does. `file` is the same in every call.
  ///
  /// Errors (kInput, `data.table`): data that are cut short or damaged, by their checksums.
  virtual size_t read(InputFile& file, std::span<char> buffer) = 0;
};

/// The unpacker of a file that begins like gzip, zip or zstd; nullptr for any other.
std::unique_ptr<Unpacker> unpacker_of(const InputFile& file);

/// Throws the input error for packed data that cannot be unpacked.
[[noreturn]] void fail_to_unpack(const InputFile& file, std::string_view problem);

/// All members of a gzip file (RFC 1952), one after another. Errors: also other bytes behind them.
std::unique_ptr<Unpacker> unpack_gzip();

/// All frames of a zstd file (RFC 8878), one after another.
std::unique_ptr<Unpacker> unpack_zstd();

/// The only file in a zip archive. Folders, hidden files (.DS_Store) and files that macOS adds
/// (__MACOSX/) do not count, wherever they are. Errors: also an archive of several files or of
/// none, an encrypted one, an Office document, a method of compression other than deflate.
std::unique_ptr<Unpacker> unpack_zip();

}  // namespace equinoise
