// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/training/unit_outlook.h"

#include <fmt/format.h>

#include "equinoise/report/format.h"
#include "equinoise/report/page/text_table.h"

namespace equinoise {

std::string unit_outlook_to_text(const UnitOutlook& outlook) {
  const std::string& unit = outlook.unit;
  std::string text = fmt::format(
      "What max_records_per_unit costs, for one {} on {} at {}, from public facts alone; the table "
      "was not read and nothing was spent\n\n",
      unit, outlook.dataset, format_guarantee(outlook.privacy));
  TextTable table{"", {"rows that count", "noise of a count"}};
  if (outlook.num_rows)
    table.head.insert(table.head.end(), {"rows kept", "share", "noise of a mean", "largest bias"});
  for (const UnitOutlook::Row& row : outlook.rows) {
    std::vector<std::string>& line = table.rows.emplace_back();
    line = {fmt::format("{}{}", format_count(row.max_records), row.is_declared ? " (schema)" : ""),
            format_amount(row.count_noise)};
    if (!outlook.num_rows) continue;
    const double share =
        static_cast<double>(*row.num_kept) / static_cast<double>(*outlook.num_rows);
    line.insert(line.end(), {format_count(*row.num_kept), format_percent(share) + " %",
                             format_amount(*row.mean_noise), format_amount(*row.largest_bias)});
  }
  text += to_text(table);
  text += fmt::format(
      "\nNoise of a count: standard deviation, if one number of rows is all that is released.\n");
  if (outlook.num_rows) {
    text += fmt::format(
        "Noise of a mean, and largest bias, in widths of the column's bounds, of the mean of all "
        "rows: the noise of its sum if nothing else is released,\nand how far the rows that are "
        "left out can move it at most: they do so if they differ from the others as much as bounds "
        "allow.\n");
  } else {
    text += fmt::format(
        "How many rows would be left out is not public; where it is, declare [[public."
        "rows_per_unit]] with rows and num_units in the schema.\n");
  }
  text += fmt::format(
      "Models: batches are drawn over {0} and the gradient of one {0} is clipped as a whole, so "
      "that noise does not grow with the rows that count.\n",
      unit);
  return text;
}

}  // namespace equinoise
