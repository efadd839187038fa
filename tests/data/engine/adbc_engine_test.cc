// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/engine/adbc_engine.h"

#include <dlfcn.h>
#include <duckdb.h>
#include <gmock/gmock.h>
#include <stdlib.h>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/base/int128.h"
#include "equinoise/data/engine/duckdb_engine.h"
#include "equinoise/data/engine/engine_reader.h"
#include "equinoise/data/schema/schema.h"
#include "tests/data/engine/fake_adbc_driver.h"
#include "tests/data/formats/arrow_tables.h"
#include "tests/test_support.h"

namespace equinoise::adbc_engine_test {
namespace {

using ::testing::AllOf;
using testing::ArrowChunks;
using testing::ArrowColumn;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using testing::FakeAdbc;
using testing::FakeAdbcFunction;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::numbers;
using testing::rows_of;
using testing::texts;
using testing::truths;

using Rows = std::vector<std::vector<int64_t>>;

constexpr auto kNull = std::nullopt;

std::unique_ptr<Engine> open(const std::string& url) { return open_adbc(*parse_adbc(url)); }

Rows rows_left(Engine& engine) {
  Rows rows;
  for (auto row = engine.next(); !row.empty(); row = engine.next())
    rows.emplace_back(row.begin(), row.end());
  return rows;
}

Rows rows_from(Engine& engine, const std::string& statement) {
  engine.start(statement);
  return rows_left(engine);
}

/// What is said where `call` fails; no message holds what a password is or a driver says.
template <typename Call>
std::string refusal(ErrorKind kind, Call&& call) {
  const std::string message = error_of(kind, call);
  EXPECT_THAT(message, AllOf(HasSubstr("[data.adbc] "), Not(HasSubstr("S3CRET"))));
  return message;
}

/// A database file of DuckDB, whose library is an ADBC driver.
class AdbcDuckDbTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(duckdb_open(path_.c_str(), &database_), DuckDBSuccess);
    ASSERT_EQ(duckdb_connect(database_, &connection_), DuckDBSuccess);
  }
  void TearDown() override { close(); }

  void execute(const std::string& statements) {
    EXPECT_EQ(duckdb_query(connection_, statements.c_str(), nullptr), DuckDBSuccess) << statements;
  }
  void close() {
    duckdb_disconnect(&connection_);
    duckdb_close(&database_);
  }
  std::string url(const std::string& table, const std::string& more = "") const {
    return "adbc:duckdb?entrypoint=duckdb_adbc_init&dialect=duckdb&path=" + path_ + more + "#" +
           table;
  }

  TempFolder folder_;
  std::string path_ = folder_.path() / "people.duckdb";

 private:
  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
};

TEST_F(AdbcDuckDbTest, TypesOfColumns) {
  execute(
      "CREATE TYPE sex AS ENUM ('f', 'm');"
      "CREATE TABLE people (t VARCHAR, e sex, b BOOLEAN, i1 TINYINT, u8 UBIGINT, h HUGEINT,"
      "  n DECIMAL(10, 2), f FLOAT, d DOUBLE, dt DATE, ts TIMESTAMP, tz TIMESTAMP WITH TIME ZONE,"
      "  tm TIME, l INTEGER[], bl BLOB)");
  close();
  const auto engine = open(url("people"));
  EXPECT_EQ(engine->dialect(), Dialect::kDuckDb);
  EXPECT_EQ(engine->name(), "adbc:duckdb#people");
  EXPECT_EQ(engine->table(), "\"people\"");
  std::vector<std::string> names;
  std::vector<EngineType> types;
  for (const EngineColumn& column : engine->columns()) {
    names.push_back(column.name);
    types.push_back(column.type);
    EXPECT_NE(column.declared, "");
  }
  EXPECT_THAT(names, ElementsAre("t", "e", "b", "i1", "u8", "h", "n", "f", "d", "dt", "ts", "tz",
                                 "tm", "l", "bl"));
  using enum EngineType;
  EXPECT_THAT(types,
              ElementsAre(kText, kText, kBoolean, kInteger, kInteger, kDecimal, kDecimal, kFloat,
                          kDouble, kDate, kTimestamp, kZonedTimestamp, kOther, kOther, kOther));
  EXPECT_EQ(engine->columns()[6].declared, "decimal(10,2)");
}

