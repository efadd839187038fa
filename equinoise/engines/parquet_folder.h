// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace equinoise {

/// The Parquet files below a folder, in the order of their paths: those whose names end in
/// .parquet, .parq or .pq, in small letters or capitals. Links are followed. As for Spark and
/// Arrow, files and folders whose names begin with . or _ are none of the table, unless the name is
/// that of a partition: _year=2020.
///
/// Errors (kInput) name the file or folder: one that is there twice by links; a link to nothing; a
/// Parquet file of another name; what cannot be read; and a folder in a table of Delta, Iceberg or
/// Hudi, which keeps files whose rows no longer count.
std::vector<std::filesystem::path> parquet_files(const std::filesystem::path& folder);

/// Whether a folder is one for parquet_files(): it holds such files at any depth, or is a table of
/// Delta, Iceberg or Hudi.
bool holds_parquet(const std::filesystem::path& folder);

/// Whether the name of a file is one of those.
bool has_parquet_name(const std::filesystem::path& path);

/// Whether a path is a folder or leads into it; symbolic links are followed.
bool is_below(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace equinoise
