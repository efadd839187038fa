// SPDX-License-Identifier: Apache-2.0
#include "cli/name_options.h"

#include "equinoise/base/quotes.h"

namespace equinoise::cli {

namespace {

constexpr const char* kTypeName = "NAME,...";

}  // namespace

CLI::Option* add_names(CLI::App& command, const std::string& flag, std::vector<std::string>& names,
                       const std::string& help) {
  return command
      .add_option_function<std::vector<std::string>>(
          flag,
          [&names](const std::vector<std::string>& texts) {
            names.clear();
            for (const std::string& text : texts)
              for (std::string& name : split_names(text)) names.push_back(std::move(name));
          },
          help)
      ->type_name(kTypeName);
}

bool takes_names(const CLI::Option& option) { return option.get_type_name() == kTypeName; }

}  // namespace equinoise::cli
