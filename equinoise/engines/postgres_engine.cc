// SPDX-License-Identifier: Apache-2.0
#include "equinoise/engines/postgres_engine.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <new>
#include <string_view>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/nearest_name.h"
#include "equinoise/base/quotes.h"

namespace equinoise {
namespace {

constexpr std::string_view kWhere = "data.postgres";

/// The functions of libpq that are used. libpq stays loaded, because libraries that it loads cannot
/// be unloaded safely.
class Libpq {
 public:
  /// Errors: kRuntime if libpq is missing.
  Libpq() {
    if (library_ == nullptr) {
      throw Error(
          ErrorKind::kRuntime, kWhere,
          "PostgreSQL is asked by libpq (libpq.so.5), which is not on this machine; install "
          "it, on Debian and Ubuntu by: apt-get install libpq5");
    }
  }

 private:
  /// The address of a function, converted to the type of the pointer that it is assigned to.
  struct Symbol {
    template <typename Function>
    operator Function*() const {  // NOLINT(google-explicit-constructor)
      return reinterpret_cast<Function*>(address);
    }
    void* address;
  };
  Symbol find(const char* name) const {
    return {library_ == nullptr ? nullptr : ::dlsym(library_, name)};
  }

  void* library_ = ::dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);

 public:
  decltype(&::PQcancel) cancel = find("PQcancel");
  decltype(&::PQclear) clear = find("PQclear");
  decltype(&::PQconnectPoll) connect_poll = find("PQconnectPoll");
  decltype(&::PQconnectStartParams) connect_start = find("PQconnectStartParams");
  decltype(&::PQconnectionNeedsPassword) needs_password = find("PQconnectionNeedsPassword");
  decltype(&::PQconninfo) conninfo = find("PQconninfo");
  decltype(&::PQconninfoFree) conninfo_free = find("PQconninfoFree");
  decltype(&::PQconninfoParse) conninfo_parse = find("PQconninfoParse");
  decltype(&::PQdb) database = find("PQdb");
  decltype(&::PQerrorMessage) error_message = find("PQerrorMessage");
  decltype(&::PQexecParams) exec_params = find("PQexecParams");
  decltype(&::PQfinish) finish = find("PQfinish");
  decltype(&::PQfreeCancel) free_cancel = find("PQfreeCancel");
  decltype(&::PQfreemem) free_memory = find("PQfreemem");
  decltype(&::PQgetCancel) get_cancel = find("PQgetCancel");
  decltype(&::PQgetResult) get_result = find("PQgetResult");
  decltype(&::PQgetisnull) is_null = find("PQgetisnull");
  decltype(&::PQgetlength) length = find("PQgetlength");
  decltype(&::PQgetvalue) value = find("PQgetvalue");
  decltype(&::PQhost) host = find("PQhost");
  decltype(&::PQnfields) num_fields = find("PQnfields");
  decltype(&::PQntuples) num_rows = find("PQntuples");
  decltype(&::PQport) port = find("PQport");
  decltype(&::PQresultErrorField) error_field = find("PQresultErrorField");
  decltype(&::PQresultStatus) result_status = find("PQresultStatus");
  decltype(&::PQsendQueryParams) send_query = find("PQsendQueryParams");
  decltype(&::PQsetErrorVerbosity) set_error_verbosity = find("PQsetErrorVerbosity");
  decltype(&::PQsetNoticeProcessor) set_notice_processor = find("PQsetNoticeProcessor");
  decltype(&::PQsetSingleRowMode) set_single_row_mode = find("PQsetSingleRowMode");
  decltype(&::PQsocket) socket = find("PQsocket");
  decltype(&::PQstatus) status = find("PQstatus");
  decltype(&::PQuser) user = find("PQuser");
};

/// A sentence for an error of the server, by its SQLSTATE or the beginning of that; the first row
/// that fits is used. Names in braces are those of PostgresEngine::fail.
struct Reason {
  std::string_view state;
  std::string_view sentence;
};

constexpr std::array kReasons = {
    Reason{"08", "the server at {server} closed the connection; try again"},
    Reason{"25P03", "the server closed the connection, which was idle for longer than it allows"},
    Reason{"28P01",
           "the server at {server} asks for a password of {user}, and there is none, or a wrong "
           "one: libpq takes it from PGPASSWORD or the password file (PGPASSFILE, ~/.pgpass), "
           "never from the URL"},
    Reason{"28",
           "the server at {server} does not let {user} in, whom it may not know or not admit from "
           "here (pg_hba.conf)"},
    Reason{"3D000", "the server at {server} has no database {database}"},
    Reason{"40001",
           "the server, a standby, gave the statement up for changes that it has to follow; try "
           "again, or ask the primary server"},
    Reason{"42501",
           "{user} may not read {table}, or its owner not what it is a view of; say GRANT SELECT "
           "ON {table} TO {role}, and GRANT USAGE of its schema"},
    Reason{"22P05",
           "a name that is asked for, or a text of {table}, has characters that UTF-8 and the "
           "encoding of the database {database} do not share; correct the name, or make a view "
           "without such texts"},
    Reason{"22",
           "{table} cannot work out a value (SQLSTATE {state}), as happens to views, which divide "
           "or cast; mend its definition, or give a view of the rows for which it works"},
    Reason{"42703", "a column went while the table was being read; try again"},
    Reason{"53100", "the server is out of disk space, which counting takes where many rows differ"},
    Reason{"53200", "the server is out of memory"},
    Reason{"53300", "the server at {server} has as many connections as it allows; try later"},
    Reason{"53400",
           "counting takes more of the server's disk than {user} may use (temp_file_limit)"},
    Reason{"57014",
           "the server stopped the statement, which may take {timeout} (statement_timeout), or an "
           "administrator did; for four hours write ?options=-c%20statement_timeout%3D4h into the "
           "URL, before #"},
    Reason{"57P03", "the server at {server} is starting or stopping; try later"},
    Reason{"57", "the server at {server} was stopped; try again when it runs"},
};

/// The SQLSTATE in libpq's message about a connection under PQERRORS_SQLSTATE: the end of its last
/// line that ends in one; "" if the server sent none.
std::string_view connection_sqlstate(std::string_view message) {
  constexpr size_t kLength = 5;
  std::string_view state;
  while (!message.empty()) {
    const size_t end = std::min(message.find('\n'), message.size());
    const std::string_view line = message.substr(0, end);
    message.remove_prefix(std::min(end + 1, message.size()));
    if (line.size() < kLength + 2) continue;
    const std::string_view word = line.substr(line.size() - kLength);
    const bool is_state =
        word.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string_view::npos;
    if (is_state && line.substr(line.size() - kLength - 2, 2) == "  ") state = word;
  }
  return state;
}

/// The identifier as users write it: quoted if it has unusual characters.
std::string written_identifier(const std::string& name) {
  const bool is_plain = std::ranges::all_of(
      name, [](unsigned char c) { return c >= 0x80 || c == '_' || std::isalnum(c) != 0; });
  return is_plain ? name : in_quotes(name);
}

/// The type for an OID of pg_catalog, which is the same in every server.
EngineType engine_type_of(std::string_view oid) {
  constexpr std::array<std::pair<std::string_view, EngineType>, 13> kTypes = {{
      {"16", EngineType::kBoolean},
      {"20", EngineType::kInteger},
      {"21", EngineType::kInteger},
      {"23", EngineType::kInteger},
      {"25", EngineType::kText},
      {"700", EngineType::kFloat},
      {"701", EngineType::kDouble},
      {"1042", EngineType::kPaddedText},
      {"1043", EngineType::kText},
      {"1082", EngineType::kDate},
      {"1114", EngineType::kTimestamp},
      {"1184", EngineType::kZonedTimestamp},
      {"1700", EngineType::kDecimal},
  }};
  for (const auto& [number, type] : kTypes) {
    if (number == oid) return type;
  }
  return EngineType::kOther;
}

class PostgresEngine : public Engine {
 public:
  explicit PostgresEngine(const EngineUrl& url) : shown_(url.shown) {
    connect(url.address);
    begin();
    find_table(url.table);
    run("SET LOCAL search_path = pg_catalog, pg_temp");
    // Fails if the table may not be read or hides rows. From here on its columns cannot change.
    run("SELECT FROM " + table_ + " LIMIT 0");
    run("SAVEPOINT counting");
  }
  ~PostgresEngine() override {
    if (is_running_) cancel();
  }
  PostgresEngine(const PostgresEngine&) = delete;
  PostgresEngine& operator=(const PostgresEngine&) = delete;

