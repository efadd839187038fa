// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/arrow_reader.h"

#include <limits>
#include <string>
#include <vector>

#include "equinoise/base/int128.h"
#include "equinoise/data/formats/parquet_reader.h"
#include "tests/data/formats/arrow_tables.h"
#include "tests/data/records.h"
#include "tests/data/table_files.h"
#include "tests/test_support.h"

namespace equinoise::arrow_reader_test {

using testing::all_records;
using testing::ArrowChunks;
using testing::ArrowColumn;
using testing::ArrowCounts;
using testing::ArrowOfQuery;
using testing::bytes_of;
using testing::Cells;
using testing::numbers;
using testing::rows_of;
using testing::texts;
using testing::truths;
using testing::validity_of;
using testing::viewed_texts;
using testing::write_parquet;

constexpr auto kNull = std::nullopt;

std::vector<Cells> read(ArrowArrayStream stream) {
  ArrowReader reader("the frame", &stream);
  EXPECT_EQ(stream.release, nullptr) << "it was taken over";
  EXPECT_EQ(reader.row(), 0);
  std::vector<Cells> records = all_records(reader);
  EXPECT_EQ(reader.row(), std::ssize(records));
  EXPECT_FALSE(reader.next()) << "the end stays the end";
  return records;
}

/// Of a single chunk; every structure is released, once.
std::vector<Cells> read(const std::vector<ArrowColumn>& columns) {
  const ArrowChunks chunks{{rows_of(columns)}};
  std::vector<Cells> records = read(chunks.stream());
  EXPECT_EQ(chunks.counts->num_open, 0);
  return records;
}

std::vector<Cells> read_parquet(const std::string& query) {
  const TempFolder folder;
  ParquetReader reader{InputFile(write_parquet(folder.path() / "t.parquet", query))};
  return all_records(reader);
}

/// `list`: the same values in DuckDB's SQL.
void expect_as_parquet(const ArrowColumn& column, const std::string& list) {
  EXPECT_EQ(read({column}), read_parquet("SELECT unnest(" + list + ") AS x")) << list;
}

TEST(ArrowReaderTest, NumbersHaveTheTextsOfParquet) {
  expect_as_parquet(numbers<int8_t>("c", {-128, kNull, 127}), "[-128, NULL, 127]::TINYINT[]");
  expect_as_parquet(numbers<uint8_t>("C", {0, kNull, 255}), "[0, NULL, 255]::UTINYINT[]");
  expect_as_parquet(numbers<int16_t>("s", {-32768, kNull, 32767}),
                    "[-32768, NULL, 32767]::SMALLINT[]");
  expect_as_parquet(numbers<uint16_t>("S", {0, kNull, 65535}), "[0, NULL, 65535]::USMALLINT[]");
  expect_as_parquet(numbers<int32_t>("i", {-2147483648, kNull, 2147483647}),
                    "[-2147483648, NULL, 2147483647]::INTEGER[]");
  expect_as_parquet(numbers<uint32_t>("I", {0, kNull, 4294967295}),
                    "[0, NULL, 4294967295]::UINTEGER[]");
  expect_as_parquet(numbers<int64_t>("l", {std::numeric_limits<int64_t>::min(), kNull, 39}),
                    "[-9223372036854775808, NULL, 39]::BIGINT[]");
  expect_as_parquet(numbers<uint64_t>("L", {0, kNull, std::numeric_limits<uint64_t>::max()}),
                    "[0, NULL, 18446744073709551615]::UBIGINT[]");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  expect_as_parquet(
      numbers<float>("f", {0.1F, 1, -3, 123456792, 16777216, 1e-20F, nan, -nan, kNull, infinity}),
      "[0.1, 1, -3, 123456792, 16777216, 1e-20, 'nan', '-nan', NULL, 'inf']::FLOAT[]");
  expect_as_parquet(numbers<double>("g", {0.1, 1, -0.0, 1e22, 5e-324, double{nan}, kNull, -infinity,
                                          1.7976931348623157e308, 1e16}),
                    "[0.1, 1, '-0.0', 1e22, 5e-324, 'nan', NULL, '-inf', 1.7976931348623157e308, "
                    "1e16]::DOUBLE[]");
}

/// Of which Parquet makes floats. 0x2e66 is the half nearest to 0.1.
TEST(ArrowReaderTest, HalfPrecision) {
  EXPECT_THAT(
      read({numbers<uint16_t>(
          "e", {0x2e66, 0x3c00, 0x7bff, 0x8000, 0x0001, 0x7c00, 0x7e00, 0xc200, kNull})}),
      ElementsAre(Cells{"0.099975586"}, Cells{"1.0"}, Cells{"65504.0"}, Cells{"-0.0"},
                  Cells{"5.9604645e-08"}, Cells{"inf"}, Cells{kNull}, Cells{"-3.0"}, Cells{kNull}));
}

TEST(ArrowReaderTest, Decimals) {
  Int128 most = 1;
  for (int i = 0; i < 38; ++i) most *= 10;
  --most;
  const std::string digits(38, '9');
  expect_as_parquet(numbers<Int128>("d:4,2", {5, -5, 150, 0, -9999, kNull}),
                    "[0.05, -0.05, 1.50, 0, -99.99, NULL]::DECIMAL(4, 2)[]");
  expect_as_parquet(numbers<Int128>("d:2,2", {5, -5, 99, 0}),
                    "[0.05, -0.05, 0.99, 0]::DECIMAL(2, 2)[]");
  expect_as_parquet(numbers<Int128>("d:38,0", {most, -most, 7}),
                    "[" + digits + ", -" + digits + ", 7]::DECIMAL(38, 0)[]");
  expect_as_parquet(numbers<Int128>("d:38,37", {most, -most, 7}),
                    "[9." + digits.substr(1) + ", -9." + digits.substr(1) + ", 0." +
                        std::string(36, '0') + "7]::DECIMAL(38, 37)[]");
  expect_as_parquet(numbers<Int128>("d:38,38", {most, -1}),
                    "['0." + digits + "', '-0." + std::string(37, '0') + "1']::DECIMAL(38, 38)[]");
  // Narrower and wider ones.
  const std::string list = "[0.05, -1.50]::DECIMAL(5, 2)[]";
  expect_as_parquet(numbers<int32_t>("d:5,2,32", {5, -150}), list);
  expect_as_parquet(numbers<int64_t>("d:5,2,64", {5, -150}), list);
  ArrowColumn wide = numbers<Int128>("d:5,2,256", {5, 0, -150, -1});
  wide.length = 2;
  expect_as_parquet(wide, list);
}

TEST(ArrowReaderTest, TruthsAndNulls) {
  expect_as_parquet(truths({true, false, kNull, true, true, true, true, true, true, false}),
                    "[true, false, NULL, true, true, true, true, true, true, false]");
  EXPECT_THAT(read({{"x", "n", 2, {}}}), ElementsAre(Cells{kNull}, Cells{kNull}));
}

TEST(ArrowReaderTest, Texts) {
  const std::vector<std::optional<std::string>> values = {
      "Female",  "", kNull, "exactly 12 b", "thirteen byte", "a text that no view holds by itself",
      "\xc3\xa4"};
  const std::string list =
      "['Female', '', NULL, 'exactly 12 b', 'thirteen byte', 'a text that no view holds by "
      "itself', 'ä']";
  expect_as_parquet(texts<int32_t>("u", values), list);
  expect_as_parquet(texts<int64_t>("U", values), list);
  expect_as_parquet(viewed_texts(values), list);
}

/// An empty text is no null, also where no buffer holds its bytes.
TEST(ArrowReaderTest, EmptyTextsWithoutABuffer) {
  ArrowColumn column = texts<int32_t>("u", {"", ""});
  column.buffers[0] = column.buffers[2] = kNull;
  EXPECT_THAT(read({column}), ElementsAre(Cells{""}, Cells{""}));
}

TEST(ArrowReaderTest, DictionariesOfEveryIndex) {
  const auto coded = [](ArrowColumn indices, ArrowColumn values) {
    indices.dictionary = std::make_shared<ArrowColumn>(std::move(values));
    return indices;
  };
  const std::string list = "['b', NULL, 'a', NULL]";
  // The last value is null by the dictionary.
  const std::vector<std::optional<std::string>> values = {"a", "b", kNull};
  const ArrowColumn words = texts<int32_t>("u", values);
  expect_as_parquet(coded(numbers<int8_t>("c", {1, kNull, 0, 2}), words), list);
  expect_as_parquet(coded(numbers<uint8_t>("C", {1, kNull, 0, 2}), words), list);
  expect_as_parquet(coded(numbers<int16_t>("s", {1, kNull, 0, 2}), words), list);
  expect_as_parquet(coded(numbers<uint16_t>("S", {1, kNull, 0, 2}), words), list);
  expect_as_parquet(coded(numbers<int32_t>("i", {1, kNull, 0, 2}), words), list);
  expect_as_parquet(coded(numbers<uint32_t>("I", {1, kNull, 0, 2}), viewed_texts(values)), list);
  expect_as_parquet(coded(numbers<int64_t>("l", {1, kNull, 0, 2}), texts<int64_t>("U", values)),
                    list);
  expect_as_parquet(coded(numbers<uint64_t>("L", {1, kNull, 0, 2}), words), list);
  expect_as_parquet(coded(numbers<int8_t>("c", {1, kNull, 0}), numbers<double>("g", {0.5, 2})),
                    "[2, NULL, 0.5]::DOUBLE[]");
  expect_as_parquet(coded(numbers<int8_t>("c", {1, kNull, 0}), numbers<int32_t>("tdD", {0, 18262})),
                    "[DATE '2020-01-01', NULL, DATE '1970-01-01']");
  // Values behind the offset of the dictionary.
  ArrowColumn later = texts<int32_t>("u", {"not this", "a", "b", kNull});
  later.offset = 1;
  later.length = 3;
  expect_as_parquet(coded(numbers<int8_t>("c", {1, kNull, 0, 2}), later), list);
}

TEST(ArrowReaderTest, Dates) {
  const std::string list =
      "['1970-01-01', NULL, '1969-12-31', '2020-02-29', '0001-01-01', '0001-12-31 (BC)', "
      "'0044-03-15 (BC)', '10000-01-01', '1900-02-28', '1600-02-29']::DATE[]";
  const std::vector<std::optional<int32_t>> days = {0,       kNull,   -1,      18321,  -719162,
                                                    -719163, -735160, 2932897, -25509, -135081};
  expect_as_parquet(numbers<int32_t>("tdD", days), list);
  std::vector<std::optional<int64_t>> milliseconds;
  for (const std::optional<int32_t> day : days)
    milliseconds.push_back(day ? std::optional(*day * int64_t{86'400'000}) : kNull);
  expect_as_parquet(numbers<int64_t>("tdm", milliseconds), list);
}

TEST(ArrowReaderTest, TimesOfDay) {
  expect_as_parquet(numbers<int32_t>("tts", {0, kNull, 86399}),
                    "['00:00:00', NULL, '23:59:59']::TIME[]");
  expect_as_parquet(numbers<int32_t>("ttm", {120, kNull, 86'399'999}),
                    "['00:00:00.12', NULL, '23:59:59.999']::TIME[]");
  expect_as_parquet(numbers<int64_t>("ttu", {120, kNull, 3'661'000'000}),
                    "['00:00:00.00012', NULL, '01:01:01']::TIME[]");
  expect_as_parquet(numbers<int64_t>("ttn", {120, kNull, 86'399'999'999'999, 1000}),
                    "['00:00:00.00000012', NULL, '23:59:59.999999999', "
                    "'00:00:00.000001']::TIME_NS[]");
}

TEST(ArrowReaderTest, Timestamps) {
  const auto count = [](int64_t per_second, int64_t fraction) {
    std::vector<std::optional<int64_t>> counts = {kNull};
    for (const int64_t second : {0LL, -1LL, 1583066096LL, -5000000000LL})
      counts.emplace_back(second * per_second + fraction);
    return counts;
  };
  const auto list = [](const std::string& fraction, const std::string& type) {
    std::string texts = "[NULL";
    for (const char* time : {"1970-01-01 00:00:00", "1969-12-31 23:59:59", "2020-03-01 12:34:56",
                             "1811-07-23 15:06:40"})
      texts += std::string(", '") + time + fraction + "'";
    return texts + "]::" + type + "[]";
  };
  expect_as_parquet(numbers<int64_t>("tss:", count(1, 0)), list("", "TIMESTAMP_S"));
  expect_as_parquet(numbers<int64_t>("tsm:", count(1000, 120)), list(".12", "TIMESTAMP_MS"));
  expect_as_parquet(numbers<int64_t>("tsu:", count(1'000'000, 1)), list(".000001", "TIMESTAMP"));
  expect_as_parquet(numbers<int64_t>("tsn:", count(1'000'000'000, 100'001)),
                    list(".000100001", "TIMESTAMP_NS"));
  expect_as_parquet(numbers<int64_t>("tsu:Europe/Berlin", count(1'000'000, 500'000)),
                    list(".5+00", "TIMESTAMPTZ"));
  expect_as_parquet(numbers<int64_t>("tss:UTC", count(1, 0)), list("+00", "TIMESTAMPTZ"));
  // As ParquetReader reads a file that pyarrow wrote; DuckDB writes none.
  EXPECT_THAT(
      read({numbers<int64_t>("tsn:UTC", {123, -1, -1000, -123'456'789})}),
      ElementsAre(Cells{"1970-01-01 00:00:00+00"}, Cells{"1970-01-01 00:00:00+00"},
                  Cells{"1969-12-31 23:59:59.999999+00"}, Cells{"1969-12-31 23:59:59.876544+00"}));
  // Before the year 1 and after 9999.
  expect_as_parquet(numbers<int64_t>("tsu:", {-62'167'219'200'000'000, 253'402'300'800'000'000}),
                    "['0001-01-01 (BC) 00:00:00', '10000-01-01 00:00:00']::TIMESTAMP[]");
}

/// As Parquet has no type for them.
TEST(ArrowReaderTest, DurationsAreNumbers) {
  EXPECT_THAT(read({numbers<int64_t>("tDu", {5, kNull, -1})}),
              ElementsAre(Cells{"5"}, Cells{kNull}, Cells{"-1"}));
}

/// DuckDB makes Arrow of its own: all types side by side, in chunks.
TEST(ArrowReaderTest, ManyRowsOfManyTypesAreThoseOfTheParquetFile) {
  const std::string query =
      "SELECT CASE WHEN i % 7 = 0 THEN NULL ELSE i END AS a, (i % 100)::TINYINT AS b, "
      "(hash(i)::DOUBLE / 1e10) * pow(10, i % 40 - 20) AS c, (hash(i)::DOUBLE / 1e12)::FLOAT AS d, "
      "i % 3 = 0 AS e, ((i - 2500) / 8)::DECIMAL(9, 3) AS f, ((i - 2500) / 8)::DECIMAL(30, 3) AS "
      "g, "
      "'text ' || i AS h, CASE WHEN i % 5 = 0 THEN NULL ELSE ['low', 'high', 'a rather long "
      "level'][1 + i % 3] END::ENUM('low', 'high', 'a rather long level') AS j, "
      "DATE '1950-01-01' + (i * 17)::INTEGER AS k, TIMESTAMP '1960-01-01 00:00:00' + "
      "to_microseconds(i * 123456789) AS l, (TIMESTAMP '1960-01-01 00:00:00' + "
      "to_microseconds(i * 123456789))::TIMESTAMPTZ AS m, TIME '00:00:00' + "
      "to_microseconds(i * 12345678) AS n FROM range(5000) AS r(i) ORDER BY i";
  const std::vector<Cells> records = read(ArrowOfQuery::stream(query));
  ASSERT_EQ(records.size(), 5000U);
  const std::vector<Cells> of_file = read_parquet(query);
  for (size_t i = 0; i < records.size(); ++i) ASSERT_EQ(records[i], of_file[i]);
}

TEST(ArrowReaderTest, SlicesBeginAtTheirOffsets) {
  ArrowColumn number = numbers<int32_t>("i", {1, kNull, 3, 4, kNull, 6});
  number.offset = 1;
  number.length = 5;
  ArrowColumn text = texts<int32_t>("u", {"no", "no", "c", kNull, "e", "f"});
  text.offset = 1;
  text.length = 5;
  ArrowColumn truth = truths({true, true, true, false, kNull, false});
  truth.offset = 1;
  truth.length = 5;
  ArrowColumn rows = rows_of({number, text, truth});
  rows.offset = 1;  // of the columns, which begin at offsets themselves
  rows.length = 3;
  EXPECT_THAT(
      read(ArrowChunks{{rows}}.stream()),
      ElementsAre(Cells{"3", "c", "true"}, Cells{"4", kNull, "false"}, Cells{kNull, "e", kNull}));
}

TEST(ArrowReaderTest, RowsMayBeNull) {
  ArrowColumn rows =
      rows_of({numbers<int32_t>("i", {1, 2, 3}), texts<int32_t>("u", {"a", "b", "c"})});
  rows.buffers[0] = validity_of<int>({1, kNull, 1});
  rows.null_count = 1;
  EXPECT_THAT(read(ArrowChunks{{rows}}.stream()),
              ElementsAre(Cells{"1", "a"}, Cells{kNull, kNull}, Cells{"3", "c"}));
}

TEST(ArrowReaderTest, ChunksFollowEachOther) {
  const auto rows = [](const std::vector<std::optional<int32_t>>& values) {
    return rows_of({numbers<int32_t>("i", values)});
  };
  const ArrowChunks chunks{{rows({1, 2}), rows({}), rows({kNull}), rows({4})}};
  EXPECT_THAT(read(chunks.stream()), ElementsAre(Cells{"1"}, Cells{"2"}, Cells{kNull}, Cells{"4"}));
  EXPECT_EQ(chunks.counts->num_open, 0);
  // The stream; the types and four chunks, with a column each.
  EXPECT_EQ(chunks.counts->num_released, 11);
  EXPECT_THAT(read(ArrowChunks{{rows({})}}.stream()), ElementsAre());
}

TEST(ArrowReaderTest, WhatIsLeftHalfwayIsReleased) {
  const ArrowChunks chunks{{rows_of({numbers<int32_t>("i", {1, 2})})}};
  ArrowArrayStream stream = chunks.stream();
  {
    ArrowReader reader("the frame", &stream);
    EXPECT_TRUE(reader.next());
  }
  EXPECT_EQ(chunks.counts->num_open, 0);
}

TEST(ArrowReaderTest, NamesMayRepeatOrBeEmpty) {
  std::vector<ArrowColumn> columns(4, numbers<int32_t>("i", {1}));
  columns[1].name = "";
  columns[3].name = "y";
  ArrowArrayStream stream = ArrowChunks{{rows_of(columns)}}.stream();
  ArrowReader reader("the frame", &stream);
  EXPECT_THAT(reader.header(), ElementsAre("x", "", "x_2", "y"));
  EXPECT_EQ(reader.repeated_name(2), "x");
  EXPECT_EQ(reader.name(), "the frame");
  EXPECT_TRUE(reader.has_header());
}

TEST(ArrowReaderTest, WhatHasNoTextIsNotReadable) {
  ArrowColumn list{"x", "+l", 1, {kNull, bytes_of<int32_t>({0, 1})}};
  list.children = {numbers<int32_t>("i", {1})};
  ArrowColumn structure = rows_of({numbers<int32_t>("i", {1})});
  ArrowColumn coded = numbers<int8_t>("c", {0});
  coded.dictionary = std::make_shared<ArrowColumn>(list);
  std::vector<ArrowColumn> columns = {list,
                                      structure,
                                      texts<int32_t>("z", {"a"}),
                                      coded,
                                      numbers<int32_t>("tiM", {1}),
                                      numbers<Int128>("d:50,3", {1}),
                                      numbers<Int128>("d:5,-2", {1}),
                                      numbers<int32_t>("i", {7})};
  for (const char* format :
       {"Z", "vz", "w:1", "+r", "tiD", "tin", "d:1,2", "d:", "d:3,2,1", "ts", "?", ""})
    columns.push_back(numbers<Int128>(format, {1}));
  const ArrowChunks chunks{{rows_of(columns)}};
  ArrowArrayStream stream = chunks.stream();
  ArrowReader reader("the frame", &stream);
  ASSERT_TRUE(reader.next());
  for (size_t i = 0; i < columns.size(); ++i) {
    EXPECT_EQ(reader.is_readable(i), i == 7) << columns[i].format;
    EXPECT_EQ(ArrowReader::is_null(reader.text(i)), i != 7) << columns[i].format;
    EXPECT_EQ(reader.column_problem(i).find("more than 38 digits") != std::string_view::npos,
              columns[i].format == "d:50,3")
        << columns[i].format;
  }
}

/// Neither a value nor what the stream's maker says is repeated; everything is released.
std::string error_of_stream(const ArrowChunks& chunks) {
  const std::string message = error_of(ErrorKind::kInput, [&] { read(chunks.stream()); });
  EXPECT_THAT(message, AllOf(StartsWith("[data.table] the frame: "), Not(HasSubstr("S3CRET"))));
  EXPECT_EQ(chunks.counts->num_open, 0);
  return message;
}

TEST(ArrowReaderTest, StreamsThatFail) {
  EXPECT_THAT(error_of_stream({{}}), HasSubstr("no Arrow stream that can be read"));
  const ArrowColumn rows = rows_of({numbers<int32_t>("i", {1})});
  EXPECT_THAT(error_of_stream({{rows}, 0}), HasSubstr("cannot be read to its end"));
  EXPECT_THAT(error_of_stream({{rows, rows}, 1}), HasSubstr("cannot be read to its end"));
  EXPECT_THAT(error_of_stream({{numbers<int32_t>("i", {1})}}), HasSubstr("not one of rows"));
  EXPECT_THAT(error_of_stream({{rows_of({})}}), HasSubstr("no columns"));
  ArrowArrayStream released = {};
  EXPECT_ERROR(kInput, HasSubstr("no Arrow stream that can be read"),
               ArrowReader("the frame", &released));
}

TEST(ArrowReaderTest, ArraysThatContradictTheirTypes) {
  const auto error = [](ArrowColumn column) {
    ArrowColumn rows = rows_of({std::move(column)});
    rows.length = 2;
    return error_of_stream({{rows}});
  };
  const auto is_broken = HasSubstr("its arrays contradict its types");
  EXPECT_THAT(error(numbers<int32_t>("i", {1})), is_broken) << "too short";
  ArrowColumn column = numbers<int32_t>("i", {1, 2});
  column.buffers.pop_back();
  EXPECT_THAT(error(column), is_broken) << "no buffer";
  column.buffers.emplace_back();
  EXPECT_THAT(error(column), is_broken) << "no values";
  column = numbers<int32_t>("i", {1, 2});
  column.offset = -1;
  EXPECT_THAT(error(column), is_broken);
  for (const int8_t index : {int8_t{-1}, int8_t{1}}) {
    column = numbers<int8_t>("c", {0, index});
    column.dictionary = std::make_shared<ArrowColumn>(texts<int32_t>("u", {"S3CRET"}));
    EXPECT_THAT(error(column), AllOf(is_broken, HasSubstr("row 2"))) << "outside the dictionary";
  }
  column = texts<int32_t>("u", {"a", "b"});
  column.buffers[1] = bytes_of<int32_t>({0, 1, 0});
  EXPECT_THAT(error(column), AllOf(is_broken, HasSubstr("row 2"))) << "a negative size";
  column = viewed_texts({"short", "S3CRET that is in a buffer"});
  column.buffers.erase(column.buffers.begin() + 2);
  EXPECT_THAT(error(column), AllOf(is_broken, HasSubstr("row 2"))) << "no such buffer";
  EXPECT_THAT(error(numbers<int32_t>("tts", {0, 86400})), AllOf(is_broken, HasSubstr("row 2")));
  ArrowColumn other = rows_of({numbers<int32_t>("i", {1}), numbers<int32_t>("i", {1})});
  EXPECT_THAT(error_of_stream({{rows_of({numbers<int32_t>("i", {1})}), other}}), is_broken);
}

/// Sums and differences of them would be too large.
TEST(ArrowReaderTest, SizesThatNoMemoryHas) {
  const auto is_broken = HasSubstr("its arrays contradict its types");
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const ArrowChunks valid{{rows_of({numbers<int32_t>("i", {1, 2})})}};
  const auto error = [&](const auto& break_chunk) {
    ArrowChunks chunks = valid;
    chunks.counts = std::make_shared<ArrowCounts>();
    chunks.break_chunk = break_chunk;
    return error_of_stream(chunks);
  };
  for (const int64_t length : {kMin, int64_t{-1}}) {
    EXPECT_THAT(error([&](ArrowArray& rows) { rows.length = length; }), is_broken);
    EXPECT_THAT(error([&](ArrowArray& rows) { rows.children[0]->length = length; }), is_broken);
  }
  for (const int64_t offset : {kMin, int64_t{-1}, kMax, kMax - 2, kMax / 8}) {
    EXPECT_THAT(error([&](ArrowArray& rows) { rows.offset = offset; }), is_broken) << offset;
    EXPECT_THAT(error([&](ArrowArray& rows) { rows.children[0]->offset = offset; }), is_broken)
        << offset;
  }
  EXPECT_THAT(error([&](ArrowArray& rows) {
                rows.offset = 2;
                rows.children[0]->length = 4;
                rows.children[0]->offset = kMax - 3;
              }),
              is_broken);
  ArrowColumn column = texts<int64_t>("U", {"a", "b"});
  column.buffers[1] = bytes_of<int64_t>({0, kMin, kMax});
  EXPECT_THAT(error_of_stream({{rows_of({column})}}), AllOf(is_broken, HasSubstr("row 1")));
  column.buffers[1] = bytes_of<int64_t>({kMin, kMax, kMax});
  EXPECT_THAT(error_of_stream({{rows_of({column})}}), AllOf(is_broken, HasSubstr("row 1")));
}

TEST(ArrowReaderTest, PointersToNothing) {
  const auto is_broken = HasSubstr("its arrays contradict its types");
  ArrowColumn coded = numbers<int8_t>("c", {0, 0});
  coded.dictionary = std::make_shared<ArrowColumn>(texts<int32_t>("u", {"a"}));
  const ArrowChunks valid{{rows_of({coded})}};
  const auto of_chunk = [&](const auto& break_chunk) {
    ArrowChunks chunks = valid;
    chunks.counts = std::make_shared<ArrowCounts>();
    chunks.break_chunk = break_chunk;
    return error_of_stream(chunks);
  };
  EXPECT_THAT(of_chunk([](ArrowArray& rows) { rows.children = nullptr; }), is_broken);
  EXPECT_THAT(of_chunk([](ArrowArray& rows) { rows.children[0] = nullptr; }), is_broken);
  EXPECT_THAT(of_chunk([](ArrowArray& rows) { rows.children[0]->buffers = nullptr; }), is_broken);
  EXPECT_THAT(of_chunk([](ArrowArray& rows) { rows.children[0]->dictionary = nullptr; }),
              is_broken);
  EXPECT_THAT(of_chunk([](ArrowArray& rows) { rows.children[0]->dictionary->buffers = nullptr; }),
              is_broken);
  // Nulls that nothing tells apart.
  EXPECT_THAT(of_chunk([](ArrowArray& rows) { rows.null_count = 1; }), is_broken);
  EXPECT_THAT(of_chunk([](ArrowArray& rows) {
                rows.null_count = 1;
                rows.buffers = nullptr;
              }),
              is_broken);
  EXPECT_THAT(of_chunk([](ArrowArray& rows) {
                rows.children[0]->null_count = 1;
                rows.children[0]->buffers[0] = nullptr;
              }),
              is_broken);

  const auto of_types = [&](const auto& break_types) {
    ArrowChunks chunks = valid;
    chunks.counts = std::make_shared<ArrowCounts>();
    chunks.break_types = break_types;
    return error_of_stream(chunks);
  };
  EXPECT_THAT(of_types([](ArrowSchema& rows) { rows.format = nullptr; }),
              HasSubstr("not one of rows"));
  EXPECT_THAT(of_types([](ArrowSchema& rows) { rows.n_children = -1; }), is_broken);
  EXPECT_THAT(of_types([](ArrowSchema& rows) { rows.children = nullptr; }), is_broken);
  EXPECT_THAT(of_types([](ArrowSchema& rows) { rows.children[0] = nullptr; }), is_broken);
  ArrowChunks untyped = valid;
  untyped.break_types = [](ArrowSchema& rows) { rows.children[0]->format = nullptr; };
  ArrowArrayStream stream = untyped.stream();
  EXPECT_FALSE(ArrowReader("the frame", &stream).is_readable(0));
}

TEST(ArrowReaderTest, TextsThatAreNotUtf8) {
  EXPECT_THAT(error_of_stream({{rows_of({texts<int32_t>("u", {"a", "S3CRET\xff"})})}}),
              HasSubstr("row 2 holds text that is not UTF-8"));
  EXPECT_THAT(error_of_stream({{rows_of({viewed_texts({"\xc3"})})}}), HasSubstr("UTF-8"));
}

}  // namespace equinoise::arrow_reader_test
