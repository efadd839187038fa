// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/file_kind.h"

#include <gmock/gmock.h>

#include <string>

#include "equinoise/data/record_reader.h"
#include "tests/data/table_files.h"
#include "tests/test_support.h"

namespace equinoise::file_kind_test {
namespace {

using ::testing::AllOf;
using testing::gzip;
using ::testing::HasSubstr;

using namespace std::string_literals;

struct KnownFile {
  std::string start;
  std::string says;
};

std::vector<KnownFile> known_files() {
  return {{"\xfd"s + "7zXZ\0\0\x04"s, "unxz"},
          {"BZh91AY&SY", "bunzip2"},
          {"\x04\x22\x4d\x18\x64"s, "unlz4"},
          {"7z\xbc\xaf\x27\x1c", "7z archive"},
          {"Rar!\x1a\x07\x01"s, "RAR"},
          {std::string(257, 'a') + "ustar", "tar -xf"},
          {"PK\x05\x06"s + std::string(18, '\0'), "empty zip"},
          {"PARE1234", "encrypted Parquet"},
          {"ARROW1\0\0"s, "Arrow"},
          {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"s, ".xls"},
          {"SQLite format 3\0"s, "SQLite"},
          {"\x89HDF\r\n\x1a\n"s, "HDF5"},
          {"\x93NUMPY\x01"s, "NumPy"},
          {"RDX3\nX\n", "write.csv"},
          {"<stata_dta><header>", "Stata"},
          {"$FL2@(#)", "SPSS"},
          {"%PDF-1.7", "PDF"},
          {"\xff\xfe"
           "a\0,\0"s,
           "UTF-16"},
          {"version https://git-lfs.github.com/spec/v1\noid sha256:12\n", "git lfs pull"},
          {"\n <!DOCTYPE html>\n<html>", "web page"},
          {"<HTML><body>", "web page"},
          {"<?xml version=\"1.0\"?>", "XML"}};
}

TEST(FileKind, IsNamedByTheFirstBytes) {
  const TempFolder folder;
  for (const KnownFile& file : known_files()) {
    EXPECT_THAT(std::string(problem_of_kind(file.start)), HasSubstr(file.says));
    for (const std::string& content : {file.start + "more", gzip(file.start + "more")}) {
      const auto path = folder.write_file("t.csv", content);
      EXPECT_THAT(error_of(ErrorKind::kInput, [&] { open_table(path); }),
                  AllOf(HasSubstr("t.csv: "), HasSubstr(file.says)));
    }
  }
}

TEST(FileKind, OfATableIsNone) {
  for (const std::string start : {"", "age,sex\n", "PAR1", "BZh9,a\n", "RDX,b\n", "[{", "%PD\n",
                                  "version,https\n", "html,body\n", "PK,id\n"})
    EXPECT_EQ(problem_of_kind(start), "") << start;
}

}  // namespace
}  // namespace equinoise::file_kind_test
