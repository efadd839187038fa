#include "equinoise/data/csv_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "equinoise/base/error.h"

namespace equinoise {
namespace {

constexpr size_t kMaxRecordBytes = 2'000'000;

}  // namespace

CsvReader::CsvReader(const std::filesystem::path& path) : lines_(path) {
  if (!read_record()) fail_incomplete("is empty");
  header_.assign(cells_.begin(), cells_.end());
}

bool CsvReader::next() {
  if (!read_record()) return false;
  if (cells_.size() != header_.size()) {
    fail_incomplete(here(fmt::format("has {} cells, but the header has {}; {}", cells_.size(),
                                     header_.size(), "quote cells that hold commas")));
  }
  return true;
}

void CsvReader::fail(std::string_view problem) const {
  throw Error(ErrorKind::kInput, "data.table", fmt::format("{}: {}", lines_.name(), problem));
}

void CsvReader::fail_incomplete(std::string_view problem) const {
  fail(fmt::format("{}{}", problem,
                   lines_.is_gzip() ? " (or the gzip file is cut short or damaged)" : ""));
}

std::string CsvReader::here(std::string_view problem) const {
  const std::string row = row_ == 0 ? "header" : fmt::format("row {}", row_);
  return fmt::format("{} (line {}) {}", row, first_line_, problem);
}

void CsvReader::fail_here(std::string_view problem) const { fail(here(problem)); }

bool CsvReader::next_line(std::string_view& line) {
  if (!lines_.next(line)) return false;
  if (line.find('\0') != line.npos) {
    fail(fmt::format("line {} holds a NUL byte; is this a CSV file in UTF-8?",
                     lines_.line_number()));
  }
  return true;
}

bool CsvReader::read_record() {
  std::string_view line;
  do {
    if (!next_line(line)) return false;
  } while (line.empty() && header_.size() != 1);
  ++row_;
  first_line_ = lines_.line_number();

  Split outcome = split(line);
  if (outcome == Split::kOpenQuote) {
    // The record ends with the first line that makes the number of quotes even.
    joined_.assign(line);
    bool is_open = true;
    while (is_open) {
      if (!next_line(line)) fail_incomplete(here("opens a quote that is never closed"));
      joined_.append("\n").append(line);
      if (joined_.size() > kMaxRecordBytes) {
        fail_here(fmt::format("opens a quote that is not closed within {} bytes", kMaxRecordBytes));
      }
      is_open = std::count(line.begin(), line.end(), '"') % 2 == 0;
    }
    outcome = split(joined_);
  }
  if (outcome != Split::kDone) {
    fail_here("has a quote inside a cell; quote the whole cell and double the quotes in it");
  }
  return true;
}

CsvReader::Split CsvReader::split(std::string_view text) {
  cells_.clear();
  unescaped_.clear();
  unescaped_.reserve(text.size());  // never moves below, so views into it stay valid
  const bool has_quotes = text.find('"') != text.npos;
  size_t begin = 0;
  while (true) {
    size_t end = 0;
    if (has_quotes && begin < text.size() && text[begin] == '"') {
      const size_t unescaped_begin = unescaped_.size();
      size_t piece = begin + 1;
      end = text.find('"', piece);
      while (end != text.npos && end + 1 < text.size() && text[end + 1] == '"') {
        unescaped_.append(text.substr(piece, end + 1 - piece));
        piece = end + 2;
        end = text.find('"', piece);
      }
      if (end == text.npos) return Split::kOpenQuote;
      unescaped_.append(text.substr(piece, end - piece));
      cells_.push_back(std::string_view(unescaped_).substr(unescaped_begin));
      ++end;
      if (end < text.size() && text[end] != ',') return Split::kStrayQuote;
    } else {
      end = std::min(text.find(',', begin), text.size());
      const std::string_view cell = text.substr(begin, end - begin);
      if (has_quotes && cell.find('"') != cell.npos) return Split::kStrayQuote;
      cells_.push_back(cell);
    }
    if (end == text.size()) return Split::kDone;
    begin = end + 1;
  }
}

}  // namespace equinoise
