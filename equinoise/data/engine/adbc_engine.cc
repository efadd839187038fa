// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/engine/adbc_engine.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/data/engine/adbc_driver.h"
#include "equinoise/data/engine/adbc_rows.h"
#include "equinoise/data/formats/arrow_values.h"

namespace equinoise {
namespace {

constexpr std::string_view kWhere = "data.adbc";

/// What PostgreSQL is told of its transaction before it is asked.
constexpr std::array kOpeningPostgres = {
    "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
    "SET LOCAL row_security = off",
    "SET LOCAL standard_conforming_strings = on",
    "SET LOCAL DateStyle = 'ISO'",
    "SET LOCAL TimeZone = 'UTC'",
    "SET LOCAL client_encoding = 'UTF8'",
    // Compiling the many branches of a statement takes far longer than they do.
    "SELECT pg_catalog.set_config(name, 'off', true) FROM pg_catalog.pg_settings "
    "WHERE name = 'jit'",
    "SET LOCAL search_path = pg_catalog, pg_temp",
    // Where nobody has set it.
    "SELECT pg_catalog.set_config(name, '1h', true) FROM pg_catalog.pg_settings "
    "WHERE name = 'statement_timeout' AND source = 'default'",
};

/// A value of the metadata of a column, whose form is that of the Arrow C data interface: numbers
/// of 32 bits in the machine's order, then as many bytes.
std::string_view arrow_metadata(const char* metadata, std::string_view key) {
  if (metadata == nullptr) return "";
  const auto number = [&] {
    int32_t value = 0;
    std::memcpy(&value, metadata, sizeof value);
    metadata += sizeof value;
    return value;
  };
  const auto text = [&] {
    const int32_t size = number();
    const std::string_view value(metadata, size < 0 ? 0 : static_cast<size_t>(size));
    metadata += value.size();
    return value;
  };
  for (int32_t left = number(); left > 0; --left) {
    const std::string_view name = text();
    const std::string_view value = text();
    if (name == key) return value;
  }
  return "";
}

/// What an Arrow format stands for, and its usual name.
std::pair<EngineType, std::string> type_of_format(std::string_view format) {
  struct Row {
    std::string_view format;
    EngineType type;
    std::string_view name;
  };
  constexpr std::array<Row, 18> kRows = {{
      {"b", EngineType::kBoolean, "bool"},
      {"c", EngineType::kInteger, "int8"},
      {"s", EngineType::kInteger, "int16"},
      {"i", EngineType::kInteger, "int32"},
      {"l", EngineType::kInteger, "int64"},
      {"C", EngineType::kInteger, "uint8"},
      {"S", EngineType::kInteger, "uint16"},
      {"I", EngineType::kInteger, "uint32"},
      {"L", EngineType::kInteger, "uint64"},
      {"e", EngineType::kFloat, "float16"},
      {"f", EngineType::kFloat, "float32"},
      {"g", EngineType::kDouble, "float64"},
      {"u", EngineType::kText, "text"},
      {"U", EngineType::kText, "text"},
      {"vu", EngineType::kText, "text"},
      {"tdD", EngineType::kDate, "date32"},
      {"tdm", EngineType::kDate, "date64"},
      {"n", EngineType::kOther, "null"},
  }};
  for (const Row& row : kRows)
    if (row.format == format) return {row.type, std::string(row.name)};
  if (format.starts_with("d:")) {
    // Digits, those behind the point, and bits.
    const size_t end = format.find(',', format.find(',') + 1);
    return {EngineType::kDecimal, fmt::format("decimal({})", format.substr(2, end - 2))};
  }
  const bool is_timestamp = format.size() >= 4 && format.starts_with("ts") && format[3] == ':';
  if (is_timestamp && format.size() == 4) return {EngineType::kTimestamp, "timestamp"};
  if (is_timestamp) return {EngineType::kZonedTimestamp, "timestamp with time zone"};
  return {EngineType::kOther, fmt::format("Arrow's {}", format)};
}

EngineColumn engine_column(const ArrowSchema& schema) {
  const ArrowSchema& values = schema.dictionary == nullptr ? schema : *schema.dictionary;
  EngineColumn column;
  column.name = schema.name == nullptr ? "" : schema.name;
  std::tie(column.type, column.declared) =
      type_of_format(values.format == nullptr ? "" : values.format);
  // What stands in Arrow's types for something else.
  for (const char* key : {"ARROW:extension:name", "ADBC:postgresql:typname"}) {
    const std::string_view other = arrow_metadata(schema.metadata, key);
    if (other.empty()) continue;
    column.declared = other;
    column.type = other == "numeric" ? EngineType::kDecimal : EngineType::kOther;
  }
  return column;
}

class AdbcEngine : public Engine {
 public:
  explicit AdbcEngine(const AdbcAddress& address)
      : dialect_(address.dialect),
        name_(address.shown),
        table_(quoted_table(address.dialect, address.table)),
        driver_(address.driver, address.entry_point),
        database_(driver_->DatabaseRelease),
        connection_(driver_->ConnectionRelease),
        statement_(driver_->StatementRelease) {
    connect(address.options);
    begin();
    describe(address.table);
  }
  ~AdbcEngine() override {
    // What nobody will read.
    if (rows_ && !rows_->is_at_end()) AdbcEngine::cancel();
  }
  AdbcEngine(const AdbcEngine&) = delete;
  AdbcEngine& operator=(const AdbcEngine&) = delete;

