// SPDX-License-Identifier: Apache-2.0
#include "equinoise/engines/count_query.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/nearest_name.h"
#include "equinoise/data/schema/count_column.h"
#include "equinoise/data/values/utf8.h"
#include "equinoise/engines/column_query.h"

namespace equinoise {

namespace {

/// The separator of the hashed texts in data/units.h.
constexpr int kUnitSeparator = 0x1f;

const EngineColumn& column_of_engine(const std::vector<EngineColumn>& columns,
                                     const std::string& name) {
  std::vector<std::string> names;
  for (const EngineColumn& column : columns) {
    if (column.name == name) return column;
    names.push_back(column.name);
  }
  throw Error(ErrorKind::kInput, "data.engine", "the table has no column '{}' of the schema{}",
              name, nearest_in_it(name, names));
}

/// Items joined by commas, each on lines indented by `indent`.
std::string listed_items(const std::vector<std::string>& items, std::string_view indent) {
  std::string text;
  for (const std::string& item : items) {
    text += text.empty() ? "" : ",\n";
    text += indent;
    for (const char c : item) {
      text += c;
      if (c == '\n') text += indent;
    }
  }
  return text;
}

/// A text for a comment, which ends with the line.
std::string on_one_line(std::string text) {
  // Spark continues a comment after a backslash at the end.
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < ' ' || c == '\\'; }, ' ');
  return text;
}

/// The expression for the id of a row's unit.
std::string id_of_unit(Dialect dialect, const EngineColumn& column) {
  const std::string name = quoted_name(dialect, column.name);
  switch (column.type) {
    case EngineType::kText:
    case EngineType::kPaddedText:
      return trimmed(dialect, as_text(dialect, name));
    case EngineType::kInteger:
      return compared_by_bytes(dialect, digits_of(dialect, name));
    default:
      throw Error(ErrorKind::kInput, "data.engine",
                  "column '{}' says whose a row is and is {} in the engine, but must be "
                  "text or a whole number; {}",
                  column.name, column.declared, column.remedy);
  }
}

std::string is_somebodys(Dialect dialect, const Schema& schema) {
  // The encoding of a PostgreSQL database may lack characters of a mark. Such marks are compared as
  // bytes.
  std::vector<std::string> texts = {text_literal(dialect, "")};
  std::vector<std::string> bytes;
  for (const std::string& mark : schema.missing_values) {
    if (mark.empty()) continue;
    if (dialect == Dialect::kPostgres && !is_ascii(mark)) {
      bytes.push_back(utf8_literal(mark));
    } else {
      texts.push_back(text_literal(dialect, mark));
    }
  }
  std::string condition = fmt::format("id IS NOT NULL AND id NOT IN ({})", fmt::join(texts, ", "));
  if (!bytes.empty())
    condition += fmt::format(" AND {} NOT IN ({})", utf8_of("id"), fmt::join(bytes, ", "));
  return condition;
}

/// The condition that a row of a unit counts: it is among the first by hash, or it ends the run.
std::string counts_of_unit(const Schema& schema, std::span<const ColumnCoding> codings,
                           const std::vector<std::string>& codes) {
  std::string condition = fmt::format("place <= {}", schema.max_records_per_unit);
  for (size_t i = 0; i < codings.size(); ++i) {
    if (codings[i].is_numeric() && codings[i].column().malformed == MalformedPolicy::kStop)
      condition += fmt::format(" OR {} = {}", codes[i], CellCode::kNoNumber);
  }
  return condition;
}

/// The text of a row that data/units.h hashes.
std::string hashed_text(Dialect dialect, const std::vector<std::string>& codes) {
  const std::string separator = fmt::format(" || chr({}) ||", kUnitSeparator);
  std::string text = "id";
  for (const std::string& code : codes) {
    text +=
        fmt::format("{}\n        CASE {} WHEN {} THEN 'd' WHEN {} THEN 'm' ELSE {} END", separator,
                    code, CellCode::kDropped, CellCode::kMissing, digits_of(dialect, code));
  }
  return text + separator + " " + digits_of(dialect, "copy");
}

