// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/table.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "equinoise/base/lists.h"
#include "equinoise/data/formats/record_reader.h"
#include "tests/columns.h"
#include "tests/data/table_files.h"
#include "tests/test_support.h"

namespace equinoise::table_test {

using testing::gzip;
using testing::write_parquet;

/// Planted into broken rows: no message may ever hold it.
const std::string kSecret = "S3CRET";

Schema schema_for(int64_t num_records) {
  ColumnSchema name;
  name.name = "name";
  name.type = ColumnType::kIgnored;
  Schema schema = testing::schema_of({testing::numeric_column("age", 0, 100), name,
                                      testing::categorical_column("sex", {"F", "M"})});
  schema.num_records = num_records;
  return schema;
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
      "age,name,sex\n1,x\x01,F\r\n2,\"y\r\n\",M\n",
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

TEST_F(TableTest, TheFormatIsToldByTheContentNotTheName) {
  const std::string csv = "age,name,sex\n1,x,F\n";
  const std::string arff =
      "% x\n@relation r\n@attribute age real\n@attribute name string\n"
      "@attribute sex {F}\n@data\n1,x,F\n";
  const std::string json = R"( {"age": 1, "name": "x", "sex": "F"})";
  for (const std::string& content :
       {csv, gzip(csv), arff, gzip(arff), json, gzip(json), "\n[" + json + "]"}) {
    for (const char* name : {"table.csv", "table.csv.gz", "table.json", "table.parquet", "table"}) {
      EXPECT_EQ(read_table(folder_.write_file(name, content), schema_for(1)).num_records, 1);
    }
  }
  const std::filesystem::path path = folder_.path() / "parquet.csv";
  write_parquet(path, "SELECT 1 AS age, 'x' AS name, 'F' AS sex");
  EXPECT_EQ(read_table(path, schema_for(1)).num_records, 1);
  EXPECT_THAT(error(gzip("PAR1 and more")), HasSubstr("is a packed Parquet file"));
  EXPECT_THAT(error(gzip(std::string("\0\0\x08\x03 and more", 13))),
              HasSubstr("an idx file of images"));
}

TEST_F(TableTest, TheSameTableInEveryFormatIsTheSameDataset) {
  Schema schema = schema_for(1000);
  schema.columns[0].missing = MissingPolicy::kFill;
  schema.columns[0].fill = 40;
  schema.columns[2].unknown = UnknownPolicy::kOther;
  std::string csv = "age,name,sex\n";
  std::string arff =
      "@relation r\n@attribute age real\n@attribute name string\n@attribute sex {F,M,X}\n@data\n";
  std::string rows;
  std::string query;
  for (int i = 0; i < 1000; ++i) {
    const std::string age = i % 7 == 0 ? "" : fmt::format("{}.{}", i % 130, i % 4 * 25);
    const std::string sex = i % 11 == 0 ? "" : i % 5 == 0 ? "X" : i % 2 == 0 ? "F" : "M";
    csv += age + ",\"n, \"\"" + std::to_string(i) + "\"\"\"," + sex + "\n";
    const std::string name = R"("n, \")" + std::to_string(i) + R"(\"")";
    arff += (age.empty() ? "?" : age) + ", " + name + ", " + (sex.empty() ? "?" : sex) + "\n";
    rows += i == 0 ? "" : ",\n";
    rows += R"({"age": )" + (age.empty() ? "null" : age) + R"(, "name": )" + name;
    rows += sex.empty() ? "}" : R"(, "sex": ")" + sex + "\"}";
    query += i == 0 ? "" : ", ";
    query += "(" + (age.empty() ? "NULL" : age + "::DOUBLE") + ", 'n', " +
             (sex.empty() ? "NULL" : "'" + sex + "'") + ")";
  }
  // The first row has every key, so that a later one may leave one out.
  const std::string first_row = R"({"age": null, "name": "n", "sex": null})";
  rows.replace(0, rows.find('\n') - 1, first_row);
  std::string lines = rows;
  for (size_t at = lines.find(",\n"); at != lines.npos; at = lines.find(",\n")) lines.erase(at, 1);

  std::vector<std::filesystem::path> paths;
  for (const std::string& content : {csv, arff, "[" + rows + "]", lines}) {
    for (const std::string& file : {content, gzip(content)}) {
      paths.push_back(folder_.write_file(std::to_string(paths.size()), file));
    }
  }
  paths.push_back(write_parquet(folder_.path() / "parquet",
                                "SELECT * FROM (VALUES " + query + ") AS t(age, name, sex)"));

