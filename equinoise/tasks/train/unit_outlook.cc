// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/unit_outlook.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "equinoise/base/error.h"
#include "equinoise/privacy/accountants/zcdp.h"

namespace equinoise {

UnitOutlook outlook_on_units(const Schema& schema, Epsilon epsilon, Delta delta) {
  if (!schema.has_unit_column()) {
    throw Error(ErrorKind::kUsage, "tasks.unit_outlook",
                "each row of this schema is a unit; write unit = \"COLUMN\", of which one may have "
                "several rows, and max_records_per_unit = NUMBER");
  }
  UnitOutlook outlook;
  outlook.version = EQUINOISE_VERSION;
  outlook.dataset = schema.dataset;
  outlook.unit = schema.unit;
  outlook.privacy = {epsilon, delta, AccountantName::kZcdp, Relation::kZeroOut};
  if (schema.num_records > 0) outlook.num_units = schema.num_records;
  const auto rows_kept = [&](int64_t max_records) {
    int64_t kept = 0;
    for (const auto& [rows, units] : schema.rows_per_unit)
      kept += std::min(rows, max_records) * units;
    return kept;
  };
  if (!schema.rows_per_unit.empty())
    outlook.num_rows = rows_kept(schema.rows_per_unit.rbegin()->first);
  std::set<int64_t> bounds = {1, 2, 5, 10, 20, 50, 100, schema.max_records_per_unit};
  const double row_noise = 1 / std::sqrt(2 * zcdp_rho_for(epsilon, delta).value());
  for (const int64_t bound : bounds) {
    UnitOutlook::Row& row = outlook.rows.emplace_back();
    row.max_records = bound;
    row.is_declared = bound == schema.max_records_per_unit;
    row.count_noise = static_cast<double>(bound) * row_noise;
    if (!outlook.num_rows) continue;
    row.num_kept = rows_kept(bound);
    row.mean_noise = row.count_noise / 2 / static_cast<double>(*row.num_kept);
    row.largest_bias =
        1 - static_cast<double>(*row.num_kept) / static_cast<double>(*outlook.num_rows);
  }
  return outlook;
}

}  // namespace equinoise