/// The codes of a set's columns, and kAside for all other columns.
std::string or_aside(const std::vector<std::string>& counted) {
  std::vector<std::string> items;
  for (size_t i = 0; i < counted.size(); ++i)
    items.push_back(fmt::format("COALESCE({}, {}) AS a{}", counted[i], CellCode::kAside, i));
  return fmt::format("{}", fmt::join(items, ", "));
}

std::string grouping_sets(const std::vector<std::vector<size_t>>& sets,
                          const std::vector<std::string>& counted) {
  std::vector<std::string> items;
  for (const std::vector<size_t>& set : sets) {
    std::vector<std::string> columns;
    for (const size_t column : set) columns.push_back(counted[column]);
    items.push_back(fmt::format("({})", fmt::join(columns, ", ")));
  }
  return fmt::format("GROUPING SETS ({})", fmt::join(items, ", "));
}

std::string comment_header(const Schema& schema, std::span<const ColumnCoding> codings) {
  std::string text = fmt::format(
      "-- Counts the rows that have equal codes in all columns of schema '{}'.\n"
      "-- It only reads, and gives nothing but whole numbers: the codes, then how many rows have "
      "them.\n"
      "-- A code of 0 or more is a bin of numbers or a listed category; {} missing, {} no number,\n"
      "-- {} below and {} above the bounds, {} not listed, {} dropped by a rule, {} none of "
      "these.\n",
      on_one_line(schema.dataset), CellCode::kMissing, CellCode::kNoNumber, CellCode::kBelow,
      CellCode::kAbove, CellCode::kUnlisted, CellCode::kDropped, CellCode::kImpossible);
  for (size_t i = 0; i < codings.size(); ++i) {
    text += fmt::format("-- c{}: {}{}\n", i, on_one_line(codings[i].column().name),
                        codings[i].is_used() ? "" : ", whose values all count as 0");
  }
  if (schema.has_unit_column()) {
    text += fmt::format("-- Of each '{}' at most {} rows count, those with the smallest SHA-256.\n",
                        on_one_line(schema.unit), schema.max_records_per_unit);
  }
  return text;
}

}  // namespace

