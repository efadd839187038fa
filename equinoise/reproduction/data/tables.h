// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/data/dataset.h"
#include "equinoise/data/formats/record_reader.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/reproduction/data/datasets.h"
#include "equinoise/reproduction/embedded_items.h"

namespace equinoise {

/// A table of an experiment under constraints, with a schema as users write it.
struct ReproductionTable {
  Schema schema;
  Dataset dataset;
};

/// Changes the cells of the record that `reader` is at; false leaves the record out. Errors:
/// kInput.
using RecordPreparation =
    std::function<bool(const RecordReader& reader, std::vector<std::string_view>& cells)>;

/// One row of the list of tables.
struct ReproductionTableRow {
  ReproductionFiles files;  ///< of one form; their records follow one another
  /// Makes the function that prepares records for the experiment, from a reader that has read the
  /// header; nullptr: records are not changed. Errors: kInput.
  RecordPreparation (*prepare)(const RecordReader& reader);
};

/// Errors: kUsage for an unknown name.
const ReproductionTableRow& find_reproduction_table(std::string_view name);

/// The schema repro/tables/NAME.toml. Errors: kUsage if there is none.
const EmbeddedItem& find_table_schema(std::string_view name);

/// A digest of the schema that ignores comments.
std::string table_schema_digest(std::string_view name);

/// Reads the first `max_records` records of the table with the schema repro/tables/NAME.toml. NOT
/// PRIVATE: some bounds, means and deviations there come from the records. Errors: kInput.
ReproductionTable read_reproduction_table(std::string_view name,
                                          const std::filesystem::path& folder,
                                          int64_t max_records = kAllRecords);

/// Appends the record's features, (num_features): numbers, and 1 for each of its categories.
void append_features(const EncodedTable& table, uint32_t record, std::vector<double>& features);

}  // namespace equinoise
