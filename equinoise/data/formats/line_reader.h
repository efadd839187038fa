// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "equinoise/data/formats/byte_stream.h"
#include "equinoise/data/schema/table_layout.h"

namespace equinoise {

/// The lines of a text, in order, in UTF-8 and without their line ends: LF or CRLF; or lone CR, in
/// a text whose first line end is one. A line break of the other kind is part of its line. A byte
/// order mark of UTF-8 overrides `encoding`.
///
/// Errors (kInput, `data.table`), naming the line: not UTF-8, a NUL byte, a line above 2,000,000
/// bytes; and those of ByteStream.
class LineReader {
 public:
  explicit LineReader(ByteStream bytes, Encoding encoding = Encoding::kUtf8);

  /// Moves to the next line, which is valid until the next call; false at the end.
  bool next(std::string_view& line);

  int64_t line_number() const { return line_number_; }       ///< of the last line, from 1
  const std::string& name() const { return bytes_.name(); }  ///< of the file, for messages

 private:
  bool cut(std::string_view& line);
  void settle_line_end(char found);
  [[noreturn]] void fail_here(std::string_view problem) const;

  ByteStream bytes_;
  Encoding encoding_;
  std::string carried_;   ///< the start of a line that spans blocks
  std::string decoded_;   ///< a line converted from another encoding
  char line_end_ = '\0';  ///< LF or CR; NUL before the first line
  int64_t line_number_ = 0;
};

/// Whether a text that was read as Latin-1 seems to be UTF-8: its bytes are well-formed UTF-8, and
/// not all are ASCII. Texts in Latin-1 are hardly ever so.
bool is_utf8_read_as_latin1(std::string_view text);

}  // namespace equinoise
