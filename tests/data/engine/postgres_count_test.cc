// SPDX-License-Identifier: Apache-2.0
// Statements that count, on a PostgreSQL server, next to what a CSV file of the same values is read
// as.
#include <gmock/gmock.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "equinoise/data/engine/cell_coder.h"
#include "equinoise/data/engine/engine_reader.h"
#include "equinoise/data/engine/postgres_engine.h"
#include "tests/data/engine/postgres_server.h"

namespace equinoise::postgres_count_test {
namespace {

using ::testing::HasSubstr;
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
    const CountedTable counted = count_by_engine(*engine, schema, codings);
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

TEST_F(PostgresCountTest, EmptyTablesAndViews) {
  expect_like_csv("int", "type = \"numeric\"\nwhole = true\nbounds = [0, 5]\n", {});
  server_->execute(
      "DROP TABLE IF EXISTS stored CASCADE; CREATE TABLE stored (years int); "
      "INSERT INTO stored VALUES (3), (3), (NULL); "
      "CREATE VIEW \"Seen; as\" AS SELECT years AS x FROM stored");
  const std::string section = "type = \"numeric\"\nwhole = true\nbounds = [0, 5]\n";
  EXPECT_EQ(count(section, "Seen; as"), Counts({{-1, 1}, {3, 2}}));
  EXPECT_THAT(error_of(ErrorKind::kInput, [&] { count(section, "stored"); }),
              HasSubstr("no column 'x'"));
}

}  // namespace
}  // namespace equinoise::postgres_count_test
