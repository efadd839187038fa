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

/// Trains every method of a published table with every seed, and compares. NOT PRIVATE: seeded
/// noise, preprocessing and figures from the records; nothing is charged to a ledger.
///
/// A figure reproduces where it is within two standard errors, ours and the published one together,
/// and half a unit of the last printed digit; a bound where the figure is on its side. No verdict
/// is given where runs are not those of the item. What cannot be run (a missing file or method) is
/// skipped, with the reason. Errors: kUsage (unknown item), kInput (a wrong table), kRuntime when
/// the progress says that the run was interrupted.
ReproductionReport reproduce(const ReproduceRequest& request, TrainProgress& progress);

/// The same for an item that need not be among those below repro/, instead of the request's.
ReproductionReport reproduce(ReproductionItem item, const ReproduceRequest& request,
                             TrainProgress& progress);

/// "reproduces" or "differs". Ours needs a standard error.
Verdict compare_with_published(const PrintedValue& published, double ours, double standard_error);

/// The standard error of a target: as printed, or where only its number of runs is known that of
/// so many runs of which each varies as ours do, `standard_error` being that of num_seeds.
double error_of_target(const PrintedValue& target, double standard_error, int64_t num_seeds);

/// Whether ours is within three standard errors, the target's and ours together, and half a unit of
/// its last digit; or on the side of a bound.
bool meets_target(const PrintedValue& target, double ours, double standard_error);

}  // namespace equinoise
