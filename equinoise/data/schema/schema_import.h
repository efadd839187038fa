// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace equinoise {

struct ImportOptions {
  std::string dataset = {};  ///< "": the name of the file
  std::string target = {};   ///< "": none
};

struct ImportedSchema {
  std::string text;                ///< the schema, in TOML
  std::vector<std::string> notes;  ///< facts of the file that a schema cannot hold
};

/// A schema from a description of a table by another tool, marked `reviewed = false`. The format is
/// recognised by the keys:
/// - NIST's schema of a data excerpt: {"schema": {"AGE": {"dtype", "min", "max", "values", ...}}};
/// - a Table Schema of Frictionless, also in a resource, or in a package of one resource;
/// - metadata of SDV: a single table, or one table of version V1;
/// - a domain of private-pgm: {"AGE": 100}.
///
/// No table is read, so nothing is learnt from records.
///
/// Facts that the file lacks (bounds, categories, the number of records) are marked REVIEW. A
/// column that cannot be read without such a fact is ignored until it is added, and so is one with
/// a fact that parse_schema() refuses. Facts that a schema cannot hold are named in `notes` and in
/// the text. The draft parses with SizesRule::kMayBePrivate.
///
/// Errors: kInput for a text that is no JSON (with line and column) or no such description (with
/// the place in it); kUsage for a target that is not a column or cannot be read, or a bad name of a
/// dataset.
ImportedSchema import_schema(const std::filesystem::path& file, const ImportOptions& options);

}  // namespace equinoise
