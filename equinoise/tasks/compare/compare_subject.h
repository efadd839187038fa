// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "equinoise/base/progress.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/report/compare/compare_report.h"
#include "equinoise/tasks/compare/option_grid.h"

namespace equinoise {

/// A method with its point of the grid at one epsilon, planned from public facts.
struct Contender {
  CompareRow row;                ///< without figures
  int64_t num_steps = 1;         ///< that a run reports
  std::string idle_option = {};  ///< an option given for all methods that has no effect here
  /// The figures of the run under that seed, given as an index, except those of set_group_figures.
  /// The seed determines all random choices. Callable from any thread. Errors: the failure of the
  /// run.
  std::function<CompareRun(uint64_t seed, TrainProgress& progress)> run = {};
};

/// A kind of task that is compared: its methods, their plans, runs and errors.
class CompareSubject {
 public:
  explicit CompareSubject(OptionGrid grid) : grid_(std::move(grid)) {}
  virtual ~CompareSubject() = default;

  /// The methods and their options.
  OptionGrid& grid() { return grid_; }

  /// Checks the request and the schema, independent of the method. Errors: kUsage, kInput.
  virtual void check() = 0;

  /// A contender from a row that has a method, options and an epsilon. Callable from any thread,
  /// after check(). Errors: kUsage, if the method cannot do the task.
  virtual Contender plan(CompareRow row) const = 0;

  /// The schema of the table, public or not. Call after check().
  virtual const Schema& schema() const = 0;

  /// The facts that identify runs, in addition to method, options, epsilon and seed.
  virtual nlohmann::ordered_json identity() const = 0;

  /// The metric among several by which this comparison judges runs (CompareRun::by_metric).
  virtual std::string metric() const { return ""; }

  /// Reads the evaluated records, and prepares what depends on each of the `num_seeds` seeds.
  virtual void read(int64_t num_seeds, TaskProgress& progress) = 0;

  /// Sets the report's facts about the task: the definition of errors, groups without is_counted,
  /// the baseline, whether the table is public, the command, notes on reading. Call after read().
  virtual void describe(CompareReport& report) const = 0;

 private:
  OptionGrid grid_;
};

}  // namespace equinoise
