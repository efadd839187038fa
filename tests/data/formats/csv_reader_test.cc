// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/csv_reader.h"

#include <string>
#include <vector>

#include "tests/data/records.h"
#include "tests/data/table_files.h"
#include "tests/test_support.h"

namespace equinoise::csv_reader_test {

using testing::all_records;
using testing::Cells;

/// Planted into broken rows: no message may ever hold it.
const std::string kSecret = "S3CRET";

class CsvReaderTest : public ::testing::Test {
 protected:
  std::vector<Cells> read(const std::filesystem::path& path, size_t block_bytes) {
    CsvReader reader(ByteStream(InputFile(path), block_bytes));
    return testing::read_all(reader, header_);
  }
  /// The same whatever the size of the blocks.
  std::vector<Cells> records(std::string_view content) {
    const std::filesystem::path path = folder_.write_file("table.csv", content);
    std::vector<Cells> records = read(path, ByteStream::kBlockBytes);
    for (size_t block_bytes = 3; block_bytes <= content.size(); ++block_bytes) {
      EXPECT_EQ(read(path, block_bytes), records) << "blocks of " << block_bytes;
    }
    return records;
  }
  std::string error(std::string_view content) {
    const std::filesystem::path path = folder_.write_file("table.csv", content);
    const std::string message =
        error_of(ErrorKind::kInput, [&] { read(path, ByteStream::kBlockBytes); });
    EXPECT_THAT(message, AllOf(StartsWith("[data.table] "), HasSubstr(path.string()),
                               Not(HasSubstr(kSecret))));
    return message;
  }
  /// The error of a table of three rows whose second one is `row`.
  std::string error_in_row(std::string_view row) {
    return error("age,name,sex\n1,x,F\n" + std::string(row) + "\n3,z,M\n");
  }

  TempFolder folder_;
  std::vector<std::string> header_;
};

TEST_F(CsvReaderTest, CellsAreTakenAsTheyStand) {
  EXPECT_THAT(records("age,name\n 1,x \n,\"\"\n\" 2 \",\xc3\xa9\n"),
              ElementsAre(Cells{" 1", "x "}, Cells{"", ""}, Cells{" 2 ", "\xc3\xa9"}));
  EXPECT_THAT(header_, ElementsAre("age", "name"));
}

TEST_F(CsvReaderTest, NoCellIsANull) {
  EXPECT_THAT(records("a,b\n,\"\"\nNULL,null\n"),
              ElementsAre(Cells{"", ""}, Cells{"NULL", "null"}));
  EXPECT_THAT(records("a\n\nx\n"), ElementsAre(Cells{""}, Cells{"x"}));
}

TEST_F(CsvReaderTest, QuotesAroundWholeCells) {
  EXPECT_THAT(records("\"a,1\",\"b\"\"\"\n\"x,y\",\"\"\"\"\n\"\"\"q\"\" r\",z\n"),
              ElementsAre(Cells{"x,y", "\""}, Cells{"\"q\" r", "z"}));
  EXPECT_THAT(header_, ElementsAre("a,1", "b\""));
}

TEST_F(CsvReaderTest, LineBreaksWithinQuotes) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    EXPECT_THAT(
        records("a,b" + end + "\"x" + end + end + "y\",1" + end + "\"" + end + "\",2" + end),
        ElementsAre(Cells{"x\n\ny", "1"}, Cells{"\n", "2"}));
  }
  EXPECT_THAT(records("a\n\"x\r\ny\"\n\"x\ry\"\n"), ElementsAre(Cells{"x\ny"}, Cells{"x\ry"}));
  EXPECT_THAT(records("a\r\"x\ny\"\r"), ElementsAre(Cells{"x\ny"}));
}

TEST_F(CsvReaderTest, BlankLinesAreSkippedUnlessThereIsOneColumn) {
  EXPECT_THAT(records("\n\na,b\n\n1,2\n\n\n3,4\n\n"),
              ElementsAre(Cells{"1", "2"}, Cells{"3", "4"}));
  EXPECT_THAT(records("\na\n1\n\n2\n"), ElementsAre(Cells{"1"}, Cells{""}, Cells{"2"}));
  EXPECT_THAT(records("a\n\n \n1\n"), ElementsAre(Cells{""}, Cells{""}, Cells{"1"}));
}

