// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/json_reader.h"

#include <string>
#include <vector>

#include "tests/data/records.h"
#include "tests/data/table_files.h"
#include "tests/test_support.h"

namespace equinoise::json_reader_test {

using testing::Cells;

/// Planted into broken rows: no message may ever hold it.
const std::string kSecret = "S3CRET";

constexpr auto kNull = std::nullopt;

class JsonReaderTest : public ::testing::Test {
 protected:
  std::vector<Cells> read(const std::filesystem::path& path, size_t block_bytes) {
    JsonReader reader(ByteStream(InputFile(path), block_bytes));
    return testing::read_all(reader, header_);
  }
  /// The same whatever the size of the blocks.
  std::vector<Cells> records(std::string_view content) {
    const std::filesystem::path path = folder_.write_file("table.json", content);
    std::vector<Cells> records = read(path, ByteStream::kBlockBytes);
    for (size_t block_bytes = 3; block_bytes <= content.size(); ++block_bytes) {
      EXPECT_EQ(read(path, block_bytes), records) << "blocks of " << block_bytes;
    }
    return records;
  }
  std::string error(std::string_view content) {
    const std::filesystem::path path = folder_.write_file("table.json", content);
    std::string message;
    for (const size_t block_bytes : {size_t{3}, size_t{4}, ByteStream::kBlockBytes}) {
      if (content.size() > 1000 && block_bytes < ByteStream::kBlockBytes) continue;
      const std::string now = error_of(ErrorKind::kInput, [&] { read(path, block_bytes); });
      EXPECT_TRUE(message.empty() || now == message) << now;
      message = now;
    }
    EXPECT_THAT(message, AllOf(StartsWith("[data.table] "), HasSubstr(path.string()),
                               Not(HasSubstr(kSecret)), Not(HasSubstr("parse_error"))));
    return message;
  }
  /// The error of rows whose second one is `row`, one per line.
  std::string error_in_row(std::string_view row) {
    return error("{\"age\": 1, \"sex\": \"F\"}\n" + std::string(row) +
                 "\n{\"age\": 3, \"sex\": \"M\"}\n");
  }

  TempFolder folder_;
  std::vector<std::string> header_;
};

TEST_F(JsonReaderTest, AnArrayOfRowsAndRowsOneAfterAnotherAreTheSame) {
  const std::string first = R"({"age": 1, "sex": "F"})";
  const std::string second = R"({"age":2,"sex":"M"})";
  for (const std::string& content :
       {"[" + first + "," + second + "]", " \r\n\t[ " + first + "\n,\n" + second + "\n]\n ",
        first + "\n" + second + "\n", first + "\r\n" + second, first + second,
        "\n\n" + first + "\n\n\n" + second + "\n\n", "\xef\xbb\xbf" + first + second,
        "\xef\xbb\xbf[" + first + "," + second + "]"}) {
    SCOPED_TRACE(content);
    EXPECT_THAT(records(content), ElementsAre(Cells{"1", "F"}, Cells{"2", "M"}));
    EXPECT_THAT(header_, ElementsAre("age", "sex"));
  }
}

TEST_F(JsonReaderTest, CellsAreWhatACsvFileWouldHold) {
  EXPECT_THAT(
      records(
          R"({"a": 39, "b": -7, "c": 0.50, "d": 1E3, "e": true, "f": false, "g": "", "h": null})"
          R"({"a": 18446744073709551615, "b": -9223372036854775808,
                  "c": 123456789012345678901234567890, "d": "39", "e": "x, \"y\"\n",
                  "f": "\u00e9\ud83d\ude00", "g": "\u0000", "h": "null"})"),
      ElementsAre(
          Cells{"39", "-7", "0.50", "1E3", "true", "false", "", kNull},
          Cells{"18446744073709551615", "-9223372036854775808", "123456789012345678901234567890",
                "39", "x, \"y\"\n", "\xc3\xa9\xf0\x9f\x98\x80", std::string(1, '\0'), "null"}));
}

TEST_F(JsonReaderTest, NumbersBeyondDoublePrecisionAreCellsToo) {
  const std::string digits(400, '9');
  EXPECT_THAT(records(R"({"a": 1e999, "b": -1e4931, "c": 1e-9999, "d": )" + digits + "}"),
              ElementsAre(Cells{"1e999", "-1e4931", "1e-9999", digits}));
}

TEST_F(JsonReaderTest, KeysMayComeInAnyOrderAndBeAbsent) {
  EXPECT_THAT(records(R"({"a": 1, "b": 2, "c": 3} {"c": 6, "a": 4, "b": 5} {"b": 7} {})"),
              ElementsAre(Cells{"1", "2", "3"}, Cells{"4", "5", "6"}, Cells{kNull, "7", kNull},
                          Cells{kNull, kNull, kNull}));
}

