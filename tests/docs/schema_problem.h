// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "equinoise/base/lists.h"

namespace equinoise::testing {

/// The file in docs/schemas of a kind of document: "synth --dry-run" is in synth_dry_run.json.
inline std::string schema_file_of(const std::string& kind) {
  return std::regex_replace(kind, std::regex("[ -]+"), "_") + ".json";
}

/// What is wrong with a value by a schema of docs/schemas; "": nothing.
template <typename AnyJson>
std::string problem_in(const AnyJson& value, const AnyJson& schema, const std::string& place) {
  const auto is_of = [&](const std::string& type) {
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    return type == value.type_name();
  };
  if (schema.contains("const") && value != schema["const"]) return place + " is another word";
  if (schema.contains("enum")) {
    const AnyJson& words = schema["enum"];
    if (!contains(words, value)) return place + " is no word";
  }
  if (schema.contains("anyOf")) {
    std::string problems;
    for (const AnyJson& form : schema["anyOf"]) {
      const std::string problem = problem_in(value, form, place);
      if (problem.empty()) return "";
      problems += (problems.empty() ? "" : " or ") + problem;
    }
    return problems;
  }
  if (schema.contains("type")) {
    const AnyJson types =
        schema["type"].is_array() ? schema["type"] : AnyJson::array({schema["type"]});
    if (std::ranges::none_of(types, is_of)) return place + " is no " + schema["type"].dump();
  }
  if (value.is_array() && schema.contains("items")) {
    if (schema.contains("minItems") && value.size() != schema["minItems"])
      return place + " has another size";
    for (size_t i = 0; i < value.size(); ++i) {
      const std::string problem =
          problem_in(value[i], schema["items"], place + "[" + std::to_string(i) + "]");
      if (!problem.empty()) return problem;
    }
  }
  if (!value.is_object() || !schema.contains("additionalProperties")) return "";
  for (const AnyJson& name : schema.value("required", AnyJson::array()))
    if (!value.contains(name.template get<std::string>()))
      return place + " lacks " + name.template get<std::string>();
  const AnyJson& others = schema["additionalProperties"];
  for (const auto& [name, member] : value.items()) {
    const bool is_declared = schema.contains("properties") && schema["properties"].contains(name);
    if (!is_declared && others == false) return place + " has an undeclared " + name;
    const std::string problem =
        problem_in(member, is_declared ? schema["properties"][name] : others, place + "." + name);
    if (!problem.empty()) return problem;
  }
  return "";
}

}  // namespace equinoise::testing
