// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace equinoise {

/// The Parquet files below a folder, in the order of their paths: those whose names end in
/// .parquet, .parq or .pq, in small letters or capitals. Links are followed. As for Spark and
/// Arrow, files and folders whose names begin with . or _ do not belong to the table, unless the
/// name is that of a partition: _year=2020.
///
/// Errors (kInput) name the file or folder: one that is reached twice through links; a link to
/// nothing; a Parquet file with another name; an unreadable file or folder; and a folder in a table
/// of Delta, Iceberg or Hudi, which keeps files whose rows no longer count.
std::vector<std::filesystem::path> parquet_files(const std::filesystem::path& folder);

/// Whether a folder is an argument for parquet_files(): it holds such files at any depth, or is a
/// table of Delta, Iceberg or Hudi.
bool holds_parquet(const std::filesystem::path& folder);

/// Whether a file has a name of such a file.
bool has_parquet_name(const std::filesystem::path& path);

/// Whether a path is a folder or leads into it; symbolic links are followed.
bool is_below(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace equinoise
