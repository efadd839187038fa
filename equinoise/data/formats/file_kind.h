// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace equinoise {

/// How much of a file's beginning tells its kind.
inline constexpr size_t kKindBytes = 512;

/// How much of a file's end tells its kind.
inline constexpr size_t kKindEndBytes = 4;

/// What a file is that no reader here takes, by its first bytes and its last ones ("": unknown),
/// and what to do about it: "is compressed by xz; unpack it with unxz". "" if nothing speaks
/// against it. No table whose text begins like such a file is taken for one.
std::string_view problem_of_kind(std::string_view start, std::string_view end);

/// The same for texts that a first cell could begin like: a web page, a pointer of Git LFS.
std::string_view problem_of_text(std::string_view start);

/// Whether a file begins as a database of DuckDB.
bool is_duckdb_database(std::string_view start);

}  // namespace equinoise
