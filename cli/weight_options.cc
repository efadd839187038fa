// SPDX-License-Identifier: Apache-2.0
#include "cli/weight_options.h"

#include <fmt/format.h>

#include "equinoise/base/quotes.h"
#include "equinoise/tasks/input/record_weights.h"

namespace equinoise::cli {

CLI::Option* add_weight_option(CLI::App& command, std::string& column, const std::string& more) {
  return command
      .add_option_function<std::string>(
          kWeightOption, [&column](const std::string& name) { column = without_quotes(name); },
          "Numeric column with the survey weight of each record, 0 or more" + more +
              " [every record counts as 1]")
      ->type_name("TEXT");
}

std::string why_no_weights(std::string_view command) {
  if (command == "train" || command == "plan") {
    return fmt::format(
        "training has no survey weights: {0} is an option of means, audit and synth evaluate. "
        "Train on the records as they are, and judge the model with equinoise audit {0}; do not "
        "copy records by their weights: the guarantee holds for one copy, and people have several",
        kWeightOption);
  }
  if (command == "synth") {
    return fmt::format(
        "synthetic rows have no survey weights: each stands for as much as any other. Declare the "
        "column of weights as numeric, so that rows have weights of their own, and compare them "
        "with equinoise synth evaluate {0}",
        kWeightOption);
  }
  return "";
}

}  // namespace equinoise::cli
