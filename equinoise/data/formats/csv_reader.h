// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "equinoise/data/formats/line_reader.h"
#include "equinoise/data/formats/record_reader.h"

namespace equinoise {

/// The records of a CSV file in the form of RFC 4180, strictly: quotes only around a whole cell,
/// line breaks only within quotes, every record with as many cells as the header. Exceptions are
/// another separator or encoding (TableLayout), a first line "sep=;", blanks around quotes and
/// around names of columns, blank lines (skipped; in a table of one column they are empty cells,
/// unless nothing follows them) and the line ends of LineReader. A line end within quotes reads as
/// "\n". Without a header columns are called column_1, column_2 and so on.
///
/// Errors (kInput, `data.table`) name file, row (data rows from 1) and line, never a value: no
/// record at all, a ragged record, a quote or a line break inside a cell, a quote that is never
/// closed or not within 2,000,000 bytes; and those of LineReader.
class CsvReader : public RecordReader {
 public:
  /// Reads the header. A layout without a delimiter means commas.
  explicit CsvReader(ByteStream bytes, const TableLayout& layout = {});

  bool has_header_line() const override { return has_header(); }
  bool next() override;

 protected:
  std::string place() const override;

 private:
  enum class Split { kDone, kOpenQuote, kStrayQuote, kStrayBreak };

  std::string_view blanks() const;  ///< blanks that are no separator
  bool is_blank(std::string_view line) const;
  /// The next line that is a record or begins one.
  bool next_line(std::string_view& line);
  bool read_record();
  /// The reason why the last record cannot have its number of cells, and a remedy, without quoting
  /// them.
  std::string problem_of_width() const;
  Split split(std::string_view text);

  LineReader lines_;
  char delimiter_;
  bool is_ahead_ = false;  ///< the first record was read already
  int64_t num_blank_ = 0;  ///< blank lines of a table of one column that were read ahead
  bool is_held_ = false;   ///< with the line that follows them
  std::string held_;
  std::string joined_;      ///< the text of a record that spans lines
  std::string unescaped_;   ///< cells that had quotes
  int64_t first_line_ = 0;  ///< of the last record
};

}  // namespace equinoise
