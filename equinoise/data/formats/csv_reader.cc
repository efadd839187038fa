// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/csv_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "equinoise/data/formats/delimiter.h"
#include "equinoise/data/values/blanks.h"

namespace equinoise {
namespace {

constexpr size_t kMaxRecordBytes = 2'000'000;

}  // namespace

CsvReader::CsvReader(ByteStream bytes, const TableLayout& layout)
    : RecordReader(bytes.name()),
      lines_(std::move(bytes), layout.encoding),
      delimiter_(layout.delimiter.value_or(',')) {
  decimal_mark_ = layout.decimal_comma ? ',' : '.';
  has_header_ = layout.has_header;
  row_ = -1;  // so that the header is row 0
  if (!read_record()) fail("is empty");
  is_ahead_ = !has_header_;
  for (size_t i = 0; i < cells_.size(); ++i) {
    if (has_header_) written_.emplace_back(text(i));
    header_.push_back(has_header_ ? std::string(without_blanks_around(text(i)))
                                  : fmt::format("column_{}", i + 1));
  }
  settle_names();
}

bool CsvReader::next() {
  if (is_ahead_) {
    is_ahead_ = false;
    ++row_;
    return true;
  }
  if (!read_record()) return false;
  if (cells_.size() != header_.size()) fail_here(problem_of_width());
  return true;
}

std::string CsvReader::problem_of_width() const {
  const size_t expected = header_.size();
  const std::string problem = fmt::format("has {} {}, but the {} has {}; ", cells_.size(),
                                          cells_.size() == 1 ? "cell" : "cells",
                                          has_header_ ? "header" : "first row", expected);
  if (cells_.size() < expected)
    return problem + "complete it, or remove the line if it is no record";
  const std::string quote = fmt::format("quote cells that contain {}", delimiter_name(delimiter_));
  if (has_header_ && expected == 1) {
    return problem +
           "remove what is above the names of the columns, such as a title; in a table of "
           "one column " +
           quote;
  }
  if (!has_header_ || row_ > 1 || cells_.size() > expected + 1) return problem + quote;
  return problem + fmt::format(
                       "if every line ends with {}, end the header with one, too; if "
                       "records begin with their names, as R writes them, give these a "
                       "name in the header; otherwise {}",
                       delimiter_name(delimiter_), quote);
}

std::string_view CsvReader::blanks() const { return delimiter_ == '\t' ? " " : kBlanks; }

std::string CsvReader::place() const {
  if (row_ == 0) return fmt::format("{} (line {})", has_header_ ? "header" : "row 1", first_line_);
  return fmt::format("{} (line {})", RecordReader::place(), first_line_);
}

bool CsvReader::is_blank(std::string_view line) const {
  return line.empty() || line.find_first_not_of(blanks()) == line.npos;
}

bool CsvReader::next_line(std::string_view& line) {
  while (!is_held_) {
    if (!lines_.next(line)) {
      num_blank_ = 0;
      return false;
    }
    if (lines_.line_number() == 1 && declared_delimiter(line)) continue;
    if (!is_blank(line)) {
      if (num_blank_ == 0) return true;
      held_.assign(line);
      is_held_ = true;
    } else if (header_.size() == 1) {
      ++num_blank_;
    }
  }
  is_held_ = num_blank_ > 0;
  line = is_held_ ? std::string_view("") : held_;  // an empty cell, not a null
  num_blank_ -= is_held_ ? 1 : 0;
  return true;
}

bool CsvReader::read_record() {
  std::string_view line;
  if (!next_line(line)) return false;
  ++row_;
  first_line_ = lines_.line_number() - (is_held_ ? num_blank_ + 1 : 0);

  Split outcome = split(line);
  if (outcome == Split::kOpenQuote) {
    // The record ends with the first line that makes the number of quotes even.
    joined_.assign(line);
    bool is_open = true;
    while (is_open) {
      if (!lines_.next(line)) fail_here("opens a quote that is never closed");
      joined_.append("\n").append(line);
      if (joined_.size() > kMaxRecordBytes) {
        fail_here(fmt::format("opens a quote that is not closed within {} bytes", kMaxRecordBytes));
      }
      is_open = std::ranges::count(line, '"') % 2 == 0;
    }
    outcome = split(joined_);
  }
  if (outcome == Split::kStrayBreak) {
    fail_here("has a line break inside a cell; quote the cell, or give every line the same end");
  }
  if (outcome != Split::kDone) {
    fail_here("has a quote inside a cell; quote the whole cell and double the quotes in it");
  }
  return true;
}

CsvReader::Split CsvReader::split(std::string_view text) {
  cells_.clear();
  unescaped_.clear();
  const bool has_quotes = text.find('"') != text.npos;
  const bool has_breaks = text.find('\r') != text.npos || text.find('\n') != text.npos;
  const std::string_view blanks = this->blanks();
  if (has_quotes) unescaped_.reserve(text.size());  // never moves below, so views stay valid
  size_t begin = 0;
  while (true) {
    size_t end = 0;
    const size_t quote = has_quotes ? text.find_first_not_of(blanks, begin) : text.npos;
    if (quote != text.npos && text[quote] == '"') {
      const size_t unescaped_begin = unescaped_.size();
      size_t piece = quote + 1;
      end = text.find('"', piece);
      while (end != text.npos && end + 1 < text.size() && text[end + 1] == '"') {
        unescaped_.append(text.substr(piece, end + 1 - piece));
        piece = end + 2;
        end = text.find('"', piece);
      }
      if (end == text.npos) return Split::kOpenQuote;
      unescaped_.append(text.substr(piece, end - piece));
      cells_.emplace_back(std::string_view(unescaped_).substr(unescaped_begin));
      end = std::min(text.find_first_not_of(blanks, end + 1), text.size());
      if (end < text.size() && text[end] != delimiter_) return Split::kStrayQuote;
    } else {
      end = std::min(text.find(delimiter_, begin), text.size());
      const std::string_view cell = text.substr(begin, end - begin);
      if (has_quotes && cell.find('"') != cell.npos) return Split::kStrayQuote;
      if (has_breaks && cell.find_first_of("\r\n") != cell.npos) return Split::kStrayBreak;
      cells_.emplace_back(cell);
    }
    if (end == text.size()) return Split::kDone;
    begin = end + 1;
  }
}

}  // namespace equinoise