TEST_F(AdbcDuckDbTest, CountsInSchemasAndViews) {
  execute(
      "CREATE SCHEMA visits;"
      "CREATE TABLE visits.\"Odd \"\"name\"\"\" AS SELECT i % 3 AS x FROM range(3000000) t(i);"
      "CREATE VIEW visits.seen AS SELECT * FROM visits.\"Odd \"\"name\"\"\"");
  close();
  for (const std::string table : {"visits.\"Odd \"\"name\"\"\"", "visits.seen"}) {
    const auto engine = open(url(table, "&access_mode=READ_ONLY"));
    const std::string statement =
        "SELECT x, COUNT(*), SUM(x) FROM " + engine->table() + " GROUP BY x ORDER BY x";
    const Rows expected = {{0, 1000000, 0}, {1, 1000000, 1000000}, {2, 1000000, 2000000}};
    EXPECT_EQ(rows_from(*engine, statement), expected);
    EXPECT_TRUE(engine->next().empty()) << "the end stays the end";
    EXPECT_THAT(rows_from(*engine, statement + " LIMIT 0"), IsEmpty());
    EXPECT_EQ(rows_from(*engine, "SELECT i FROM range(5000) t(i) ORDER BY i").size(), 5000);
  }
}

/// The statements are those of DuckDB, by types that come through Arrow.
TEST_F(AdbcDuckDbTest, CountsWhatDuckDbCounts) {
  execute("SET TimeZone='UTC'");
  execute(
      "CREATE TYPE sex AS ENUM ('f', 'm');"
      "CREATE TABLE people AS SELECT"
      "  CASE i % 7 WHEN 0 THEN NULL ELSE i % 100 END AS age,"
      "  CASE i % 11 WHEN 0 THEN 'nan'::DOUBLE WHEN 1 THEN '-inf'::DOUBLE ELSE i / 900.0 END AS "
      "dose,"
      "  (i / 10)::DECIMAL(10, 2) AS paid, i::FLOAT AS score,"
      "  DATE '1950-01-01' + (i % 800)::INTEGER AS born,"
      "  TIMESTAMPTZ '2024-01-01 00:00:00+00' + to_hours(i) AS sent,"
      "  CASE i % 5 WHEN 0 THEN ' yes ' WHEN 1 THEN 'unheard of' ELSE 'no' END AS ill,"
      "  CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END::sex AS sex, i % 3 = 0 AS seen"
      "  FROM range(3000) t(i)");
  close();
  const Schema schema = parse_schema(R"(schema = "equinoise/1"
dataset = "people"
reviewed = true
public_bins = 8
[public]
num_records = 3000
[columns.age]
type = "numeric"
bounds = [17, 90]
whole = true
[columns.dose]
type = "numeric"
bounds = [-0.5, 2]
[columns.paid]
type = "numeric"
bounds = [0, 100]
[columns.score]
type = "numeric"
bounds = [0, 1000]
[columns.born]
type = "date"
bounds = ["1950-01-01", "1952-01-01"]
[columns.sent]
type = "timestamp"
format = "YYYY-MM-DD hh:mm+02:00"
bounds = ["2024-01-01 00:00+02:00", "2024-12-31 23:59+02:00"]
[columns.ill]
type = "categorical"
values = ["no", "yes"]
[columns.sex]
type = "categorical"
values = ["f", "m"]
[columns.seen]
type = "categorical"
values = ["false", "true"]
)",
                                     "people.toml");
  const std::vector<ColumnCoding> codings = column_codings(schema);
  const auto through_adbc = open(url("people"));
  const CountedTable table = count_by_engine(*through_adbc, schema, codings);
  const auto directly = open_duckdb(path_, {"people"}, "people");
  const CountedTable expected = count_by_engine(*directly, schema, codings);
  EXPECT_GT(expected.rows.num_rows(), 100);
  EXPECT_EQ(table.rows.codes, expected.rows.codes);
  EXPECT_EQ(table.rows.counts, expected.rows.counts);
}

TEST_F(AdbcDuckDbTest, AStatementGivesUpWhatIsLeftOfTheOneBefore) {
  execute("CREATE TABLE people AS SELECT i FROM range(10000) t(i)");
  close();
  const auto engine = open(url("people"));
  engine->start("SELECT i FROM people");
  EXPECT_EQ(engine->next().size(), 1);
  EXPECT_EQ(rows_from(*engine, "SELECT COUNT(*) FROM people"), (Rows{{10000}}));
}

