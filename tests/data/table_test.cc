#include "equinoise/data/table.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/test_support.h"

namespace equinoise {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Planted into broken rows: no message may ever hold it.
const std::string kSecret = "S3CRET";

Schema schema_for(int64_t num_records) {
  Schema schema;
  schema.num_records = num_records;
  ColumnSchema age;
  age.name = "age";
  age.type = ColumnType::kNumeric;
  age.lower = 0;
  age.upper = 100;
  ColumnSchema name;
  name.name = "name";
  name.type = ColumnType::kIgnored;
  ColumnSchema sex;
  sex.name = "sex";
  sex.values = {"F", "M"};
  schema.columns = {age, name, sex};
  return schema;
}

/// A gzip file that stores its content (RFC 1952 and RFC 1951, 3.2.4).
std::string gzip(std::string_view content) {
  std::string file("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x01", 11);
  const auto put = [&](uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) file += static_cast<char>((value >> (8 * i)) & 0xff);
  };
  const uint32_t size = static_cast<uint32_t>(content.size());
  put(size, 2);
  put(~size, 2);
  file += content;
  uint32_t crc = 0xffffffff;
  for (const char c : content) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
  }
  put(~crc, 4);
  put(size, 4);
  return file;
}

class TableTest : public ::testing::Test {
 protected:
  Dataset read(std::string_view content, const Schema& schema) {
    return read_table(folder_.write_file("table.csv", content), schema);
  }
  Dataset read(std::string_view content, int64_t num_records) {
    return read(content, schema_for(num_records));
  }
  std::string error_at(const std::filesystem::path& path) {
    const std::string message =
        error_of(ErrorKind::kInput, [&] { read_table(path, schema_for(3)); });
    EXPECT_THAT(message, AllOf(StartsWith("[data.table] "), HasSubstr(path.string())));
    EXPECT_THAT(message, Not(HasSubstr(kSecret)));
    return message;
  }
  std::string error(std::string_view content) {
    return error_at(folder_.write_file("table.csv", content));
  }
  /// The error of a table of three rows whose second one is `row`.
  std::string error_in_row(std::string_view row) {
    return error("age,name,sex\n1,x,F\n" + std::string(row) + "\n3,z,M\n");
  }

  TempFolder folder_;
};

TEST_F(TableTest, ReadsColumnsInAnyOrder) {
  const Dataset table = read("sex,age,name\nF,1,x\nM,2.5,y\nF,1e2,z\n", 3);
  EXPECT_EQ(table.num_records, 3);
  ASSERT_EQ(table.numeric.size(), 1u);
  EXPECT_EQ(table.numeric[0].name, "age");
  EXPECT_THAT(table.numeric[0].values, ElementsAre(1.0f, 2.5f, 100.0f));
  ASSERT_EQ(table.categorical.size(), 1u) << "ignored columns are not kept";
  EXPECT_THAT(table.categorical[0].categories, ElementsAre("F", "M"));
  EXPECT_THAT(table.categorical[0].codes, ElementsAre(0, 1, 0));
  EXPECT_THAT(table.contributes, ElementsAre(1, 1, 1));
  EXPECT_EQ(table.num_dropped, 0);
  EXPECT_EQ(table.find_numeric("age"), &table.numeric[0]);
  EXPECT_EQ(table.find_numeric("sex"), nullptr);
  EXPECT_EQ(table.find_categorical("sex"), &table.categorical[0]);
}

TEST_F(TableTest, FilesThatMeanTheSame) {
  const std::string plain = "age,name,sex\n1,x,F\n2,y,M\n";
  const std::vector<std::string> files = {
      plain,
      "age,name,sex\r\n1,x,F\r\n2,y,M\r\n",
      "age,name,sex\r1,x,F\r2,y,M\r",
      "age,name,sex\n1,x,F\n2,y,M",
      "\xef\xbb\xbf" + plain,
      "\xef\xbb\xbf\"age\",name,sex\n1,x,F\n2,y,M\n",
      "\"age\",\"name\",\"sex\"\n\"1\",\"x\",\"F\"\n2,y,\"M\"\n",
      "\nage,name,sex\n1,x,F\n\n\n2,y,M\n\n",
      "age,name,sex\n1,\"a \"\"quoted\"\" comma, and\na line break\n\n\",F\n2,\"\",M\n",
      "age,name,sex\n1,\xc3\xa9,F\n2,NULL,M\n",
      gzip(plain),
      gzip("age,name,sex\n1,x,F\n") + gzip("2,y,M\n"),
  };
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    const Dataset table = read(file, 2);
    EXPECT_THAT(table.numeric[0].values, ElementsAre(1.0f, 2.0f));
    EXPECT_THAT(table.categorical[0].codes, ElementsAre(0, 1));
    EXPECT_EQ(table.num_dropped, 0);
  }
}

