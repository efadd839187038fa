// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/file_kind.h"

#include <string>

#include "equinoise/data/open_table.h"
#include "tests/data/table_files.h"
#include "tests/test_support.h"

namespace equinoise::file_kind_test {

using testing::gzip;

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
          {std::string(257, 'a') + "ustar\0"s + "00", "tar -xf"},
          {std::string(257, 'a') + "ustar  \0"s, "tar -xf"},
          {"PK\x05\x06"s + std::string(18, '\0'), "empty zip"},
          {"ARROW1\0\0"s, "Arrow"},
          {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"s, ".xls"},
          {"SQLite format 3\0"s, "SQLite"},
          {"checksumDUCK\x44"s + std::string(39, '\0') + "v1.5.6"s, "duckdb:FILE#TABLE"},
          {"\x89HDF\r\n\x1a\n"s, "HDF5"},
          {"\x93NUMPY\x01"s, "NumPy"},
          {"RDX3\nX\n", "write.csv"},
          {"X\n\0\0\0\3\0\4"s, "write.csv"},
          {"<stata_dta><header>", "Stata"},
          {"\x72\2\1\0\5\0"s, "Stata"},
          {"\x73\1\1\0\0\5"s, "Stata"},
          {std::string(12, '\0') + "\xc2\xea\x81\x60\xb3\x14", "SAS data set"},
          {"HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!0000", "SAS transport"},
          {"HEADER RECORD*******LIBV8   HEADER RECORD!!!!!!!0000", "SAS transport"},
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
    const std::string_view problem = problem_of_kind(file.start, "");
    EXPECT_THAT(std::string(problem.empty() ? problem_of_text(file.start) : problem),
                HasSubstr(file.says));
    for (const std::string& content : {file.start + "more", gzip(file.start + "more")}) {
      const auto path = folder.write_file("t.csv", content);
      EXPECT_ERROR(kInput, HasAll("t.csv: ", file.says), open_table(path));
    }
  }
}

TEST(FileKind, IsNamedByTheLastBytesToo) {
  EXPECT_THAT(std::string(problem_of_kind("ORC\n\x13", "ORC\x17")), HasSubstr("ORC file"));
  EXPECT_EQ(problem_of_kind("ORC\nOrk\n", "ORC\n"), "");
  EXPECT_EQ(problem_of_kind("ORC1,ORC2\n", "ORC7"), "");
}

TEST(FileKind, OfATableIsNone) {
  EXPECT_EQ(problem_of_kind("age,sex,DUCK,GOOSE\n1,2,3,4\n", "3,4\n"), "");
  for (const std::string& start :
       {""s, "age,sex\n"s, "PAR1"s, "BZh9,a\n"s, "RDX,b\n"s, "RDX3\n1\n"s, "[{"s, "%PD\n"s,
        "version,https\n"s, "html,body\n"s, "PK,id\n"s, "PARENT,AGE,SEX\n1,2,3\n"s,
        "FEA1,FEA2,Y\n1,2,3\n"s, "X\n0\n1\n"s, "HEADER RECORD,LIB\n"s, "r,s\n"s, "ARROW1,ARROW2\n"s,
        "$FL2,$FL3\n"s, std::string(257, 'a') + "ustar,b\n"}) {
    EXPECT_EQ(problem_of_kind(start, "2,3\n"), "") << start;
    EXPECT_EQ(problem_of_text(start), "") << start;
  }
}

TEST(FileKind, OfBytesThatMayBeginATableIsToldByTheEnd) {
  const TempFolder folder;
  for (const auto& [magic, says] :
       {std::pair("PARE"s, "encrypted Parquet"), {"FEA1"s, "Feather"}}) {
    const auto path = folder.write_file("t", magic + "\x01\x02" + magic);
    EXPECT_ERROR(kInput, HasSubstr(says), open_table(path));
  }
}

TEST(FileKind, OfTextIsNotAskedWhereAFirstCellMayBeSuch) {
  const TempFolder folder;
  TableLayout layout;
  layout.has_header = false;
  for (const char* cell : {"<html>", "%PDF-1", "[1]", "{a", "@relation r", "<?xml"}) {
    const auto reader = open_table(folder.write_file("t.csv", cell + ",1\nx,2\n"s), layout);
    ASSERT_TRUE(reader->next());
    EXPECT_EQ(reader->text(0), cell);
  }
}

}  // namespace equinoise::file_kind_test
