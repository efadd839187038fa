// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/parquet_columns.h"

#include <fmt/format.h>

#include <utility>

#include "equinoise/base/quotes.h"
#include "equinoise/data/formats/duckdb_rows.h"

namespace equinoise {

std::optional<std::vector<ParquetColumn>> parquet_columns(duckdb_connection session,
                                                          const std::string& file) {
  const std::string query = fmt::format(
      "SELECT name, coalesce(num_children, 0)::BIGINT, coalesce(precision, 0)::BIGINT, "
      "coalesce(scale, 0)::BIGINT FROM parquet_schema({})",
      in_quotes(file, '\''));
  DuckDbRows rows;
  if (!rows.prepare(session, query) || !rows.start()) return std::nullopt;
  std::vector<ParquetColumn> columns;
  std::vector<int64_t> open;  // for each open element, the number of elements still to come
  while (rows.next()) {
    const auto number = [&](size_t column) {
      return rows.columns()[column].at<int64_t>(rows.row());
    };
    if (open.size() == 1) {
      auto& name = rows.columns()[0].at<duckdb_string_t>(rows.row());
      columns.push_back(
          {{duckdb_string_t_data(&name), duckdb_string_t_length(name)}, number(2), number(3)});
    }
    if (!open.empty()) --open.back();
    open.push_back(number(1));
    while (open.size() > 1 && open.back() == 0) open.pop_back();
  }
  return rows.has_failed() ? std::nullopt : std::optional(std::move(columns));
}

}  // namespace equinoise