  const Dataset expected = read_table(paths[0], schema);
  EXPECT_GT(expected.counts[0].missing, 100);
  EXPECT_GT(expected.counts[0].clamped, 100);
  EXPECT_GT(expected.counts[1].missing, 50);
  EXPECT_GT(expected.counts[1].unknown, 100);
  EXPECT_EQ(expected.num_dropped, expected.counts[1].missing);
  for (const std::filesystem::path& path : paths) {
    SCOPED_TRACE(path);
    const Dataset table = read_table(path, schema);
    EXPECT_EQ(table.num_records, expected.num_records);
    EXPECT_EQ(table.numeric[0].values, expected.numeric[0].values);
    EXPECT_EQ(table.categorical[0].codes, expected.categorical[0].codes);
    EXPECT_EQ(table.contributes, expected.contributes);
    EXPECT_EQ(table.num_dropped, expected.num_dropped);
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(table.counts[i].missing, expected.counts[i].missing);
      EXPECT_EQ(table.counts[i].unknown, expected.counts[i].unknown);
      EXPECT_EQ(table.counts[i].clamped, expected.counts[i].clamped);
    }
  }
}

TEST_F(TableTest, ANullIsMissingWhateverTheMissingValuesAre) {
  Schema schema = schema_for(2);
  schema.missing_values = {};
  schema.columns[2].values = {"F", ""};
  const Dataset table = read(
      R"({"age": 1, "name": null, "sex": ""} {"age": null, "name": "x", "sex": null})", schema);
  EXPECT_THAT(table.categorical[0].codes, ElementsAre(1, 0));
  EXPECT_THAT(table.contributes, ElementsAre(1, 0));
  EXPECT_EQ(table.counts[0].missing, 1);
  EXPECT_EQ(table.counts[1].missing, 1);
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

TEST_F(TableTest, APlusBeforeANumberIsRead) {
  Schema schema = schema_for(4);
  schema.columns[0].upper = 1e17;
  schema.columns[0].missing_values = {"-9"};
  schema.columns[0].malformed = MalformedPolicy::kDrop;
  schema.columns[2].values = {"1", "2"};
  const Dataset table =
      read("age,name,sex\n+3.5,a,+1\n +40 ,b,2\n+9007199254740993,c,+2.0\n+-9,d,+\n", schema);
  EXPECT_THAT(table.numeric[0].values, ElementsAre(3.5, 40, 9007199254740992, 0));
  EXPECT_THAT(table.categorical[0].codes, ElementsAre(0, 1, 1, 0));
  EXPECT_EQ(table.counts[0].rounded, 1);
  EXPECT_EQ(table.counts[0].malformed, 1);
  EXPECT_EQ(table.counts[0].missing, 0);
  EXPECT_EQ(table.counts[1].unknown, 1);
  // Where both are listed they are two texts, as 1 and 1.0 are.
  schema.columns[2].values = {"1", "+1"};
  EXPECT_THAT(read("age,name,sex\n1,a,+1\n1,b,1\n1,c,+1\n1,d,1\n", schema).categorical[0].codes,
              ElementsAre(1, 0, 1, 0));
  schema.columns[0].thousands = '.';
  schema.layout.decimal_comma = true;
  schema.layout.delimiter = ';';
  EXPECT_THAT(
      read("age;name;sex\n+1.234,5;a;1\n+0,5;b;1\n+7;c;1\n7;d;1\n", schema).numeric[0].values,
      ElementsAre(1234.5, 0.5, 7, 7));
}

TEST_F(TableTest, ARunThatStopsDoesNotSayHowANumberIsWritten) {
  const Schema schema = schema_for(1);
  const auto error = [&](const std::string& cell) {
    return error_of(ErrorKind::kInput,
                    [&] { read("age,name,sex\n\"" + cell + "\",a,F\n", schema); });
  };
  EXPECT_EQ(error("1,234"), error("S3CRET"));
  EXPECT_THAT(error("12 kg"), HasSubstr("equinoise schema check says how many"));
}

TEST_F(TableTest, DatesFollowTheRulesOfNumbers) {
  Schema schema = schema_for(6);
  ColumnSchema& age = schema.columns[0];
  age.time = TimeFormat();
  age.whole = true;
  age.malformed = MalformedPolicy::kDrop;
  const Dataset table = read(
      "age,name,sex\n1970-01-02,a,F\n 1970-01-03 00:00:00 ,b,F\n2024-01-01,c,M\n1970-02-30,d,M\n"
      "1969-12-31,e,M\n?,f,M\n",
      schema);
  EXPECT_THAT(table.numeric[0].values, ElementsAre(1, 2, 100, 0, 0, 0));
  EXPECT_THAT(table.contributes, ElementsAre(1, 1, 1, 0, 1, 0));
  EXPECT_EQ(table.counts[0].clamped, 2);
  EXPECT_EQ(table.counts[0].malformed, 1);
  EXPECT_EQ(table.counts[0].first_malformed, "row 4 (line 5)");
  EXPECT_EQ(table.counts[0].missing, 1);
  age.malformed = MalformedPolicy::kStop;
  EXPECT_ERROR(
      kInput,
      HasSubstr("row 1 (line 2) column 'age' is not a date as YYYY-MM-DD; equinoise schema check"),
      read("age,name,sex\n5,a,F\n", schema));
}

TEST_F(TableTest, TimesOfAnotherFormAreSaidToBeThatWithWhatToWrite) {
  Schema schema = schema_for(1);
  ColumnSchema& age = schema.columns[0];
  age.lower = 0;
  age.upper = 1e12;
  age.whole = true;
  const auto error = [&](const std::string& format, const std::string& cell) {
    age.time = parse_time_format(format);
    return error_of(ErrorKind::kInput, [&] { read("age,name,sex\n" + cell + ",a,F\n", schema); });
  };
  EXPECT_THAT(error("YYYY-MM-DD hh:mm", "2024-03-01 10:20+01:00"),
              HasSubstr("it names a time zone, but the format of the column names none: write "
                        "format = \"YYYY-MM-DD hh:mmZ\""));
  EXPECT_THAT(error("YYYY-MM-DDThh:mm:ss+02:00", "2024-03-01 10:20"),
              HasSubstr("it names no time zone, but the format of the column names one: write "
                        "format = \"YYYY-MM-DDThh:mm:ss\""));
  EXPECT_THAT(error("YYYY-MM-DD", "2024-03-01 10:20"),
              HasSubstr("it has a time of day: write type = \"timestamp\" and format = "
                        "\"YYYY-MM-DDThh:mm:ss\""));
  EXPECT_THAT(error("YYYY-MM-DD", "2024-03-01T00:00Z"),
              HasSubstr("it has a time of day and a time zone: write type = \"timestamp\" and "
                        "format = \"YYYY-MM-DDThh:mm:ssZ\""));
  EXPECT_THAT(error("YYYY-MM-DD hh:mm", "2024-03-01 24:00"), HasSubstr("missing_values"));
}

TEST_F(TableTest, NumbersAreReadWithTheirMarksAndUnit) {
  Schema schema = schema_for(6);
  ColumnSchema& age = schema.columns[0];
  age.upper = 1e6;
  age.thousands = ',';
  age.number_unit = "$";
  age.malformed = MalformedPolicy::kDrop;
  const Dataset table = read(
      "age,name,sex\n\"$1,234.5\",a,F\n77,b,F\n\" 1,000,000 $ \",c,M\n\"12,34\",d,M\n5 kg,e,M\n"
      "$,f,M\n",
      schema);
  EXPECT_THAT(table.numeric[0].values, ElementsAre(1234.5, 77, 1e6, 0, 0, 0));
  EXPECT_EQ(table.counts[0].malformed, 3);
  EXPECT_EQ(table.counts[0].clamped, 0);
}

TEST_F(TableTest, LabelledCodesAndTheirLabelsAreRead) {
  Schema schema = schema_for(5);
  ColumnSchema& sex = schema.columns[2];
  sex.values = {"Female", "Male"};
  sex.cell_texts = {"2", "1"};
  const Dataset table = read("age,name,sex\n1,a,2\n1,b,1\n1,c,1.0\n1,d,Female\n1,e,F\n", schema);
  EXPECT_THAT(table.categorical[0].codes, ElementsAre(0, 1, 1, 0, 0));
  EXPECT_THAT(table.categorical[0].categories, ElementsAre("Female", "Male"));
  EXPECT_EQ(table.counts[1].unknown, 1);
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

TEST_F(TableTest, NumbersBeyondDoublePrecisionAreClampedInJsonToo) {
  const std::filesystem::path path =
      folder_.write_file("table.json", R"([{"age": 1e999, "name": "a", "sex": "F"},
                        {"age": -1e999, "name": "a", "sex": "F"},
                        {"age": 1e-999, "name": "a", "sex": "F"}])");
  const Dataset table = read_table(path, schema_for(3));
  EXPECT_THAT(table.numeric[0].values, ElementsAre(100, 0, 0));
  EXPECT_EQ(table.counts[0].clamped, 2);
}

// Numbers of more than 24 bits, in every format: seconds, dates, cents, metres.
TEST_F(TableTest, NumbersAreKeptInDoublePrecision) {
  Schema schema = schema_for(6);
  schema.columns[0].upper = 0x1p60;
  const std::vector<std::string> numbers = {"0.1",      "16777217",         "1700000028.95",
                                            "20240229", "9007199254740991", "5412345.678"};
  std::string csv = "age,name,sex\n";
  std::string json;
  std::string query;
  for (const std::string& number : numbers) {
    csv += number + ",a,F\n";
    json += R"({"age": )" + number + R"(, "name": "a", "sex": "F"})";
    query += (query.empty() ? "(" : ", (") + number + "::DOUBLE, 'a', 'F')";
  }
  const std::filesystem::path parquet = write_parquet(
      folder_.path() / "parquet", "SELECT * FROM (VALUES " + query + ") AS t(age, name, sex)");
  for (const std::filesystem::path& path :
       {folder_.write_file("t.csv", csv), folder_.write_file("t.json", json), parquet}) {
    const Dataset table = read_table(path, schema);
    EXPECT_THAT(table.numeric[0].values,
                ElementsAre(0.1, 16777217, 1700000028.95, 20240229, 9007199254740991, 5412345.678));
    EXPECT_EQ(table.counts[0].rounded, 0);
  }
}

// 2^53 + 1 is no double: what is rounded is counted, in integers of every format.
TEST_F(TableTest, WholeNumbersThatADoubleDoesNotHoldAreCounted) {
  Schema schema = schema_for(5);
  schema.columns[0].lower = -0x1p64;
  schema.columns[0].upper = 0x1p62;
  const std::vector<std::filesystem::path> paths = {
      folder_.write_file("t.csv",
                         "age,name,sex\n9007199254740992,a,F\n9007199254740993,a,F\n"
                         "-1000000000000000001,a,F\n9223372036854775807,a,F\n1e18,a,F\n"),
      folder_.write_file("t.json", R"({"age": 9007199254740992, "name": "a", "sex": "F"}
                                      {"age": 9007199254740993, "name": "a", "sex": "F"}
                                      {"age": -1000000000000000001, "name": "a", "sex": "F"}
                                      {"age": 9223372036854775807, "name": "a", "sex": "F"}
                                      {"age": 1e18, "name": "a", "sex": "F"})"),
      write_parquet(folder_.path() / "parquet",
                    "SELECT unnest([9007199254740992, 9007199254740993, -1000000000000000001, "
                    "9223372036854775807, 1000000000000000000]) AS age, 'a' AS name, 'F' AS sex")};
  for (const std::filesystem::path& path : paths) {
    const Dataset table = read_table(path, schema);
    EXPECT_EQ(table.counts[0].rounded, 2) << path;
    EXPECT_EQ(table.counts[0].clamped, 1) << path;
  }
}

TEST_F(TableTest, MissingAndUnknownCellsFollowTheirPolicies) {
  Schema schema = schema_for(5);
  const std::string content = "age,name,sex\n?,a,F\n1,,X\n\"\",a,?\n4,a,f\n5,a,M\n";
  Dataset table = read(content, schema);
  EXPECT_THAT(table.contributes, ElementsAre(0, 0, 0, 0, 1));
  EXPECT_EQ(table.num_dropped, 4);
  EXPECT_EQ(table.num_records, 5) << "dropped records keep their place";
  EXPECT_THAT(table.numeric[0].values, ElementsAre(0, 1, 0, 4, 5));
  // Which cells did it.
  EXPECT_THAT(table.numeric[0].dropped, ElementsAre(1, 0, 1, 0, 0));
  EXPECT_THAT(table.categorical[0].dropped, ElementsAre(0, 1, 1, 1, 0));
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
  EXPECT_TRUE(table.numeric[0].dropped.empty());
  EXPECT_TRUE(table.categorical[0].dropped.empty());

  // That there is none is a promise, whose breach is no error.
  schema.columns[0].missing = MissingPolicy::kNone;
  table = read(content, schema);
  EXPECT_THAT(table.contributes, ElementsAre(0, 1, 0, 1, 1));
  EXPECT_THAT(table.numeric[0].dropped, ElementsAre(1, 0, 1, 0, 0));
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
  const Schema schema = load_schema({.path = folder / "schema.toml"});
  const Dataset table = read_table(folder / "adult.csv.gz", schema);
  EXPECT_EQ(table.num_records, 48842);
  EXPECT_EQ(table.num_dropped, 0);
  for (const ColumnIngestCounts& counts : table.counts) {
    EXPECT_EQ(counts.clamped, 0) << counts.name;
    EXPECT_EQ(counts.unknown, 0) << counts.name;
  }
  for (const auto& [group, size] : schema.public_group_sizes) {
    int64_t num_records = 0;
    for (size_t r = 0; r < table.contributes.size(); ++r) {
      bool is_member = true;
      for (const auto& [name, value] : group) {
        const CategoricalColumn& column = *table.find_categorical(name);
        is_member = is_member && column.categories[column.codes[r]] == value;
      }
      num_records += is_member ? 1 : 0;
    }
    EXPECT_EQ(num_records, size);
  }
}

TEST_F(TableTest, HeaderErrors) {
  EXPECT_THAT(error("age,nme,sex\n1,S3CRET,F\n"),
              HasAll("lacks column 'name'", "nearest name in it is 'nme'"));
  EXPECT_THAT(error("age,name,sex,zip\n1,S3CRET,F,8\n"), HasAll("'zip'", "type = \"ignored\""));
  EXPECT_THAT(error("age,name,age,sex\n1,S3CRET,1,F\n"), HasSubstr("names column 'age' twice"));
  EXPECT_THAT(error("1,S3CRET,F\n2,y,M\n3,z,M\n"), HasSubstr("if the file has no header"));
  EXPECT_THAT(error("age,name,sex\n"), HasSubstr("has a header but no rows"));
  EXPECT_THAT(error("age,name,sex"), HasSubstr("has a header but no rows"));
}

TEST_F(TableTest, BlanksAroundCellsAreNotRead) {
  Schema schema = schema_for(4);
  schema.columns[0].missing = MissingPolicy::kFill;
  schema.columns[2].values = {"F", "M", " M"};
  const Dataset table =
      read("age,name,sex\n 1,x,F \n2\t,y, M\n  ,z,\"\tM\"\n \"4\" ,z,  F\n", schema);
  EXPECT_THAT(table.numeric[0].values, ElementsAre(1, 2, 0, 4));
  EXPECT_THAT(table.categorical[0].codes, ElementsAre(0, 2, 1, 0)) << "a listed text comes first";
  EXPECT_EQ(table.counts[0].missing, 1);
  EXPECT_EQ(table.num_dropped, 0);
}

TEST_F(TableTest, NumbersAreComparedAsNumbersWhereAllCategoriesAre) {
  Schema schema = schema_for(4);
  schema.columns[2].values = {"1.0", "02", "30"};
  const std::string csv = "age,name,sex\n1,x,1\n1,x,2.00\n1,x,3e1\n1,x, 02\n";
  EXPECT_THAT(read(csv, schema).categorical[0].codes, ElementsAre(0, 1, 2, 1));
  schema.columns[2].values = {"1.0", "02", "x"};
  EXPECT_EQ(read(csv, schema).counts[1].unknown, 3);
  schema.columns[2].values = {"1.0", "1", "02"};
  EXPECT_EQ(read(csv, schema).counts[1].unknown, 1) << "2.00 is 02 still";
}

TEST_F(TableTest, TruthHasManySpellings) {
  Schema schema = schema_for(6);
  schema.columns[2].values = {"no", "Yes"};
  const std::string csv = "age,name,sex\n1,x,True\n1,x,f\n1,x,1\n1,x,YES\n1,x, no\n1,x,maybe\n";
  EXPECT_THAT(read(csv, schema).categorical[0].codes, ElementsAre(1, 0, 1, 1, 0, 0));
  EXPECT_EQ(read(csv, schema).counts[1].unknown, 1);
  schema.columns[2].values = {"F", "M"};
  EXPECT_EQ(read(csv, schema).counts[1].unknown, 6) << "F is no truth value beside M";
}

TEST_F(TableTest, OneAndZeroAreTruthsAsNumbers) {
  Schema schema = schema_for(7);
  schema.columns[2].values = {"no", "yes"};
  const std::string csv =
      "age,name,sex\n1,x,1.0\n1,x,0.0\n1,x,01\n1,x,-0.00\n1,x, 1\n1,x,2.0\n1,x,1.5\n";
  EXPECT_THAT(read(csv, schema).categorical[0].codes, ElementsAre(1, 0, 1, 0, 1, 0, 0));
  EXPECT_EQ(read(csv, schema).counts[1].unknown, 2);
  schema.missing_values = {"0"};
  EXPECT_EQ(read(csv, schema).counts[1].missing, 2) << "0.0 is the mark of missing cells";
}

TEST_F(TableTest, TumourAndNormalAreNoTruths) {
  Schema schema = schema_for(3);
  schema.columns[2].values = {"T", "N"};
  EXPECT_EQ(read("age,name,sex\n1,x,T\n1,x,F\n1,x,yes\n", schema).counts[1].unknown, 2);
}

TEST_F(TableTest, CategoriesAreTheSameNumberOnlyWhereItIsOneNumber) {
  Schema schema = schema_for(5);
  schema.columns[2].values = {"1", "1.0", "2", "9007199254740993"};
  const Dataset table =
      read("age,name,sex\n1,x,1.0\n1,x,2.0\n1,x,9007199254740993\n1,x,01\n1,x,9007199254740992\n",
           schema);
  EXPECT_THAT(table.categorical[0].codes, ElementsAre(1, 2, 3, 0, 0));
  EXPECT_THAT(table.contributes, ElementsAre(1, 1, 1, 0, 0)) << "01 may be either, 2^53 is neither";
}

TEST_F(TableTest, MarksThatAreNumbersAreComparedAsNumbers) {
  Schema schema = schema_for(3);
  schema.missing_values = {"-99", "9"};
  schema.columns[2].values = {"1", "2"};
  const Dataset table = read("age,name,sex\n-99.0,x,1.0\n09,x,9.0\n90,x,-99\n", schema);
  EXPECT_EQ(table.counts[0].missing, 2);
  EXPECT_EQ(table.counts[1].missing, 2);
  EXPECT_EQ(table.counts[0].clamped + table.counts[1].unknown, 0);
}

TEST_F(TableTest, AMarkMeansInfinityInEverySpelling) {
  Schema schema = schema_for(4);
  schema.missing_values = {"Infinity"};
  schema.columns[2].values = {"1", "-inf"};
  const Dataset table =
      read("age,name,sex\ninf,x,1\n-inf,x,-Infinity\n1e999,x,inf\nINFINITY,x,1\n", schema);
  EXPECT_EQ(table.counts[0].missing, 2) << "1e999 is a number";
  EXPECT_EQ(table.counts[0].clamped, 2);
  EXPECT_EQ(table.counts[1].missing, 1);
  EXPECT_EQ(table.categorical[0].codes[1], 1);
}

TEST_F(TableTest, NamesMayBeDeclaredWithTheirBlanks) {
  Schema schema = schema_for(1);
  schema.columns[2].name = " sex";
  EXPECT_THAT(read("age, name, sex\n1,x,M\n", schema).categorical[0].codes, ElementsAre(1));
  EXPECT_THAT(read("age;name; sex\n1;x;M\n", schema).categorical[0].codes, ElementsAre(1));
  schema.columns[1].name = "sex";
  EXPECT_THAT(read(" sex,sex,age\nM,x,1\n", schema).categorical[0].codes, ElementsAre(1));
}

TEST_F(TableTest, NoFirstRecordDecidesWhetherATableIsRead) {
  Schema schema = schema_for(2);
  schema.layout.has_header = false;
  schema.columns[0].malformed = MalformedPolicy::kDrop;
  const std::string csv = "age,name,sex\n1,x,F\n";
  EXPECT_EQ(read(csv, schema).num_dropped, 1);
  const auto path = folder_.write_file("table.csv", csv);
  EXPECT_FALSE(header_fits(path, schema));
  EXPECT_ERROR(kInput, HasSubstr("begins with the names of the columns"),
               refuse_header_as_record(path, schema));
  folder_.write_file("table.csv", "1,x,F\n2,x,F\n");
  EXPECT_TRUE(header_fits(path, schema));
  EXPECT_NO_THROW(refuse_header_as_record(path, schema));
}

TEST_F(TableTest, AColumnMayHaveMarksOfItsOwn) {
  Schema schema = schema_for(3);
  schema.columns[0].missing = MissingPolicy::kFill;
  schema.columns[0].missing_values = {"M", "N"};
  const Dataset table = read("age,name,sex\nM,x,M\n N,x,F\n,x,F\n", schema);
  EXPECT_EQ(table.counts[0].missing, 3);
  EXPECT_EQ(table.num_dropped, 0);
}

TEST_F(TableTest, CellsThatAreNoNumbers) {
  for (const char* row : {"S3CRET,x,M", "nan,S3CRET,M", "2 3,S3CRET,M", "++2,S3CRET,M",
                          "0x2,S3CRET,M", "\"2,0\",S3CRET,M", "1e,S3CRET,M", "true,S3CRET,M"}) {
    SCOPED_TRACE(row);
    EXPECT_THAT(error("age,name,sex\n1,x,F\n" + std::string(row) + "\n3,z,M\n"),
                HasAll("row 2 (line 3) column 'age' is not a number", "missing_values"));
  }
  EXPECT_THAT(error(R"({"age": 1, "name": "x", "sex": "F"}
                       {"age": "S3CRET"})"),
              HasSubstr("row 2 (line 2) column 'age' is not a number"));
  const std::filesystem::path path = folder_.path() / "parquet";
  write_parquet(path, "SELECT unnest(['1', 'S3CRET']) AS age, 'x' AS name, 'F' AS sex");
  EXPECT_THAT(error_at(path), HasSubstr("row 2 column 'age' is not a number"));
}

/// The same rule in every format; the place of a dropped record stays, with a public value.
TEST_F(TableTest, MalformedNumbersFollowTheirRule) {
  const std::string csv = "age,name,sex\n1,x,F\nS3CRET,x,M\n?,x,M\nnan,x,F\n";
  const std::string arff =
      "@relation r\n@attribute age string\n@attribute name string\n@attribute sex string\n@data\n"
      "1,x,F\nS3CRET,x,M\n?,x,M\nnan,x,F\n";
  const std::string json =
      R"([{"age": 1, "name": "x", "sex": "F"}, {"age": "S3CRET", "sex": "M"}, {"sex": "M"},)"
      R"({"age": true, "sex": "F"}])";
  const std::filesystem::path parquet = folder_.path() / "parquet";
  write_parquet(parquet,
                "SELECT unnest(['1', 'S3CRET', NULL, 'nan']) AS age, 'x' AS name, "
                "unnest(['F', 'M', 'M', 'F']) AS sex");
  for (const std::filesystem::path& path :
       {folder_.write_file("csv", csv), folder_.write_file("arff", arff),
        folder_.write_file("json", json), parquet}) {
    SCOPED_TRACE(path);
    Schema schema = schema_for(4);
    ColumnSchema& age = schema.columns[0];
    EXPECT_ERROR(kInput, AllOf(HasSubstr("row 2"), HasSubstr("malformed"), Not(HasSubstr(kSecret))),
                 read_table(path, schema));
    const auto expect_read = [&](const std::vector<double>& values,
                                 const std::vector<uint8_t>& contributes) {
      const Dataset table = read_table(path, schema);
      EXPECT_EQ(table.num_records, 4);
      EXPECT_EQ(table.numeric[0].values, values);
      EXPECT_EQ(table.contributes, contributes);
      EXPECT_EQ(table.counts[0].malformed, 2);
      EXPECT_EQ(table.counts[0].missing, 1);
      return table;
    };
    age.malformed = MalformedPolicy::kMissing;
    expect_read({1, 0, 0, 0}, {1, 0, 0, 0});
    age.missing = MissingPolicy::kFill;
    age.fill = 40;
    expect_read({1, 40, 40, 40}, {1, 1, 1, 1});
    age.malformed = MalformedPolicy::kDrop;
    EXPECT_THAT(expect_read({1, 0, 40, 0}, {1, 0, 1, 0}).numeric[0].dropped,
                ElementsAre(0, 1, 0, 1));
    age.missing = MissingPolicy::kCategory;
    EXPECT_THAT(expect_read({1, 0, 0, 0}, {1, 0, 1, 0}).numeric[0].missing,
                ElementsAre(0, 0, 1, 0));
    age.malformed = MalformedPolicy::kMissing;
    EXPECT_THAT(expect_read({1, 0, 0, 0}, {1, 1, 1, 1}).numeric[0].missing,
                ElementsAre(0, 1, 1, 1));
  }
}

TEST_F(TableTest, ErrorsOfEveryFormatNameTheFile) {
  EXPECT_THAT(error("age,name,sex\n1,x,F\n2,S3CRET\n"), HasSubstr("row 2 (line 3) has 2 cells"));
  EXPECT_THAT(error(R"({"age": {"0": "S3CRET"}})"), HasSubstr("does not hold rows"));
  EXPECT_THAT(error("PAR1S3CRET"), HasSubstr("is not a readable Parquet file"));
  EXPECT_THAT(error(gzip("age,name,sex\n1,S3CRET,F\n").substr(0, 30)),
              HasSubstr("the file was cut short"));
}

TEST_F(TableTest, ATableOfAnotherUse) {
  Schema schema = schema_for(3);
  schema.target = "income";
  schema.columns.resize(5);
  schema.columns[3].name = "income";
  schema.columns[3].values = {"low", "high"};
  schema.columns[4].name = "race";
  schema.columns[4].values = {"a", "b"};
  schema.columns[4].feature = false;
  const auto read_for = [&](TableUse use, std::string_view content) {
    return read_table(folder_.write_file("table.csv", content), schema, use);
  };
  const auto error_for = [&](TableUse use, std::string_view content) {
    return error_of(ErrorKind::kInput, [&] { read_for(use, content); });
  };
  const std::string all = "age,name,sex,income,race\n1,x,F,low,a\n2,y,M,high,b\n";
  const std::string no_ignored = "age,sex,income,race\n1,F,low,a\n2,M,high,b\n";
  const std::string features = "sex,age\nF,1\nM,2\n";

  EXPECT_THAT(error_for(TableUse::kDescribed, all), HasSubstr("has 2 rows"));
  EXPECT_THAT(error_for(TableUse::kDescribed, no_ignored), HasSubstr("lacks column 'name'"));
  for (const TableUse use : {TableUse::kOther, TableUse::kFeaturesOnly}) {
    for (const std::string& content : {all, no_ignored}) {
      const Dataset table = read_for(use, content);
      EXPECT_EQ(table.num_records, 2);
      EXPECT_THAT(table.find_numeric("age")->values, ElementsAre(1, 2));
      EXPECT_THAT(table.find_categorical("income")->codes, ElementsAre(0, 1));
      EXPECT_THAT(table.find_categorical("race")->codes, ElementsAre(0, 1));
    }
    EXPECT_THAT(error_for(use, "sex,income,race\nF,low,a\n"), HasSubstr("lacks column 'age'"));
    EXPECT_THAT(error_for(use, "sex,age,income,race\n"), HasSubstr("no rows"));
  }
  EXPECT_EQ(read_for(TableUse::kPrivateSize, all).num_records, 2);
  EXPECT_EQ(read_for(TableUse::kPrivateSize, "sex,age,income,race\n").num_records, 0);
  // JSON without rows names no columns, and has them all.
  for (const char* nothing : {"[]", " [ ]\n"}) {
    const Dataset empty = read_for(TableUse::kPrivateSize, nothing);
    EXPECT_EQ(empty.num_records, 0);
    EXPECT_NE(empty.find_numeric("age"), nullptr);
    EXPECT_NE(empty.find_categorical("race"), nullptr);
    for (const TableUse use : {TableUse::kDescribed, TableUse::kOther, TableUse::kFeaturesOnly})
      EXPECT_THAT(error_for(use, nothing), HasSubstr("has no rows"));
  }
  EXPECT_THAT(error_for(TableUse::kOther, features), HasSubstr("lacks column 'income'"));
  EXPECT_EQ(read_for(TableUse::kOther, "sex,age,income,race,zip\nF,1,low,a,8\n").num_records, 1);
  EXPECT_EQ(read_for(TableUse::kFeaturesOnly, "sex,age,zip\nF,1,8\n").num_records, 1);

  const Dataset table = read_for(TableUse::kFeaturesOnly, features);
  EXPECT_EQ(table.num_records, 2);
  EXPECT_THAT(table.find_numeric("age")->values, ElementsAre(1, 2));
  EXPECT_EQ(table.find_categorical("income"), nullptr);
  EXPECT_EQ(table.find_categorical("race"), nullptr);
  EXPECT_EQ(table.counts.size(), 2u);
  EXPECT_THAT(table.contributes, ElementsAre(1, 1));
}

TEST_F(TableTest, ANumericTargetIsReadLikeANumber) {
  Schema schema = schema_for(2);
  schema.target = "age";
  const Dataset table = read("age,name,sex\n7,x,F\n500,y,M\n", schema);
  EXPECT_THAT(table.find_numeric("age")->values, ElementsAre(7, 100));
}

TEST_F(TableTest, TenThousandColumns) {
  Schema schema;
  schema.num_records = 20;
  std::string content;
  for (int i = 0; i < 10'000; ++i) {
    ColumnSchema column;
    column.name = "column" + std::to_string(i);
    column.type = ColumnType::kNumeric;
    column.upper = 10'000;
    schema.columns.push_back(column);
    content += (i == 0 ? "" : ",") + column.name;
  }
  for (int r = 0; r < 20; ++r) {
    content += '\n';
    for (int i = 0; i < 10'000; ++i) content += (i == 0 ? "" : ",") + std::to_string(i);
  }
  const Dataset table = read(content, schema);
  ASSERT_EQ(table.numeric.size(), 10'000u);
  for (size_t i = 0; i < table.numeric.size(); ++i) {
    ASSERT_EQ(table.numeric[i].values[19], static_cast<float>(i));
  }
}

TEST_F(TableTest, BlocksTogetherAreTheTable) {
  Schema schema = schema_for(0);
  schema.columns[0].malformed = MalformedPolicy::kDrop;
  const std::string content = "age,name,sex\n1,\"x, y\",F\nno,,M\n3,z,\n200,z,other\n5,z,F\n";
  const std::filesystem::path path = folder_.write_file("table.csv", content);
  const Dataset whole = read_table(path, schema, TableUse::kOther);
  for (const int64_t size : {1, 2, 5, 100}) {
    const std::unique_ptr<RecordReader> reader = open_described(path, schema);
    TableBlocks blocks(*reader, schema, TableUse::kOther, {{"sex", "name"}, false});
    std::vector<uint8_t> contributes;
    std::vector<std::string> kept;
    Dataset block;
    for (block = blocks.next(size); block.num_records > 0; block = blocks.next(size)) {
      EXPECT_LE(block.num_records, size);
      for (size_t i = 0; i < static_cast<size_t>(block.num_records); ++i) {
        const size_t row = contributes.size();
        EXPECT_EQ(block.numeric[0].values[i], whole.numeric[0].values[row]);
        EXPECT_EQ(block.categorical[0].codes[i], whole.categorical[0].codes[row]);
        EXPECT_EQ(block.contributes[i], whole.contributes[row]);
        contributes.push_back(block.contributes[i]);
      }
      EXPECT_EQ(block.categorical[0].categories, whole.categorical[0].categories);
      append(kept, blocks.kept());
    }
    EXPECT_EQ(contributes, whole.contributes);
    EXPECT_EQ(block.num_dropped, whole.num_dropped);
    EXPECT_EQ(block.counts.at(0).clamped, whole.counts.at(0).clamped);
    EXPECT_EQ(block.counts.at(1).unknown, whole.counts.at(1).unknown);
    EXPECT_EQ(kept,
              (std::vector<std::string>{"F", "x, y", "M", "", "", "z", "other", "z", "F", "z"}));
  }
}

TEST_F(TableTest, AWrongPublicNumberOfRowsDoesNotTakeAllMemory) {
  EXPECT_ERROR(kInput, HasSubstr("has 1 rows"), read("age,name,sex\n1,x,F\n", int64_t{1} << 60));
}

TEST_F(TableTest, TheNumberOfRowsMustBeThePublicOne) {
  EXPECT_THAT(error("age,name,sex\n1,x,F\n2,S3CRET,M\n"),
              HasAll("has 2 rows, but the schema says num_records = 3", "only if it is public"));
  EXPECT_THAT(error("age,name,sex\n1,x,F\n1,x,F\n1,x,F\n2,S3CRET,M\n"), HasSubstr("has 4 rows"));
}

}  // namespace equinoise::table_test