TEST_F(CsvReaderTest, BlankLinesAtTheEndOfOneColumnAreNoRecords) {
  for (const std::string end : {"", "\n", "\n\n", "\n \n\t", "\r\n\r\n"})
    EXPECT_THAT(records("a\n1\n\n2" + end), ElementsAre(Cells{"1"}, Cells{""}, Cells{"2"})) << end;
  EXPECT_THAT(records("a\n1\n\"\"\n"), ElementsAre(Cells{"1"}, Cells{""}));
  EXPECT_THAT(records("a\n\n\n"), IsEmpty());
  EXPECT_THAT(error("a\n1\n\n\n2,3\n"), HasSubstr("row 4 (line 5) has 2 cells"));
  EXPECT_THAT(records("a\n\n\"x\n\ny\"\n"), ElementsAre(Cells{""}, Cells{"x\n\ny"}));
}

TEST_F(CsvReaderTest, LinesOfBlanksAreSkipped) {
  EXPECT_THAT(records("a,b\n1,2\n \t\n3,4\n  "), ElementsAre(Cells{"1", "2"}, Cells{"3", "4"}));
}

TEST_F(CsvReaderTest, AHeaderThatIsOneShorterThanTheRecordsIsSaidAsSuch) {
  const std::string row_names = error("a,b\n1,2,S3CRET\n");
  EXPECT_THAT(row_names, AllOf(HasSubstr("row 1 (line 2) has 3 cells, but the header has 2; if "
                                         "every line ends with a comma"),
                               HasSubstr("as R writes them"), Not(HasSubstr("S3CRET"))));
  EXPECT_THAT(error("Report\n\na,b,c\n1,2,3\n"), HasSubstr("such as a title"));
  // The advice follows from the number of cells alone.
  EXPECT_EQ(error("a,b\n1,2,\n"), row_names);
}

TEST_F(CsvReaderTest, BlanksAroundQuotesAndNames) {
  EXPECT_THAT(records(" age , \"na\"\"me\" \n 1, \"x, y\"\t\n2,\t\"\"\n"),
              ElementsAre(Cells{" 1", "x, y"}, Cells{"2", ""}));
  EXPECT_THAT(header_, ElementsAre("age", "na\"me"));
}

TEST_F(CsvReaderTest, OtherLayouts) {
  TableLayout headerless;
  headerless.has_header = false;
  TableLayout latin;
  latin.encoding = Encoding::kLatin1;
  const auto read_as = [&](const std::string& content, const TableLayout& layout) {
    CsvReader reader(ByteStream(InputFile(folder_.write_file("table.csv", content))), layout);
    header_ = reader.header();
    EXPECT_EQ(reader.row(), 0);
    return all_records(reader);
  };
  EXPECT_THAT(read_as("a\tb\n1,2\t \" x\t\" \n\t\n  \n", {.delimiter = '\t'}),
              ElementsAre(Cells{"1,2", " x\t"}, Cells{"", ""}));
  EXPECT_THAT(read_as("sep=;\na;b\n1;2\n", {.delimiter = ';'}), ElementsAre(Cells{"1", "2"}));
  EXPECT_THAT(read_as("1,x\n2,y\n", headerless), ElementsAre(Cells{"1", "x"}, Cells{"2", "y"}));
  EXPECT_THAT(header_, ElementsAre("column_1", "column_2"));
  EXPECT_THAT(read_as("a\n\xe4\x80\n\xff\x81\n", latin),
              ElementsAre(Cells{"\xc3\xa4\xe2\x82\xac"}, Cells{"\xc3\xbf\xc2\x81"}));
  EXPECT_THAT(read_as("\xef\xbb\xbf"
                      "a\n\xc3\xa4\n",
                      latin),
              ElementsAre(Cells{"\xc3\xa4"}))
      << "a byte order mark goes before";
}

TEST_F(CsvReaderTest, RepeatedNamesGetSuffixes) {
  records("a,b,a,a_2,,a\n1,2,3,4,5,6\n");
  EXPECT_THAT(header_, ElementsAre("a", "b", "a_3", "a_2", "", "a_4"));
}

TEST_F(CsvReaderTest, AHeaderAloneIsNoError) { EXPECT_TRUE(records("a,b\n").empty()); }

