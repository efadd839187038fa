// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/json_reader.h"

#include <fmt/format.h>

#include <istream>
#include <map>
#include <nlohmann/json.hpp>
#include <streambuf>
#include <unordered_map>
#include <utility>
#include <vector>

namespace equinoise {
namespace {

/// A number beyond a double is still a number in extended precision, and its cell as good as in
/// CSV.
using RowJson =
    nlohmann::basic_json<std::map, std::vector, std::string, bool, int64_t, uint64_t, long double>;

constexpr int64_t kMaxRowBytes = 2'000'000;
constexpr int kEnd = std::char_traits<char>::eof();

}  // namespace

/// The text, for the parser to take byte by byte, and the place that it has reached.
class JsonReader::Source : public std::streambuf {
 public:
  explicit Source(ByteStream bytes) : bytes_(std::move(bytes)) {}

  /// The next character that is not a blank, left where it is, or kEnd.
  int peek() {
    int next = sgetc();
    while (next == ' ' || next == '\t' || next == '\r' || next == '\n') next = snextc();
    return next;
  }

  void begin_row(int64_t row) {
    row_ = row;
    row_begin_ = offset();
  }
  void end_row() {
    check_row_length();
    row_ = 0;
  }

  /// Whether somebody asked for more than there is.
  bool has_ended() const { return has_ended_; }

  /// The character that was taken last; one must have been.
  char last() const { return gptr()[-1]; }

  /// The line of the next character, from 1, and its column in bytes, from 1.
  int64_t line() {
    count_lines();
    return line_;
  }
  int64_t column() {
    count_lines();
    return offset() - line_begin_ + 1;
  }

 protected:
  int_type underflow() override {
    check_row_length();
    count_lines();
    block_begin_ = offset();
    bytes_.skip(static_cast<size_t>(egptr() - eback()));
    const std::string_view block = bytes_.block();
    char* begin = const_cast<char*>(block.data());  // nothing writes into a buffer for reading
    setg(begin, begin, begin + block.size());
    counted_ = begin;
    has_ended_ = block.empty();
    return has_ended_ ? kEnd : traits_type::to_int_type(*begin);
  }

 private:
  int64_t offset() const { return block_begin_ + (gptr() - eback()); }

  void check_row_length() const {
    if (row_ > 0 && offset() - row_begin_ > kMaxRowBytes) {
      fail_in_file(bytes_.name(), fmt::format("row {} is longer than 2,000,000 bytes", row_));
    }
  }

  void count_lines() {
    while (true) {
      const std::string_view text(counted_, static_cast<size_t>(gptr() - counted_));
      const size_t end = text.find('\n');
      if (end == text.npos) break;
      counted_ += end + 1;
      ++line_;
      line_begin_ = block_begin_ + (counted_ - eback());
    }
    counted_ = gptr();
  }

  ByteStream bytes_;
  int64_t block_begin_ = 0;  ///< in bytes from the start of the text, as the next two
  int64_t row_begin_ = 0;
  int64_t line_begin_ = 0;
  int64_t line_ = 1;
  int64_t row_ = 0;                ///< 0: between rows
  const char* counted_ = nullptr;  ///< line ends before this one have been counted
  bool has_ended_ = false;
};

/// Takes the events of the parser for one row after another. A method returns false, which stops
/// the parser, when there is a problem.
class JsonReader::Row : public nlohmann::json_sax<RowJson> {
 public:
  explicit Row(std::vector<std::string>& header) : header_(header) {}

  void begin(int64_t row) {
    row_ = row;
    is_open_ = false;
    next_column_ = 0;
    text_.clear();
    spans_.assign(header_.size(), Span{});
  }

  /// (header().size()) the cells of the row, valid until the next begin().
  void list_cells(std::vector<Cell>& cells) const {
    cells.clear();
    for (const Span& span : spans_) {
      cells.push_back(span.is_null ? Cell()
                                   : Cell(std::string_view(text_).substr(span.begin, span.size)));
    }
  }

  const std::string& problem() const { return problem_; }  ///< "" where it is the syntax
  bool is_other_shape() const { return is_other_shape_; }  ///< not a row at all, says problem()

  bool start_object(size_t) override {
    if (is_open_) return refuse_nested();
    is_open_ = true;
    return true;
  }
  bool end_object() override { return true; }
  bool start_array(size_t) override { return refuse_nested(); }
  bool end_array() override { return true; }

  bool key(string_t& name) override {
    // Most rows have the keys of the first one in the same order.
    if (next_column_ < header_.size() && header_[next_column_] == name) {
      column_ = next_column_;
    } else if (const auto found = columns_.find(name); found != columns_.end()) {
      column_ = found->second;
    } else if (row_ > 1) {
      // It is not named: in a damaged file it may be a value.
      return refuse("has a key that the first row lacks; write null there for no value");
    } else {
      column_ = header_.size();
      header_.push_back(name);
      columns_.emplace(name, column_);
      last_rows_.push_back(0);
      spans_.emplace_back();
    }
    if (last_rows_[column_] == row_) return refuse(fmt::format("has the key '{}' twice", name));
    last_rows_[column_] = row_;
    next_column_ = column_ + 1;
    return true;
  }