TEST_F(JsonReaderTest, TheHeaderIsTheFirstRowsKeys) {
  records(R"({"z": null, "a": 1, "": 2, "\u00e9": 3})");
  EXPECT_THAT(header_, ElementsAre("z", "a", "", "\xc3\xa9"));
}

TEST_F(JsonReaderTest, ManyRowsAcrossTheBordersOfBlocks) {
  std::string content = "[";
  for (int i = 0; i < 50'000; ++i) {
    content += (i == 0 ? "" : ",\n") + std::string(R"({"i": )") + std::to_string(i) +
               R"(, "half": )" + std::to_string(i) + ".5}";
  }
  ASSERT_GT(content.size(), 4 * ByteStream::kBlockBytes);
  const std::filesystem::path path = folder_.write_file("table.json", content + "]");
  const std::vector<Cells> rows = read(path, ByteStream::kBlockBytes);
  ASSERT_EQ(rows.size(), 50'000u);
  for (size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i], (Cells{std::to_string(i), std::to_string(i) + ".5"}));
  }
}

TEST_F(JsonReaderTest, RowErrors) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"age": "S3CRET", "sex": "M", "zip": 8})",
       "row 2 (line 2) has a key that the first row lacks; write null there for no value (at line "
       "2, column 36)"},
      {R"({"S3CRET": 2})", "row 2 (line 2) has a key that the first row lacks"},
      {R"({"age": 2, "sex": "S3CRET", "age": 2})", "row 2 (line 2) has the key 'age' twice"},
      {R"({"age": 2, "sex": ["S3CRET"]})", "row 2 (line 2) has an object or an array in 'sex'"},
      {R"({"age": {"S3CRET": 1}, "sex": "M"})",
       "row 2 (line 2) has an object or an array in 'age'"},
      {R"(["S3CRET"])", "row 2 (line 2) is not an object"},
      {R"("S3CRET")", "row 2 (line 2) is not an object"},
      {"null", "row 2 (line 2) is not an object"},
      {"]", "row 2 (line 2) is not an object"},
      {",", "row 2 (line 2) is not an object"},
      {R"({"age": 2, "sex": "S3CRET",})", "row 2 (line 2) is not valid JSON at line 2, column 29"},
      {R"({"age": 2, "sex": S3CRET})", "row 2 (line 2) is not valid JSON at line 2, column 20"},
      {R"({"age": 2 "sex": "S3CRET"})", "row 2 (line 2) is not valid JSON at line 2"},
      {R"({"age" 2})", "row 2 (line 2) is not valid JSON at line 2"},
      {R"({age: 2})", "row 2 (line 2) is not valid JSON at line 2"},
      {"{\n\"age\":\n02}", "row 2 (line 2) is not valid JSON at line 4"},
      {R"({"age": +2})", "row 2 (line 2) is not valid JSON at line 2"},
      {R"({"age": .5})", "row 2 (line 2) is not valid JSON at line 2"},
      {R"({"sex": "S3CRET\x"})", "row 2 (line 2) is not valid JSON at line 2"},
      {R"({"sex": "S3CRET\ud83d"})", "row 2 (line 2) is not valid JSON at line 2"},
      {"{\"sex\": \"S3CRET\n\"}", "row 2 (line 2) is not valid JSON at line 3, column 1"},
      {"{\"sex\": \"S3CRET\xff\"}", "row 2 (line 2) is not valid JSON at line 2"},
      {std::string("{\"sex\": \"S3CRET\0\"}", 18), "row 2 (line 2) is not valid JSON at line 2"},
      {std::string("{\"sex\": \"S3CRET\"\0}", 18), "row 2 (line 2) is not valid JSON at line 2"},
      {R"({"age": NaN})", "JSON has no NaN or Infinity: write null"},
      {R"({"age": Infinity})", "JSON has no NaN or Infinity: write null"},
      {R"({"age": -Infinity})", "JSON has no NaN or Infinity: write null"},
      {R"({"age": 1e4933})", "row 2 (line 2) has a number beyond 1e4932 in 'age'"},
      {R"(/* S3CRET */ {"age": 2})", "row 2 (line 2) is not an object"},
  };
  for (const auto& [row, expected] : cases) {
    SCOPED_TRACE(row);
    EXPECT_THAT(error_in_row(row), HasSubstr(expected));
  }
}