TEST_F(TableTest, CompressionIsToldByTheContentNotTheName) {
  const std::string plain = "age,name,sex\n1,x,F\n";
  EXPECT_EQ(read_table(folder_.write_file("plain.csv.gz", plain), schema_for(1)).num_records, 1);
  EXPECT_EQ(read_table(folder_.write_file("zipped.csv", gzip(plain)), schema_for(1)).num_records,
            1);
}

TEST_F(TableTest, AnyFileNameWorks) {
  for (const char* name : {"it's; [1]*?.csv", "-", "a b\"c\".csv", "caf\xe9.csv"}) {
    SCOPED_TRACE(name);
    const std::filesystem::path path = folder_.write_file(name, "age,name,sex\n1,x,F\n");
    EXPECT_EQ(read_table(path, schema_for(1)).num_records, 1);
  }
}

TEST_F(TableTest, ManyRowsKeepTheirOrder) {
  std::string content = "age,name,sex\n";
  for (int i = 0; i < 50000; ++i) {
    content += std::to_string(i % 97) + ",\"x\",";
    content += i % 3 == 0 ? "F\n" : "M\n";
  }
  const Dataset table = read(content, 50000);
  for (size_t i = 0; i < 50000; ++i) {
    ASSERT_EQ(table.numeric[0].values[i], static_cast<float>(i % 97));
    ASSERT_EQ(table.categorical[0].codes[i], i % 3 == 0 ? 0 : 1);
  }
}

TEST_F(TableTest, NumbersOutsideTheBoundsAreClampedAndCounted) {
  const Dataset table = read(
      "age,name,sex\n-1,a,F\n101,a,F\ninf,a,F\n-Infinity,a,F\n1e999,a,F\n-1e999,a,F\n"
      "1e-999,a,F\n100,a,F\n",
      8);
  EXPECT_THAT(table.numeric[0].values, ElementsAre(0, 100, 100, 0, 100, 0, 0, 100));
  EXPECT_EQ(table.counts[0].clamped, 6);
  EXPECT_EQ(table.num_dropped, 0);
}

TEST_F(TableTest, RoundingToFloatStaysWithinTheBounds) {
  Schema schema = schema_for(2);
  schema.columns[0].lower = 0.1;  // the nearest float is above
  schema.columns[0].upper = 0.7;  // the nearest float is below
  schema.columns[0].upper = 16777217;
  const Dataset table = read("age,name,sex\n0.1,a,F\n16777217,a,F\n", schema);
  EXPECT_GE(table.numeric[0].values[0], 0.1);
  EXPECT_LE(table.numeric[0].values[1], 16777217.0);
}

TEST_F(TableTest, MissingAndUnknownCellsFollowTheirPolicies) {
  Schema schema = schema_for(5);
  const std::string content = "age,name,sex\n?,a,F\n1,,X\n\"\",a,?\n4,a,f\n5,a,M\n";
  Dataset table = read(content, schema);
  EXPECT_THAT(table.contributes, ElementsAre(0, 0, 0, 0, 1));
  EXPECT_EQ(table.num_dropped, 4);
  EXPECT_EQ(table.num_records, 5) << "dropped records keep their place";
  EXPECT_THAT(table.numeric[0].values, ElementsAre(0, 1, 0, 4, 5));
  EXPECT_EQ(table.counts[0].missing, 2);
  EXPECT_EQ(table.counts[1].missing, 1);
  EXPECT_EQ(table.counts[1].unknown, 2);

  schema.columns[0].missing = MissingPolicy::kFill;
  schema.columns[0].fill = 40;
  schema.columns[2].unknown = UnknownPolicy::kOther;
  schema.columns[2].missing = MissingPolicy::kCategory;
  table = read(content, schema);
  EXPECT_THAT(table.contributes, ElementsAre(1, 1, 1, 1, 1));
  EXPECT_THAT(table.numeric[0].values, ElementsAre(40, 1, 40, 4, 5));
  EXPECT_THAT(table.categorical[0].categories, ElementsAre("F", "M", "other", "missing"));
  EXPECT_THAT(table.categorical[0].codes, ElementsAre(0, 2, 3, 2, 1));
  EXPECT_EQ(table.num_dropped, 0);
}