  bool null() override { return true; }
  bool boolean(bool value) override { return put(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return put(fmt::format_int(value)); }
  bool number_unsigned(number_unsigned_t value) override { return put(fmt::format_int(value)); }
  bool number_float(number_float_t, const string_t& written) override { return put(written); }
  bool string(string_t& value) override { return put(value); }
  bool binary(binary_t&) override { return false; }

  // The words of the exception quote the text, so only its number is looked at.
  bool parse_error(size_t, const std::string&, const RowJson::exception& error) override {
    constexpr int kNumberOverflow = 406;
    if (error.id != kNumberOverflow) return false;
    return refuse(fmt::format("has a number beyond 1e4932 in '{}'", header_[column_]));
  }

 private:
  struct Span {
    size_t begin = 0;
    size_t size = 0;
    bool is_null = true;
  };

  bool put(std::string_view cell) {
    spans_[column_] = {text_.size(), cell.size(), false};
    text_.append(cell);
    return true;
  }
  bool put(const fmt::format_int& cell) { return put(std::string_view(cell.data(), cell.size())); }

  bool refuse(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  bool refuse_nested() {
    // A table by columns, or by row names, or wrapped into another object: its keys may be data.
    is_other_shape_ = row_ == 1 && header_.size() == 1;
    if (is_other_shape_) {
      return refuse(
          "does not hold rows; write [{\"COLUMN\": VALUE, ...}, ...], e.g. with pandas "
          "to_json(orient='records')");
    }
    return refuse(fmt::format(
        "has an object or an array in '{}'; a cell must be a string, a number, true, false or null",
        header_[column_]));
  }

  std::vector<std::string>& header_;
  std::unordered_map<std::string, size_t> columns_;
  std::vector<int64_t> last_rows_;  ///< (num_columns) where the key was last seen
  std::vector<Span> spans_;         ///< (num_columns) of the row's cells in text_
  std::string text_;
  std::string problem_;
  int64_t row_ = 0;
  size_t column_ = 0;
  size_t next_column_ = 0;
  bool is_open_ = false;
  bool is_other_shape_ = false;
};

JsonReader::JsonReader(ByteStream bytes)
    : RecordReader(bytes.name()),
      source_(std::make_unique<Source>(std::move(bytes))),
      record_(std::make_unique<Row>(header_)) {
  is_array_ = source_->peek() == '[';
  if (is_array_) source_->sbumpc();
  is_first_pending_ = find_row();
  if (!is_first_pending_) return;  // rows alone name the columns
  parse_row();
  if (header_.empty()) fail_here("has no keys; they are the names of the columns");
  row_ = 0;
}

JsonReader::~JsonReader() = default;

bool JsonReader::next() {
  if (std::exchange(is_first_pending_, false)) {
    row_ = 1;
    return true;
  }
  if (!find_row()) return false;
  parse_row();
  return true;
}

std::string JsonReader::place() const {
  return fmt::format("{} (line {})", RecordReader::place(), first_line_);
}

bool JsonReader::find_row() {
  if (is_done_) return false;
  int next = source_->peek();
  if (is_array_ && next == ']') {
    source_->sbumpc();
    if (source_->peek() != kEnd) {
      fail(fmt::format("has text after the end of its array, {}", at()));
    }
    is_done_ = true;
    return false;
  }
  if (is_array_ && row_ > 0 && next != kEnd) {
    if (next == ',') source_->sbumpc();
    const bool is_separated = next == ',';
    next = source_->peek();
    if (!is_separated || next == ']') fail(fmt::format("is not valid JSON between rows, {}", at()));
  }
  if (next == kEnd) {
    if (is_array_) fail("ends before its array does: the file was cut short");
    is_done_ = true;
    return false;
  }
  ++row_;
  first_line_ = source_->line();
  return true;
}

void JsonReader::parse_row() {
  if (source_->sgetc() != '{') {
    fail_here("is not an object; write each row as {\"COLUMN\": VALUE, ...}");
  }
  source_->begin_row(row_);
  record_->begin(row_);
  std::istream stream(source_.get());
  constexpr bool kWholeText = false;
  if (!RowJson::sax_parse(stream, record_.get(), RowJson::input_format_t::json, kWholeText)) {
    if (record_->is_other_shape()) fail(record_->problem());
    if (!record_->problem().empty()) fail_here(fmt::format("{} ({})", record_->problem(), at()));
    if (source_->has_ended()) fail_here("is not complete: the file was cut short");
    const bool is_not_finite = source_->last() == 'N' || source_->last() == 'I';
    fail_here(fmt::format("is not valid JSON {}{}", at(),
                          is_not_finite ? "; JSON has no NaN or Infinity: write null" : ""));
  }
  source_->end_row();
  record_->list_cells(cells_);
}

std::string JsonReader::at() const {
  return fmt::format("at line {}, column {}", source_->line(), source_->column());
}

}  // namespace equinoise
