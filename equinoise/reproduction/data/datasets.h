// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/base/progress.h"
#include "equinoise/data/encoder.h"

namespace equinoise {

/// The number of records to read, unless an item is in its short form.
inline constexpr int64_t kAllRecords = std::numeric_limits<int64_t>::max();

/// The records of one run of an experiment.
struct ReproductionSplit {
  EncodedTable train;  ///< with groups
  EncodedTable test;   ///< with groups
};

/// The records of a data set, prepared as the published code of a paper does it. NOT PRIVATE:
/// means, deviations, categories and group sizes are taken from the records.
class ReproductionData {
 public:
  virtual ~ReproductionData() = default;

  /// (num_groups) The names in the paper.
  virtual std::vector<std::string> groups() const = 0;

  /// The records of the run with that seed. Deviation: the published code samples and shuffles by
  /// Python's random numbers, while here a seeded source does.
  virtual std::shared_ptr<const ReproductionSplit> split(uint64_t seed) const = 0;
};

/// The source files of an experiment's data.
struct ReproductionFiles {
  std::string_view name;
  std::vector<std::string_view> files;  ///< and folders
  std::string_view origin;              ///< where the files are from
  std::string_view preparation = {};    ///< the treatment of the records; "": they are encoded
};

/// One row of the table of preparations.
struct ReproductionDataRow {
  ReproductionFiles files;
  /// Keeps the first `max_records` records of the files in `folder`; for images this many to train
  /// and this many to test. `progress` receives reports if that takes long. Errors: kInput.
  std::unique_ptr<ReproductionData> (*load)(const std::filesystem::path& folder,
                                            int64_t max_records, TaskProgress& progress);
};

/// Errors: kUsage for an unknown name.
const ReproductionDataRow& find_reproduction_data(std::string_view name);

}  // namespace equinoise
