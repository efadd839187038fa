// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "equinoise/files/file_lock.h"
#include "equinoise/reproduction/figures.h"

namespace equinoise {

/// The finished runs of a reproduction in a file, a line for each, so that it can go on after it
/// was stopped. Not for threads at once; whoever adds to it holds the file alone. NOT PRIVATE.
class KeptRuns {
 public:
  /// Reads the file if there is one. `identity` is what makes runs the same, objects within it
  /// included: others are refused, and the message says where they differ. `is_drawn`: the records
  /// are nobody's. Errors: kInput for a file that holds other runs or none at all.
  KeptRuns(std::filesystem::path path, nlohmann::ordered_json identity, bool is_drawn);

  /// Keeps other processes from adding, and reads what they have added until now. Errors: those of
  /// FileLock and of the constructor.
  void hold();

  /// `series` says what the points are, where runs of one file may tell of different ones.
  std::optional<ReproductionOutcome> find(const std::string& method, uint64_t seed,
                                          const std::string& series) const;

  /// Writes the file, unless that would take more than a twentieth of the time: short runs are
  /// written many at once. Pre: hold(). Errors: kRuntime.
  void add(const std::string& method, uint64_t seed, const std::string& series,
           const ReproductionOutcome& outcome);

  /// Writes what is not yet written: the whole file again, which is never seen in part. Pre and
  /// errors: as add.
  void write();

 private:
  struct Run {
    std::string method;
    uint64_t seed = 0;
    std::string series;
    ReproductionOutcome outcome;
  };

  void read();
  void append(Run run);

  std::filesystem::path path_;
  std::optional<FileLock> lock_;
  nlohmann::ordered_json identity_;
  bool is_drawn_;
  std::vector<Run> runs_;
  std::map<std::tuple<std::string, uint64_t, std::string>, size_t> places_;  ///< in runs_
  size_t num_written_ = 0;                           ///< of runs_, the first ones
  std::chrono::steady_clock::time_point next_ = {};  ///< when it is time to write again
};

}  // namespace equinoise
