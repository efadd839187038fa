// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "equinoise/base/progress.h"
#include "equinoise/data/table.h"
#include "equinoise/data/table_source.h"

namespace equinoise {

/// The files of a table.
struct TableFiles {
  TableSource data;              ///< a table, or images: an idx file, a folder of JPEG files
  std::filesystem::path labels;  ///< for images: an idx file, an attribute file; empty: none
};

/// Checks that the path is given if and only if it is needed. Errors: kUsage.
void check_labels(const std::filesystem::path& labels, const Schema& schema, TableUse use);

/// Errors: kUsage if `out` is one of these files, or would be part of the engine's table.
void require_not_input(const std::filesystem::path& out, const TableFiles& files);

/// A hash of `salt` and of the table: the bytes of all these files, the bytes and names of all
/// files in folders, the names and cells of records in memory. Not private. Errors: kRuntime if a
/// file cannot be read; kUsage for an engine; those of the reader of records in memory.
std::string hash_of_files(const TableFiles& files, const std::string& salt);

/// Warns, by public facts, about a table that an engine counts and whose distinct rows may not fit
/// into memory. `sets`: as in EngineOptions.
void warn_of_many_rows(const TableSource& table, const Schema& schema, const ColumnSets& sets,
                       TaskProgress& progress);

/// Reports the first misfit of a table, if any, to its owner.
void warn_of_misfits(const Dataset& dataset, TableUse use, TaskProgress& progress);

/// Reads a table, or a table of images if the schema has [image], and reports its progress, and its
/// first misfit to the table's owner. `sets`: as in EngineOptions. Errors: those of check_labels,
/// read_table, read_images and stop_if_interrupted(); kUsage for records in memory if the schema
/// has [image]. Pre: nothing was spent before.
Dataset read_table_files(const TableFiles& files, const Schema& schema, TableUse use,
                         TaskProgress& progress, CountedRows counted = CountedRows::kExpanded,
                         const ColumnSets& sets = {});

/// Whether two sources give rows of one table, by whatever names: one file, one table of a
/// database, or a folder and its files. False for a view or a copy of the other table, which cannot
/// be recognised, and for records in memory. Errors: those of EngineTable::is_same.
bool is_same_table(const TableSource& a, const TableSource& b);

}  // namespace equinoise
