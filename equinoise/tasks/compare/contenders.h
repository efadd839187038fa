// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "equinoise/report/compare/compare_report.h"
#include "equinoise/tasks/compare/compare_subject.h"
#include "equinoise/tasks/compare/comparison.h"

namespace equinoise {

struct Contenders {
  std::vector<Contender> ready;  ///< by epsilon in the order given, then by method; references last
  std::vector<CompareSkip> skipped;
};

/// Plans every run, from public facts only. Errors: as compare(), before any run.
Contenders find_contenders(const CompareRequest& request, CompareSubject& subject);

}  // namespace equinoise
