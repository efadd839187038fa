// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/input/run_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "equinoise/base/lists.h"
#include "equinoise/base/read_text.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.run_file";
constexpr std::string_view kVersionKey = "equinoise_run";
constexpr std::string_view kCommandKey = "command";
constexpr int64_t kVersion = 1;

OptionValue read_list(const TomlSection& root, const toml::array& list, std::string_view key) {
  std::vector<double> numbers;
  std::vector<std::string> texts;
  for (const toml::node& node : list) {
    if (const std::optional<double> number = node.value<double>(); number && !node.is_string())
      numbers.push_back(*number);
    if (const auto* text = node.as_string()) texts.push_back(text->get());
  }
  if (numbers.size() == list.size()) return numbers;
  if (texts.size() == list.size()) return texts;
  root.fail(key, fmt::format("{} must be a list of only numbers or only strings", key));
}

std::string to_toml(const OptionValue& value) {
  return std::visit(
      [](const auto& held) -> std::string {
        using Held = std::decay_t<decltype(held)>;
        std::vector<std::string> parts;
        if constexpr (std::is_same_v<Held, std::string>) {
          return toml_string(held);
        } else if constexpr (std::is_arithmetic_v<Held>) {
          return fmt::format("{}", held);
        } else if constexpr (std::is_same_v<Held, std::map<std::string, double>>) {
          for (const auto& [name, number] : held)
            parts.push_back(fmt::format("{} = {}", toml_key(name), number));
          return fmt::format("{{ {} }}", fmt::join(parts, ", "));
        } else {
          for (const auto& part : held) {
            if constexpr (std::is_same_v<Held, std::vector<double>>) {
              parts.push_back(fmt::format("{}", part));
            } else {
              parts.push_back(toml_string(part));
            }
          }
          return fmt::format("[{}]", fmt::join(parts, ", "));
        }
      },
      value);
}

}  // namespace

OptionValue read_option_value(const TomlSection& section, std::string_view key) {
  const toml::node& node = *section.table().get(key);
  if (const auto* value = node.as_boolean()) return value->get();
  if (const auto* value = node.as_integer()) return value->get();
  if (const auto* value = node.as_floating_point()) return value->get();
  if (const auto* value = node.as_string()) return value->get();
  if (const auto* list = node.as_array()) return read_list(section, *list, key);
  const auto* table = node.as_table();
  if (table == nullptr)
    section.fail(key,
                 fmt::format("{} is a date or time, which no option takes; put it in quotes", key));
  std::map<std::string, double> named;
  for (const auto& [name, part] : *table) {
    if (!part.is_number()) {
      section.fail(key,
                   fmt::format("{0} must hold numbers by name, e.g. {0} = {{ Female = 2 }}", key));
    }
    named.emplace(name.str(), *part.value<double>());
  }
  return named;
}

RunFile read_run_file(const std::filesystem::path& path) {
  const std::string origin = path.string();
  const toml::table table = parse_toml(read_text(path, kWhere), origin, kWhere);
  const TomlSection root(table, "", origin, kWhere);
  const std::optional<int64_t> version = root.integer(kVersionKey);
  if (!version) root.fail_missing(kVersionKey, fmt::format("{} = {}", kVersionKey, kVersion));
  if (*version != kVersion) {
    root.fail(
        kVersionKey,
        fmt::format("{} = {} is another version of run files; this version of equinoise reads {}",
                    kVersionKey, *version, kVersion));
  }
  RunFile file;
  const std::optional<std::string> command = root.text(kCommandKey);
  if (!command) root.fail_missing(kCommandKey, fmt::format("{} = \"train\"", kCommandKey));
  file.command = *command;
  for (const auto& [key, node] : root.in_file_order()) {
    const std::string name(key->str());
    if (name == kVersionKey || name == kCommandKey) continue;
    file.settings.push_back({{name, read_option_value(root, name)},
                             fmt::format("{}:{}", origin, node->source().begin.line)});
  }
  return file;
}

std::string run_file_text(const std::string& command, const std::vector<Setting>& asked,
                          const std::vector<Setting>& settled) {
  std::string text = fmt::format(
      "# equinoise {0} --config {1} --out FOLDER repeats this run; options on the command line "
      "take\n# precedence over those in this file.\n{2} = {3}\n{4} = {5}\n\n",
      command, kRunFileName, kVersionKey, kVersion, kCommandKey, toml_string(command));
  const auto add = [&](const Setting& setting) {
    text += fmt::format("{} = {}\n", toml_key(setting.name), to_toml(setting.value));
  };
  for (const Setting& setting : asked) {
    const bool is_settled = contains(settled, setting.name, &Setting::name);
    if (!is_settled) add(setting);
  }
  if (!settled.empty()) text += "\n# The values that the run used, including defaults.\n";
  for (const Setting& setting : settled) add(setting);
  return text;
}

}  // namespace equinoise
