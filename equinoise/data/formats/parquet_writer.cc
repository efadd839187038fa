// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/parquet_writer.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <exception>
#include <map>

#include "equinoise/base/error.h"
#include "equinoise/base/quotes.h"
#include "equinoise/base/small_letters.h"
#include "equinoise/data/formats/duckdb_session.h"
#include "equinoise/data/values/utf8.h"

namespace equinoise {

namespace {

constexpr Refusal fail_to_write{ErrorKind::kRuntime, "data.parquet_writer"};

/// A file without a name.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("parquet", MFD_CLOEXEC)) {
    if (descriptor_ < 0) fail_to_write("no memory for a Parquet file");
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

  void read(const std::function<void(std::string_view)>& sink) const {
    std::vector<char> piece(size_t{1} << 20);
    for (off_t done = 0;;) {
      const ssize_t count = pread(descriptor_, piece.data(), piece.size(), done);
      if (count < 0) fail_to_write("a Parquet file cannot be read back");
      if (count == 0) return;
      sink({piece.data(), static_cast<size_t>(count)});
      done += count;
    }
  }

 private:
  int descriptor_;
};

/// The type in which cells are passed to DuckDB; the query converts the texts of dates. DuckDB
/// writes an enumeration as texts with a dictionary, without comparing the texts of rows.
duckdb_logical_type cell_type(const ParquetWriter::Column& column) {
  switch (column.type) {
    case ParquetWriter::Type::kInteger:
      return duckdb_create_logical_type(DUCKDB_TYPE_BIGINT);
    case ParquetWriter::Type::kNumber:
      return duckdb_create_logical_type(DUCKDB_TYPE_DOUBLE);
    case ParquetWriter::Type::kTruth:
      return duckdb_create_logical_type(DUCKDB_TYPE_BOOLEAN);
    case ParquetWriter::Type::kCategory: {
      std::vector<const char*> names;
      for (const std::string& category : column.categories) names.push_back(category.c_str());
      return duckdb_create_enum_type(names.data(), names.size());
    }
    default:
      return duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
  }
}

void check_text(std::string_view text) {
  if (!is_utf8(text)) fail_to_write("a cell cannot be written: its text is not UTF-8");
}

}  // namespace

/// The rows as a table function of DuckDB, which requests one chunk after another.
struct ParquetWriter::Table {
  std::vector<Column> columns;
  MemoryFile file;
  DuckDbSession session{file.path()};
  std::vector<duckdb_type> code_types;  // for columns of categories
  const std::function<bool()>* add_row = nullptr;
  bool is_over = false;       // add_row's last answer; DuckDB calls again after the last rows
  std::exception_ptr thrown;  // by add_row
  duckdb_data_chunk chunk = nullptr;
  idx_t row = 0;
  idx_t column = 0;

  duckdb_vector next_cells() { return duckdb_data_chunk_get_vector(chunk, column++); }

  template <typename Value>
  void add(Value value) {
    static_cast<Value*>(duckdb_vector_get_data(next_cells()))[row] = value;
  }

  static void bind(duckdb_bind_info info) {
    auto* table = static_cast<Table*>(duckdb_bind_get_extra_info(info));
    table->code_types.clear();
    for (const Column& column : table->columns) {
      DuckDbOwned<duckdb_logical_type, duckdb_destroy_logical_type> type;
      *type = cell_type(column);
      table->code_types.push_back(duckdb_enum_internal_type(*type));
      duckdb_bind_add_result_column(info, column.name.c_str(), *type);
    }
  }

  static void begin(duckdb_init_info) {}

  static void fill(duckdb_function_info info, duckdb_data_chunk chunk) {
    auto* table = static_cast<Table*>(duckdb_function_get_extra_info(info));
    table->chunk = chunk;
    try {
      for (table->row = 0; table->row < duckdb_vector_size(); ++table->row) {
        table->column = 0;
        table->is_over = table->is_over || !(*table->add_row)();
        if (table->is_over) break;
      }
    } catch (...) {
      table->thrown = std::current_exception();
      duckdb_function_set_error(info, "stopped");
    }
    duckdb_data_chunk_set_size(chunk, table->row);
  }
};

