// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <duckdb.h>

#include <cstdint>
#include <string>
#include <vector>

#include "equinoise/data/formats/duckdb_session.h"

namespace equinoise {

/// The rows of a statement as DuckDB finds them; one chunk of them is in memory. Of its messages
/// none leaves this class: they quote values.
class DuckDbRows {
 public:
  /// The values of a column in the chunk of the current row.
  struct Column {
    duckdb_type type = DUCKDB_TYPE_INVALID;
    void* values = nullptr;
    uint64_t* validity = nullptr;

    bool is_null(idx_t row) const {
      return validity != nullptr && !duckdb_validity_row_is_valid(validity, row);
    }
    template <typename Value>
    Value& at(idx_t row) const {
      return static_cast<Value*>(values)[row];
    }
  };

  /// Prepares a statement, in place of an earlier one. Returns whether DuckDB accepts it.
  bool prepare(duckdb_connection connection, const std::string& statement);

  /// Runs the statement. Returns whether its first row can be asked for.
  bool start();

  /// Moves to the next row; false at the end, or if has_failed().
  bool next() { return ++row_ < num_rows_ || fetch(); }
  bool has_failed() { return duckdb_result_error(&*result_) != nullptr; }

  /// Gives up the statement and its rows.
  void clear();

  duckdb_prepared_statement statement() { return *statement_; }
  const std::vector<Column>& columns() const { return columns_; }
  idx_t row() const { return row_; }  ///< the place of the row in the columns

 private:
  bool fetch();

  // Destroyed from the last to the first, as DuckDB requires.
  DuckDbOwned<duckdb_prepared_statement, duckdb_destroy_prepare> statement_;
  DuckDbOwned<duckdb_result, duckdb_destroy_result> result_;
  DuckDbOwned<duckdb_data_chunk, duckdb_destroy_data_chunk> chunk_;
  std::vector<Column> columns_;
  idx_t num_rows_ = 0;
  idx_t row_ = 0;
  bool is_done_ = true;
};

}  // namespace equinoise
