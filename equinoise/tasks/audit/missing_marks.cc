// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/audit/missing_marks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "equinoise/data/values/missing_marks.h"

namespace equinoise {

bool is_usual_missing_mark(std::string_view text) {
  return std::find(kUsualMissingMarks.begin(), kUsualMissingMarks.end(), text) !=
         kUsualMissingMarks.end();
}

std::string na_option(std::string_view mark) { return fmt::format("--na '{}'", mark); }

std::string advice_on_marks(const std::vector<std::string>& outcomes) {
  std::vector<std::string> marks;
  std::copy_if(outcomes.begin(), outcomes.end(), std::back_inserter(marks), is_usual_missing_mark);
  if (marks.empty()) return "";
  std::vector<std::string> options;
  for (const std::string& mark : marks) options.push_back(na_option(mark));
  return fmt::format("; if '{}' {}, give {}", fmt::join(marks, "', '"),
                     marks.size() == 1 ? "marks a missing outcome" : "mark missing outcomes",
                     fmt::join(options, " "));
}

}  // namespace equinoise
