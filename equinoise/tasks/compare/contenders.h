// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/report/compare/compare_report.h"
#include "equinoise/tasks/compare/compare.h"
#include "equinoise/tasks/train/training_setup.h"

namespace equinoise {

/// A method with its point of the grid at one epsilon, ready to be run.
struct Contender {
  CompareRow row;        ///< without figures
  TrainRequest request;  ///< under a test seed; the seed of a run and of its split are left open
  TrainingSetup setup;   ///< of the request
};

struct Contenders {
  std::vector<Contender> ready;  ///< by epsilon as asked, then by method; references last
  std::vector<CompareSkip> skipped;
};

/// Plans every run, from public facts alone. Errors: as compare(), before any run.
Contenders find_contenders(const CompareRequest& request);

}  // namespace equinoise
