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

/// How many records are read, unless an item is in its short form.
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

  /// (num_groups) as the paper calls them.
  virtual std::vector<std::string> groups() const = 0;

  /// The records of the run with that seed. Deviation: the published code samples and shuffles by
  /// Python's random numbers; here a seeded source does.
  virtual std::shared_ptr<const ReproductionSplit> split(uint64_t seed) const = 0;
};

/// What an experiment's data are read from.
struct ReproductionFiles {
  std::string_view name;
  std::vector<std::string_view> files;  ///< and folders
  std::string_view origin;              ///< where the files are from
  std::string_view preparation = {};    ///< what is done to the records; "": they are encoded
};

/// One row of the table of preparations.
struct ReproductionDataRow {
  ReproductionFiles files;
  /// Keeps the first so many records of the files in `folder`, of images so many to train and so
  /// many to test; where that takes long, `progress` is told. Errors: kInput.
  std::unique_ptr<ReproductionData> (*load)(const std::filesystem::path& folder,
                                            int64_t max_records, TaskProgress& progress);
};

/// Errors: kUsage for an unknown name.
const ReproductionDataRow& find_reproduction_data(std::string_view name);

}  // namespace equinoise
