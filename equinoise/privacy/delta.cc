// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/delta.h"

#include <fmt/format.h>

namespace equinoise {

std::string large_delta_warning(double delta, int64_t num_records) {
  const double limit = 1 / static_cast<double>(num_records);
  if (delta < limit) return "";
  return fmt::format(
      "delta {:g} is not below 1 / num_records = {:.3g}: the guarantee would allow publishing a "
      "whole record",
      delta, limit);
}

}  // namespace equinoise