ParquetWriter::ParquetWriter(const std::vector<Column>& columns)
    : table_(std::make_unique<Table>()) {
  table_->columns = columns;
  for (const Column& column : columns)
    for (const std::string& category : column.categories) check_text(category);
  DuckDbOwned<duckdb_table_function, duckdb_destroy_table_function> function;
  *function = duckdb_create_table_function();
  duckdb_table_function_set_name(*function, "given_rows");
  duckdb_table_function_set_extra_info(*function, table_.get(), nullptr);
  duckdb_table_function_set_bind(*function, Table::bind);
  duckdb_table_function_set_init(*function, Table::begin);
  duckdb_table_function_set_function(*function, Table::fill);
  if (duckdb_register_table_function(table_->session.connection(), *function) != DuckDBSuccess)
    fail_to_write("DuckDB cannot make a table");
}

ParquetWriter::~ParquetWriter() = default;

void ParquetWriter::check_names(const std::vector<std::string>& names) {
  std::map<std::string, std::string> seen;
  for (const std::string& name : names) {
    if (name.empty()) {
      throw Error(ErrorKind::kUsage, "data.parquet_writer",
                  "a column has no name, but a Parquet file needs one; write CSV");
    }
    const auto [same, is_new] = seen.emplace(in_small_letters(name), name);
    if (is_new) continue;
    throw Error(ErrorKind::kUsage, "data.parquet_writer",
                "columns '{}' and '{}' differ only in upper and lower case, which a "
                "Parquet file written here cannot tell apart; write CSV",
                same->second, name);
  }
}

void ParquetWriter::add(std::string_view text) {
  check_text(text);
  duckdb_vector_assign_string_element_len(table_->next_cells(), table_->row, text.data(),
                                          text.size());
}

void ParquetWriter::add(int64_t number) { table_->add(number); }

void ParquetWriter::add(double number) { table_->add(number); }

void ParquetWriter::add(bool truth) { table_->add(truth); }

void ParquetWriter::add_category(size_t code) {
  switch (table_->code_types[table_->column]) {
    case DUCKDB_TYPE_UTINYINT:
      return table_->add(static_cast<uint8_t>(code));
    case DUCKDB_TYPE_USMALLINT:
      return table_->add(static_cast<uint16_t>(code));
    default:
      return table_->add(static_cast<uint32_t>(code));
  }
}

void ParquetWriter::add_null() {
  duckdb_vector cells = table_->next_cells();
  duckdb_vector_ensure_validity_writable(cells);
  duckdb_validity_set_row_invalid(duckdb_vector_get_validity(cells), table_->row);
}

void ParquetWriter::write(const std::function<bool()>& add_row,
                          const std::function<void(std::string_view)>& sink) {
  table_->add_row = &add_row;
  std::string cells;
  for (const Column& column : table_->columns) {
    const std::string name = in_quotes(column.name);
    cells += cells.empty() ? "" : ", ";
    if (column.type == Type::kDate || column.type == Type::kTimestamp) {
      cells += fmt::format("CAST({0} AS {1}) AS {0}", name,
                           column.type == Type::kDate ? "DATE" : "TIMESTAMP");
    } else {
      cells += name;
    }
  }
  const bool succeeds = table_->session.succeeds(
      fmt::format("COPY (SELECT {} FROM given_rows()) TO '{}' (FORMAT parquet, USE_TMP_FILE false)",
                  cells, table_->file.path()));
  if (table_->thrown) std::rethrow_exception(table_->thrown);
  if (!succeeds) fail_to_write("DuckDB cannot write Parquet");
  table_->file.read(sink);
}

}  // namespace equinoise
