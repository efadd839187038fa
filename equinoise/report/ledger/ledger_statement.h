// SPDX-License-Identifier: Apache-2.0
#pragma once

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
};

}  // namespace equinoise
