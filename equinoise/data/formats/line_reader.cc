// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/line_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "equinoise/data/values/utf8.h"

namespace equinoise {
namespace {

constexpr size_t kMaxLineBytes = 2'000'000;

/// The characters from 0x80 on in which Windows-1252 differs from ISO 8859-1. Bytes that it does
/// not define are control characters, as in ISO 8859-1.
constexpr char16_t kWindowsCharacters[32] = {
    0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008d, 0x017d, 0x008f, 0x0090, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x009d, 0x017e, 0x0178};

void append_latin1(std::string_view text, std::string& result) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      result += c;
      continue;
    }
    const char16_t code = byte < 0xa0 ? kWindowsCharacters[byte - 0x80] : byte;
    if (code >= 0x800) result += static_cast<char>(0xe0 | (code >> 12));
    result += static_cast<char>(code >= 0x800 ? 0x80 | ((code >> 6) & 0x3f) : 0xc0 | (code >> 6));
    result += static_cast<char>(0x80 | (code & 0x3f));
  }
}

/// The byte of a character in Latin-1, if it has one.
std::optional<char> latin1_byte(uint32_t code) {
  if (code < 0x100) return static_cast<char>(code);
  const auto* const found = std::find(std::begin(kWindowsCharacters), std::end(kWindowsCharacters),
                                      static_cast<char16_t>(code));
  if (code > 0xffff || found == std::end(kWindowsCharacters)) return std::nullopt;
  return static_cast<char>(0x80 + (found - std::begin(kWindowsCharacters)));
}

}  // namespace

bool is_utf8_read_as_latin1(std::string_view text) {
  std::string bytes;
  bool has_more_than_ascii = false;
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    uint32_t code = lead < 0x80 ? lead : lead & (lead < 0xe0 ? 0x1f : lead < 0xf0 ? 0x0f : 0x07);
    for (; i < text.size() && (text[i] & 0xc0) == 0x80; ++i)
      code = code << 6 | static_cast<uint32_t>(text[i] & 0x3f);
    const std::optional<char> byte = latin1_byte(code);
    if (!byte) return false;
    has_more_than_ascii = has_more_than_ascii || lead >= 0x80;
    bytes += *byte;
  }
  return has_more_than_ascii && is_utf8(bytes);
}

LineReader::LineReader(ByteStream bytes, Encoding encoding)
    : bytes_(std::move(bytes)),
      encoding_(bytes_.has_byte_order_mark() ? Encoding::kUtf8 : encoding) {}

bool LineReader::next(std::string_view& line) {
  if (!cut(line)) return false;
  ++line_number_;
  if (line.size() > kMaxLineBytes) {
    fail_here("is longer than 2,000,000 bytes; is this a text file?");
  }
  if (encoding_ == Encoding::kLatin1) {
    decoded_.clear();
    append_latin1(line, decoded_);
    line = decoded_;
  } else if (!is_utf8(line)) {
    fail_here(
        "is not UTF-8; if the file is in Latin-1, give --encoding latin1 or write encoding = "
        "\"latin1\" under [table] of the schema; otherwise convert it with iconv");
  }
  if (line.find('\0') != line.npos) fail_here("contains a NUL byte; is this a text file in UTF-8?");
  return true;
}

bool LineReader::cut(std::string_view& line) {
  carried_.clear();
  while (carried_.size() <= kMaxLineBytes) {
    const std::string_view block = bytes_.block();
    const size_t end = line_end_ == '\0' ? block.find_first_of("\r\n") : block.find(line_end_);
    if (end != block.npos) {
      line = block.substr(0, end);
      bytes_.skip(end + 1);
      if (line_end_ == '\0' || !carried_.empty()) line = carried_.append(line);
      if (line_end_ == '\0') settle_line_end(block[end]);
      if (line_end_ == '\n' && line.ends_with('\r')) line.remove_suffix(1);
      return true;
    }
    carried_.append(block);
    bytes_.skip(block.size());
    if (block.empty()) break;
  }
  line = carried_;
  return !carried_.empty();
}

void LineReader::settle_line_end(char found) {
  line_end_ = '\n';
  if (found == '\n') return;
  if (bytes_.block().starts_with('\n')) {
    bytes_.skip(1);
  } else {
    line_end_ = '\r';
  }
}

void LineReader::fail_here(std::string_view problem) const {
  fail_in_file(name(), fmt::format("line {} {}", line_number_, problem));
}

}  // namespace equinoise
