// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/arff_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "equinoise/base/small_letters.h"
#include "equinoise/data/values/blanks.h"

namespace equinoise {
namespace {

constexpr std::string_view kComma = ",";
constexpr std::string_view kCommaAndBlanks = ", \t";
/// The limit on all names of columns together, with a byte for each: that of a line of a CSV file.
constexpr size_t kMaxHeaderBytes = 2'000'000;

/// Removes a keyword, given in small letters, and the blanks behind it from a line; false if the
/// line does not begin with that word.
bool take_keyword(std::string_view& line, std::string_view keyword) {
  const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
  if (in_small_letters(std::string(word)) != keyword) return false;
  line.remove_prefix(word.size());
  skip_blanks(line);
  return true;
}

bool is_quote(char c) { return c == '\'' || c == '"'; }
bool is_line_break(char c) { return c == '\r' || c == '\n'; }

/// The number of values in a line if only commas separate them.
size_t num_between_commas(std::string_view line) {
  size_t count = 1;
  char quote = '\0';
  for (size_t i = 0; i < line.size(); ++i) {
    if (quote != '\0') {
      if (line[i] == '\\')
        ++i;
      else if (line[i] == quote)
        quote = '\0';
    } else if (is_quote(line[i])) {
      quote = line[i];
    } else if (line[i] == ',') {
      ++count;
    }
  }
  return count;
}

}  // namespace

bool starts_like_arff(std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of("\r\n"), text.size());
    std::string_view line = without_blanks_around(text.substr(0, end));
    if (!line.empty() && line[0] != '%') return take_keyword(line, "@relation");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

ArffReader::ArffReader(ByteStream bytes, Encoding encoding)
    : RecordReader(bytes.name()), lines_(std::move(bytes), encoding) {
  std::string_view line;
  size_t header_bytes = 0;
  if (!next_line(line) || !take_keyword(line, "@relation")) fail("does not begin with @relation");
  while (true) {
    if (!next_line(line)) fail("has no @data line; the records must follow one");
    if (take_keyword(line, "@data")) break;
    if (!take_keyword(line, "@attribute")) {
      fail_here("is not an @attribute line; only those are allowed between @relation and @data");
    }
    header_.emplace_back(take_name(line));
    header_bytes += header_.back().size() + 1;
    if (header_bytes > kMaxHeaderBytes)
      fail_here(
          "makes the column names longer than 2,000,000 bytes in total; leave out columns that are "
          "not needed");
  }
  if (!line.empty()) fail_here("continues after @data; put each record on a line of its own");
  if (header_.empty()) fail("has no @attribute lines; they name the columns");
  settle_names();
}

bool ArffReader::next() {
  std::string_view line;
  if (!next_line(line)) return false;
  ++row_;
  if (line.starts_with('{')) {
    fail_here("is sparse, which is not supported; write all values, with Weka's SparseToNonSparse");
  }
  if (std::ranges::any_of(line, is_line_break)) {
    fail_here("has a line break inside; give every line the same end");
  }
  // Weka's rule for lines in which commas do not make a record. Blanks separate if there are no
  // commas, and several separators in a row count as one.
  const size_t num_parts = num_between_commas(line);
  const bool is_as_in_weka = num_parts != header_.size();
  const std::string_view separators = is_as_in_weka && num_parts == 1 ? kBlanks : kComma;
  cells_.clear();
  while (true) {
    if (is_as_in_weka) {
      line.remove_prefix(std::min(line.find_first_not_of(kCommaAndBlanks), line.size()));
      if (line.empty()) break;
    }
    if (cells_.size() == header_.size()) {
      fail_here(fmt::format(
          "has more values than there are @attribute lines ({}); quote values that contain commas "
          "or blanks",
          header_.size()));
    }
    cells_.push_back(take_value(line, separators));
    if (line.empty()) break;
    line.remove_prefix(1);  // the separator
  }
  if (cells_.size() != header_.size()) {
    fail_here(
        fmt::format("has {} values, but there are {} @attribute lines; write ? for missing values",
                    cells_.size(), header_.size()));
  }
  return true;
}

std::string ArffReader::place() const {
  if (row_ == 0) return fmt::format("line {}", lines_.line_number());
  return fmt::format("{} (line {})", RecordReader::place(), lines_.line_number());
}

bool ArffReader::next_line(std::string_view& line) {
  do {
    if (!lines_.next(line)) return false;
    line = without_blanks_around(line);
  } while (line.empty() || line[0] == '%');
  unquoted_.clear();
  unquoted_.reserve(line.size());  // never moves while the line is read, so views stay valid
  return true;
}

std::string_view ArffReader::take_name(std::string_view& rest) {
  std::string_view name;
  if (!rest.empty() && is_quote(rest[0])) {
    name = take_quoted(rest);
  } else {
    name = rest.substr(0, rest.find_first_of(" \t{"));
    rest.remove_prefix(name.size());
  }
  if (name.empty()) fail_here("has no name after @attribute");
  return name;
}

std::string_view ArffReader::take_value(std::string_view& rest, std::string_view separators) {
  skip_blanks(rest);
  if (!rest.empty() && is_quote(rest[0])) {
    const std::string_view value = take_quoted(rest);
    if (separators == kComma) skip_blanks(rest);
    if (!rest.empty() && separators.find(rest[0]) == separators.npos) {
      fail_in_text(
          "continues after its closing quote; put a backslash before quotes inside the value");
    }
    return value;
  }
  const size_t end = std::min(rest.find_first_of(separators), rest.size());
  const std::string_view value = without_blanks_around(rest.substr(0, end));
  rest.remove_prefix(end);
  for (const char c : value) {
    if (is_quote(c) || c == '%') {
      fail_in_text(
          "has a quote or a % inside; quote the whole value with a backslash before each, and put "
          "comments on lines of their own");
    }
  }
  return value == "?" ? std::string_view() : value;
}

std::string_view ArffReader::take_quoted(std::string_view& rest) {
  const char quote = rest[0];
  const size_t begin = unquoted_.size();
  size_t i = 1;
  for (; i < rest.size() && rest[i] != quote; ++i) {
    const bool is_escaped = rest[i] == '\\' && i + 1 < rest.size();
    unquoted_ += is_escaped ? unescape(rest[++i]) : rest[i];
  }
  if (i == rest.size()) fail_in_text("opens a quote that the line does not close");
  rest.remove_prefix(i + 1);
  return std::string_view(unquoted_).substr(begin);
}

char ArffReader::unescape(char escaped) const {
  constexpr std::string_view kPlain = "\\'\"%";
  if (escaped == 'n') return '\n';
  if (escaped == 'r') return '\r';
  if (escaped == 't') return '\t';
  if (kPlain.find(escaped) == kPlain.npos) {
    fail_in_text("has a backslash that means nothing; double it if it is part of the text");
  }
  return escaped;
}

/// Reports an error in the next cell, or in the name in the line.
void ArffReader::fail_in_text(std::string_view problem) const {
  if (row_ == 0) fail_here(problem);
  fail_here(fmt::format("column '{}' {}", header_[cells_.size()], problem));
}

}  // namespace equinoise
