// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "equinoise/data/byte_stream.h"

namespace equinoise {

/// The lines of a UTF-8 text, in order and without their line ends: LF or CRLF; or lone CR, in a
/// text whose first line end is one. A line break of the other kind is part of its line.
///
/// Errors (kInput, `data.table`), naming the line: not UTF-8, a NUL byte, a line above 2,000,000
/// bytes; and those of ByteStream.
class LineReader {
 public:
  explicit LineReader(ByteStream bytes) : bytes_(std::move(bytes)) {}

  /// Moves to the next line, which is valid until the next call; false at the end.
  bool next(std::string_view& line);

  int64_t line_number() const { return line_number_; }       ///< of the last line, from 1
  const std::string& name() const { return bytes_.name(); }  ///< of the file, for messages

 private:
  bool cut(std::string_view& line);
  void settle_line_end(char found);
  [[noreturn]] void fail_here(std::string_view problem) const;

  ByteStream bytes_;
  std::string carried_;   ///< the start of a line that spans blocks
  char line_end_ = '\0';  ///< LF or CR; NUL before the first line
  int64_t line_number_ = 0;
};

}  // namespace equinoise
