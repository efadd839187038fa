#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace equinoise {

/// The lines of a UTF-8 text file, plain or gzip (told by its first two bytes), in order and
/// without their line ends.
///
/// DuckDB opens, inflates, checks and cuts the file, and nothing more: asked for cells, version 1.5
/// may drop without a word every row after one that opens a quote in its first cell, and extra
/// empty cells at the end of a row. Of its messages only the class of the problem and the line
/// number leave this class, because they quote the line. It runs on one thread, so that lines come
/// in order; it holds a few buffers of 32 MB, never the whole file.
///
/// Errors (kInput, `data.table`): missing, unreadable, not a regular file, empty, not UTF-8, a line
/// above 2,000,000 bytes, more than one kind of line end, damaged gzip. A gzip that was cut short
/// looks like a shorter file.
class LineReader {
 public:
  explicit LineReader(const std::filesystem::path& path);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// Moves to the next line, which is valid until the next call; false at the end.
  bool next(std::string_view& line);

  int64_t line_number() const { return line_number_; }  ///< of the last line, from 1
  const std::string& name() const { return name_; }     ///< of the file, for messages
  bool is_gzip() const { return is_gzip_; }

 private:
  struct Stream;

  std::string name_;
  bool is_gzip_ = false;
  int64_t line_number_ = 0;
  std::unique_ptr<Stream> stream_;
};

}  // namespace equinoise
