// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "equinoise/privacy/budget.h"
#include "equinoise/privacy/guarantee.h"

namespace equinoise {

/// The account before and after a run.
struct LedgerStatement {
  std::string path;  ///< the file's name: its folders may name people or projects
  std::string dataset;
  Budget budget;
  Guarantee spent_before;
  Guarantee spent_after;
  std::optional<int64_t> entry = {};  ///< that paid for the run
  std::optional<bool> fits = {};      ///< of a plan: whether the account would pay for it now
  std::optional<double> largest_epsilon = {};  ///< of one that does not fit: the largest known to
};

}  // namespace equinoise
