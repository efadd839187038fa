// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/arff_reader.h"

#include <optional>
#include <string>
#include <vector>

#include "equinoise/data/open_table.h"
#include "tests/data/records.h"
#include "tests/data/table_files.h"
#include "tests/shared_vectors.h"
#include "tests/test_support.h"

namespace equinoise::arff_reader_test {

using testing::all_records;
using testing::Cells;
using testing::gzip;

/// Planted into broken rows: no message may ever hold it.
const std::string kSecret = "S3CRET";

const std::string kPeople =
    "@relation people\n@attribute age numeric\n@attribute name string\n@attribute sex {F,M}\n"
    "@data\n";

class ArffReaderTest : public ::testing::Test {
 protected:
  std::vector<Cells> records(std::string_view content) {
    ArffReader reader(ByteStream(InputFile(folder_.write_file("table.arff", content))));
    return testing::read_all(reader, header_);
  }
  std::string error(std::string_view content) {
    const std::string message = error_of(ErrorKind::kInput, [&] { records(content); });
    EXPECT_THAT(message,
                AllOf(StartsWith("[data.table] " + (folder_.path() / "table.arff").string()),
                      Not(HasSubstr(kSecret))));
    return message;
  }
  /// The error of a table of three records whose second one is `row`.
  std::string error_in_row(const std::string& row) {
    return error(kPeople + "1,x,F\n" + row + "\n3,z,M\n");
  }

  TempFolder folder_;
  std::vector<std::string> header_;
};

TEST_F(ArffReaderTest, NamesComeFromTheAttributesAndValuesFromTheLinesBehindData) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    std::string content =
        "% A table of people; ; @RELATION 'some people';;@Attribute age NUMERIC;"
        "\t@attribute\t'marital status' {never, 'once, or twice'};"
        "@attribute \"the \\\"sex\\\"\"{F,M} % not looked at;  % more;@DATA;; 39 , never ,F;"
        "% between;  40,\t'once, or twice',M\t;;";
    for (size_t at = content.find(';'); at != content.npos; at = content.find(';', at)) {
      content.replace(at, 1, end);
    }
    for (const std::string& file : {content, gzip(content)}) {
      EXPECT_THAT(records(file),
                  ElementsAre(Cells{"39", "never", "F"}, Cells{"40", "once, or twice", "M"}));
      EXPECT_THAT(header_, ElementsAre("age", "marital status", "the \"sex\""));
    }
  }
}

TEST_F(ArffReaderTest, AQuestionMarkIsANullAndNothingElseIs) {
  EXPECT_THAT(records(kPeople + "?, ? ,?\n'?',\"?\",''\n,??,\n"),
              ElementsAre(Cells{std::nullopt, std::nullopt, std::nullopt}, Cells{"?", "?", ""},
                          Cells{"", "??", ""}));
}

TEST_F(ArffReaderTest, QuotedValuesAreTakenAsTheyStandButForBackslashes) {
  EXPECT_THAT(
      records(kPeople + R"(' 1 ',"it's, {50%}",'say "x"')"
                        "\n"
                        R"('\'\"\\\%','a\tb\nc\rd' , "\\")"
                        "\n"),
      ElementsAre(Cells{" 1 ", "it's, {50%}", "say \"x\""}, Cells{"'\"\\%", "a\tb\nc\rd", "\\"}));
  EXPECT_THAT(records(kPeople + "1,c:\\new {x} y,F"), ElementsAre(Cells{"1", "c:\\new {x} y", "F"}))
      << "without quotes a backslash is one";
}

TEST_F(ArffReaderTest, BlanksAndSeveralCommasSeparateAsInWeka) {
  EXPECT_THAT(records(kPeople + "1 x F\n 2\t'y z'  M \n? ? ?\n"),
              ElementsAre(Cells{"1", "x", "F"}, Cells{"2", "y z", "M"},
                          Cells{std::nullopt, std::nullopt, std::nullopt}));
  EXPECT_THAT(records(kPeople + "1,,x,F\n2, y z,M,\n"),
              ElementsAre(Cells{"1", "x", "F"}, Cells{"2", "y z", "M"}));
}

TEST_F(ArffReaderTest, AHeaderAloneIsNoError) { EXPECT_TRUE(records(kPeople).empty()); }

TEST_F(ArffReaderTest, RowErrors) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"2,S3CRET", "row 2 (line 7) has 2 values, but there are 3 @attribute lines"},
      {"2 S3CRET", "row 2 (line 7) has 2 values"},
      {"2,S3CRET M", "row 2 (line 7) has 2 values"},
      {"2 S3CRET M 4", "row 2 (line 7) has more values"},
      {"2,S3CRET, comma,M", "row 2 (line 7) has more values than there are @attribute lines (3)"},
      {"2,S3CRET,M,{5}", "row 2 (line 7) has more values"},
      {"{0 2, 1 S3CRET}", "row 2 (line 7) is sparse, which is not supported; write all values"},
      {"2,'S3CRET,M", "row 2 (line 7) column 'name' opens a quote that the line does not close"},
      {"2,'S3CRET\",M", "row 2 (line 7) column 'name' opens a quote"},
      {"2,'S3CRET\\", "row 2 (line 7) column 'name' opens a quote"},
      {"2,x,'", "row 2 (line 7) column 'sex' opens a quote"},
      {"2,'S3CRET''S',M", "row 2 (line 7) column 'name' continues after its closing quote"},
      {"2,'S3CRET' % x,M", "row 2 (line 7) column 'name' continues after its closing quote"},
      {"2,S3C'RET,M", "row 2 (line 7) column 'name' has a quote or a % inside; quote the whole"},
      {"2,x,M % S3CRET", "row 2 (line 7) column 'sex' has a quote or a % inside"},
      {"2,'S3CRET\\u0041',M", "row 2 (line 7) column 'name' has a backslash that means nothing"},
      {"2,S3CRET,M\r3,x,F", "row 2 (line 7) has a line break inside"},
      {"2,S3CRET\xff,M", "line 7 is not UTF-8"},
  };
  for (const auto& [row, expected] : cases) {
    SCOPED_TRACE(row);
    EXPECT_THAT(error_in_row(row), HasSubstr(expected));
  }
}

