// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/means/group_sizes_report.h"

#include <fmt/format.h>

#include "equinoise/report/format.h"
#include "equinoise/report/ledger/ledger_text.h"
#include "equinoise/report/page/document.h"
#include "equinoise/report/page/text_table.h"

namespace equinoise {

std::string group_sizes_to_text(const GroupSizesReport& report) {
  TextTable table{"", {columns_of(report.rows.front().group), report.counted, "from"}};
  bool is_any_declared = false;
  for (const GroupSizesReport::Row& row : report.rows) {
    is_any_declared = is_any_declared || row.is_declared;
    table.rows.push_back({values_of(row.group), row.size ? format_count(*row.size) : "-",
                          row.is_declared  ? "schema"
                          : report.is_plan ? "to be released"
                                           : "released"});
  }
  std::string text = to_text(table);
  text += fmt::format(
      "Each count that is released has noise of standard deviation {:.3g}. One below the noise's "
      "scale is raised to it; then they are\nscaled down where they add up to more than the schema "
      "allows, and up where they must make up all of it{}.\n",
      report.noise_stddev, is_any_declared ? "; sizes of the schema stay as they are" : "");
  text += lines_of(report.in_words);
  text += report.privacy ? fmt::format("Guarantee: {}\n", format_guarantee(*report.privacy))
                         : std::string("Guarantee: NONE, the noise came from a known seed\n");
  if (report.ledger) text += lines_of(account_sentences(*report.ledger));
  if (report.files.empty() && !report.toml.empty())
    text += std::string(report.privacy ? "\nTo be added to the schema:\n"
                                       : "\nNOT PRIVATE, for tests alone:\n") +
            report.toml + "\n";
  text += warnings_to_text(report.warnings);
  return text +
         to_text(marked(report.files, report.privacy ? Fence::kPublishable : Fence::kUnprotected));
}

}  // namespace equinoise