TEST_F(CsvReaderTest, RowErrors) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"2,S3CRET",
       "row 2 (line 3) has 2 cells, but the header has 3; complete it, or remove the line"},
      {"2,S3CRET,M,4",
       "row 2 (line 3) has 4 cells, but the header has 3; quote cells that contain a comma"},
      {"2,S3CRET,M,", "row 2 (line 3) has 4 cells"},
      {"2,S3CRET, comma,M", "row 2 (line 3) has 4 cells"},
      {"S3CRET", "row 2 (line 3) has 1 cell, but"},
      {"2,\"S3CRET,M", "row 2 (line 3) opens a quote that is never closed"},
      {"\"2,S3CRET,M", "row 2 (line 3) opens a quote that is never closed"},
      {"2,S3CRET,M\"", "row 2 (line 3) has a quote inside a cell"},
      {"2,S3C\"RET,M", "row 2 (line 3) has a quote inside a cell"},
      {"2,\"S3C\"RET,M", "row 2 (line 3) has a quote inside a cell"},
      {"2, \"S3CRET\" x,M", "row 2 (line 3) has a quote inside a cell"},
      {"2,S3C\rRET,M", "row 2 (line 3) has a line break inside a cell"},
      {"2,S3CRET,M\r3,x,F", "row 2 (line 3) has a line break inside a cell"},
      {"2,S3C\xff\xfeRET S3CRET,M", "line 3 is not UTF-8"},
      {std::string("2,S3CRET\0,M", 11), "line 3 contains a NUL byte"},
      {"2,S3CRET" + std::string(3'000'000, 'x') + ",M", "line 3 is longer than 2,000,000 bytes"},
  };
  for (const auto& [row, expected] : cases) {
    SCOPED_TRACE(row.substr(0, 40));
    EXPECT_THAT(error_in_row(row), HasSubstr(expected));
  }
}

TEST_F(CsvReaderTest, ALineFeedInAFileOfLoneCarriageReturns) {
  EXPECT_THAT(error("age,name\r1,x\r2,S3CRET\n3,z\r"),
              HasSubstr("row 2 (line 3) has a line break inside a cell"));
}

TEST_F(CsvReaderTest, ErrorsInTheLastRow) {
  const std::string start = "age,name,sex\n1,x,F\n2,y,M\n";
  EXPECT_THAT(error(start + "3,S3CRET"), HasSubstr("row 3 (line 4) has 2 cells"));
  EXPECT_THAT(error(start + "3,y,\"S3CRET"), HasSubstr("row 3 (line 4) opens a quote"));
  EXPECT_THAT(error(start + "\""), HasSubstr("row 3 (line 4) opens a quote"));
  EXPECT_THAT(error(start + "3,z,M,\"S3CRET"), HasSubstr("row 3 (line 4) opens a quote"));
}

TEST_F(CsvReaderTest, ErrorsInTheHeader) {
  EXPECT_THAT(error("age,\"name\nS3CRET,sex\n1,x,F\n"), HasAll("header (line 1)", "never closed"));
  EXPECT_THAT(error("\nage,na\"me\nS3CRET,sex\n"), HasSubstr("header (line 2) has a quote"));
  EXPECT_THAT(error("\n\n"), HasSubstr("is empty"));
  EXPECT_THAT(error("\r\n"), HasSubstr("is empty"));
}

TEST_F(CsvReaderTest, AnUnclosedQuoteDoesNotSwallowTheFile) {
  std::string content = "age,name,sex\n1,x,F\n\"2,S3CRET,M\n";
  while (content.size() < 5'000'000) content += "3,some longer name here,F\n";
  EXPECT_THAT(error(content), HasSubstr("row 2 (line 3) opens a quote that is not closed within"));
}

TEST_F(CsvReaderTest, RowAndLineNumbersCountBlankLinesAndLineBreaks) {
  EXPECT_THAT(error("age,name,sex\n\n1,\"a\nb\",F\n\n2,S3CRET\n"),
              HasSubstr("row 2 (line 6) has 2 cells"));
}

TEST_F(CsvReaderTest, ACutGzipIsNeverTakenForAShorterTable) {
  std::string content = "age,name\n";
  for (int i = 0; i < 300; ++i) content += std::to_string(i * 7919 % 1000) + "," + kSecret + "\n";
  const std::string whole = testing::gzip(content);
  for (size_t size = 2; size < whole.size(); size += 7) {
    SCOPED_TRACE(size);
    ASSERT_THAT(error(std::string_view(whole).substr(0, size)), HasSubstr("was cut short"));
  }
}

}  // namespace equinoise::csv_reader_test
