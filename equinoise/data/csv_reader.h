#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/data/line_reader.h"

namespace equinoise {

/// The records of a CSV file in the form of RFC 4180, strictly: quotes only around a whole cell,
/// every record with as many cells as the header. Two things are let pass: blank lines (skipped,
/// unless there is only one column) and any of the line ends LF, CRLF, CR. A line break within
/// quotes reads as "\n".
///
/// Errors (kInput, `data.table`) name file, row (data rows from 1) and line, never a value.
class CsvReader {
 public:
  /// Opens the file and reads the header.
  explicit CsvReader(const std::filesystem::path& path);

  const std::vector<std::string>& header() const { return header_; }

  /// Moves to the next record; false at the end.
  bool next();

  /// (header().size()) the cells of the record, valid until the next call.
  const std::vector<std::string_view>& cells() const { return cells_; }

  int64_t row() const { return row_; }  ///< of the last record, from 1; 0: the header

  /// Throws an input error about the file or about the last record, e.g. ("column 'age' is not a
  /// number").
  [[noreturn]] void fail(std::string_view problem) const;
  [[noreturn]] void fail_here(std::string_view problem) const;
  /// The same for what a gzip file that was cut short would look like, too.
  [[noreturn]] void fail_incomplete(std::string_view problem) const;

 private:
  enum class Split { kDone, kOpenQuote, kStrayQuote };

  std::string here(std::string_view problem) const;
  bool read_record();
  bool next_line(std::string_view& line);
  Split split(std::string_view text);

  LineReader lines_;
  std::vector<std::string> header_;
  std::vector<std::string_view> cells_;
  std::string joined_;     ///< the text of a record that spans lines
  std::string unescaped_;  ///< cells that had doubled quotes
  int64_t row_ = -1;
  int64_t first_line_ = 0;  ///< of the last record
};

}  // namespace equinoise
