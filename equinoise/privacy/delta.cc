// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/delta.h"

#include <fmt/format.h>

namespace equinoise {

std::string large_delta_warning(double delta, int64_t num_records, std::string_view name) {
  const double limit = 1 / static_cast<double>(num_records);
  if (delta < limit) return "";
  return fmt::format(
      "delta {:g} is not below 1 / {} = {:.3g}: the guarantee would allow publishing {}", delta,
      name, limit, name == "num_records" ? "a whole record" : "all rows of a unit");
}

}  // namespace equinoise
