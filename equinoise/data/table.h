#pragma once

#include <filesystem>

#include "equinoise/data/dataset.h"
#include "equinoise/data/schema.h"

namespace equinoise {

/// Reads a CSV file (also gzip, by its first two bytes) with one header row, strictly in the form
/// of RFC 4180, UTF-8.
///
/// The columns may stand in any order; their names must be exactly those of the schema (ignored
/// ones included). Line ends may be LF, CRLF or CR, of one kind in a file, also within quotes.
/// Blank lines are skipped. Cells are compared as they stand: a blank around a number or a category
/// is part of the cell. Rules for values, none of which throws: a number outside the bounds (or
/// infinite) is clamped; an unlisted category and a missing cell follow the column's policy; each
/// is counted. A record with a dropped cell contributes nothing.
///
/// Errors (kInput), each naming the file and, where there is one, row, line and column but never a
/// value: missing, unreadable, empty, a directory, header only, ragged row, a quote that is
/// unclosed or inside a cell, not UTF-8, NUL byte, a line above 2,000,000 bytes, missing /
/// unexpected / duplicate column, a cell of a numeric column that is not a number (NaN included),
/// number of rows other than the schema's public one. Row numbers count data rows from 1. A gzip
/// that was cut short shows as a ragged last row or as too few rows; its checksum is not verified.
Dataset read_table(const std::filesystem::path& path, const Schema& schema);

}  // namespace equinoise
