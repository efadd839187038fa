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

/// What all runs of a file share.
struct KeptRunsHeader {
  std::string notice;               ///< first in the file: whether its figures are private
  nlohmann::ordered_json identity;  ///< what makes runs the same, objects within it included
  /// Reads an outcome and throws nlohmann's exception for what is none.
  std::function<void(const nlohmann::ordered_json& outcome)> check_outcome;
};

/// The finished runs of a task in a file (--runs), a line for each, so that it can go on after it
/// was stopped. A run is found by its key, an object of what tells it from the others. Not for
/// threads at once; whoever adds to it holds the file alone. NOT PRIVATE.
class KeptRuns {
 public:
  /// Reads the file if there is one. Runs of another identity are refused, and the message says
  /// where they differ. Errors: kInput for a file that holds other runs or none at all.
  KeptRuns(std::filesystem::path path, KeptRunsHeader header);

  /// Keeps other processes from adding, and reads what they have added until now. Errors: those of
  /// FileLock and of the constructor.
  void hold();

  /// The outcome of a run; nullptr where it is not kept. Valid until the next call of hold() or
  /// add().
  const nlohmann::ordered_json* find(const nlohmann::ordered_json& key) const;

  /// Writes the file, unless that would take more than a twentieth of the time: short runs are
  /// written many at once. Pre: hold(). Errors: kRuntime.
  void add(nlohmann::ordered_json key, nlohmann::ordered_json outcome);

  /// Writes what is not yet written: the whole file again, which is never seen in part. Pre and
  /// errors: as add.
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
  size_t num_written_ = 0;                           ///< of runs_, the first ones
  std::chrono::steady_clock::time_point next_ = {};  ///< when it is time to write again
};

}  // namespace equinoise
