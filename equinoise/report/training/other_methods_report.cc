// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/training/other_methods_report.h"

#include <fmt/format.h>

namespace equinoise {

std::string other_methods_text(const TrainingReport& report) {
  if (report.other_methods.empty()) return "";
  std::string text = "Other methods for this target, which this plan does not rank:\n";
  for (const OtherMethod& other : report.other_methods) {
    text +=
        fmt::format("  {} (docs/methods/{}.md): {}\n", other.method, other.method, other.purpose);
    for (const std::string& note : other.notes)
      text += fmt::format("    at this epsilon: {}\n", note);
  }
  return text + "Compare them on a public table like yours: equinoise compare --public-data\n";
}

}  // namespace equinoise
