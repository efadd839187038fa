// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "equinoise/base/progress.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/report/compare/compare_report.h"
#include "equinoise/tasks/compare/option_grid.h"

namespace equinoise {

/// A method that may take part.
struct CompareMethod {
  std::string name;
  bool has_guarantee = true;  ///< false: a reference
};

/// A method with its point of the grid at one epsilon, planned from public facts.
struct Contender {
  CompareRow row;                ///< without figures
  int64_t num_steps = 1;         ///< that a run tells of
  std::string idle_option = {};  ///< one that was given for all and does nothing here
  /// The figures of the run under that seed, as an index, but not what set_group_figures sets. The
  /// seed decides all that is random. From any thread. Errors: why the run failed.
  std::function<CompareRun(uint64_t seed, TrainProgress& progress)> run = {};
};

/// One kind of thing that is compared: its methods, how they are planned, run and judged.
class CompareSubject {
 public:
  virtual ~CompareSubject() = default;

  /// All methods, in their order.
  virtual std::vector<CompareMethod> methods() const = 0;

  virtual OptionGrid& grid() = 0;

  /// What is wrong with the request or the schema, whatever the method. Errors: kUsage, kInput.
  virtual void check() = 0;

  /// A contender from a row that has a method, options and an epsilon. From any thread, after
  /// check(). Errors: kUsage, why the method cannot do the task.
  virtual Contender plan(CompareRow row) const = 0;

  /// Of one that is public or not; after check().
  virtual const Schema& schema() const = 0;

  /// What makes runs the same, next to method, options, epsilon and seed.
  virtual nlohmann::ordered_json identity() const = 0;

  /// Reads the records that are judged, with what each of so many seeds makes of them.
  virtual void read(int64_t num_seeds, TaskProgress& progress) = 0;

  /// Sets what a report says of the task: what errors are, groups without is_counted, the baseline,
  /// whether the table is public, the command, what reading did. After read().
  virtual void describe(CompareReport& report) const = 0;
};

}  // namespace equinoise
