// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "equinoise/base/progress.h"
#include "equinoise/data/table.h"
#include "equinoise/data/table_source.h"

namespace equinoise {

/// Where a table is.
struct TableFiles {
  TableSource data;              ///< a table, or images: an idx file, a folder of JPEG files
  std::filesystem::path labels;  ///< of images: an idx file, an attribute file; empty: none
};

/// Whether that path was given exactly where it is needed. Errors: kUsage.
void check_labels(const std::filesystem::path& labels, const Schema& schema, TableUse use);

/// Errors: kUsage if `out` is one of these files, or would be part of the engine's table.
void require_not_input(const std::filesystem::path& out, const TableFiles& files);

/// A hash of `salt` and of the bytes of all these files, of folders of every file in them with its
/// name, of records in memory of their names and cells. Not private. Errors: kRuntime if a file
/// cannot be read; kUsage for an engine; those of the reader of records in memory.
std::string hash_of_files(const TableFiles& files, const std::string& salt);

/// Reads a table by `read`, which may give up where the progress says that it was interrupted: an
/// engine, so that no statement and no folder is left. Errors: those of `read`; kRuntime if it was.
/// Pre: nothing was spent before.
void read_interruptibly(const TableSource& table, TaskProgress& progress,
                        const std::function<void()>& read);

/// Warns, by public facts, of a table that an engine counts and whose different rows may not fit
/// into memory. `sets`: as in EngineOptions.
void warn_of_many_rows(const TableSource& table, const Schema& schema, const ColumnSets& sets,
                       TaskProgress& progress);

/// Reports the first misfit of a table, if it has any, for whoever holds it.
void warn_of_misfits(const Dataset& dataset, TableUse use, TaskProgress& progress);

/// Reads a table, or a table of images if the schema has [image], and reports its progress, and the
/// first of its misfits, for whoever holds the table. `sets`: as in EngineOptions. Errors: those of
/// check_labels, read_table and read_images; kUsage for records in memory where the schema has
/// [image]; kRuntime if interrupted while an engine counts. Pre: nothing was spent before.
Dataset read_table_files(const TableFiles& files, const Schema& schema, TableUse use,
                         TaskProgress& progress, CountedRows counted = CountedRows::kExpanded,
                         const ColumnSets& sets = {});

}  // namespace equinoise
