// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <duckdb.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/data/formats/arrow_reader.h"
#include "equinoise/data/table_source.h"

namespace equinoise::testing {

/// Structures that were given away and are not released yet, and how many times one was released.
struct ArrowCounts {
  int num_open = 0;
  int num_released = 0;
};

/// A column of a chunk, bytes by bytes, with its type.
struct ArrowColumn {
  std::string name;
  std::string format;
  int64_t length = 0;
  std::vector<std::optional<std::string>> buffers;  ///< nothing: a null pointer
  int64_t offset = 0;
  int64_t null_count = -1;
  std::vector<ArrowColumn> children = {};
  std::shared_ptr<ArrowColumn> dictionary = nullptr;
};

/// An optional value as the bytes that it takes.
template <typename T>
std::string bytes_of(const std::vector<std::optional<T>>& values) {
  std::string bytes;
  for (const std::optional<T>& value : values) {
    const T there = value.value_or(T{});
    bytes.append(reinterpret_cast<const char*>(&there), sizeof there);
  }
  return bytes;
}

/// A bit for each value that is there.
template <typename T>
std::string validity_of(const std::vector<std::optional<T>>& values) {
  std::string bits(values.size() / 8 + 1, '\0');
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i]) bits[i / 8] = static_cast<char>(bits[i / 8] | 1 << (i % 8));
  return bits;
}

template <typename T>
ArrowColumn numbers(std::string format, const std::vector<std::optional<T>>& values) {
  return {"x", std::move(format), std::ssize(values), {validity_of(values), bytes_of(values)}};
}

inline ArrowColumn truths(const std::vector<std::optional<bool>>& values) {
  std::vector<std::optional<char>> set;
  for (const std::optional<bool>& value : values)
    set.push_back(value.value_or(false) ? std::optional('x') : std::nullopt);
  return {"x", "b", std::ssize(values), {validity_of(values), validity_of(set)}};
}

/// Texts as utf8 ("u", int32_t) or large_utf8 ("U", int64_t).
template <typename Offset>
ArrowColumn texts(std::string format, const std::vector<std::optional<std::string>>& values) {
  std::string bytes;
  std::vector<std::optional<Offset>> offsets = {0};
  for (const std::optional<std::string>& value : values) {
    bytes += value.value_or("");
    offsets.push_back(static_cast<Offset>(bytes.size()));
  }
  return {"x",
          std::move(format),
          std::ssize(values),
          {validity_of(values), bytes_of(offsets), std::move(bytes)}};
}

/// Texts as utf8_view, the long ones in buffers of their own.
inline ArrowColumn viewed_texts(const std::vector<std::optional<std::string>>& values) {
  ArrowColumn column{"x", "vu", std::ssize(values), {validity_of(values), ""}};
  std::vector<std::optional<int64_t>> sizes;
  for (const std::optional<std::string>& value : values) {
    const std::string text = value.value_or("");
    std::string view = bytes_of<int32_t>({static_cast<int32_t>(text.size())});
    if (text.size() <= 12) {
      view += text;
      view.resize(16, '\0');
    } else {
      const std::string before = "before ";
      view += text.substr(0, 4) + bytes_of<int32_t>({static_cast<int32_t>(sizes.size()),
                                                     static_cast<int32_t>(before.size())});
      sizes.emplace_back(static_cast<int64_t>(before.size() + text.size()));
      column.buffers.emplace_back(before + text);
    }
    *column.buffers[1] += view;
  }
  column.buffers.emplace_back(bytes_of(sizes));
  return column;
}

/// What a released structure leaves; one that is released twice fails the test.
template <typename T>
struct ArrowHolder {
  std::shared_ptr<ArrowCounts> counts;
  ArrowColumn column;
  std::vector<T> parts;
  std::vector<T*> children;
  T dictionary = {};
  std::vector<const void*> buffers;

  static void release(T* structure) {
    std::unique_ptr<ArrowHolder> holder(static_cast<ArrowHolder*>(structure->private_data));
    --holder->counts->num_open;
    ++holder->counts->num_released;
    for (T& part : holder->parts)
      if (part.release != nullptr) part.release(&part);
    if (holder->dictionary.release != nullptr) holder->dictionary.release(&holder->dictionary);
    structure->release = nullptr;
  }
};

/// A structure of a column and of what is in it.
template <typename T>
T arrow_structure(const ArrowColumn& column, const std::shared_ptr<ArrowCounts>& counts) {
  auto holder = std::make_unique<ArrowHolder<T>>();
  holder->counts = counts;
  holder->column = column;
  ++counts->num_open;
  for (const ArrowColumn& child : column.children)
    holder->parts.push_back(arrow_structure<T>(child, counts));
  for (T& part : holder->parts) holder->children.push_back(&part);
  T result = {};
  result.n_children = std::ssize(holder->children);
  result.children = holder->children.data();
  if (column.dictionary) {
    holder->dictionary = arrow_structure<T>(*column.dictionary, counts);
    result.dictionary = &holder->dictionary;
  }
  if constexpr (std::is_same_v<T, ArrowSchema>) {
    result.format = holder->column.format.c_str();
    result.name = holder->column.name.c_str();
  } else {
    for (const std::optional<std::string>& buffer : holder->column.buffers)
      holder->buffers.push_back(buffer ? buffer->data() : nullptr);
    result.buffers = holder->buffers.data();
    result.n_buffers = std::ssize(holder->buffers);
    result.length = column.length;
    result.offset = column.offset;
    result.null_count = column.null_count;
  }
  result.release = &ArrowHolder<T>::release;
  result.private_data = holder.release();
  return result;
}