  Dialect dialect() const override { return Dialect::kPostgres; }
  const std::string& name() const override { return shown_; }
  const std::string& table() const override { return table_; }

  std::vector<EngineColumn> columns() override;
  void start(const std::string& statement) override;
  std::span<const int64_t> next() override;
  void cancel() override;

 private:
  using Result = std::unique_ptr<PGresult, decltype(&::PQclear)>;
  using Parameters = std::vector<std::string>;

  void refuse_password(const std::string& address) const;
  void connect(const std::string& address);
  void begin();
  void find_table(const std::vector<std::string>& parts);
  std::string nearest_table(const std::string& table);

  std::chrono::seconds connect_timeout() const;
  /// Whether the connection is ready to read or to write before the deadline.
  bool is_ready(PostgresPollingStatusType waits_for,
                std::chrono::steady_clock::time_point deadline) const;

  /// All rows, as text, of a statement that is written in this file.
  Result run(const std::string& statement, const Parameters& parameters = {});
  std::string text(const Result& result, int row, int column) const {
    return pq_.value(result.get(), row, column);
  }

  void give_up();

  std::string user() const { return text_of(pq_.user(connection_.get())); }
  std::string database() const { return text_of(pq_.database(connection_.get())); }
  std::string server() const {
    return fmt::format("{} port {}", text_of(pq_.host(connection_.get())),
                       text_of(pq_.port(connection_.get())));
  }
  static std::string text_of(const char* text) { return text == nullptr ? "" : text; }