TEST_F(TableTest, MissingValuesMayBeNumbers) {
  Schema schema = schema_for(2);
  schema.missing_values = {"99"};
  const Dataset table = read("age,name,sex\n99,a,F\n98,a,\n", schema);
  EXPECT_EQ(table.counts[0].missing, 1);
  EXPECT_EQ(table.counts[1].missing, 0);
  EXPECT_EQ(table.counts[1].unknown, 1);
}

TEST_F(TableTest, ASingleColumnMayHaveEmptyCells) {
  Schema schema = schema_for(3);
  schema.columns = {schema.columns[2]};
  EXPECT_THAT(read("sex\nF\n\nM\n", schema).contributes, ElementsAre(1, 0, 1));
}

TEST(AdultTest, TheTableInTheTreeFitsItsSchema) {
  const std::filesystem::path folder = std::filesystem::path(EQUINOISE_SOURCE_DIR) / "data/adult";
  const Schema schema = load_schema(folder / "schema.toml");
  const Dataset table = read_table(folder / "adult.csv.gz", schema);
  EXPECT_EQ(table.num_records, 48842);
  EXPECT_EQ(table.num_dropped, 0);
  for (const ColumnIngestCounts& counts : table.counts) {
    EXPECT_EQ(counts.clamped, 0) << counts.name;
    EXPECT_EQ(counts.unknown, 0) << counts.name;
  }
  for (const PublicGroupSize& size : schema.public_group_sizes) {
    int64_t num_records = 0;
    for (size_t r = 0; r < table.contributes.size(); ++r) {
      bool is_member = true;
      for (const auto& [name, value] : size.group) {
        const CategoricalColumn& column = *table.find_categorical(name);
        is_member = is_member && column.categories[column.codes[r]] == value;
      }
      num_records += is_member ? 1 : 0;
    }
    EXPECT_EQ(num_records, size.num_records);
  }
}

TEST_F(TableTest, HeaderErrors) {
  EXPECT_THAT(error("age,nme,sex\n1,S3CRET,F\n"),
              AllOf(HasSubstr("lacks column 'name'"), HasSubstr("nearest name in it is 'nme'")));
  EXPECT_THAT(error("age,name,sex,zip\n1,S3CRET,F,8\n"),
              AllOf(HasSubstr("'zip'"), HasSubstr("type = \"ignored\"")));
  EXPECT_THAT(error("age,name,age,sex\n1,S3CRET,1,F\n"), HasSubstr("names column 'age' twice"));
  EXPECT_THAT(error("1,S3CRET,F\n2,y,M\n3,z,M\n"), HasSubstr("the file needs a header"));
  EXPECT_THAT(error("age,\"name\nS3CRET,sex\n1,x,F\n"),
              AllOf(HasSubstr("header (line 1)"), HasSubstr("never closed")));
  EXPECT_THAT(error("age,name,sex\n"), HasSubstr("has a header, but no rows"));
  EXPECT_THAT(error("age,name,sex"), HasSubstr("has a header, but no rows"));
}

TEST_F(TableTest, RowErrors) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"2,S3CRET", "row 2 (line 3) has 2 cells, but the header has 3"},
      {"2,S3CRET,M,4", "row 2 (line 3) has 4 cells, but the header has 3"},
      {"2,S3CRET,M,", "row 2 (line 3) has 4 cells"},
      {"2,S3CRET, comma,M", "row 2 (line 3) has 4 cells"},
      {"   ", "row 2 (line 3) has 1 cells"},
      {"2,\"S3CRET,M", "row 2 (line 3) opens a quote that is never closed"},
      {"\"2,S3CRET,M", "row 2 (line 3) opens a quote that is never closed"},
      {"2,S3CRET,M\"", "row 2 (line 3) has a quote inside a cell"},
      {"2,S3C\"RET,M", "row 2 (line 3) has a quote inside a cell"},
      {"2,\"S3C\"RET,M", "row 2 (line 3) has a quote inside a cell"},
      {"2, \"S3CRET\",M", "row 2 (line 3) has a quote inside a cell"},
      {"S3CRET,x,M", "row 2 (line 3) column 'age' is not a number"},
      {"nan,S3CRET,M", "column 'age' is not a number"},
      {" 2,S3CRET,M", "column 'age' is not a number"},
      {"2 ,S3CRET,M", "column 'age' is not a number"},
      {"+2,S3CRET,M", "column 'age' is not a number"},
      {"0x2,S3CRET,M", "column 'age' is not a number"},
      {"\"2,0\",S3CRET,M", "column 'age' is not a number"},
      {"1e,S3CRET,M", "column 'age' is not a number"},
      {"2,S3C\xff\xfeRET S3CRET,M", "line 3 is not UTF-8"},
      {"2,S3CRET\x01,M", "line 3 holds the control character U+0001"},
      {std::string("2,S3CRET\0,M", 11), "line 3 holds a NUL byte"},
      {"2,S3CRET,M\r\n3,x,F", "more than one kind of line end"},
      {"2,\"S3CRET\r\n\",F", "more than one kind of line end"},
      {"2,S3CRET" + std::string(3'000'000, 'x') + ",M", "line 3 is longer than 2,000,000 bytes"},
      {"2,S3CRET" + std::string(40'000'000, 'x') + ",M", "line 3 is longer than 2,000,000 bytes"},
  };
  for (const auto& [row, expected] : cases) {
    SCOPED_TRACE(row.substr(0, 40));
    EXPECT_THAT(error_in_row(row), HasSubstr(expected));
  }
}

