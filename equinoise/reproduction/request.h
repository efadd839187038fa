// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/reproduction/experiment.h"

namespace equinoise {

struct ReproduceRequest {
  std::string item;                      ///< "001/table4"
  std::filesystem::path data_directory;  ///< with the files of the data sets
  std::optional<int64_t> seeds;          ///< instead of the item's own number
  Efforts efforts;                       ///< the same
  bool quick = false;                    ///< one seed of the item in its short form: ShortForm
  /// Names in the item; empty for all. Their references are run as well.
  std::vector<std::string> methods;
  std::filesystem::path runs_path;  ///< file that keeps finished runs; or empty
  /// Items of the same runs. Their values are kept, too, so that they need no training later.
  std::vector<std::string> also;
  std::filesystem::path out_path;  ///< folder for the reports; or empty
  bool force = false;
  int threads = 1;  ///< parallel runs; the figures do not depend on it
  std::string command;
};

}  // namespace equinoise
