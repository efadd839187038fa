// SPDX-License-Identifier: Apache-2.0
// Statements that count, on a PostgreSQL server, next to what a CSV file of the same values is read
// as.
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/data/codes/cell_coder.h"
#include "equinoise/engines/engine.h"
#include "equinoise/engines/postgres_engine.h"
#include "tests/engines/postgres_server.h"
#include "tests/matchers.h"

namespace equinoise::postgres_count_test {

using testing::PostgresTest;

using Counts = std::map<int32_t, int64_t>;

/// A value as a statement writes it, and the cell that a CSV file would have.
struct Value {
  std::string sql;
  std::optional<std::string> cell;
};

constexpr auto kNull = std::nullopt;

class PostgresCountTest : public PostgresTest {
 protected:
  /// By a schema of one column, "x", how many rows have each code.
  Counts count(const std::string& section, const std::string& table = "counted",
               const std::string& database = "postgres") {
    const Schema schema = schema_of(section);
    const std::vector<ColumnCoding> codings = column_codings(schema);
    EngineUrl url = server_->url({table});
    url.address.replace(url.address.find("/postgres?") + 1, 8, database);
    const auto engine = open_postgres(url);
    const CountedTable counted = engine->count(schema, codings);
    Counts counts;
    for (size_t row = 0; row < counted.rows.num_rows(); ++row)
      counts[counted.rows.codes[row]] += counted.rows.counts[row];
    return counts;
  }

  /// Puts values into a column of a type and expects that each has the code of its cell.
  void expect_like_csv(const std::string& type, const std::string& section,
                       const std::vector<Value>& values) {
    std::string statements =
        "DROP TABLE IF EXISTS counted CASCADE; CREATE TABLE counted (x " + type + "); ";
    for (const Value& value : values)
      statements += "INSERT INTO counted VALUES (" + value.sql + "); ";
    server_->execute(statements);
    const Schema schema = schema_of(section);
    const std::vector<ColumnCoding> codings = column_codings(schema);
    CellCoder coder(schema, codings.front());
    Counts expected;
    for (const Value& value : values)
      ++expected[coder.code_of(value.cell ? std::string_view(*value.cell) : std::string_view())];
    EXPECT_EQ(count(section), expected) << type;
  }