TEST_F(TableTest, ErrorsInTheLastRow) {
  const std::string start = "age,name,sex\n1,x,F\n2,y,M\n";
  EXPECT_THAT(error(start + "3,S3CRET"), HasSubstr("row 3 (line 4) has 2 cells"));
  EXPECT_THAT(error(start + "3,y,\"S3CRET"), HasSubstr("row 3 (line 4) opens a quote"));
  EXPECT_THAT(error(start + "\""), HasSubstr("row 3 (line 4) opens a quote"));
  EXPECT_THAT(error(start + "3,z,M,\"S3CRET"), HasSubstr("row 3 (line 4) opens a quote"));
}

TEST_F(TableTest, AnUnclosedQuoteDoesNotSwallowTheFile) {
  std::string content = "age,name,sex\n1,x,F\n\"2,S3CRET,M\n";
  while (content.size() < 5'000'000) content += "3,some longer name here,F\n";
  EXPECT_THAT(error(content), HasSubstr("row 2 (line 3) opens a quote that is not closed within"));
}

TEST_F(TableTest, RowAndLineNumbersCountBlankLinesAndLineBreaks) {
  EXPECT_THAT(error("age,name,sex\n\n1,\"a\nb\",F\n\n2,S3CRET\n"),
              HasSubstr("row 2 (line 6) has 2 cells"));
}

TEST_F(TableTest, TheNumberOfRowsMustBeThePublicOne) {
  EXPECT_THAT(error("age,name,sex\n1,x,F\n2,S3CRET,M\n"),
              HasSubstr("has 2 rows, but the schema says num_records = 3"));
  EXPECT_THAT(error("age,name,sex\n1,x,F\n1,x,F\n1,x,F\n2,S3CRET,M\n"), HasSubstr("has 4 rows"));
}

TEST_F(TableTest, DamagedGzip) {
  std::string content = "age,name,sex\n";
  for (int i = 0; i < 2000; ++i) content += "1,S3CRET,F\n";
  const std::string whole = gzip(content);
  for (const size_t size : {size_t{2}, size_t{12}, whole.size() / 2, whole.size() - 8}) {
    SCOPED_TRACE(size);
    const std::string message = error(std::string_view(whole).substr(0, size));
    EXPECT_THAT(message, HasSubstr("gzip"));
  }
  EXPECT_THAT(error(gzip("")), HasSubstr("is empty"));
  EXPECT_THAT(error(whole + kSecret), HasSubstr("gzip"));
}

TEST_F(TableTest, FilesThatAreNoTables) {
  EXPECT_THAT(error_at(folder_.path() / "none.csv"), HasSubstr("No such file"));
  EXPECT_THAT(error_at(folder_.path()), HasSubstr("is a directory"));
  EXPECT_THAT(error(std::string_view()), HasSubstr("is empty"));
  EXPECT_THAT(error("\n\n"), HasSubstr("is empty"));
  EXPECT_THAT(error("\r\n"), HasSubstr("is empty"));
  const std::filesystem::path pipe = folder_.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(error_at(pipe), HasSubstr("is not a regular file"));
}

TEST_F(TableTest, UnreadableFile) {
  const std::filesystem::path path = folder_.write_file("closed.csv", "age,name,sex\n1,x,F\n");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  // Root may read every file, so it becomes somebody else for a moment.
  const bool is_root = ::geteuid() == 0;
  if (is_root && ::seteuid(65534) != 0) GTEST_SKIP() << "this root cannot become another user";
  const std::string message = error_at(path);
  ASSERT_TRUE(!is_root || ::seteuid(0) == 0);
  EXPECT_THAT(message, HasSubstr("Permission denied"));
}

}  // namespace
}  // namespace equinoise
