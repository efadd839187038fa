// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/duckdb_rows.h"

namespace equinoise {

bool DuckDbRows::prepare(duckdb_connection connection, const std::string& statement) {
  clear();
  return duckdb_prepare(connection, statement.c_str(), &*statement_) == DuckDBSuccess;
}

bool DuckDbRows::start() {
  is_done_ = duckdb_execute_prepared_streaming(*statement_, &*result_) != DuckDBSuccess;
  columns_.resize(is_done_ ? 0 : duckdb_column_count(&*result_));
  return !is_done_;
}

void DuckDbRows::clear() {
  chunk_.reset();
  result_.reset();
  statement_.reset();
  num_rows_ = 0;
  is_done_ = true;
}

bool DuckDbRows::fetch() {
  num_rows_ = row_ = 0;
  while (!is_done_ && num_rows_ == 0) {
    chunk_.reset();
    *chunk_ = duckdb_fetch_chunk(*result_);
    is_done_ = *chunk_ == nullptr;
    if (!is_done_) num_rows_ = duckdb_data_chunk_get_size(*chunk_);
  }
  for (size_t i = 0; i < columns_.size() && !is_done_; ++i) {
    duckdb_vector vector = duckdb_data_chunk_get_vector(*chunk_, i);
    columns_[i] = {duckdb_column_type(&*result_, i), duckdb_vector_get_data(vector),
                   duckdb_vector_get_validity(vector)};
  }
  return !is_done_;
}

}  // namespace equinoise