 private:
  static Schema schema_of(const std::string& section) {
    return parse_schema(
        "schema = \"equinoise/1\"\ndataset = \"counted\"\nreviewed = true\npublic_bins = 10\n"
        "[public]\nnum_records = 10\n[columns.x]\n" +
            section,
        "counted.toml");
  }
};

TEST_F(PostgresCountTest, FloatingPointNumbers) {
  const std::string section = "type = \"numeric\"\nbounds = [0, 10]\n";
  const std::vector<Value> values = {{"'NaN'", "NaN"},
                                     {"NULL", kNull},
                                     {"'Infinity'", "inf"},
                                     {"'-Infinity'", "-inf"},
                                     {"'-0.0'", "-0.0"},
                                     {"0", "0"},
                                     {"10", "10"},
                                     {"9", "9"},
                                     {"8.999999", "8.999999"},
                                     {"-1e-30", "-1e-30"},
                                     {"1e30", "1e30"}};
  expect_like_csv("double precision", section, values);
  expect_like_csv("real", section, values);
  expect_like_csv("double precision", section,
                  {{"10.000000000000002", "10.000000000000002"},
                   {"3.0000000000000004", "3.0000000000000004"},
                   {"2.9999999999999996", "2.9999999999999996"}});
}

TEST_F(PostgresCountTest, DecimalNumbers) {
  const std::string section = "type = \"numeric\"\nbounds = [0, 10]\n";
  expect_like_csv("numeric", section,
                  {{"'NaN'", "NaN"},
                   {"'Infinity'", "inf"},
                   {"'-Infinity'", "-inf"},
                   {"NULL", kNull},
                   {"3", "3"},
                   {"2.9999999999999999999", "2.9999999999999999999"},
                   {"2.99999", "2.99999"},
                   {"10", "10"},
                   {"10.01", "10.01"},
                   {"-0.01", "-0.01"}});
  expect_like_csv("numeric(10,2)", section,
                  {{"'NaN'", "NaN"},
                   {"0.00", "0.00"},
                   {"0.99", "0.99"},
                   {"1.00", "1.00"},
                   {"10.00", "10.00"},
                   {"10.01", "10.01"},
                   {"-0.01", "-0.01"},
                   {"99999999.99", "99999999.99"}});
}

/// Marks and categories of exact numbers, however the schema writes them.
TEST_F(PostgresCountTest, DecimalsThatAreMarksOrCategories) {
  const std::string marked =
      "type = \"numeric\"\nbounds = [0, 10]\nmissing_values = [\"inf\", \"-Infinity\", \"1e3\"]\n";
  expect_like_csv(
      "numeric", marked,
      {{"'Infinity'", "Infinity"}, {"'-Infinity'", "-Infinity"}, {"1000.0", "1000.0"}, {"1", "1"}});
  expect_like_csv("numeric(10,2)", marked, {{"1000", "1000.00"}, {"10000", "10000.00"}});
  const auto categories = [](const std::string& values) {
    return "type = \"categorical\"\nvalues = [" + values + "]\n";
  };
  expect_like_csv("numeric", categories("\"1e-3\", \"-1.5e3\", \"infinity\""),
                  {{"0.001", "0.001"},
                   {"0.0010", "0.0010"},
                   {"-1500", "-1500"},
                   {"'Infinity'", "Infinity"},
                   {"1", "1"}});
  expect_like_csv("numeric(38,10)", categories("\"1e20\", \"2.5e-1\""),
                  {{"1e20", "100000000000000000000.0000000000"}, {"0.25", "0.2500000000"}});
  expect_like_csv("numeric(3,5)", categories("\"0\", \"0.001\", \"0.00999\", \"0.99\""),
                  {{"0", "0.00000"}, {"0.001", "0.00100"}, {"0.00999", "0.00999"}});
  expect_like_csv("numeric(2,2)", categories("\"-0.5\", \"0.25\""),
                  {{"-0.5", "-0.50"}, {"0.25", "0.25"}, {"0", "0.00"}});
  expect_like_csv("numeric(2,2)", categories("\"-0.50\", \"none\""), {{"-0.5", "-0.50"}});
}

/// Many categories are searched by halves, which needs them in the order of the server.
TEST_F(PostgresCountTest, ManyCategoriesOfEveryType) {
  const auto section_of = [](const std::vector<Value>& values) {
    std::string section = "type = \"categorical\"\nvalues = [";
    for (size_t i = 0; i < values.size(); ++i)
      if (i % 3 != 2) section += (i == 0 ? "\"" : ", \"") + *values[i].cell + "\"";
    return section + "]\n";
  };
  const auto expect_of = [&](const std::string& type, const std::vector<std::string>& cells) {
    std::vector<Value> values;
    for (const std::string& cell : cells) values.push_back({"'" + cell + "'", cell});
    expect_like_csv(type, section_of(values), values);
  };
  std::vector<std::string> whole;
  std::vector<std::string> decimals;
  std::vector<std::string> dates;
  std::vector<std::string> moments;
  for (int i = -25; i < 25; ++i) {
    whole.push_back(std::to_string(i * i * i));
    decimals.push_back(fmt::format("{:.2f}", 0.37 * i * std::abs(i)));
    dates.push_back(fmt::format("20{:02}-0{}-11", i + 25, 1 + (i + 25) % 9));
    moments.push_back(dates.back() + (i % 2 == 0 ? " 00:00:00" : " 00:00:00.5"));
  }
  expect_of("double precision", whole);
  for (const char* large : {"9007199254740993", "9007199254740992", "-9007199254740993",
                            "9223372036854775807", "123456789012345678"})
    whole.emplace_back(large);
  expect_of("bigint", whole);
  expect_of("numeric(12,2)", decimals);
  decimals.insert(decimals.end(), {"Infinity", "12345678901234567890.25", "-1e30", "0.001"});
  expect_of("numeric", decimals);
  expect_of("date", dates);
  expect_of("timestamp", moments);
}

TEST_F(PostgresCountTest, LargeWholeNumbers) {
  expect_like_csv("bigint", "type = \"numeric\"\nwhole = true\nbounds = [0, 9007199254740991]\n",
                  {{"9007199254740991", "9007199254740991"},
                   {"9007199254740993", "9007199254740993"},
                   {"9223372036854775807", "9223372036854775807"},
                   {"-9223372036854775808", "-9223372036854775808"},
                   {"0", "0"},
                   {"NULL", kNull}});
  expect_like_csv("bigint", "type = \"categorical\"\nvalues = [\"9007199254740993\", \"7\"]\n",
                  {{"9007199254740993", "9007199254740993"},
                   {"9007199254740992", "9007199254740992"},
                   {"7", "7"}});
}

TEST_F(PostgresCountTest, Texts) {
  const std::string section = "type = \"categorical\"\nvalues = [\"yes\", \"No\", \"it's; --\"]\n";
  expect_like_csv("char(9)", section, {{"'yes'", "yes"}, {"'YES'", "YES"}, {"'No'", "No"}});
  expect_like_csv("text", section,
                  {{"'yes '", "yes "},
                   {"'it''s; --'", "it's; --"},
                   {"'yes\\'", "yes\\"},
                   {"NULL", kNull},
                   {"''", ""},
                   {"E'\\tyes'", "\tyes"}});
  server_->execute(
      "DROP COLLATION IF EXISTS caseless CASCADE; CREATE COLLATION caseless (provider = icu, "
      "locale = 'und-u-ks-level2', deterministic = false); "
      "DROP TYPE IF EXISTS answers CASCADE; CREATE TYPE answers AS ENUM ('yes', 'no', 'No')");
  expect_like_csv("text COLLATE caseless", section,
                  {{"'yes'", "yes"}, {"'Yes'", "Yes"}, {"'no'", "no"}, {"'No'", "No"}});
  expect_like_csv("answers", section, {{"'yes'", "yes"}, {"'no'", "no"}, {"'No'", "No"}});
}

/// Of a database in another encoding its texts are compared as in UTF-8, and categories that it
/// cannot hold are none of its values. Without an encoding bytes are compared.
TEST_F(PostgresCountTest, Encodings) {
  const std::string section =
      "type = \"categorical\"\nvalues = [\"ж\", \"ä\", \" а \", \"да\", \"no\", \"語\"]\n"
      "missing_values = [\"—\"]\n";
  const auto count_in = [&](const std::string& encoding, const std::string& values) {
    const std::string database = "in_" + encoding;
    const std::string quoted = "\"" + database + "\"";
    server_->execute("DROP DATABASE IF EXISTS " + quoted);
    server_->execute("CREATE DATABASE " + quoted + " ENCODING '" + encoding +
                     "' TEMPLATE template0 LOCALE 'C'");
    server_->execute("CREATE TABLE counted (x text); INSERT INTO counted VALUES " + values,
                     database);
    Counts counts = count(section, "counted", database);
    server_->execute("DROP DATABASE " + quoted);
    return counts;
  };
  const std::string cyrillic =
      "(U&'\\0436'), (U&' \\0434\\0430 '), (U&' \\0430 '), (U&'\\0430'), ('no'), (U&'\\044F'), "
      "(NULL)";
  const Counts expected = {{0, 1}, {3, 1}, {2, 1}, {4, 1}, {-1, 1}, {-5, 2}};
  EXPECT_EQ(count_in("UTF8", cyrillic), expected);
  EXPECT_EQ(count_in("KOI8R", cyrillic), expected);
  EXPECT_EQ(count_in("WIN1251", cyrillic), expected);
  EXPECT_EQ(count_in("EUC_JP", "(U&'\\8A9E'), (U&'\\0436'), ('no'), ('yes')"),
            (Counts{{5, 1}, {0, 1}, {4, 1}, {-5, 1}}));
  const Counts western = {{1, 1}, {4, 1}, {-5, 1}};
  EXPECT_EQ(count_in("LATIN1", "(U&'\\00E4'), ('no'), (U&'\\00F6')"), western);
  EXPECT_EQ(count_in("SQL_ASCII", "(E'\\xC3\\xA4'), ('no'), (E'\\xE4')"), western);
}

TEST_F(PostgresCountTest, TruthsDatesAndMoments) {
  expect_like_csv("boolean", "type = \"categorical\"\nvalues = [\"no\", \"yes\"]\n",
                  {{"true", "true"}, {"false", "false"}, {"NULL", kNull}});
  expect_like_csv("date", "type = \"date\"\nbounds = [\"2024-01-01\", \"2024-01-20\"]\n",
                  {{"'2024-01-01'", "2024-01-01"},
                   {"'2023-12-31'", "2023-12-31"},
                   {"'2024-01-20'", "2024-01-20"},
                   {"'2024-01-21'", "2024-01-21"},
                   {"NULL", kNull}});
  // The server's clock is that of Tokyo, nine hours earlier in UTC.
  expect_like_csv("timestamptz",
                  "type = \"timestamp\"\nformat = \"YYYY-MM-DD hh:mm+00:00\"\n"
                  "bounds = [\"2024-01-01 00:00+00:00\", \"2024-01-10 23:59+00:00\"]\n",
                  {{"'2024-01-01 08:59:00'", "2023-12-31 23:59+00:00"},
                   {"'2024-01-01 09:00:00'", "2024-01-01 00:00+00:00"},
                   {"'2024-01-05 00:00:00'", "2024-01-04 15:00+00:00"},
                   {"'2024-01-11 08:59:00'", "2024-01-10 23:59+00:00"}});
}

TEST_F(PostgresCountTest, TheEndsOfTheCalendar) {
  const std::string marked = "missing_values = [\"infinity\"]\n";
  const std::string dates = "type = \"date\"\nbounds = [\"2024-01-01\", \"2024-01-20\"]\n";
  const std::vector<Value> infinite = {{"'infinity'", "infinity"}, {"'-infinity'", "-infinity"}};
  expect_like_csv("date", dates + "malformed = \"drop\"\n", infinite);
  expect_like_csv("date", dates + "malformed = \"drop\"\n" + marked, infinite);
  expect_like_csv(
      "date", "type = \"categorical\"\nvalues = [\"infinity\", \"2024-01-01\"]\n",
      {{"'infinity'", "infinity"}, {"'-infinity'", "-infinity"}, {"'2024-01-01'", "2024-01-01"}});
  for (const std::string zone : {"+02:00", "-05:30", "+00:00"}) {
    const std::string section =
        "type = \"timestamp\"\nformat = \"YYYY-MM-DD hh:mm" + zone + "\"\nmalformed = \"drop\"\n";
    const std::string all =
        "bounds = [\"0001-01-01 00:00" + zone + "\", \"9999-12-31 23:59" + zone + "\"]\n";
    const std::string few =
        "bounds = [\"2024-01-01 00:00" + zone + "\", \"2024-02-01 00:00" + zone + "\"]\n";
    const std::vector<Value> moments = {{"'9999-12-31 23:59:59+00'", "9999-12-31 23:59:59+00"},
                                        {"'9999-12-31 20:59:59+00'", "9999-12-31 20:59:59+00"},
                                        {"'0001-01-01 00:00:00+00'", "0001-01-01 00:00:00+00"},
                                        {"'0001-01-01 06:00:00+00'", "0001-01-01 06:00:00+00"},
                                        {"'2024-01-03 00:00:00+00'", "2024-01-03 00:00:00+00"},
                                        {"'infinity'", "infinity"}};
    expect_like_csv("timestamptz", section + all, moments);
    expect_like_csv("timestamptz", section + few, moments);
    expect_like_csv("timestamptz", section + few + marked, moments);
  }
}

/// Whose a row is, in a database that lacks the characters of a mark; and a cell that ends every
/// run, in a row that the rule of units leaves out.
TEST_F(PostgresCountTest, UnitsWhateverTheEncoding) {
  const Schema schema = parse_schema(
      "schema = \"equinoise/1\"\ndataset = \"visits\"\nreviewed = true\npublic_bins = 10\n"
      "unit = \"id\"\nmax_records_per_unit = 1\nmissing_values = [\"\", \"–\", \"?\"]\n"
      "[public]\nnum_units = 2\n[columns.id]\ntype = \"ignored\"\n"
      "[columns.x]\ntype = \"numeric\"\nbounds = [0, 10]\n",
      "visits.toml");
  const std::vector<ColumnCoding> codings = column_codings(schema);
  for (const std::string encoding : {"LATIN1", "SQL_ASCII", "UTF8"}) {
    const std::string database = "units_in_" + encoding;
    const std::string quoted = "\"" + database + "\"";
    server_->execute("DROP DATABASE IF EXISTS " + quoted);
    server_->execute("CREATE DATABASE " + quoted + " ENCODING '" + encoding +
                     "' TEMPLATE template0 LOCALE 'C'");
    const std::string odd = encoding == "SQL_ASCII" ? "E'\\xE4'" : "U&'\\00E4'";
    server_->execute(
        "CREATE TABLE visits (id text, x float8); INSERT INTO visits VALUES ('a', 1), "
        "('a', 2), (" +
            odd + ", 3), ('?', 4), (NULL, 5)",
        database);
    EngineUrl url = server_->url({"visits"});
    url.address.replace(url.address.find("/postgres?") + 1, 8, database);
    {
      const auto engine = open_postgres(url);
      const CountedTable counted = engine->count(schema, codings);
      EXPECT_EQ(counted.num_units, 2) << encoding;
      EXPECT_EQ(counted.rows.counts, std::vector<int64_t>({1, 1})) << encoding;
    }
    server_->execute("INSERT INTO visits SELECT 'a', 'NaN' FROM generate_series(1, 5)", database);
    {
      const auto engine = open_postgres(url);
      const CountedTable counted = engine->count(schema, codings);
      EXPECT_EQ(counted.rows.codes.front(), CellCode::kNoNumber) << encoding;
    }
    server_->execute("DROP DATABASE " + quoted);
  }
}

TEST_F(PostgresCountTest, EmptyTablesAndViews) {
  expect_like_csv("int", "type = \"numeric\"\nwhole = true\nbounds = [0, 5]\n", {});
  server_->execute(
      "DROP TABLE IF EXISTS stored CASCADE; CREATE TABLE stored (years int); "
      "INSERT INTO stored VALUES (3), (3), (NULL); "
      "CREATE VIEW \"Seen; as\" AS SELECT years AS x FROM stored");
  const std::string section = "type = \"numeric\"\nwhole = true\nbounds = [0, 5]\n";
  EXPECT_EQ(count(section, "Seen; as"), Counts({{-1, 1}, {3, 2}}));
  EXPECT_ERROR(kInput, HasSubstr("no column 'x'"), count(section, "stored"));
}

}  // namespace equinoise::postgres_count_test