/// A stream of chunks that are alike.
struct ArrowChunks {
  std::vector<ArrowColumn> chunks;     ///< of rows; the first one has the types of all
  std::optional<size_t> failing = {};  ///< chunk that cannot be read
  std::shared_ptr<ArrowCounts> counts = std::make_shared<ArrowCounts>();
  size_t next = 0;
  // Break what is given away.
  std::function<void(ArrowSchema&)> break_types = [](ArrowSchema&) {};
  std::function<void(ArrowArray&)> break_chunk = [](ArrowArray&) {};

  ArrowArrayStream stream() const {
    ++counts->num_open;
    return {
        [](ArrowArrayStream* self, ArrowSchema* out) {
          const ArrowChunks& held = *static_cast<ArrowChunks*>(self->private_data);
          if (held.chunks.empty()) return 5;
          *out = arrow_structure<ArrowSchema>(held.chunks.front(), held.counts);
          held.break_types(*out);
          return 0;
        },
        [](ArrowArrayStream* self, ArrowArray* out) {
          ArrowChunks& held = *static_cast<ArrowChunks*>(self->private_data);
          if (held.failing == held.next) return 5;
          *out = held.next < held.chunks.size()
                     ? arrow_structure<ArrowArray>(held.chunks[held.next++], held.counts)
                     : ArrowArray{};
          if (out->release != nullptr) held.break_chunk(*out);
          return 0;
        },
        [](ArrowArrayStream* /*self*/) { return "S3CRET"; },
        [](ArrowArrayStream* self) {
          const std::unique_ptr<ArrowChunks> held(static_cast<ArrowChunks*>(self->private_data));
          --held->counts->num_open;
          ++held->counts->num_released;
          self->release = nullptr;
        },
        new ArrowChunks(*this)};
  }
};

/// Rows of columns. One without children has as many rows as its length.
inline ArrowColumn rows_of(std::vector<ArrowColumn> columns) {
  const int64_t length = columns.empty() ? 0 : columns.front().length - columns.front().offset;
  return {"", "+s", length, {std::nullopt}, 0, 0, std::move(columns)};
}

/// What a query of DuckDB gives, as DuckDB makes Arrow of it.
class ArrowOfQuery {
 public:
  explicit ArrowOfQuery(const std::string& query) {
    EXPECT_EQ(duckdb_open(nullptr, &database_), DuckDBSuccess);
    EXPECT_EQ(duckdb_connect(database_, &connection_), DuckDBSuccess);
    EXPECT_EQ(duckdb_query(connection_, "SET TimeZone='UTC'", nullptr), DuckDBSuccess);
    EXPECT_EQ(duckdb_query(connection_, query.c_str(), &result_), DuckDBSuccess)
        << duckdb_result_error(&result_);
    options_ = duckdb_result_get_arrow_options(&result_);
  }
  ~ArrowOfQuery() {
    duckdb_destroy_arrow_options(&options_);
    duckdb_destroy_result(&result_);
    duckdb_disconnect(&connection_);
    duckdb_close(&database_);
  }
  ArrowOfQuery(const ArrowOfQuery&) = delete;
  ArrowOfQuery& operator=(const ArrowOfQuery&) = delete;

  static ArrowArrayStream stream(const std::string& query) {
    return {[](ArrowArrayStream* self, ArrowSchema* out) {
              return static_cast<ArrowOfQuery*>(self->private_data)->types(out);
            },
            [](ArrowArrayStream* self, ArrowArray* out) {
              return static_cast<ArrowOfQuery*>(self->private_data)->next(out);
            },
            [](ArrowArrayStream* /*self*/) -> const char* { return nullptr; },
            [](ArrowArrayStream* self) {
              delete static_cast<ArrowOfQuery*>(self->private_data);
              self->release = nullptr;
            },
            new ArrowOfQuery(query)};
  }

 private:
  int types(ArrowSchema* out) {
    const idx_t num_columns = duckdb_column_count(&result_);
    std::vector<duckdb_logical_type> types;
    std::vector<const char*> names;
    for (idx_t i = 0; i < num_columns; ++i) {
      types.push_back(duckdb_column_logical_type(&result_, i));
      names.push_back(duckdb_column_name(&result_, i));
    }
    const int code =
        code_of(duckdb_to_arrow_schema(options_, types.data(), names.data(), num_columns, out));
    for (duckdb_logical_type& type : types) duckdb_destroy_logical_type(&type);
    return code;
  }

  int next(ArrowArray* out) {
    duckdb_data_chunk chunk = duckdb_fetch_chunk(result_);
    *out = {};
    if (chunk == nullptr) return 0;
    const int code = code_of(duckdb_data_chunk_to_arrow(options_, chunk, out));
    duckdb_destroy_data_chunk(&chunk);
    return code;
  }

  static int code_of(duckdb_error_data error) {
    const int code = error != nullptr && duckdb_error_data_has_error(error) ? 5 : 0;
    duckdb_destroy_error_data(&error);
    return code;
  }

  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
  duckdb_result result_ = {};
  duckdb_arrow_options options_ = nullptr;
};

/// The same as a table in memory, which every run of the query must give in the same order.
inline TableSource memory_table(const std::string& query) {
  return {"the frame", [query] {
            ArrowArrayStream stream = ArrowOfQuery::stream(query);
            return std::make_unique<ArrowReader>("the frame", &stream);
          }};
}

}  // namespace equinoise::testing
