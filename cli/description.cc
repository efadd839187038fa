// SPDX-License-Identifier: Apache-2.0
#include "cli/description.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "cli/command_tree.h"
#include "cli/commands.h"
#include "cli/method_options.h"
#include "cli/proposals.h"
#include "equinoise/means/registry.h"
#include "equinoise/models/registry.h"
#include "equinoise/synth/registry.h"
#include "equinoise/train/registry.h"

namespace equinoise::cli {

namespace {

using DescriptionJson = nlohmann::ordered_json;

/// A host for a tree of commands of which none is run.
class NoHost final : public ToolHost {
 public:
  void print(std::string_view) override {}
  void tell(const std::string&) noexcept override {}
  std::unique_ptr<TrainProgress> make_progress(bool) override { return nullptr; }
};

/// A list, or null for an empty one.
DescriptionJson list_or_null(const std::vector<std::string>& words) {
  return words.empty() ? DescriptionJson() : DescriptionJson(words);
}

DescriptionJson describe(const CLI::App& command, const CLI::Option& option) {
  const std::string flag = long_flag(option);
  const std::string type = option.get_type_name();
  const std::string usual = option.get_default_str();
  return {{"name", name_of(flag)},
          {"flag", flag},
          {"type", takes_value(option) ? DescriptionJson(type.substr(0, type.find(':'))) : nullptr},
          {"default", usual.empty() ? DescriptionJson() : DescriptionJson(usual)},
          {"help", option.get_description()},
          {"values", list_or_null(known_words(option))},
          {"takes_value", takes_value(option)},
          {"many", option.get_items_expected_max() > 1 || option.get_delimiter() != '\0'},
          {"required", option.get_required()},
          {"group", option.get_group()},
          {"of", list_or_null(owners_of(command.get_name(), name_of(flag)))}};
}

DescriptionJson describe(const CLI::App& command) {
  DescriptionJson options = DescriptionJson::array();
  for (const CLI::Option* option : flags_of(command))
    if (!long_flag(*option).empty()) options.push_back(describe(command, *option));
  return {{"description", command.get_description()}, {"options", options}};
}

template <typename Rows>
DescriptionJson describe_rows(const Rows& rows) {
  DescriptionJson list = DescriptionJson::array();
  for (const auto& row : rows) {
    list.push_back({{"name", row.name}, {"summary", row.summary}});
    if constexpr (requires { row.status; }) list.back()["status"] = to_string(row.status);
  }
  return list;
}

}  // namespace

std::string describe_tool() {
  NoHost host;
  CommonOptions common{host};
  const std::unique_ptr<CLI::App> app = make_tool_app(common);
  DescriptionJson commands = DescriptionJson::object();
  for (const CLI::App* command : all_commands(*app)) {
    if (command == app.get()) continue;
    commands[path_below_tool(*command)] = describe(*command);
  }
  const DescriptionJson json = {{"version", EQUINOISE_VERSION},
                                {"commands", commands},
                                {"methods",
                                 {{"train", describe_rows(training_methods())},
                                  {"means", describe_rows(mean_estimators())},
                                  {"synth", describe_rows(synthesizers())}}},
                                {"models", describe_rows(model_kinds())}};
  return json.dump();
}

}  // namespace equinoise::cli