TEST_F(AdbcDuckDbTest, StatementsAreOneTransaction) {
  execute("CREATE TABLE people AS SELECT 1 AS x");
  close();
  const auto engine = open(url("people"));
  const Rows first = rows_from(*engine, "SELECT txid_current() FROM people");
  EXPECT_EQ(rows_from(*engine, "SELECT txid_current() FROM people"), first);
}

TEST_F(AdbcDuckDbTest, WhatIsNoWholeNumber) {
  execute("CREATE TABLE people AS SELECT 1 AS x");
  close();
  const auto engine = open(url("people"));
  const auto refusal_of = [&](const std::string& statement) {
    return refusal(ErrorKind::kRuntime, [&] { rows_from(*engine, statement); });
  };
  EXPECT_THAT(refusal_of("SELECT 1, CASE WHEN x = 2 THEN x END FROM people"), EndsWith("a null"));
  EXPECT_THAT(refusal_of("SELECT 1, 'S3CRET'"), EndsWith("its column 2 is not of whole numbers"));
  EXPECT_THAT(refusal_of("SELECT 1.5"), EndsWith("its column 1 is not of whole numbers"));
  EXPECT_THAT(refusal_of("SELECT 1.0::DOUBLE"), EndsWith("not of whole numbers"));
  EXPECT_THAT(refusal_of("SELECT true"), EndsWith("not of whole numbers"));
  EXPECT_THAT(refusal_of("SELECT 9223372036854775808::HUGEINT"), EndsWith("beyond 64 bits"));
  EXPECT_THAT(refusal_of("SELECT 9223372036854775808::UBIGINT"), EndsWith("beyond 64 bits"));
  EXPECT_EQ(rows_from(*engine, "SELECT (-9223372036854775808)::HUGEINT, 9223372036854775807"),
            (Rows{{std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()}}));
}

TEST_F(AdbcDuckDbTest, WhatGoesWrong) {
  execute("CREATE TABLE people AS SELECT 'S3CRET' AS x");
  close();
  EXPECT_THAT(refusal(ErrorKind::kInput, [&] { open(url("nobody")); }),
              HasSubstr("adbc:duckdb#nobody: there is no such table or view"));
  const auto engine = open(url("people"));
  EXPECT_THAT(refusal(ErrorKind::kRuntime, [&] { engine->start("SELECT FROM 'S3CRET'"); }),
              HasSubstr("adbc:duckdb#people: cannot count the table: "));
  EXPECT_THAT(refusal(ErrorKind::kRuntime, [&] { engine->start("SELECT x::INTEGER FROM people"); }),
              HasSubstr("cannot count the table: "));
  EXPECT_THAT(refusal(ErrorKind::kRuntime, [&] { open("adbc:no-such?dialect=duckdb#people"); }),
              HasSubstr("the driver no-such cannot be loaded (libno-such.so: "));
  EXPECT_THAT(refusal(ErrorKind::kRuntime, [&] { open("adbc:duckdb?dialect=duckdb#people"); }),
              HasSubstr("has no function AdbcDuckdbInit or AdbcDriverInit; name the one"));
  EXPECT_THAT(refusal(ErrorKind::kRuntime,
                      [&] { open("adbc:duckdb?dialect=duckdb&entrypoint=nothing#people"); }),
              HasSubstr("has no function nothing; "));
}

TEST_F(AdbcDuckDbTest, PasswordsComeFromTheEnvironment) {
  execute("CREATE TABLE people AS SELECT 1 AS x");
  close();
  const std::string variable = "EQUINOISE_ADBC_TEST";
  ::unsetenv(variable.c_str());
  const std::string address = url("people", "&no_such_option_env=" + variable);
  EXPECT_THAT(refusal(ErrorKind::kUsage, [&] { open(address); }),
              HasSubstr("the environment variable EQUINOISE_ADBC_TEST, which no_such_option_env "
                        "names, is not set"));
  ::setenv(variable.c_str(), "S3CRET", 1);
  error_of(ErrorKind::kRuntime, [&] { open(address); });
  ::setenv(variable.c_str(), "READ_ONLY", 1);
  EXPECT_EQ(rows_from(*open(url("people", "&access_mode_env=" + variable)),
                      "SELECT COUNT(*) FROM people"),
            (Rows{{1}}));
  ::unsetenv(variable.c_str());
}

