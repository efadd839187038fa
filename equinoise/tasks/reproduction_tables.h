#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "equinoise/data/dataset.h"
#include "equinoise/data/record_reader.h"
#include "equinoise/data/schema.h"
#include "equinoise/tasks/reproduction_data.h"

namespace equinoise {

/// A table of an experiment under constraints, with a schema as users write it.
struct ReproductionTable {
  Schema schema;
  Dataset dataset;
};

/// One row of the list of tables.
struct ReproductionTableRow {
  ReproductionFiles files;
  /// The records of the files in `folder`, prepared as the experiment asks for. Errors: kInput.
  std::unique_ptr<RecordReader> (*open)(const std::filesystem::path& folder);
};

/// Errors: kUsage for an unknown name.
const ReproductionTableRow& find_reproduction_table(std::string_view name);

/// Reads the table with the schema repro/tables/NAME.toml. NOT PRIVATE: some bounds, means and
/// deviations there are the records' own. Errors: kInput.
ReproductionTable read_reproduction_table(std::string_view name,
                                          const std::filesystem::path& folder);

}  // namespace equinoise
