// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/file_kind.h"

#include <algorithm>

#include "equinoise/base/small_letters.h"
#include "equinoise/data/values/blanks.h"

namespace equinoise {
namespace {

using namespace std::string_view_literals;

struct FileKind {
  std::string_view magic;
  std::string_view problem;
  size_t at = 0;  ///< the place of the magic
  /// Returns whether the rest is also that of such a file, for a magic that may begin a table.
  bool (*is_confirmed)(std::string_view start, std::string_view end) = nullptr;
};

/// The last byte of an ORC file is the size of its postscript.
bool ends_like_orc(std::string_view /*start*/, std::string_view end) {
  return end.size() == kKindEndBytes && end.starts_with("ORC") && end.back() > '\r' &&
         end.back() < ' ';
}

/// The magic is followed by a number of 64 bits, of which two bytes are used.
bool goes_on_like_duckdb(std::string_view start, std::string_view /*end*/) {
  constexpr std::string_view kRestOfNumber = "\0\0\0\0\0\0"sv;
  return start.size() > 14 && start.substr(14).starts_with(kRestOfNumber);
}

constexpr std::string_view kStata = "is a Stata file; write the table as CSV with export delimited";

constexpr FileKind kFileKinds[] = {
    {"\xfd"
     "7zXZ\0"sv,
     "is compressed by xz; unpack it with unxz"},
    {"1AY&SY"sv, "is compressed by bzip2; unpack it with bunzip2", 4},
    {"\x04\x22\x4d\x18"sv, "is compressed by lz4; unpack it with unlz4"},
    {"\x1f\x9d"sv, "is compressed by compress; unpack it with uncompress"},
    {"7z\xbc\xaf\x27\x1c"sv, "is a 7z archive; unpack it with 7z x"},
    {"Rar!\x1a\x07"sv, "is a RAR archive; unpack it with unrar x"},
    {"ustar\0"sv, "is a tar archive; unpack it with tar -xf and give one of its files", 257},
    {"ustar  \0"sv, "is a tar archive; unpack it with tar -xf and give one of its files", 257},
    {"PK\x05\x06"sv, "is an empty zip archive"},
    {"PARE"sv, "is an encrypted Parquet file; write it without encryption", 0,
     [](std::string_view, std::string_view end) { return end == "PARE"; }},
    {"ARROW1\0\0"sv, "is an Arrow (Feather) file; write the table as Parquet or CSV"},
    {"FEA1"sv, "is a Feather file; write the table as Parquet or CSV", 0,
     [](std::string_view, std::string_view end) { return end == "FEA1"; }},
    {"ORC"sv, "is an ORC file; write the table as Parquet or CSV", 0, ends_like_orc},
    {"DUCK"sv, "is a DuckDB database; name a table in it: duckdb:FILE#TABLE", 8,
     goes_on_like_duckdb},
    {"Obj\x01"sv, "is an Avro file; write the table as Parquet or CSV"},
    {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv,
     "is an old Office document (.xls) or an encrypted workbook; save the sheet as CSV UTF-8"},
    {"SQLite format 3\0"sv, "is an SQLite database; export the table as CSV"},
    {"\x89HDF\r\n\x1a\n"sv, "is an HDF5 file; write the table as Parquet or CSV"},
    {"\x93NUMPY"sv, "is a NumPy array; write the table as Parquet or CSV"},
    {"RDX2\nX\n"sv, "holds R objects; write the table as CSV with write.csv"},
    {"RDX3\nX\n"sv, "holds R objects; write the table as CSV with write.csv"},
    {"X\n\0\0\0"sv, "holds an R object; write the table as CSV with write.csv"},
    {"\0\0\0\0\0\0\0\0\0\0\0\0\xc2\xea\x81\x60"sv,
     "is a SAS data set; write the table as CSV with proc export"},
    {"HEADER RECORD*******LIB"sv,
     "is a SAS transport file; write the table as CSV with proc export"},
    {"\x71\1\1\0"sv, kStata},
    {"\x71\2\1\0"sv, kStata},
    {"\x72\1\1\0"sv, kStata},
    {"\x72\2\1\0"sv, kStata},
    {"\x73\1\1\0"sv, kStata},
    {"\x73\2\1\0"sv, kStata},
    {"$FL2@(#)"sv, "is an SPSS file; save the table as CSV"},
    {"$FL3@(#)"sv, "is an SPSS file; save the table as CSV"},
    {"\xff\xfe"sv, "is in UTF-16; convert it with iconv -f UTF-16 -t UTF-8"},
    {"\xfe\xff"sv, "is in UTF-16; convert it with iconv -f UTF-16 -t UTF-8"},
};

/// Texts that may follow blank lines, in small letters.
constexpr FileKind kTexts[] = {
    {"<stata_dta>", kStata},
    {"%pdf-", "is a PDF document, not a table"},
    {"version https://git-lfs.github.com/spec/",
     "is a pointer of Git LFS, not the table; fetch the table with git lfs pull"},
    {"<!doctype html", "is a web page, not a table; fetch the file itself"},
    {"<html", "is a web page, not a table; fetch the file itself"},
    {"<?xml", "is an XML document; write the table as CSV, JSON or Parquet"},
};

}  // namespace

std::string_view problem_of_kind(std::string_view start, std::string_view end) {
  for (const FileKind& kind : kFileKinds) {
    if (start.size() >= kind.at && start.substr(kind.at).starts_with(kind.magic) &&
        (kind.is_confirmed == nullptr || kind.is_confirmed(start, end)))
      return kind.problem;
  }
  return "";
}

std::string_view problem_of_text(std::string_view start) {
  start.remove_prefix(std::min(start.find_first_not_of(" \t\r\n"), start.size()));
  for (const FileKind& kind : kTexts)
    if (in_small_letters(std::string(start.substr(0, kind.magic.size()))) == kind.magic)
      return kind.problem;
  return "";
}

bool is_duckdb_database(std::string_view start) {
  constexpr size_t kPlace = 8;
  return start.size() > kPlace && start.substr(kPlace).starts_with("DUCK") &&
         goes_on_like_duckdb(start, "");
}

}  // namespace equinoise
