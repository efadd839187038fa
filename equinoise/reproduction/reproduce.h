// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/reproduction/item.h"
#include "equinoise/reproduction/report.h"
#include "equinoise/tasks/train/train.h"

namespace equinoise {

struct ReproduceRequest {
  std::string item = {};                      ///< "001/table4"
  std::filesystem::path data_directory = {};  ///< with the files of the data sets
  std::optional<int64_t> seeds = {};          ///< instead of the item's own number
  Efforts efforts = {};                       ///< the same
  bool quick = false;                         ///< one seed of the item in its short form: ShortForm
  /// Names in the item; empty for all. Their references are run as well.
  std::vector<std::string> methods = {};
  std::filesystem::path runs_path = {};  ///< file that keeps finished runs; or empty
  /// Items of the same runs. Their values are kept, too, so that they need no training later.
  std::vector<std::string> also = {};
  std::filesystem::path out_path = {};  ///< folder for the reports; or empty
  bool force = false;
  int threads = 1;  ///< parallel runs; the figures do not depend on it
  std::string command = {};
};

/// Trains every method of a published table with every seed, and compares. NOT PRIVATE: seeded
/// noise, preprocessing and figures from the records; nothing is charged to a ledger.
///
/// A figure reproduces if it is within two standard errors, ours and the published one together,
/// and half a unit of the last printed digit; a bound if the figure is on its side. No verdict is
/// given if runs are not those of the item. Methods whose files are missing are skipped, with the
/// reason. Errors: kUsage (unknown item), kInput (a wrong table), kRuntime when the progress
/// reports an interruption.
ReproductionReport reproduce(const ReproduceRequest& request, TrainProgress& progress);

/// Reproduces an item that need not be among those below repro/, instead of the request's.
ReproductionReport reproduce(ReproductionItem item, const ReproduceRequest& request,
                             TrainProgress& progress);

}  // namespace equinoise