  Dialect dialect() const override { return dialect_; }
  const std::string& name() const override { return name_; }
  const std::string& table() const override { return table_; }
  std::vector<EngineColumn> columns() override { return columns_; }

  bool can_repeat() const override { return has_snapshot_; }
  void start(const std::string& statement) override;
  std::span<const int64_t> next() override;
  /// The one call that drivers bear from another thread. Those of ADBC 1.0.0 do not have it.
  void cancel() override { call_adbc(driver_->StatementCancel, statement_.get()); }

 private:
  void connect(const std::vector<AdbcAddress::Option>& options);
  void begin();
  void describe(const std::vector<std::string>& parts);
  AdbcOutcome set(const char* option, const char* value) {
    return call_adbc(driver_->ConnectionSetOption, connection_.get(), option, value);
  }
  /// `rows`: nullptr where none are to be read.
  AdbcOutcome execute(const char* statement, ArrowArrayStream* rows);

  Dialect dialect_;
  std::string name_;
  std::string table_;
  // Released from the last to the first, as drivers want it.
  LoadedAdbcDriver driver_;
  AdbcOwned<AdbcDatabase> database_;
  AdbcOwned<AdbcConnection> connection_;
  AdbcOwned<AdbcStatement> statement_;
  std::optional<AdbcRows> rows_;
  std::vector<EngineColumn> columns_;
  bool has_snapshot_ = false;  ///< all statements see the same rows
  bool has_started_ = false;
};

void AdbcEngine::connect(const std::vector<AdbcAddress::Option>& options) {
  require_good(call_adbc(driver_->DatabaseNew, database_.get()), name_, "make a database");
  for (const AdbcAddress::Option& option : options) {
    const char* value =
        option.is_variable ? std::getenv(option.value.c_str()) : option.value.c_str();
    if (value == nullptr) {
      throw Error(ErrorKind::kUsage, kWhere,
                  fmt::format("{}: the environment variable {}, which {}_env names, is not set",
                              name_, option.value, option.name));
    }
    const AdbcOutcome outcome =
        call_adbc(driver_->DatabaseSetOption, database_.get(), option.name.c_str(), value);
    if (outcome.is_good()) continue;
    throw Error(ErrorKind::kUsage, kWhere,
                fmt::format("{}: the driver does not take the option {}, or not its value (ADBC "
                            "status {})",
                            name_, option.name, outcome.status));
  }
  constexpr std::string_view kWhat = "connect";
  require_good(call_adbc(driver_->DatabaseInit, database_.get()), name_, kWhat);
  require_good(call_adbc(driver_->ConnectionNew, connection_.get()), name_, kWhat);
  require_good(call_adbc(driver_->ConnectionInit, connection_.get(), database_.get()), name_,
               kWhat);
}

void AdbcEngine::begin() {
  set("adbc.connection.readonly", "true");
  constexpr const char* kIsolation = "adbc.connection.transaction.isolation_level";
  const bool is_isolated =
      set(kIsolation, "adbc.connection.transaction.isolation.snapshot").is_good() ||
      set(kIsolation, "adbc.connection.transaction.isolation.serializable").is_good();
  require_good(call_adbc(driver_->StatementNew, connection_.get(), statement_.get()), name_,
               "make a statement");
  if (!set("adbc.connection.autocommit", "false").is_good()) return;
  // Transactions of DuckDB have no other level, and PostgreSQL is told.
  has_snapshot_ = is_isolated || dialect_ == Dialect::kDuckDb || dialect_ == Dialect::kPostgres;
  if (dialect_ != Dialect::kPostgres) return;
  for (const char* statement : kOpeningPostgres)
    require_good(execute(statement, nullptr), name_, "begin a transaction that only reads");
}

void AdbcEngine::describe(const std::vector<std::string>& parts) {
  const size_t n = parts.size();
  ArrowOwned<ArrowSchema> schema;
  const AdbcOutcome outcome = call_adbc(
      driver_->ConnectionGetTableSchema, connection_.get(), n > 2 ? parts[n - 3].c_str() : nullptr,
      n > 1 ? parts[n - 2].c_str() : nullptr, parts[n - 1].c_str(), schema.get());
  switch (outcome.status) {
    // Which of them stands for a missing table differs between drivers.
    case ADBC_STATUS_UNKNOWN:
    case ADBC_STATUS_NOT_FOUND:
    case ADBC_STATUS_INVALID_ARGUMENT:
    case ADBC_STATUS_INTERNAL:
      throw Error(ErrorKind::kInput, kWhere,
                  fmt::format("{}: there is no such table or view that the driver can describe "
                              "(ADBC status {}); upper and lower case differ, a schema may have to "
                              "be named (#SCHEMA.TABLE), and the user must be allowed to read it",
                              name_, outcome.status));
    default:
      require_good(outcome, name_, "learn the columns of the table");
  }
  const int64_t num_columns = schema.is_released() ? 0 : schema->n_children;
  for (int64_t i = 0; i < num_columns; ++i) columns_.push_back(engine_column(*schema->children[i]));
}

AdbcOutcome AdbcEngine::execute(const char* statement, ArrowArrayStream* rows) {
  const AdbcOutcome outcome = call_adbc(driver_->StatementSetSqlQuery, statement_.get(), statement);
  if (!outcome.is_good()) return outcome;
  return call_adbc(driver_->StatementExecuteQuery, statement_.get(), rows,
                   static_cast<int64_t*>(nullptr));
}

void AdbcEngine::start(const std::string& statement) {
  if (std::exchange(has_started_, true) && !has_snapshot_) {
    throw Error(
        ErrorKind::kRuntime, kWhere,
        fmt::format("{}: the driver has no transactions in which a second statement would "
                    "see the same rows as the first; take one that has them, or a copy of the "
                    "table in a file",
                    name_));
  }
  constexpr std::string_view kWhat = "count the table";
  // Whether a transaction outlives a statement that is cancelled differs between drivers.
  if (rows_) rows_->skip_rest();
  rows_.reset();
  ArrowOwned<ArrowArrayStream> stream;
  require_good(execute(statement.c_str(), stream.get()), name_, kWhat);
  rows_.emplace(name_, *driver_, stream.get());
}

std::span<const int64_t> AdbcEngine::next() {
  return rows_ ? rows_->next() : std::span<const int64_t>();
}

}  // namespace

std::unique_ptr<Engine> open_adbc(const AdbcAddress& address) {
  return std::make_unique<AdbcEngine>(address);
}

}  // namespace equinoise
