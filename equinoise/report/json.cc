// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/json.h"

#include <cmath>

#include "equinoise/base/enum_words.h"
#include "equinoise/base/lists.h"
#include "equinoise/report/page/fence.h"

namespace equinoise {

nlohmann::ordered_json json_document(std::string_view kind, const nlohmann::ordered_json& members) {
  nlohmann::ordered_json json = {{"schema", kReportSchema}, {"kind", kind}};
  json.update(members);
  return json;
}

nlohmann::ordered_json confidential_notices(std::string_view figures) {
  return {{"notice", kDoNotPublish + std::string(figures)}, {"notice_of_choice", kDoNotChooseBy}};
}

namespace {

void add_paths(const nlohmann::ordered_json& less, const nlohmann::ordered_json& value,
               const std::string& path, std::vector<std::string>& paths) {
  const auto add = [&](const std::string& found) {
    if (!contains(paths, found)) paths.push_back(found);
  };
  if (value.is_object() && less.is_object()) {
    for (const auto& [key, member] : value.items()) {
      const std::string below = path.empty() ? key : path + "." + key;
      const auto same = less.find(key);
      same == less.end() ? add(below) : add_paths(*same, member, below, paths);
    }
  } else if (value.is_array() && less.is_array() && value.size() == less.size()) {
    for (size_t i = 0; i < value.size(); ++i) add_paths(less[i], value[i], path + "[]", paths);
  } else if (value.is_structured() || (value.is_number() && !less.is_number())) {
    add(path);
  }
}

}  // namespace

std::vector<std::string> paths_beyond(const nlohmann::ordered_json& less,
                                      const nlohmann::ordered_json& object) {
  std::vector<std::string> paths;
  add_paths(less, object, "", paths);
  return paths;
}

std::string to_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

nlohmann::ordered_json option_to_json(const OptionValue& value) {
  return std::visit([](const auto& held) { return nlohmann::ordered_json(held); }, value);
}

nlohmann::ordered_json to_json(const std::vector<Setting>& options) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const Setting& option : options) json[option.name] = option_to_json(option.value);
  return json;
}

nlohmann::ordered_json to_json(const NetworkOptions& network) {
  nlohmann::ordered_json json = {{"hidden", network.hidden},
                                 {"activation", word_of(kActivations, network.activation)}};
  if (!network.channels.empty()) {
    json["channels"] = network.channels;
    json["kernel_size"] = network.kernel_size;
    json["pooling"] = word_of(kPoolings, network.pooling);
  }
  return json;
}

nlohmann::ordered_json to_json(const NamedFigures& figures) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [name, value] : figures) {
    const bool is_whole = value == std::floor(value) && std::fabs(value) < 0x1p53;
    json[name] = is_whole ? nlohmann::ordered_json(static_cast<int64_t>(value))
                          : nlohmann::ordered_json(value);
  }
  return json;
}

nlohmann::ordered_json to_json(const GroupLabel& group) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [column, value] : group) json[column] = value;
  return json;
}

nlohmann::ordered_json number_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

}  // namespace equinoise