TEST_F(JsonReaderTest, WhatIsNotRows) {
  for (const char* content : {R"({"age": {"0": "S3CRET", "1": 2}, "sex": {"0": "F"}})",
                              R"({"S3CRET": [1, 2]})", R"([{"S3CRET": {"age": 1}}])"}) {
    EXPECT_THAT(error(content), AllOf(HasSubstr("does not hold rows"),
                                      HasSubstr("orient='records'"), Not(HasSubstr("row 1"))));
  }
  EXPECT_THAT(error("[[1, \"S3CRET\"], [2, 3]]"), HasSubstr("row 1 (line 1) is not an object"));
  EXPECT_THAT(error("[\"S3CRET\"]"), HasSubstr("row 1 (line 1) is not an object"));
  EXPECT_THAT(error(R"({"age": 1, "tags": ["S3CRET"]})"),
              HasSubstr("row 1 (line 1) has an object or an array in 'tags'"));
  EXPECT_THAT(error(R"({"age": 1, "age": "S3CRET"})"), HasSubstr("row 1 (line 1) has the key"));
  EXPECT_THAT(error("[{}]"), HasSubstr("row 1 (line 1) has no keys"));
  EXPECT_THAT(error("{}"), HasSubstr("row 1 (line 1) has no keys"));
}

TEST_F(JsonReaderTest, WhatStandsBetweenAndAfterTheRows) {
  const std::string row = R"({"age": 1})";
  EXPECT_THAT(error("[" + row + row + "]"), HasSubstr("not valid JSON between rows, at line 1"));
  EXPECT_THAT(error("[" + row + ",\n]"),
              HasSubstr("not valid JSON between rows, at line 2, column 1"));
  EXPECT_THAT(error("[," + row + "]"), HasSubstr("row 1 (line 1) is not an object"));
  EXPECT_THAT(error("[" + row + ",," + row + "]"), HasSubstr("row 2 (line 1) is not an object"));
  EXPECT_THAT(error("[" + row + "}"), HasSubstr("not valid JSON between rows"));
  EXPECT_THAT(error("[" + row + "]\n" + kSecret),
              HasSubstr("has text after the end of its array, at line 2, column 1"));
  EXPECT_THAT(error("[" + row + "]" + row), HasSubstr("has text after the end of its array"));
}

TEST_F(JsonReaderTest, FilesThatWereCutShort) {
  const std::string rows =
      R"([{"age": 1, "sex": "S3CRET"}, {"age": null, "sex": true}, {"age": 2.5}])";
  for (size_t size = 1; size < rows.size(); ++size) {
    SCOPED_TRACE(rows.substr(0, size));
    ASSERT_THAT(error(rows.substr(0, size)), HasSubstr("was cut short"));
  }
  EXPECT_THAT(error("{\"age\": 1}\n{\"age\": 2}\n{\"age\""),
              HasSubstr("row 3 (line 3) is not complete: the file was cut short"));
}

TEST_F(JsonReaderTest, DeepNestingIsRefusedAtItsFirstLevel) {
  const std::string deep(3'000'000, '[');
  EXPECT_THAT(error(deep), HasSubstr("row 1 (line 1) is not an object"));
  EXPECT_THAT(error("{\"age\": " + deep), HasSubstr("does not hold rows"));
  EXPECT_THAT(error("{\"age\": 1, \"sex\": " + deep), HasSubstr("an array in 'sex'"));
}

TEST_F(JsonReaderTest, ARowMayNotFillTheMemory) {
  const std::string big(2'100'000, 'x');
  const std::string row = "{\"age\": 1}\n";
  EXPECT_THAT(error(row + "{\"age\": \"" + big + "\"}\n"),
              HasSubstr("row 2 is longer than 2,000,000 bytes"));
  EXPECT_THAT(error(row + "{\"age\": \"" + std::string(20'000'000, 'x')),
              HasSubstr("row 2 is longer than 2,000,000 bytes"));
  const std::filesystem::path path =
      folder_.write_file("table.json", row + "{\"age\": \"" + std::string(1'999'989, 'x') + "\"}" +
                                           std::string(3'000'000, ' ') + row);
  EXPECT_EQ(read(path, ByteStream::kBlockBytes).size(), 3u) << "blanks between rows do not count";
}

TEST_F(JsonReaderTest, Gzip) {
  const std::string whole = testing::gzip("{\"age\": 1}\n{\"age\": \"S3CRET\"}\n");
  EXPECT_THAT(records(whole), ElementsAre(Cells{"1"}, Cells{kSecret}));
  for (size_t size = 2; size < whole.size(); ++size) {
    ASSERT_THAT(error(whole.substr(0, size)), HasSubstr("gzip data: the file was cut short"));
  }
}

}  // namespace equinoise::json_reader_test