/// A driver that does what it is told.
class FakeAdbcTest : public ::testing::Test {
 protected:
  void SetUp() override {
    void* library = ::dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << ::dlerror();
    fake_ = reinterpret_cast<FakeAdbcFunction*>(::dlsym(library, "fake_adbc"))();
    *fake_ = {};
    fake_->types = [this] {
      return testing::arrow_structure<ArrowSchema>(rows_of(columns_), chunks_.counts);
    };
    fake_->result = [this] { return chunks_.stream(); };
    columns_ = {numbers<int64_t>("l", {})};
    give({numbers<int64_t>("l", {1, 2}), numbers<int64_t>("l", {3, 4})});
  }
  void TearDown() override {
    EXPECT_EQ(fake_->num_open, 0) << "objects of the driver";
    EXPECT_EQ(chunks_.counts->num_open, 0) << "structures of Arrow";
    *fake_ = {};
  }

  /// The columns that a statement gives.
  void give(const std::vector<ArrowColumn>& columns) { chunks_.chunks = {rows_of(columns)}; }

  std::string url(const std::string& dialect, const std::string& more = "") const {
    return "adbc:" + path_ + "?dialect=" + dialect + more + "#s.people";
  }
  std::string refusal_of_opening(ErrorKind kind = ErrorKind::kRuntime) const {
    return refusal(kind, [&] { open(url("trino", "&o=S3CRET")); });
  }
  std::string refusal_of_statement() const {
    const auto engine = open(url("trino"));
    return refusal(ErrorKind::kRuntime, [&] { rows_from(*engine, "SELECT"); });
  }

  FakeAdbc* fake_ = nullptr;
  std::vector<ArrowColumn> columns_;
  ArrowChunks chunks_{{}};

 private:
  std::string path_ =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "libfake_driver.so";
};

TEST_F(FakeAdbcTest, CallsInOrder) {
  ::setenv("EQUINOISE_ADBC_TEST", "S3CRET", 1);
  EXPECT_EQ(rows_from(*open(url("trino", "&uri=grpc://h&password_env=EQUINOISE_ADBC_TEST")), "A"),
            (Rows{{1, 3}, {2, 4}}));
  ::unsetenv("EQUINOISE_ADBC_TEST");
  const std::string isolation =
      "ConnectionSetOption adbc.connection.transaction.isolation_level=adbc.connection.transaction."
      "isolation.";
  EXPECT_THAT(fake_->calls,
              ElementsAre("Begin 1001000", "DatabaseNew", "DatabaseSetOption uri=grpc://h",
                          "DatabaseSetOption password=S3CRET", "DatabaseInit", "ConnectionNew",
                          "ConnectionInit", "ConnectionSetOption adbc.connection.readonly=true",
                          isolation + "snapshot", "StatementNew",
                          "ConnectionSetOption adbc.connection.autocommit=false",
                          "ConnectionGetTableSchema - s people", "StatementSetSqlQuery A",
                          "StatementExecuteQuery", "StatementRelease", "ConnectionRelease",
                          "DatabaseRelease", "Release"));
}

TEST_F(FakeAdbcTest, PostgresIsToldToReadOnly) {
  open(url("postgres"));
  EXPECT_THAT(fake_->calls,
              Contains("StatementSetSqlQuery SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ "
                       "ONLY"));
  EXPECT_THAT(fake_->calls, Contains("StatementSetSqlQuery SET LOCAL TimeZone = 'UTC'"));
}

TEST_F(FakeAdbcTest, DriversOfTheFirstVersion) {
  fake_->version = ADBC_VERSION_1_0_0;
  const auto engine = open(url("trino"));
  EXPECT_THAT(fake_->calls, Contains("Begin 1000000"));
  engine->start("A");
  EXPECT_THAT(engine->next(), ElementsAre(1, 3));
}

TEST_F(FakeAdbcTest, DriversThatAreNone) {
  fake_->failing = "Begin";
  EXPECT_THAT(refusal_of_opening(), HasSubstr("cannot begin as an ADBC driver of version 1.0.0"));
  fake_->failing.clear();
  fake_->is_complete = false;
  EXPECT_THAT(refusal_of_opening(), HasSubstr("lacks functions"));
}

/// Where a statement ended nothing is left to be cancelled.
TEST_F(FakeAdbcTest, CancelsWhatNobodyReads) {
  {
    const auto engine = open(url("trino"));
    engine->start("A");
    engine->next();
    engine->start("B");
    EXPECT_THAT(fake_->calls, Not(Contains("StatementCancel")));
    engine->next();
  }
  EXPECT_THAT(fake_->calls, Contains("StatementCancel"));
  fake_->calls.clear();
  const auto engine = open(url("trino"));
  rows_from(*engine, "A");
  EXPECT_THAT(fake_->calls, Not(Contains("StatementCancel")));
  engine->cancel();
  EXPECT_THAT(fake_->calls, Contains("StatementCancel"));
}

