// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/parquet_columns.h"

#include <fmt/format.h>

#include "equinoise/data/formats/duckdb_session.h"

namespace equinoise {

std::optional<std::vector<ParquetColumn>> parquet_columns(duckdb_connection session,
                                                          const std::string& file) {
  const std::string query = fmt::format(
      "SELECT name, coalesce(num_children, 0)::BIGINT, coalesce(precision, 0)::BIGINT, "
      "coalesce(scale, 0)::BIGINT FROM parquet_schema({})",
      quoted_path(file));
  DuckDbOwned<duckdb_result, duckdb_destroy_result> result;
  if (duckdb_query(session, query.c_str(), &*result) != DuckDBSuccess) return std::nullopt;
  std::vector<ParquetColumn> columns;
  std::vector<int64_t> open;  // for each open element, the number of elements still to come
  while (true) {
    DuckDbOwned<duckdb_data_chunk, duckdb_destroy_data_chunk> chunk;
    *chunk = duckdb_fetch_chunk(*result);
    if (*chunk == nullptr) return columns;
    const auto values = [&](idx_t column) {
      return duckdb_vector_get_data(duckdb_data_chunk_get_vector(*chunk, column));
    };
    auto* names = static_cast<duckdb_string_t*>(values(0));
    const auto* num_children = static_cast<const int64_t*>(values(1));
    const auto* num_digits = static_cast<const int64_t*>(values(2));
    const auto* num_decimals = static_cast<const int64_t*>(values(3));
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(*chunk); ++row) {
      if (open.size() == 1) {
        columns.push_back({{duckdb_string_t_data(&names[row]), duckdb_string_t_length(names[row])},
                           num_digits[row],
                           num_decimals[row]});
      }
      if (!open.empty()) --open.back();
      open.push_back(num_children[row]);
      while (open.size() > 1 && open.back() == 0) open.pop_back();
    }
  }
}

}  // namespace equinoise
