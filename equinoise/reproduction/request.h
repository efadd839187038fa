#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace equinoise {

struct ReproduceRequest {
  std::string item;                      ///< "001/table4"
  std::filesystem::path data_directory;  ///< with the files of the data sets
  std::optional<int64_t> seeds;          ///< instead of the item's own number
  std::optional<int64_t> epochs;         ///< the same; figures are then not compared
  std::optional<int64_t> steps;          ///< the same, for sweeps
  std::optional<int64_t> every;          ///< the same, for items that look at steps
  std::optional<int64_t> directions;     ///< the same, for items that estimate traces
  /// Names in the item; empty for all. Those that they are compared with are run as well.
  std::vector<std::string> methods;
  std::filesystem::path runs_path;  ///< file that keeps finished runs; or empty
  /// Items of the same runs. What they show is kept, too, so that they need no training later.
  std::vector<std::string> also;
  std::filesystem::path out_path;  ///< folder for the reports; or empty
  bool force = false;
  int threads = 1;  ///< so many runs at once; the figures do not depend on it
  std::string command;
};

}  // namespace equinoise