TEST_F(FakeAdbcTest, WithoutTransactionsThereIsOneStatement) {
  for (const std::string refused : {"ConnectionSetOption adbc.connection.autocommit",
                                    "ConnectionSetOption adbc.connection.transaction"}) {
    fake_->failing = refused;
    fake_->status = ADBC_STATUS_NOT_IMPLEMENTED;
    const auto engine = open(url("trino"));
    EXPECT_FALSE(engine->can_repeat());
    EXPECT_EQ(rows_from(*engine, "A").size(), 2);
    EXPECT_THAT(refusal(ErrorKind::kRuntime, [&] { engine->start("B"); }),
                HasSubstr("no transactions"));
  }
}

TEST_F(FakeAdbcTest, EveryCallMayFail) {
  for (const std::string call :
       {"DatabaseNew", "DatabaseInit", "ConnectionNew", "ConnectionInit", "StatementNew"}) {
    fake_->failing = call;
    EXPECT_THAT(refusal_of_opening(), HasSubstr("(ADBC status 9, SQLSTATE 00000)")) << call;
    EXPECT_EQ(fake_->num_open, 0) << call;
  }
  fake_->failing = "DatabaseSetOption";
  EXPECT_THAT(refusal_of_opening(ErrorKind::kUsage),
              HasSubstr("does not take the option o, or not its value (ADBC status 9)"));
  for (const std::string call : {"StatementSetSqlQuery", "StatementExecuteQuery"}) {
    fake_->failing = call;
    EXPECT_THAT(refusal_of_statement(), HasSubstr("the driver reports an error")) << call;
  }
}

TEST_F(FakeAdbcTest, StatesAreSentences) {
  fake_->failing = "ConnectionInit";
  fake_->sqlstate = "aS3CR";
  fake_->status = ADBC_STATUS_UNAUTHENTICATED;
  EXPECT_THAT(refusal_of_opening(),
              AllOf(HasSubstr("password_env=NAME"), EndsWith("(ADBC status 13)")));
  fake_->failing = "ConnectionGetTableSchema";
  fake_->status = ADBC_STATUS_NOT_FOUND;
  EXPECT_THAT(refusal_of_opening(ErrorKind::kInput), HasSubstr("no such table or view"));
  fake_->status = ADBC_STATUS_UNAUTHORIZED;
  EXPECT_THAT(refusal_of_opening(), HasSubstr("the user may not do that"));
  fake_->failing = "StatementExecuteQuery";
  fake_->status = ADBC_STATUS_TIMEOUT;
  EXPECT_THAT(refusal_of_statement(), HasSubstr("took longer"));
}

TEST_F(FakeAdbcTest, ServersMayDieHalfWay) {
  chunks_.chunks.push_back(chunks_.chunks.front());
  chunks_.failing = 1;
  EXPECT_THAT(refusal_of_statement(), HasSubstr("cannot read the result to its end: the driver "
                                                "reports an error (ADBC status 1)"));
  fake_->status_of_stream = ADBC_STATUS_IO;
  EXPECT_THAT(refusal_of_statement(), HasSubstr("broke the connection"));
  chunks_.chunks.clear();
  EXPECT_THAT(refusal_of_statement(), HasSubstr("broke the connection"));
}

TEST_F(FakeAdbcTest, WholeNumbersOfEveryForm) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  give({numbers<int8_t>("c", {-128, 127}),
        numbers<uint8_t>("C", {0, 255}),
        numbers<int16_t>("s", {-32768, 5}),
        numbers<uint16_t>("S", {0, 65535}),
        numbers<int32_t>("i", {-5, 5}),
        numbers<uint32_t>("I", {0, 4294967295}),
        numbers<uint64_t>("L", {0, 5}),
        numbers<Int128>("d:38,0", {kLeast, 7}),
        numbers<int32_t>("d:5,0,32", {-5, 5}),
        numbers<int64_t>("d:15,0,64", {-5, 5}),
        {"x", "d:76,0,256", 2, {kNull, testing::bytes_of<Int128>({-5, -1, 5, 0})}}});
  EXPECT_EQ(rows_from(*open(url("trino")), "A"),
            (Rows{{-128, 0, -32768, 0, -5, 0, 0, kLeast, -5, -5, -5},
                  {127, 255, 5, 65535, 5, 4294967295, 5, 7, 5, 5, 5}}));
  // Some rows of longer columns.
  ArrowColumn later = numbers<int64_t>("l", {kNull, 1, 2, kNull});
  later.offset = 1;
  later.length = 2;
  chunks_.chunks = {rows_of({later})};
  chunks_.chunks[0].length = 1;
  chunks_.chunks[0].offset = 1;
  EXPECT_EQ(rows_from(*open(url("trino")), "A"), (Rows{{2}}));
}

