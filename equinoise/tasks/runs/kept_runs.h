// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/files/file_lock.h"

namespace equinoise {

/// Facts shared by all runs of a file.
struct KeptRunsHeader {
  std::string notice;               ///< first in the file: whether its figures are private
  nlohmann::ordered_json identity;  ///< identifies the runs, including nested objects
  /// Reads an outcome; throws nlohmann's exception for an invalid one.
  std::function<void(const nlohmann::ordered_json& outcome)> check_outcome;
};

/// The finished runs of a task in a file (--runs), one per line, so that an interrupted task can
/// continue. A run is found by its key, an object that distinguishes it from the others. Not
/// thread-safe; a process that adds runs holds the file exclusively. NOT PRIVATE.
class KeptRuns {
 public:
  /// Reads the file if there is one. Runs of another identity are refused, with the difference in
  /// the message. Errors: kInput for a file with other runs, or that is not a file of runs.
  KeptRuns(std::filesystem::path path, KeptRunsHeader header);

  /// Keeps other processes from adding runs, and reads the runs that they have added. Errors: those
  /// of FileLock and of the constructor.
  void hold();

  /// The outcome of a run; nullptr if it is not kept. Valid until the next call of hold() or add().
  const nlohmann::ordered_json* find(const nlohmann::ordered_json& key) const;

  /// Writes the file, unless that would take more than a twentieth of the time: short runs are
  /// written in batches. Pre: hold(). Errors: kRuntime.
  void add(nlohmann::ordered_json key, nlohmann::ordered_json outcome);

  /// Writes all unwritten runs by replacing the whole file, so that no reader sees a part of it.
  /// Pre and errors: as add.
  void write();

 private:
  struct Run {
    nlohmann::ordered_json key;
    nlohmann::ordered_json outcome;
  };

  void read();
  void append(Run run);

  std::filesystem::path path_;
  KeptRunsHeader header_;
  std::optional<FileLock> lock_;
  std::vector<Run> runs_;
  std::map<std::string, size_t> places_;             ///< in runs_, by key
  size_t num_written_ = 0;                           ///< of runs_, from the first
  std::chrono::steady_clock::time_point next_ = {};  ///< the time of the next write
};

}  // namespace equinoise