  [[noreturn]] void fail_to_connect() const;
  [[noreturn]] void fail(const PGresult* result) const;
  [[noreturn]] void fail(std::string_view sqlstate) const;
  [[noreturn]] void refuse(ErrorKind kind, std::string_view what) const {
    throw Error(kind, kWhere, fmt::format("{}: {}", shown_, what));
  }

  Libpq pq_;
  std::string shown_;
  std::unique_ptr<PGconn, decltype(&::PQfinish)> connection_{nullptr, pq_.finish};
  std::unique_ptr<PGcancel, decltype(&::PQfreeCancel)> canceller_{nullptr, pq_.free_cancel};
  std::string table_;
  std::string oid_;
  std::string timeout_;
  bool is_running_ = false;  ///< a statement has unread rows
  std::vector<int64_t> row_;
};

void PostgresEngine::refuse_password(const std::string& address) const {
  const std::unique_ptr<PQconninfoOption, decltype(&::PQconninfoFree)> options(
      pq_.conninfo_parse(address.c_str(), nullptr), pq_.conninfo_free);
  if (options == nullptr) {
    refuse(ErrorKind::kUsage,
           "libpq cannot read the URL; it is like postgresql://user@host:5432/database?key=value");
  }
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    const std::string_view key = option->keyword;
    if ((key == "password" || key == "sslpassword") && option->val != nullptr) {
      refuse(ErrorKind::kUsage,
             "a URL is seen by everybody who lists processes, so it must not hold a password; set "
             "PGPASSWORD or write it into the password file (~/.pgpass)");
    }
  }
}

