// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/parquet_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/data/records.h"
#include "tests/data/table_files.h"
#include "tests/test_support.h"

namespace equinoise::parquet_reader_test {

using testing::all_records;
using testing::Cells;
using testing::write_parquet;

/// Planted into broken files: no message may ever hold it.
const std::string kSecret = "S3CRET";

constexpr auto kNull = std::nullopt;

class ParquetReaderTest : public ::testing::Test {
 protected:
  std::filesystem::path path() const { return folder_.path() / "table.parquet"; }

  std::vector<Cells> read(const std::filesystem::path& path) {
    ParquetReader reader{InputFile(path)};
    return testing::read_all(reader, header_);
  }
  std::vector<Cells> records(const std::string& query, int row_group_size = 122880) {
    return read(write_parquet(path(), query, row_group_size));
  }
  std::string error_of_file() {
    const std::string message = error_of(ErrorKind::kInput, [&] { read(path()); });
    EXPECT_THAT(message, AllOf(StartsWith("[data.table] "), HasSubstr(path().string()),
                               Not(HasSubstr(kSecret))));
    return message;
  }
  std::string error(std::string_view content) {
    folder_.write_file("table.parquet", content);
    return error_of_file();
  }
  std::string content(const std::string& query) {
    std::ifstream file(write_parquet(path(), query), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  TempFolder folder_;
  std::vector<std::string> header_;
};

TEST_F(ParquetReaderTest, CellsAreWhatACsvFileWouldHold) {
  EXPECT_THAT(
      records("SELECT 39::TINYINT AS a, -7::BIGINT AS b, 18446744073709551615::UBIGINT AS c, "
              "0.1::FLOAT AS d, 0.5::DOUBLE AS e, 1.50::DECIMAL(4, 2) AS f, true AS g, "
              "'F, \"x\"' AS h, '' AS i, DATE '2020-01-02' AS j, "
              "TIMESTAMP '2020-01-02 03:04:05' AS k"),
      ElementsAre(Cells{"39", "-7", "18446744073709551615", "0.1", "0.5", "1.50", "true",
                        "F, \"x\"", "", "2020-01-02", "2020-01-02 03:04:05"}));
  EXPECT_THAT(header_, ElementsAre("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"));
}

TEST_F(ParquetReaderTest, TimesWithAZoneAreInUtc) {
  EXPECT_THAT(records("SELECT TIMESTAMPTZ '2020-01-02 03:04:05+02' AS a"),
              ElementsAre(Cells{"2020-01-02 01:04:05+00"}));
}

TEST_F(ParquetReaderTest, NullsOfEveryType) {
  EXPECT_THAT(
      records("SELECT * FROM (VALUES (1, 0.5::DOUBLE, 'x', true), (NULL, NULL, NULL, NULL), "
              "(2, 1.5, '', false)) AS t(a, b, c, d)"),
      ElementsAre(Cells{"1", "0.5", "x", "true"}, Cells{kNull, kNull, kNull, kNull},
                  Cells{"2", "1.5", "", "false"}));
}

TEST_F(ParquetReaderTest, NumbersPrintAsDuckDbPrintsThem) {
  const std::string doubles =
      "SELECT unnest([0, -0.0, 1, 100, 0.1, 1/3, -2.5e-7, 1e-5, 0.0001, 123456.789, 1e15, 1e16, "
      "1e17, 12345678901234567, 1e22, 1.7976931348623157e308, 5e-324, 'inf', '-inf']"
      "::DOUBLE[]) AS x UNION ALL "
      "SELECT (hash(i)::DOUBLE / 1e10) * pow(10, i % 40 - 20) FROM range(2000) AS r(i)";
  const std::vector<Cells> rows =
      records("SELECT x, x::VARCHAR AS text FROM (" + doubles + ") AS t");
  ASSERT_EQ(rows.size(), 2019u);
  for (const Cells& row : rows) ASSERT_EQ(row[0], row[1]);

  const std::vector<Cells> integers = records(
      "SELECT x, x::VARCHAR AS text FROM (SELECT unnest([0, 1, -1, 9223372036854775807, "
      "-9223372036854775808]::BIGINT[]) AS x) AS t");
  for (const Cells& row : integers) ASSERT_EQ(row[0], row[1]);
}

TEST_F(ParquetReaderTest, TimesPrintAsDuckDbPrintsThem) {
  for (const char* type : {"DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"}) {
    const std::vector<Cells> rows = records(fmt::format(
        "SELECT x, x::VARCHAR AS text FROM (SELECT (TIMESTAMP '1700-01-01 00:00:00.123456' + "
        "INTERVAL (i * 7919) HOUR + INTERVAL (i * 37) MILLISECOND)::{} AS x FROM range(500) AS "
        "r(i)) AS t",
        type));
    ASSERT_EQ(rows.size(), 500u);
    for (const Cells& row : rows) ASSERT_EQ(row[0], row[1]) << type;
  }
}

/// Single precision: the shortest text that is the number, of whole ones as a double.
TEST_F(ParquetReaderTest, LargeFloatsHaveAllTheirDigits) {
  EXPECT_THAT(records("SELECT unnest([0.1, 1.5, -3, 9999999, 16777216, 123456792, 1700000000, "
                      "20240228]::FLOAT[]) AS x"),
              ElementsAre(Cells{"0.1"}, Cells{"1.5"}, Cells{"-3.0"}, Cells{"9999999.0"},
                          Cells{"16777216.0"}, Cells{"123456792.0"}, Cells{"1700000000.0"},
                          Cells{"20240228.0"}));
}

/// pandas writes a missing number as NaN, of either sign.
TEST_F(ParquetReaderTest, NaNIsANullAndItsTextIsNot) {
  for (const char* type : {"FLOAT", "DOUBLE"}) {
    const std::string query = std::string("SELECT unnest(['nan', '-nan', '1.5']::") + type +
                              "[]) AS x, unnest(['nan', '-nan', '']) AS t";
    EXPECT_THAT(records(query),
                ElementsAre(Cells{kNull, "nan"}, Cells{kNull, "-nan"}, Cells{"1.5", ""}))
        << type;
  }
}

TEST_F(ParquetReaderTest, ManyRowGroupsKeepTheOrderOfTheFile) {
  const std::vector<Cells> rows =
      records("SELECT i, 'text ' || i AS t FROM range(200000) AS r(i)", 2048);
  ASSERT_EQ(rows.size(), 200'000u);
  for (size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i], (Cells{std::to_string(i), "text " + std::to_string(i)}));
  }
}

TEST_F(ParquetReaderTest, NamesOfColumnsAreThoseOfTheFile) {
  // DuckDB neither writes nor reads two names that differ in nothing but upper case.
  std::string file = content("SELECT 1 AS name1, 2 AS name2, 3 AS \"it's #1; \"\"x\"\" {}\"");
  for (size_t at = file.find("name2"); at != file.npos; at = file.find("name2")) {
    file.replace(at, 5, "Name1");
  }
  EXPECT_THAT(read(folder_.write_file("table.parquet", file)), ElementsAre(Cells{"1", "2", "3"}));
  EXPECT_THAT(header_, ElementsAre("name1", "Name1", "it's #1; \"x\" {}"));
}

TEST_F(ParquetReaderTest, NoRows) {
  EXPECT_TRUE(records("SELECT 1 AS a, 'x' AS b WHERE false").empty());
  EXPECT_THAT(header_, ElementsAre("a", "b"));
}

TEST_F(ParquetReaderTest, ManyColumns) {
  std::string query = "SELECT 0 AS c0";
  for (int i = 1; i < 1000; ++i) {
    query += ", " + std::to_string(i) + " AS c" + std::to_string(i);
  }
  const std::vector<Cells> rows = records(query);
  ASSERT_THAT(rows, AllOf(SizeIs(1), Each(SizeIs(1000))));
  EXPECT_EQ(rows[0][999], "999");
}

TEST_F(ParquetReaderTest, ColumnsWithoutSingleValuesAreNotReadable) {
  for (const char* value : {"['S3CRET']", "{'x': 'S3CRET', 'y': {'z': [1, 2]}}",
                            "MAP {'S3CRET': 1}", "'S3CRET'::BLOB", "INTERVAL 1 DAY"}) {
    SCOPED_TRACE(value);
    write_parquet(path(), std::string("SELECT ") + value + " AS notes, 1 AS age, [2] AS last");
    ParquetReader reader{InputFile(path())};
    EXPECT_THAT(reader.header(), ElementsAre("notes", "age", "last"));
    EXPECT_FALSE(reader.is_readable(0));
    EXPECT_TRUE(reader.is_readable(1));
    EXPECT_FALSE(reader.is_readable(2));
    EXPECT_THAT(testing::all_records(reader), ElementsAre(Cells{std::nullopt, "1", std::nullopt}));
  }
}

/// DuckDB would give wrong numbers of double precision.
TEST_F(ParquetReaderTest, DecimalsOfMoreThan38DigitsAreNotReadable) {
  ParquetReader reader{InputFile(testing::write_wide_decimals(path()))};
  EXPECT_THAT(std::string(reader.column_problem(0)), HasSubstr("more than 38 digits; write it"));
  EXPECT_FALSE(reader.holds_numbers(0));
  EXPECT_TRUE(reader.is_readable(1));
  EXPECT_THAT(all_records(reader), ElementsAre(Cells{kNull, "7"}));
  EXPECT_THAT(records("SELECT 1.25::DECIMAL(38, 2) AS wide"), ElementsAre(Cells{"1.25"}));
}

TEST_F(ParquetReaderTest, FilesThatWereCutShort) {
  const std::string whole = content("SELECT i, 'S3CRET' || i AS t FROM range(100) AS r(i)");
  for (size_t size = 4; size < whole.size(); size += size < whole.size() - 12 ? 53 : 1) {
    SCOPED_TRACE(size);
    ASSERT_THAT(error(std::string_view(whole).substr(0, size)), HasSubstr("was cut short"));
  }
  EXPECT_THAT(error("PAR1"), HasSubstr("is not a readable Parquet file"));
  EXPECT_THAT(error("PAR1S3CRETPAR1"), HasSubstr("is not a readable Parquet file"));
  EXPECT_THAT(error("age,sex\n1,S3CRET\n"), HasSubstr("is not a readable Parquet file"));
}

TEST_F(ParquetReaderTest, DamagedPages) {
  const std::string whole = content("SELECT 'S3CRET' || hash(i) AS t FROM range(5000) AS r(i)");
  std::string damaged = whole;
  std::fill(damaged.begin() + 4, damaged.begin() + 2000, '\xff');
  EXPECT_THAT(error(damaged), HasSubstr("is not a readable Parquet file"));
}

TEST_F(ParquetReaderTest, TextThatIsNotUtf8) {
  std::string file = content("SELECT 'S3CRET\u00e9' AS t");
  for (size_t at = file.find("\xc3\xa9"); at != file.npos; at = file.find("\xc3\xa9")) {
    file.replace(at, 2, "\xff\xff");
  }
  EXPECT_THAT(error(file), HasSubstr("text that is not UTF-8"));
}

TEST_F(ParquetReaderTest, AnyFileNameWorks) {
  write_parquet(path(), "SELECT 1 AS a");
  for (const char* name : {"it's; [1]*?.parquet", "-", "year=2020", "caf\xe9"}) {
    const std::filesystem::path other = folder_.path() / name;
    std::filesystem::copy_file(path(), other);
    EXPECT_THAT(read(other), ElementsAre(Cells{"1"}));
    EXPECT_THAT(header_, ElementsAre("a"));
  }
}

}  // namespace equinoise::parquet_reader_test
