// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "equinoise/data/engine/adbc_interface.h"

namespace equinoise::testing {

/// What the driver in fake_adbc_driver.cc does, and did.
struct FakeAdbc {
  int version = ADBC_VERSION_1_1_0;  ///< the newest that it knows
  bool is_complete = true;           ///< no function is missing
  std::string failing;               ///< begins the call that fails, as it stands in `calls`
  AdbcStatusCode status = ADBC_STATUS_INTERNAL;
  std::string sqlstate = "00000";
  std::function<ArrowSchema()> types;
  std::function<ArrowArrayStream()> result;
  AdbcStatusCode status_of_stream = ADBC_STATUS_OK;

  std::vector<std::string> calls;
  int num_open = 0;  ///< objects and errors that are not released
};

/// The type of `fake_adbc`, a C function of the driver.
using FakeAdbcFunction = FakeAdbc*();

}  // namespace equinoise::testing