void PostgresEngine::connect(const std::string& address) {
  refuse_password(address);
  // Values before dbname, which is the URL, are defaults; the URL overrides them.
  constexpr std::array<const char*, 5> kKeys = {"fallback_application_name", "keepalives_idle",
                                                "dbname", "client_encoding", nullptr};
  const std::array<const char*, 5> values = {"equinoise", "60", address.c_str(), "UTF8", nullptr};
  connection_.reset(pq_.connect_start(kKeys.data(), values.data(), 1));
  if (connection_ == nullptr) throw std::bad_alloc();
  PGconn* connection = connection_.get();
  // libpq would print notices of the server. Of errors it keeps the SQLSTATE only.
  pq_.set_notice_processor(
      connection, [](void*, const char*) {}, nullptr);
  pq_.set_error_verbosity(connection, PQERRORS_SQLSTATE);
  if (pq_.status(connection) == CONNECTION_BAD) fail_to_connect();

  const std::chrono::seconds timeout = connect_timeout();
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  PostgresPollingStatusType state = PGRES_POLLING_WRITING;
  while (state == PGRES_POLLING_READING || state == PGRES_POLLING_WRITING) {
    if (!is_ready(state, deadline)) {
      refuse(ErrorKind::kRuntime,
             fmt::format("the server at {} does not answer within {} s (connect_timeout)", server(),
                         timeout.count()));
    }
    state = pq_.connect_poll(connection);
  }
  if (state != PGRES_POLLING_OK) fail_to_connect();
  canceller_.reset(pq_.get_cancel(connection));
}

std::chrono::seconds PostgresEngine::connect_timeout() const {
  constexpr std::chrono::seconds kUsual{30};
  constexpr std::chrono::seconds kEndless{1'000'000'000};
  const std::unique_ptr<PQconninfoOption, decltype(&::PQconninfoFree)> options(
      pq_.conninfo(connection_.get()), pq_.conninfo_free);
  const PQconninfoOption* option = options.get();
  while (option->keyword != nullptr && std::string_view(option->keyword) != "connect_timeout")
    ++option;
  if (option->val == nullptr) return kUsual;
  const std::string_view value = option->val;
  int seconds = 0;
  std::from_chars(value.data(), value.data() + value.size(), seconds);
  return seconds > 0 ? std::chrono::seconds(seconds) : kEndless;
}

bool PostgresEngine::is_ready(PostgresPollingStatusType waits_for,
                              std::chrono::steady_clock::time_point deadline) const {
  constexpr int kMaxMilliseconds = 1'000'000'000;
  const short events = waits_for == PGRES_POLLING_READING ? POLLIN : POLLOUT;
  pollfd waiting = {pq_.socket(connection_.get()), events, 0};
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    const int milliseconds = static_cast<int>(std::min<int64_t>(left.count(), kMaxMilliseconds));
    const int num_ready = ::poll(&waiting, 1, milliseconds);
    if (num_ready > 0) return true;
    if (num_ready < 0 && errno != EINTR) fail_to_connect();
  }
}

void PostgresEngine::begin() {
  run("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY");
  // Only in the transaction: a pool may give the next one to another server process.
  for (const char* setting : {"row_security = off", "standard_conforming_strings = on",
                              "DateStyle = 'ISO'", "TimeZone = 'UTC'"}) {
    run(fmt::format("SET LOCAL {}", setting));
  }
  // Compiling the many branches of a statement takes far longer than running them, and cannot be
  // stopped.
  run("SELECT pg_catalog.set_config(name, 'off', true) FROM pg_catalog.pg_settings "
      "WHERE name = 'jit'");
  // Only if the setting has its default.
  run("SELECT pg_catalog.set_config(name, '1h', true) FROM pg_catalog.pg_settings "
      "WHERE name = 'statement_timeout' AND source = 'default'");
  // Servers that can notice it stop counting for a client process that has ended.
  run("SELECT pg_catalog.set_config(name, '5s', true) FROM pg_catalog.pg_settings "
      "WHERE name = 'client_connection_check_interval' AND pg_catalog.version() LIKE '%linux%'");
  timeout_ = text(run("SHOW statement_timeout"), 0, 0);
}

