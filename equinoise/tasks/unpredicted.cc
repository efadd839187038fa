#include "equinoise/tasks/unpredicted.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equinoise/report/text.h"

namespace equinoise {

std::string unpredicted_note(const EncodedTable& table, const Predictions& predictions) {
  int64_t num_judged = 0;
  int64_t num_unpredicted = 0;
  for (size_t i = 0; i < table.contributes.size(); ++i) {
    if (table.contributes[i] == 0) continue;
    ++num_judged;
    const auto* outputs = &predictions.outputs[i * predictions.num_outputs];
    if (!std::all_of(outputs, outputs + predictions.num_outputs,
                     [](double output) { return std::isfinite(output); }))
      ++num_unpredicted;
  }
  if (num_unpredicted == 0) return "";
  return fmt::format(
      "{} of {} records have no prediction, because what the model gives is not finite (did its "
      "training diverge?){}",
      format_count(num_unpredicted), format_count(num_judged),
      table.classes.empty() ? "" : "; their predicted class means nothing");
}

}  // namespace equinoise
