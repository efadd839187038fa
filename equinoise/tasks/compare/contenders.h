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
  std::vector<std::string> warnings;  ///< and notes of its plan; publishable
};

struct Contenders {
  std::vector<Contender> ready;  ///< by epsilon as asked, then by method; references last
  std::vector<CompareSkip> skipped;
};

/// A message without the part of the library that it comes from.
std::string without_place(const std::string& message);

/// Plans every run, from public facts alone. Errors: as compare(), before any run.
Contenders find_contenders(const CompareRequest& request);

}  // namespace equinoise
