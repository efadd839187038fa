// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace equinoise {

/// The number of bytes at a file's beginning that determine its kind.
inline constexpr size_t kKindBytes = 512;

/// The number of bytes at a file's end that determine its kind.
inline constexpr size_t kKindEndBytes = 4;

/// The kind of a file that no reader takes, by its first and last bytes ("": unknown), and a
/// remedy: "is compressed by xz; unpack it with unxz". "" if the file may be a table. No table
/// whose text begins like such a file is refused.
std::string_view problem_of_kind(std::string_view start, std::string_view end);

/// The same for texts that may begin a first cell: a web page, a pointer of Git LFS.
std::string_view problem_of_text(std::string_view start);

/// Whether a file begins like a database of DuckDB.
bool is_duckdb_database(std::string_view start);

}  // namespace equinoise