EngineQuery count_query(Dialect dialect, const Schema& schema,
                        std::span<const ColumnCoding> codings,
                        const std::vector<EngineColumn>& columns, const std::string& quoted_table,
                        const CountForm& form) {
  for (const EngineColumn& column : columns) {
    if (!is_like_count_column(column.name)) continue;
    throw Error(ErrorKind::kInput, "data.engine",
                "column '{}' makes it a table of counted rows, which an engine would "
                "count as records; give the records, or a file of the counted rows",
                column.name);
  }
  const bool has_units = schema.has_unit_column();
  std::vector<std::string> values;
  std::vector<std::string> coded;
  std::vector<std::string> codes;
  EngineQuery query;
  std::vector<std::string> counted;  // codes grouped by; `codes` decide which rows of a unit count
  if (has_units) {
    values.push_back(id_of_unit(dialect, column_of_engine(columns, schema.unit)) + " AS id");
    coded.emplace_back("id");
  }
  for (size_t i = 0; i < codings.size(); ++i) {
    const ColumnQuery column = column_query(dialect, schema, codings[i],
                                            column_of_engine(columns, codings[i].column().name), i,
                                            has_units, form.numbers_are_coded_here);
    query.forms.push_back(column.form);
    append(values, column.values);
    codes.push_back(fmt::format("c{}", i));
    coded.push_back(column.code + " AS " + codes.back());
    counted.push_back(codings[i].is_used() || !has_units
                          ? codes.back()
                          : fmt::format("CASE WHEN {0} >= 0 THEN 0 ELSE {0} END", codes.back()));
  }
  const std::string code_list = fmt::format("{}", fmt::join(codes, ", "));
  const std::string of_cells =
      fmt::format("SELECT\n{}\nFROM (\n  SELECT\n{}\n  FROM {}\n) AS cells",
                  listed_items(coded, "  "), listed_items(values, "    "), quoted_table);
  query.rows = comment_header(schema, codings);
  const bool is_counted_here =
      std::ranges::any_of(query.forms, [](ValueForm f) { return f != ValueForm::kCode; });
  if (is_counted_here) {
    query.rows += fmt::format("SELECT {}, 1 AS num_rows\nFROM (\n{}\n) AS coded\n", code_list,
                              listed_items({of_cells}, "  "));
    return query;
  }
  const std::string all = fmt::format("{}", fmt::join(counted, ", "));
  const std::string selected = form.sets.empty() ? all : or_aside(counted);
  const std::string grouped = form.sets.empty() ? all : grouping_sets(form.sets, counted);
  if (!has_units) {
    query.rows +=
        fmt::format("SELECT {}, COUNT(*) AS num_rows\nFROM (\n{}\n) AS coded\nGROUP BY {}\n",
                    selected, listed_items({of_cells}, "  "), grouped);
    return query;
  }
  const std::string somebodys = is_somebodys(dialect, schema);
  query.units = fmt::format(
      "SELECT COUNT(DISTINCT id) AS num_units\nFROM (\n  SELECT {}\n  FROM "
      "{}\n) AS ids\nWHERE {}\n",
      values.front(), quoted_table, somebodys);
  query.rows += fmt::format(
      "SELECT {6}, COUNT(*) AS num_rows\n"
      "FROM (\n"
      "  SELECT {0}, ROW_NUMBER() OVER (\n"
      "    PARTITION BY id\n"
      "    ORDER BY {1}\n"
      "  ) AS place\n"
      "  FROM (\n"
      "    SELECT id, {0}, ROW_NUMBER() OVER (PARTITION BY id, {0} ORDER BY id) AS copy\n"
      "    FROM (\n{2}\n      WHERE {3}\n    ) AS coded\n"
      "  ) AS copies\n"
      ") AS placed\n"
      "WHERE {4}\n"
      "GROUP BY {5}\n",
      code_list, sha256_of(dialect, hashed_text(dialect, codes)),
      listed_items({of_cells}, "      "), somebodys, counts_of_unit(schema, codings, codes),
      grouped, selected);
  return query;
}

std::vector<EngineColumn> columns_of_schema(const Schema& schema) {
  std::vector<EngineColumn> columns;
  for (const ColumnSchema& column : schema.columns) {
    EngineColumn result{column.name, EngineType::kText, "text"};
    if (column.type == ColumnType::kNumeric && !column.time) {
      result.type = column.whole ? EngineType::kInteger : EngineType::kDouble;
    } else if (column.type == ColumnType::kNumeric) {
      result.type = !column.time->has_time() ? EngineType::kDate
                    : column.time->offset    ? EngineType::kZonedTimestamp
                                             : EngineType::kTimestamp;
    }
    columns.push_back(std::move(result));
  }
  return columns;
}

namespace {

CountStatements statements_of(Dialect dialect, const Schema& schema,
                              const std::vector<EngineColumn>& columns,
                              const std::string& quoted_table) {
  const EngineQuery query =
      count_query(dialect, schema, column_codings(schema), columns, quoted_table);
  if (query.units.empty()) return {dialect, {query.rows}};
  return {dialect, {query.units, query.rows}};
}

}  // namespace

CountStatements count_statements(const Schema& schema, const EngineUrl& url) {
  const std::unique_ptr<Engine> engine = open_engine(url);
  return statements_of(engine->dialect(), schema, engine->columns(), engine->table());
}

CountStatements count_statements(const Schema& schema, Dialect dialect, const std::string& table) {
  return statements_of(dialect, schema, columns_of_schema(schema),
                       quoted_table(dialect, parts_of_table(table)));
}

}  // namespace equinoise
