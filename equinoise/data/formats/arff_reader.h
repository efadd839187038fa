// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "equinoise/data/formats/line_reader.h"
#include "equinoise/data/formats/record_reader.h"

namespace equinoise {

/// Whether a text begins as an ARFF file does: with `@relation`, after blank lines and comments.
bool starts_like_arff(std::string_view text);

/// The records of an ARFF file in the form that Weka gives it. The names of the columns are those
/// of the `@attribute` lines, whose types are ignored. Each line after `@data` is a record: values
/// between commas, without the blanks and tabs around them; ? is a null.
///
/// If the number of values then differs from the number of attributes, the line is read as Weka
/// does: blanks separate if it has no commas, and an empty place between two commas is no value.
/// Names and values may be in single or double quotes. Within these a backslash comes before
/// quotes, % and itself, and turns n, r and t into control characters. Blank lines and lines that
/// begin with % are skipped.
///
/// Errors (kInput, `data.table`) name the line, and for a record its row (from 1) and the column,
/// never a value:
/// - no `@relation` at the beginning; anything but `@attribute` lines between it and `@data`; no
///   `@data`, or something after it in its line;
/// - no attribute, one without a name, names of more than 2,000,000 bytes;
/// - a sparse record, or one with more or fewer values than attributes;
/// - a quote or a % inside a value, a quote that the line does not close, a backslash before
///   another character, a line break of another kind;
/// - those of LineReader.
class ArffReader final : public RecordReader {
 public:
  /// Reads all up to `@data`.
  explicit ArffReader(ByteStream bytes, Encoding encoding = Encoding::kUtf8);

  bool next() override;

 protected:
  std::string place() const override;

 private:
  bool next_line(std::string_view& line);
  // Each removes the part that it returns from the beginning of `rest`.
  std::string_view take_name(std::string_view& rest);
  std::string_view take_value(std::string_view& rest, std::string_view separators);
  std::string_view take_quoted(std::string_view& rest);
  char unescape(char escaped) const;
  [[noreturn]] void fail_in_text(std::string_view problem) const;

  LineReader lines_;
  std::string unquoted_;  ///< the texts of the line that had quotes
};

}  // namespace equinoise
