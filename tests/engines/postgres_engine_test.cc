// SPDX-License-Identifier: Apache-2.0
#include "equinoise/engines/postgres_engine.h"

#include <stdlib.h>

#include <atomic>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/engines/postgres_server.h"
#include "tests/test_support.h"

namespace equinoise::postgres_engine_test {

using testing::PostgresServer;
using testing::PostgresTest;

using Rows = std::vector<std::vector<int64_t>>;

/// In passwords and cells: no message may ever hold it.
const std::string kSecret = "S3CRET";

/// A variable of the environment for as long as the object lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

Rows rows_of(Engine& engine, const std::string& statement) {
  engine.start(statement);
  Rows rows;
  for (auto row = engine.next(); !row.empty(); row = engine.next())
    rows.emplace_back(row.begin(), row.end());
  return rows;
}

int64_t count_of(Engine& engine) {
  return rows_of(engine, "SELECT count(*) FROM " + engine.table()).at(0).at(0);
}

class PostgresEngineTest : public PostgresTest {
 protected:
  /// A table of the user postgres, made anew; `more` is said behind it.
  void make(const std::string& name, const std::string& columns, const std::string& more = "") {
    server_->execute("DROP TABLE IF EXISTS " + name + " CASCADE; CREATE TABLE " + name + " (" +
                     columns + "); " + more);
  }
  /// A user with a password, who may read nothing; made once.
  void make_user(const std::string& name) {
    server_->execute("DO $$ BEGIN CREATE ROLE " + name + " LOGIN PASSWORD '" + kSecret +
                     "'; EXCEPTION WHEN duplicate_object THEN NULL; END $$");
  }
  std::unique_ptr<Engine> open(const std::string& table, const std::string& user = "postgres",
                               const std::string& more = "") {
    return open_postgres(server_->url({table}, user, more));
  }
  /// What is said where a table cannot be opened.
  std::string refusal(const EngineUrl& url, ErrorKind kind = ErrorKind::kRuntime) {
    const std::string message = error_of(kind, [&] { open_postgres(url); });
    EXPECT_THAT(message, AllOf(HasSubstr("[data.postgres] the server: "), Not(HasSubstr(kSecret))));
    return message;
  }
};

TEST_F(PostgresEngineTest, SaysTheTypesOfColumns) {
  server_->execute(
      "DROP TABLE IF EXISTS typed CASCADE; DROP DOMAIN IF EXISTS inner_age CASCADE; "
      "DROP TYPE IF EXISTS mood; CREATE EXTENSION IF NOT EXISTS citext; "
      "CREATE DOMAIN inner_age AS numeric(10,2); CREATE DOMAIN age AS inner_age; "
      "CREATE TYPE mood AS ENUM ('sad', 'ok'); "
      "CREATE TABLE typed (a smallint, b int, c bigint, gone int, d numeric(10,2), e real, f "
      "float8,"
      " g text, h varchar(9), i char(4), j boolean, k date, l timestamp, m timestamptz, n age, "
      "o mood, p citext, q int[], r json, s \"char\"); ALTER TABLE typed DROP gone");
  std::string shown;
  const std::vector<EngineColumn> columns = open("typed")->columns();
  for (const EngineColumn& column : columns) {
    shown += column.name + " " + std::to_string(static_cast<int>(column.type)) + " " +
             column.declared + "\n";
  }
  const auto line = [](const std::string& name, EngineType type, const std::string& declared) {
    return name + " " + std::to_string(static_cast<int>(type)) + " " + declared + "\n";
  };
  EXPECT_EQ(
      shown,
      line("a", EngineType::kInteger, "smallint") + line("b", EngineType::kInteger, "integer") +
          line("c", EngineType::kInteger, "bigint") +
          line("d", EngineType::kDecimal, "numeric(10,2)") + line("e", EngineType::kFloat, "real") +
          line("f", EngineType::kDouble, "double precision") +
          line("g", EngineType::kText, "text") +
          line("h", EngineType::kText, "character varying(9)") +
          line("i", EngineType::kPaddedText, "character(4)") +
          line("j", EngineType::kBoolean, "boolean") + line("k", EngineType::kDate, "date") +
          line("l", EngineType::kTimestamp, "timestamp without time zone") +
          line("m", EngineType::kZonedTimestamp, "timestamp with time zone") +
          line("n", EngineType::kDecimal, "numeric(10,2)") +
          line("o", EngineType::kText, "public.mood") +
          line("p", EngineType::kOther, "public.citext") +
          line("q", EngineType::kOther, "integer[]") + line("r", EngineType::kOther, "json") +
          line("s", EngineType::kOther, "\"char\""));
}

TEST_F(PostgresEngineTest, GivesWholeNumbersOf64Bits) {
  make("numbers", "a int");
  const std::unique_ptr<Engine> engine = open("numbers");
  EXPECT_EQ(rows_of(*engine,
                    "SELECT * FROM (VALUES (-1::smallint, 9007199254740993, -5), "
                    "(7::smallint, -9223372036854775808, 2147483647)) AS v"),
            Rows({{-1, 9007199254740993, -5}, {7, INT64_MIN, 2147483647}}));
  EXPECT_EQ(count_of(*engine), 0);
  EXPECT_EQ(rows_of(*engine, "SELECT a FROM " + engine->table()), Rows());
  EXPECT_TRUE(engine->next().empty());
  for (const char* other : {"NULL::bigint", "1.5", "'seven'::text"}) {
    engine->start(std::string("SELECT ") + other);
    EXPECT_ERROR(kRuntime, HasSubstr("something else than whole numbers"), engine->next());
  }
}

TEST_F(PostgresEngineTest, AllStatementsSeeTheSameRows) {
  make("moving", "a int", "INSERT INTO moving VALUES (1), (2)");
  const std::unique_ptr<Engine> engine = open("moving");
  EXPECT_EQ(count_of(*engine), 2);
  server_->execute("INSERT INTO moving VALUES (3); DELETE FROM moving WHERE a = 1");
  EXPECT_EQ(count_of(*engine), 2);
  EXPECT_EQ(rows_of(*engine, "SELECT a FROM " + engine->table() + " ORDER BY a"), Rows({{1}, {2}}));
  EXPECT_EQ(rows_of(*open("moving"), "SELECT a FROM public.moving").size(), 2U);
  // Its shape stays, too, and rows cannot go but one by one.
  for (const char* change : {"ALTER TABLE moving RENAME a TO b", "TRUNCATE moving"}) {
    EXPECT_THROW(server_->execute(std::string("SET lock_timeout = '100ms'; ") + change), Error);
  }
}

TEST_F(PostgresEngineTest, GivesUpAStatementAndKeepsItsRows) {
  make("given_up", "a int", "INSERT INTO given_up VALUES (1)");
  const std::unique_ptr<Engine> engine = open("given_up");
  // A billion rows would take minutes.
  engine->start("SELECT pg_catalog.generate_series(1, 1000000000)");
  EXPECT_THAT(engine->next(), ElementsAre(1));
  server_->execute("INSERT INTO given_up VALUES (2)");
  EXPECT_EQ(count_of(*engine), 1);
  engine->start("SELECT 1 / (a - 1) FROM " + engine->table());
  EXPECT_ERROR(kRuntime, HasSubstr("SQLSTATE 22012"), engine->next());
  EXPECT_EQ(count_of(*engine), 1);
  engine->start("SELECT pg_catalog.generate_series(1, 1000000000)");
  EXPECT_THAT(engine->next(), ElementsAre(1));
  EXPECT_EQ(engine->columns().size(), 1U);
}

TEST_F(PostgresEngineTest, AnotherThreadGivesUpAStatement) {
  make("cancelled", "a int", "INSERT INTO cancelled SELECT generate_series(1, 10000)");
  const std::unique_ptr<Engine> engine = open("cancelled");
  const std::string table = engine->table();
  engine->start("SELECT count(*) FROM " + table + " a, " + table + " b, " + table + " c");
  std::atomic<bool> has_failed = false;
  std::thread other([&] {
    while (!has_failed) {  // which may be before the server has the statement
      ::usleep(50'000);
      engine->cancel();
    }
  });
  EXPECT_ERROR(kRuntime, HasSubstr("the server stopped the statement"), engine->next());
  has_failed = true;
  other.join();
  EXPECT_EQ(count_of(*engine), 10'000);
}

TEST_F(PostgresEngineTest, ChangesNothing) {
  make("kept", "a int",
       "INSERT INTO kept VALUES (1); "
       "CREATE OR REPLACE FUNCTION leave() RETURNS int LANGUAGE sql VOLATILE AS "
       "'INSERT INTO public.kept VALUES (2) RETURNING 1'; "
       "CREATE VIEW leaving AS SELECT leave() AS a");
  const std::unique_ptr<Engine> engine = open("leaving");
  for (const std::string& statement :
       {std::string("INSERT INTO public.kept VALUES (3) RETURNING 1"),
        "SELECT a FROM " + engine->table()}) {
    EXPECT_ERROR(kRuntime, HasSubstr("SQLSTATE 25006"), rows_of(*engine, statement));
  }
  EXPECT_ERROR(kRuntime, HasSubstr("SQLSTATE 42601"),
               rows_of(*engine, "SELECT 1; DROP TABLE public.kept"));
  EXPECT_EQ(count_of(*open("kept")), 1);
}

TEST_F(PostgresEngineTest, NamesStandForThemselves) {
  server_->execute(
      "DROP SCHEMA IF EXISTS \"Up; er\" CASCADE; CREATE SCHEMA \"Up; er\"; "
      "CREATE TABLE \"Up; er\".\"a\"\"; DROP TABLE people; --\" (a int); "
      "INSERT INTO \"Up; er\".\"a\"\"; DROP TABLE people; --\" VALUES (1)");
  make("people", "a int",
       "DROP TABLE IF EXISTS \"People\"; CREATE TABLE \"People\" (a int); "
       "INSERT INTO \"People\" VALUES (1), (2)");
  const auto engine = open_postgres(server_->url({"Up; er", "a\"; DROP TABLE people; --"}));
  EXPECT_EQ(engine->table(), "\"Up; er\".\"a\"\"; DROP TABLE people; --\"");
  EXPECT_EQ(count_of(*engine), 1);
  EXPECT_EQ(open("people")->table(), "\"public\".\"people\"");
  EXPECT_EQ(count_of(*open("people")), 0);
  EXPECT_EQ(count_of(*open("People")), 2);
}

TEST_F(PostgresEngineTest, ATableThatIsNotThere) {
  make("admissions", "a int",
       "CREATE SCHEMA IF NOT EXISTS ward; "
       "DROP TABLE IF EXISTS ward.beds; CREATE TABLE ward.beds (a int); "
       "CREATE INDEX admissions_index ON admissions (a)");
  EXPECT_THAT(refusal(server_->url({"Admissions"}), ErrorKind::kInput),
              HasSubstr("no table or view \"Admissions\"; there is public.admissions"));
  EXPECT_THAT(refusal(server_->url({"beds"}), ErrorKind::kInput), HasSubstr("there is ward.beds"));
  EXPECT_THAT(refusal(server_->url({"ward", "nothing-like-it"}), ErrorKind::kInput),
              HasSubstr("no table or view \"ward\".\"nothing-like-it\"; upper and lower case"));
  refusal(server_->url({"admissions_index"}), ErrorKind::kInput);
}

TEST_F(PostgresEngineTest, AdviceCanBeTyped) {
  make("admissions", "a int",
       "CREATE SCHEMA IF NOT EXISTS \"my.ward\"; DROP TABLE IF EXISTS \"my.ward\".\"T.x\" CASCADE; "
       "CREATE TABLE \"my.ward\".\"T.x\" (a int); "
       "CREATE OR REPLACE VIEW broken AS SELECT 1 / (a - a) AS a FROM generate_series(1, 3) AS a");
  EXPECT_THAT(refusal(server_->url({"T.y"}), ErrorKind::kInput),
              HasSubstr("there is \"my.ward\".\"T.x\""));
  EXPECT_THAT(refusal(server_->url({"postgres", "public", "admissions"}), ErrorKind::kUsage),
              HasAll("NAME or SCHEMA.NAME", "double quotes"));
  const std::unique_ptr<Engine> engine = open("broken");
  EXPECT_ERROR(kRuntime, HasAll("SQLSTATE 22012", "as happens to views"),
               rows_of(*engine, "SELECT a FROM " + engine->table()));
}

/// Servers are set to compile large statements, which takes them minutes and cannot be stopped.
TEST_F(PostgresEngineTest, StatementsAreNotCompiled) {
  make("people", "a int");
  EXPECT_EQ(
      rows_of(*open("people"), "SELECT CASE current_setting('jit') WHEN 'off' THEN 1 ELSE 0 END"),
      Rows({{1}}));
}

TEST_F(PostgresEngineTest, OperatorsAreThoseOfTheServer) {
  make("compared", "a bigint",
       "INSERT INTO compared VALUES (1); CREATE SCHEMA IF NOT EXISTS own; "
       "DROP OPERATOR IF EXISTS own.= (bigint, bigint); "
       "CREATE OR REPLACE FUNCTION own.never(bigint, bigint) RETURNS boolean LANGUAGE sql AS "
       "'SELECT false'; "
       "CREATE OPERATOR own.= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = own.never)");
  const std::unique_ptr<Engine> engine =
      open("compared", "postgres", "&options=-c%20search_path%3Down,public,pg_catalog");
  EXPECT_EQ(
      rows_of(*engine, "SELECT CASE WHEN a = 1::bigint THEN 1 ELSE 0 END FROM " + engine->table()),
      Rows({{1}}));
}

TEST_F(PostgresEngineTest, TextsAreComparedByteWiseUnderC) {
  server_->execute(
      "DROP TABLE IF EXISTS texts CASCADE; DROP COLLATION IF EXISTS without_case; "
      "CREATE COLLATION without_case (provider = icu, locale = 'und-u-ks-level2', "
      "deterministic = false); DROP TYPE IF EXISTS answer; "
      "CREATE TYPE answer AS ENUM ('yes', 'no'); "
      "CREATE TABLE texts (a text COLLATE without_case, b char(5), c answer); "
      "INSERT INTO texts VALUES ('Yes', 'yes', 'yes')");
  const std::unique_ptr<Engine> engine = open("texts");
  EXPECT_EQ(rows_of(*engine,
                    "SELECT CASE WHEN a = 'yes' THEN 1 ELSE 0 END, "
                    "CASE WHEN BTRIM(a, ' ') COLLATE \"C\" = 'yes' THEN 1 ELSE 0 END, "
                    "CASE WHEN BTRIM(a, ' ') COLLATE \"C\" = 'Yes' THEN 1 ELSE 0 END, "
                    "CASE WHEN BTRIM(b, ' ') COLLATE \"C\" = 'yes' THEN 1 ELSE 0 END, "
                    "CASE WHEN BTRIM(CAST(c AS TEXT), ' ') COLLATE \"C\" = 'maybe' THEN 1 "
                    "ELSE 0 END FROM " +
                        engine->table()),
            Rows({{1, 0, 1, 1, 0}}));
}

TEST_F(PostgresEngineTest, MomentsAreInUtcWhateverTheServersClock) {
  make("moments", "a timestamptz, b text",
       "INSERT INTO moments VALUES ('2024-03-01 08:30:00+09', 'a\\b')");
  const std::unique_ptr<Engine> engine =
      open("moments", "postgres", "&options=-c%20datestyle%3DGerman");
  EXPECT_EQ(rows_of(*engine,
                    "SELECT CASE WHEN a = '2024-02-29 23:30:00' THEN 1 ELSE 0 END, "
                    "CASE WHEN a < '2024-03-01' THEN 1 ELSE 0 END, "
                    "CASE WHEN b = 'a\\b' THEN 1 ELSE 0 END FROM " +
                        engine->table()),
            Rows({{1, 1, 1}}));
}

TEST_F(PostgresEngineTest, PasswordsComeFromTheEnvironmentOrTheFile) {
  make_user("reader");
  make("secrets", "a int", "GRANT SELECT ON secrets TO reader");
  const EngineUrl url = server_->url({"secrets"}, "reader");
  EXPECT_THAT(refusal(url),
              HasAll("asks for a password of reader, and there is none", "PGPASSWORD"));
  {
    const Variable password("PGPASSWORD", kSecret);
    EXPECT_EQ(count_of(*open_postgres(url)), 0);
  }
  {
    const Variable password("PGPASSWORD", kSecret + "x");
    EXPECT_THAT(refusal(url), HasSubstr("or a wrong one"));
  }
  const auto write_password = [&](const std::string& password) {
    const std::string file = server_->folder() / "passwords";
    std::ofstream(file) << "*:*:*:reader:" << password << "\n";
    std::filesystem::permissions(
        file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    return file;
  };
  const Variable file("PGPASSFILE", write_password(kSecret));
  EXPECT_EQ(count_of(*open_postgres(url)), 0);
  write_password(kSecret + "x");
  EXPECT_THAT(refusal(url), HasSubstr("or a wrong one"));
}

TEST_F(PostgresEngineTest, AUrlHoldsNoPassword) {
  for (const std::string& address :
       {"postgresql://reader:" + kSecret + "@/postgres?host=" + server_->sockets(),
        server_->address("reader", "&password=" + kSecret),
        server_->address("reader", "&sslpassword=" + kSecret)}) {
    EXPECT_THAT(
        refusal({EngineUrl::Kind::kPostgres, address, {"t"}, "the server"}, ErrorKind::kUsage),
        HasSubstr("must not hold a password"));
  }
  refusal({EngineUrl::Kind::kPostgres, "postgresql://reader@/x?h%zz=1", {"t"}, "the server"},
          ErrorKind::kUsage);
}

TEST_F(PostgresEngineTest, AServerThatIsNotThere) {
  EngineUrl url = server_->url({"t"});
  url.address = "postgresql://postgres@/postgres?host=/nowhere&port=5433";
  EXPECT_THAT(refusal(url), HasSubstr("cannot connect to /nowhere port 5433: is the server"));
  url.address = "postgresql://postgres@/other?host=" + server_->sockets();
  EXPECT_THAT(refusal(url), HasSubstr("has no database other"));
}

TEST_F(PostgresEngineTest, WhoMayNotRead) {
  make_user("visitor");
  make("wards", "a int, b int", "CREATE VIEW ward_view AS SELECT a AS bed FROM wards");
  const Variable password("PGPASSWORD", kSecret);
  EXPECT_THAT(refusal(server_->url({"wards"}, "visitor")),
              HasSubstr("visitor may not read \"public\".\"wards\""));
  server_->execute("GRANT SELECT (a) ON wards TO visitor; GRANT SELECT ON ward_view TO visitor");
  EXPECT_EQ(open("ward_view", "visitor")->columns().at(0).name, "bed");
  const std::unique_ptr<Engine> engine = open("wards", "visitor");
  EXPECT_EQ(rows_of(*engine, "SELECT a FROM " + engine->table()), Rows());
  EXPECT_ERROR(kRuntime, HasSubstr("GRANT SELECT ON \"public\".\"wards\" TO \"visitor\""),
               rows_of(*engine, "SELECT b FROM " + engine->table()));

  server_->execute(
      "CREATE SCHEMA IF NOT EXISTS closed; DROP TABLE IF EXISTS closed.t; CREATE TABLE closed.t "
      "()");
  EXPECT_THAT(refusal(server_->url({"closed", "t"}, "visitor")),
              HasSubstr("visitor may not read \"closed\".\"t\""));
}

TEST_F(PostgresEngineTest, RowsThatAreHidden) {
  make_user("nurse");
  make("guarded", "a int",
       "INSERT INTO guarded VALUES (1), (2); ALTER TABLE guarded ENABLE ROW LEVEL SECURITY; "
       "CREATE POLICY one ON guarded USING (a = 1); GRANT SELECT ON guarded TO nurse; "
       "CREATE VIEW guarded_view WITH (security_invoker) AS SELECT * FROM guarded; "
       "GRANT SELECT ON guarded_view TO nurse");
  const Variable password("PGPASSWORD", kSecret);
  for (const std::string table : {"guarded", "guarded_view"}) {
    EXPECT_THAT(refusal(server_->url({table}, "nurse")),
                HasAll("row security of \"public\".\"" + table + "\"", "may hide rows from nurse"));
  }
  EXPECT_EQ(count_of(*open("guarded")), 2);
}

TEST_F(PostgresEngineTest, ALimitOfTime) {
  make("slow", "a int", "INSERT INTO slow SELECT x FROM generate_series(1, 1000) AS x");
  const std::unique_ptr<Engine> engine =
      open("slow", "postgres", "&options=-c%20statement_timeout%3D50ms");
  const std::string slow = "SELECT count(*) FROM " + engine->table() + " a, " + engine->table() +
                           " b, " + engine->table() + " c";
  EXPECT_ERROR(
      kRuntime,
      HasAll("which may take 50ms (statement_timeout)", "?options=-c%20statement_timeout%3D4h"),
      rows_of(*engine, slow));
  EXPECT_EQ(count_of(*engine), 1000);
  const auto milliseconds = [](Engine& opened) {
    return rows_of(opened,
                   "SELECT setting::bigint FROM pg_settings WHERE name = 'statement_timeout'");
  };
  EXPECT_EQ(milliseconds(*open("slow")), Rows({{3'600'000}}));
  EXPECT_EQ(milliseconds(*open("slow", "postgres", "&options=-c%20statement_timeout%3D0")),
            Rows({{0}}));
}

TEST_F(PostgresEngineTest, ALimitOfDiskSpace) {
  make_user("small");
  make("wide", "a int",
       "INSERT INTO wide SELECT x FROM generate_series(1, 300000) AS x; "
       "GRANT SELECT ON wide TO small; ALTER ROLE small SET temp_file_limit = '1MB'; "
       "ALTER ROLE small SET work_mem = '64kB'; GRANT SET ON PARAMETER temp_file_limit TO small");
  const Variable password("PGPASSWORD", kSecret);
  const std::unique_ptr<Engine> engine = open("wide", "small");
  EXPECT_ERROR(kRuntime,
               HasSubstr("more of the server's disk than small may use (temp_file_limit)"),
               rows_of(*engine, "SELECT a FROM " + engine->table() + " ORDER BY -a"));
}

TEST_F(PostgresEngineTest, AConnectionThatTheServerCloses) {
  make("closing", "a int");
  const std::unique_ptr<Engine> engine = open("closing");
  server_->execute(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
      "WHERE application_name = 'equinoise'");
  EXPECT_ERROR(kRuntime, HasSubstr("try again"), count_of(*engine));
  EXPECT_ERROR(kRuntime, HasSubstr("closed the connection"), count_of(*engine));
}

TEST_F(PostgresEngineTest, AServerThatDiesHalfWay) {
  PostgresServer dying;
  dying.execute("CREATE TABLE t (a int)");
  const std::unique_ptr<Engine> engine = open_postgres(dying.url({"t"}));
  engine->start("SELECT pg_catalog.generate_series(1, 1000000000)");
  EXPECT_THAT(engine->next(), ElementsAre(1));
  dying.end();
  EXPECT_THAT(error_of(ErrorKind::kRuntime,
                       [&] {
                         while (!engine->next().empty()) {
                         }
                       }),
              HasAll("[data.postgres] the server: the server at ", "try again"));
  EXPECT_TRUE(engine->next().empty());
  error_of(ErrorKind::kRuntime, [&] { engine->start("SELECT 1"); });
}

TEST_F(PostgresEngineTest, PartsOfATableOnTwoServers) {
  PostgresServer other;
  other.execute(
      "CREATE TABLE visits_2024 (sex text, year int); INSERT INTO visits_2024 "
      "SELECT CASE WHEN x % 3 = 0 THEN 'f' ELSE 'm' END, 2024 FROM generate_series(1, 900) AS x");
  server_->execute(
      "DROP TABLE IF EXISTS visits CASCADE; CREATE EXTENSION IF NOT EXISTS postgres_fdw; "
      "DROP SERVER IF EXISTS other CASCADE; CREATE SERVER other FOREIGN DATA WRAPPER postgres_fdw "
      "OPTIONS (host '" +
      other.sockets() +
      "', dbname 'postgres'); "
      "CREATE USER MAPPING FOR postgres SERVER other OPTIONS (user 'postgres'); "
      "CREATE TABLE visits (sex text, year int) PARTITION BY LIST (year); "
      "CREATE TABLE visits_2023 PARTITION OF visits FOR VALUES IN (2023); "
      "CREATE FOREIGN TABLE visits_2024 PARTITION OF visits FOR VALUES IN (2024) SERVER other; "
      "INSERT INTO visits_2023 SELECT CASE WHEN x % 2 = 0 THEN 'f' ELSE 'm' END, 2023 "
      "FROM generate_series(1, 100) AS x");
  const std::unique_ptr<Engine> engine = open("visits");
  const std::string statement =
      "SELECT CASE WHEN sex IS NULL THEN -1 WHEN sex COLLATE \"C\" = 'f' THEN 0 "
      "WHEN sex COLLATE \"C\" = 'm' THEN 1 ELSE -5 END AS code, count(*) FROM " +
      engine->table() + " GROUP BY code ORDER BY code";
  EXPECT_EQ(rows_of(*engine, statement), Rows({{0, 350}, {1, 650}}));
  // The other server's part, too, is as it was when it was first read.
  other.execute("INSERT INTO visits_2024 VALUES ('f', 2024)");
  EXPECT_EQ(rows_of(*engine, statement), Rows({{0, 350}, {1, 650}}));
  other.end();
  EXPECT_ERROR(kRuntime, HasSubstr("[data.postgres] the server: "), rows_of(*engine, statement));
}

}  // namespace equinoise::postgres_engine_test