void PostgresEngine::find_table(const std::vector<std::string>& parts) {
  if (parts.size() > 2) {
    refuse(ErrorKind::kUsage,
           "a table is NAME or SCHEMA.NAME, of the database that the URL names; a part with a dot "
           "in it stands in double quotes");
  }
  std::string name;
  for (const std::string& part : parts) name += (name.empty() ? "" : ".") + in_quotes(part);
  table_ = name;
  run("SELECT pg_catalog.set_config('search_path', "
      "pg_catalog.current_setting('search_path') || ', pg_temp', true)");
  const Result found =
      run("SELECT c.oid, n.nspname, c.relname FROM pg_catalog.pg_class c "
          "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
          "WHERE c.oid = pg_catalog.to_regclass($1) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')",
          {name});
  if (pq_.num_rows(found.get()) == 0) {
    const std::string nearest = nearest_table(parts.back());
    refuse(ErrorKind::kInput,
           fmt::format("the database {} has no table or view {}{}", database(), name,
                       nearest.empty() ? "; upper and lower case differ, and a schema may have to "
                                         "be named: #schema.table"
                                       : fmt::format("; there is {}", nearest)));
  }
  oid_ = text(found, 0, 0);
  table_ = in_quotes(text(found, 0, 1)) + "." + in_quotes(text(found, 0, 2));
}

/// A similar name with its schema; "" if there is none.
std::string PostgresEngine::nearest_table(const std::string& table) {
  const Result known =
      run("SELECT n.nspname, c.relname FROM pg_catalog.pg_class c "
          "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
          "WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname !~ '^pg_' "
          "AND n.nspname <> 'information_schema' ORDER BY 1, 2");
  std::vector<std::string> names;
  for (int row = 0; row < pq_.num_rows(known.get()); ++row) names.push_back(text(known, row, 1));
  const std::string nearest = nearest_name(table, names);
  for (size_t row = 0; row < names.size(); ++row) {
    if (!nearest.empty() && names[row] == nearest)
      return written_identifier(text(known, static_cast<int>(row), 0)) + "." +
             written_identifier(nearest);
  }
  return "";
}

std::vector<EngineColumn> PostgresEngine::columns() {
  give_up();
  const Result found =
      run("WITH RECURSIVE named AS (SELECT attnum, attname, atttypid AS type, atttypmod AS size "
          "FROM pg_catalog.pg_attribute "
          "WHERE attrelid = $1::pg_catalog.oid AND attnum > 0 AND NOT attisdropped "
          "UNION ALL SELECT attnum, attname, typbasetype, typtypmod FROM named "
          "JOIN pg_catalog.pg_type t ON t.oid = type WHERE typtype = 'd') "
          "SELECT attname, type, pg_catalog.format_type(type, size), typtype FROM named "
          "JOIN pg_catalog.pg_type t ON t.oid = type WHERE typtype <> 'd' ORDER BY attnum",
          {oid_});
  std::vector<EngineColumn> columns;
  for (int row = 0; row < pq_.num_rows(found.get()); ++row) {
    const bool is_enumerated = text(found, row, 3) == "e";
    columns.push_back({text(found, row, 0),
                       is_enumerated ? EngineType::kText : engine_type_of(text(found, row, 1)),
                       text(found, row, 2)});
  }
  return columns;
}

void PostgresEngine::start(const std::string& statement) {
  give_up();
  constexpr int kBinary = 1;
  PGconn* connection = connection_.get();
  if (pq_.send_query(connection, statement.c_str(), 0, nullptr, nullptr, nullptr, nullptr,
                     kBinary) == 0) {
    fail("08");
  }
  pq_.set_single_row_mode(connection);
  is_running_ = true;
}

std::span<const int64_t> PostgresEngine::next() {
  if (!is_running_) return {};
  const Result result(pq_.get_result(connection_.get()), pq_.clear);
  const ExecStatusType status = pq_.result_status(result.get());
  if (status != PGRES_SINGLE_TUPLE) {
    is_running_ = false;
    if (status != PGRES_TUPLES_OK) fail(result.get());
    return {};
  }
  row_.resize(static_cast<size_t>(pq_.num_fields(result.get())));
  for (size_t i = 0; i < row_.size(); ++i) {
    const int column = static_cast<int>(i);
    const int length = pq_.length(result.get(), 0, column);
    const bool is_whole = length == 2 || length == 4 || length == 8;
    if (!is_whole || pq_.is_null(result.get(), 0, column) != 0) {
      refuse(ErrorKind::kRuntime, "a statement gave something else than whole numbers");
    }
    // Two's complement, the highest byte first.
    const auto* bytes = reinterpret_cast<const unsigned char*>(pq_.value(result.get(), 0, column));
    uint64_t number = bytes[0] < 0x80 ? 0 : ~uint64_t{0};
    for (int byte = 0; byte < length; ++byte) number = number << 8 | bytes[byte];
    row_[i] = static_cast<int64_t>(number);
  }
  return row_;
}

