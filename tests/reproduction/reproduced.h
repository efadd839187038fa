// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "equinoise/reproduction/reproduce.h"

namespace equinoise::testing {

inline ReproductionReport reproduced(const ReproduceRequest& request) {
  TrainProgress progress;
  return reproduce(request, progress);
}

/// Of an item that need not be among those below repro/.
inline ReproductionReport reproduced(const ReproductionItem& item,
                                     const ReproduceRequest& request = {}) {
  TrainProgress progress;
  return reproduce(item, request, progress);
}

inline const ReproductionRow& row_of(const ReproductionReport& report, const std::string& name) {
  const auto row = std::ranges::find(report.rows, name, &ReproductionRow::name);
  if (row == report.rows.end()) throw std::out_of_range("no row " + name);
  return *row;
}

inline double ours(const ReproductionReport& report, const std::string& name) {
  return row_of(report, name).ours;
}

}  // namespace equinoise::testing