TEST_F(FakeAdbcTest, WhatIsNoWholeNumber) {
  give({{"x", "d:76,0,256", 1, {kNull, testing::bytes_of<Int128>({5, 1})}}});
  EXPECT_THAT(refusal_of_statement(), EndsWith("beyond 64 bits"));
  give({{"x", "d:76,0,256", 1, {kNull, testing::bytes_of<Int128>({-5, 0})}}});
  EXPECT_THAT(refusal_of_statement(), EndsWith("beyond 64 bits"));
  give({numbers<Int128>("d:38,2", {100})});
  EXPECT_THAT(refusal_of_statement(), EndsWith("not of whole numbers"));
  give({truths({true})});
  EXPECT_THAT(refusal_of_statement(), EndsWith("not of whole numbers"));
  ArrowColumn coded = numbers<int8_t>("c", {0});
  coded.dictionary = std::make_shared<ArrowColumn>(texts<int32_t>("u", {"S3CRET"}));
  give({coded});
  EXPECT_THAT(refusal_of_statement(), EndsWith("not of whole numbers"));
  give({numbers<int64_t>("l", {1, kNull})});
  EXPECT_THAT(refusal_of_statement(), EndsWith("a null"));
  give({numbers<int64_t>("l", {1, 2})});
  chunks_.chunks[0].buffers = {testing::validity_of<int>({1, kNull})};
  chunks_.chunks[0].null_count = -1;
  EXPECT_THAT(refusal_of_statement(), EndsWith("a null"));
  give({});
  EXPECT_THAT(refusal_of_statement(), EndsWith("no columns"));
  give({numbers<int64_t>("l", {1})});
  chunks_.break_chunk = [](ArrowArray& rows) { rows.length = 2; };
  EXPECT_THAT(refusal_of_statement(), EndsWith("contradict their types"));
}

TEST_F(FakeAdbcTest, TypesThatStandForOthers) {
  for (const std::string format : {"c", "e", "d:76,2,256", "tdm", "tss:", "tsn:UTC", "vu", "z"})
    columns_.push_back(numbers<int64_t>(format, {}));
  columns_[1].dictionary = std::make_shared<ArrowColumn>(texts<int32_t>("u", {}));
  std::vector<EngineType> types;
  const std::vector<EngineColumn> columns = open(url("trino"))->columns();
  for (const EngineColumn& column : columns) types.push_back(column.type);
  using enum EngineType;
  EXPECT_THAT(types, ElementsAre(kInteger, kText, kFloat, kDecimal, kDate, kTimestamp,
                                 kZonedTimestamp, kText, kOther));
}

/// Numbers of PostgreSQL without a size are text in Arrow; the metadata says what they are.
TEST_F(FakeAdbcTest, MetadataSaysWhatTextStandsFor) {
  const auto metadata = [](const std::string& value) {
    const auto sized = [](const std::string& text) {
      return testing::bytes_of<int32_t>({static_cast<int32_t>(text.size())}) + text;
    };
    return testing::bytes_of<int32_t>({2}) + sized("a") + sized("b") +
           sized("ADBC:postgresql:typname") + sized(value);
  };
  columns_.assign(3, texts<int32_t>("u", {}));
  const std::vector<std::string> held = {metadata("numeric"), metadata("citext")};
  fake_->types = [&] {
    ArrowSchema types = testing::arrow_structure<ArrowSchema>(rows_of(columns_), chunks_.counts);
    for (size_t i = 0; i < held.size(); ++i) types.children[i]->metadata = held[i].data();
    return types;
  };
  const std::vector<EngineColumn> columns = open(url("postgres"))->columns();
  ASSERT_EQ(columns.size(), 3);
  EXPECT_EQ(columns[0].type, EngineType::kDecimal);
  EXPECT_EQ(columns[1].type, EngineType::kOther);
  EXPECT_EQ(columns[1].declared, "citext");
  EXPECT_EQ(columns[2].type, EngineType::kText);
}

}  // namespace
}  // namespace equinoise::adbc_engine_test