PostgresEngine::Result PostgresEngine::run(const std::string& statement,
                                           const Parameters& parameters) {
  std::vector<const char*> values;
  for (const std::string& parameter : parameters) values.push_back(parameter.c_str());
  Result result(
      pq_.exec_params(connection_.get(), statement.c_str(), static_cast<int>(values.size()),
                      nullptr, values.data(), nullptr, nullptr, 0),
      pq_.clear);
  const ExecStatusType status = pq_.result_status(result.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) fail(result.get());
  return result;
}

/// Uses a connection of its own, so that another thread may wait for the main one.
void PostgresEngine::cancel() {
  std::array<char, 256> message;
  pq_.cancel(canceller_.get(), message.data(), static_cast<int>(message.size()));
}

/// Makes the connection ready for another statement, which sees the same rows.
void PostgresEngine::give_up() {
  if (std::exchange(is_running_, false)) cancel();
  while (PGresult* result = pq_.get_result(connection_.get())) pq_.clear(result);
  run("ROLLBACK TO SAVEPOINT counting");
}

void PostgresEngine::fail_to_connect() const {
  const std::string_view sqlstate = connection_sqlstate(pq_.error_message(connection_.get()));
  if (sqlstate == "42501") {
    refuse(ErrorKind::kRuntime,
           fmt::format("{} may not connect to the database {}; say GRANT CONNECT ON DATABASE {} "
                       "TO {}",
                       user(), database(), in_quotes(database()), in_quotes(user())));
  }
  if (!sqlstate.empty()) fail(sqlstate);
  if (pq_.needs_password(connection_.get()) != 0) fail("28P01");
  refuse(ErrorKind::kRuntime,
         fmt::format("cannot connect to {}: is the server running there, and does it admit "
                     "connections from here, with what sslmode and certificates ask for?",
                     server()));
}

void PostgresEngine::fail(const PGresult* result) const {
  const std::string function = text_of(pq_.error_field(result, PG_DIAG_SOURCE_FUNCTION));
  if (function == "check_enable_rls") {
    refuse(ErrorKind::kRuntime,
           fmt::format("row security of {}, or of what it is a view of, may hide rows from {}, so "
                       "that a part would be counted for the whole; ask as a user who sees all "
                       "rows (ALTER ROLE ... BYPASSRLS)",
                       table_, user()));
  }
  const std::string sqlstate = text_of(pq_.error_field(result, PG_DIAG_SQLSTATE));
  fail(sqlstate.empty() ? "08" : sqlstate);
}

void PostgresEngine::fail(std::string_view sqlstate) const {
  for (const Reason& reason : kReasons) {
    if (!sqlstate.starts_with(reason.state)) continue;
    refuse(ErrorKind::kRuntime,
           fmt::format(fmt::runtime(reason.sentence), fmt::arg("server", server()),
                       fmt::arg("user", user()), fmt::arg("database", database()),
                       fmt::arg("table", table_), fmt::arg("timeout", timeout_),
                       fmt::arg("role", in_quotes(user())), fmt::arg("state", sqlstate)));
  }
  refuse(ErrorKind::kRuntime,
         fmt::format("the server cannot count the table (SQLSTATE {}, which the manual of "
                     "PostgreSQL explains; the server's log says more)",
                     sqlstate));
}

}  // namespace

std::unique_ptr<Engine> open_postgres(const EngineUrl& url) {
  return std::make_unique<PostgresEngine>(url);
}

}  // namespace equinoise