TEST_F(ArffReaderTest, LinesAreThoseOfTheFile) {
  EXPECT_THAT(error("% x\n\n" + kPeople + "\n1,x,F\n% x\n\n2,S3CRET\n"),
              HasSubstr("row 2 (line 12) has 2 values"));
}

TEST_F(ArffReaderTest, ErrorsInTheHeader) {
  const std::string start = "@relation r\n@attribute a {0}\n";
  EXPECT_THAT(error("a,b\n@data\nS3CRET\n"), HasSubstr("does not begin with @relation"));
  EXPECT_THAT(error("%\n"), HasSubstr("does not begin with @relation"));
  EXPECT_THAT(error(start), HasSubstr("has no @data line"));
  EXPECT_THAT(error(start + "S3CRET\n@data\n"), HasSubstr("line 3 is not an @attribute line"));
  EXPECT_THAT(error(start + "@end S3CRET\n@data\n"), HasSubstr("line 3 is not an @attribute line"));
  EXPECT_THAT(error(start + "@attributes S3CRET\n"), HasSubstr("line 3 is not an @attribute line"));
  EXPECT_THAT(error(start + "\n@data S3CRET\n"), HasSubstr("line 4 continues after @data"));
  EXPECT_THAT(error("@relation r\n@data\n"), HasSubstr("has no @attribute lines"));
  for (const char* line : {"@attribute", "@attribute ", "@attribute {0,1}", "@attribute '' {0}"}) {
    EXPECT_THAT(error(start + line + "\n@data\n"), HasSubstr("line 3 has no name"));
  }
  EXPECT_THAT(error(start + "@attribute 'b {0}\n@data\n"),
              HasSubstr("line 3 opens a quote that the line does not close"));
  EXPECT_THAT(error(start + "@attribute 'b\\c' {0}\n@data\n"),
              HasSubstr("line 3 has a backslash that means nothing"));
  // A small file may hold a header that fills the memory.
  std::string wide = start;
  const std::string attribute = "@attribute " + std::string(999, 'x') + " {0}\n";
  for (int i = 0; i < 2001; ++i) wide += attribute;
  EXPECT_THAT(
      error(wide),
      HasSubstr(
          "line 2002 makes the column names longer than 2,000,000 bytes in total; leave out"));
}

TEST(StartsLikeArff, BehindCommentsAndBlankLinesOnly) {
  for (const char* text : {"@relation r\n", "@relation", "@RELATION\t'x'\r\n", "\n \t\n@Relation r",
                           "% x\n%@data\n\n @relation r", "%\r\r@relation r"}) {
    EXPECT_TRUE(starts_like_arff(text)) << text;
  }
  for (const char* text : {"", "\n", "%", "% @relation r\n", "@relation,b\n1,2\n", "@relations r\n",
                           "relation r\n", "a,b\n@relation r\n", "@attribute a {0}\n"}) {
    EXPECT_FALSE(starts_like_arff(text)) << text;
  }
}

/// The published Dutch census: the CSV file holds the records of the ARFF file in their order, the
/// occupations under other codes.
TEST(DutchCensus, HasTheSameRecordsAsArffAndAsCsv) {
  const auto shared = testing::shared_folder();
  const auto open_shared = [&](const std::string& end) -> std::unique_ptr<RecordReader> {
    const std::string name = "data/dutch_census_2001" + end;
    if (shared && std::filesystem::exists(*shared / name)) return open_table(*shared / name);
    if (std::getenv("EQUINOISE_REQUIRE_SHARED") != nullptr) ADD_FAILURE() << "missing " << name;
    return nullptr;
  };
  const auto arff = open_shared(".arff.gz");
  const auto csv = open_shared(".csv.gz");
  if (!arff || !csv) GTEST_SKIP() << "no shared material";
  std::vector<std::string> header = arff->header();
  ASSERT_THAT(header, SizeIs(12));
  EXPECT_EQ(header[10], "Marital_status");
  header[10] = "marital_status";
  EXPECT_EQ(header, csv->header());
  std::vector<Cells> records = all_records(*arff);
  for (Cells& cells : records) {
    EXPECT_TRUE(cells.back() == "5_4_9" || cells.back() == "2_1");
    cells.back() = cells.back() == "2_1" ? "1" : "0";
  }
  EXPECT_THAT(records, SizeIs(60'420));
  EXPECT_TRUE(records == all_records(*csv));
}

}  // namespace equinoise::arff_reader_test
