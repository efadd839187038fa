// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "equinoise/base/lists.h"
#include "equinoise/report/field_json.h"

namespace equinoise::testing {

// JSON Schemas (2020-12) of what field_json.h writes, from the declared fields alone.

using SchemaJson = nlohmann::ordered_json;

/// An object under construction.
struct ObjectSchema {
  SchemaJson properties = SchemaJson::object();
  SchemaJson required = SchemaJson::array();

  void add(const std::string& name, SchemaJson schema, std::string_view meaning, bool is_required) {
    if (!meaning.empty()) schema["description"] = meaning;
    properties[name] = std::move(schema);
    if (is_required) required.push_back(name);
  }
  SchemaJson schema() const {
    return {{"type", "object"},
            {"properties", properties},
            {"required", required},
            {"additionalProperties", false}};
  }
};

inline SchemaJson typed(const SchemaJson& type) { return {{"type", type}}; }

/// The same or null.
inline SchemaJson or_null(SchemaJson schema) {
  if (schema.empty()) return schema;  // anything
  if (schema.contains("type") && schema["type"].is_string()) {
    schema["type"] = SchemaJson::array({schema["type"], "null"});
    return schema;
  }
  if (schema.contains("type")) return schema;
  return {{"anyOf", SchemaJson::array({schema, typed("null")})}};
}

inline SchemaJson list_of(const SchemaJson& items) { return {{"type", "array"}, {"items", items}}; }

inline SchemaJson number_schema() { return or_null(typed("number")); }

inline SchemaJson interval_schema() {
  return {{"type", "array"}, {"items", number_schema()}, {"minItems", 2}, {"maxItems", 2}};
}

inline void add_figure(ObjectSchema& object, const std::string& name, std::string_view meaning,
                       bool is_required) {
  object.add(name, number_schema(), meaning, is_required);
  object.add(name + "_interval", interval_schema(), "", is_required);
}

template <typename Owner>
void add_fields(ObjectSchema& object, DocumentSet document, bool is_required);

template <typename Value>
SchemaJson schema_of(DocumentSet document) {
  if constexpr (HasFields<Value>) {
    ObjectSchema object;
    add_fields<Value>(object, document, true);
    return object.schema();
  } else if constexpr (is_optional<Value>) {
    return or_null(schema_of<typename Value::value_type>(document));
  } else if constexpr (is_variant<Value>) {
    SchemaJson forms = SchemaJson::array();
    [&]<typename... Forms>(std::type_identity<std::variant<Forms...>>) {
      (forms.push_back(schema_of<Forms>(document)), ...);
    }(std::type_identity<Value>());
    return {{"anyOf", forms}};
  } else if constexpr (std::is_same_v<Value, bool>) {
    return typed("boolean");
  } else if constexpr (std::is_integral_v<Value>) {
    return typed("integer");
  } else if constexpr (std::is_floating_point_v<Value>) {
    return number_schema();
  } else if constexpr (std::is_same_v<Value, Epsilon>) {
    return typed("number");
  } else if constexpr (std::is_same_v<Value, Interval>) {
    return interval_schema();
  } else if constexpr (std::is_enum_v<Value>) {
    return {{"enum", words_of(words_for<Value>)}};
  } else if constexpr (std::is_convertible_v<Value, std::string_view>) {
    return typed("string");
  } else if constexpr (std::is_same_v<Value, SchemaJson>) {
    return SchemaJson::object();
  } else if constexpr (std::is_same_v<Value, Guarantee>) {
    ObjectSchema object;
    for (const char* name : {"epsilon", "delta"}) object.add(name, typed("number"), "", true);
    for (const char* name : {"accountant", "relation"}) object.add(name, typed("string"), "", true);
    return object.schema();
  } else if constexpr (std::is_same_v<Value, GroupLabel>) {
    return {{"type", "object"}, {"additionalProperties", typed("string")}};
  } else if constexpr (std::is_same_v<Value, NamedFigures>) {
    return {{"type", "object"}, {"additionalProperties", number_schema()}};
  } else if constexpr (is_vector<Value> && !std::is_same_v<Value, std::vector<Setting>>) {
    return list_of(schema_of<typename Value::value_type>(document));
  } else {
    return typed("object");  // with a form of its own: events, options, networks
  }
}

/// The keys of members that no fields declare: figures, which depend on the target.
template <typename Held>
void add_held(ObjectSchema& object, DocumentSet document, bool is_required) {
  if constexpr (HasFields<Held>) {
    add_fields<Held>(object, document, is_required);
  } else if constexpr (std::is_same_v<Held, Cost>) {
    add_figure(object, "accuracy_cost", "Accuracy that is lost", false);
    add_figure(object, "loss_cost", "Loss that is added", is_required);
  } else {
    constexpr bool is_of_class = std::is_same_v<Held, ClassMetrics>;
    if (!is_of_class) object.add("num_records", typed("integer"), "Judged records", is_required);
    for (const MetricRow& row : metric_rows())
      if (row.of_classes || !is_of_class) add_figure(object, std::string(row.name), "", false);
  }
}

template <typename Owner, typename Value>
void add_value(ObjectSchema& object, DocumentSet document, const auto& field, bool is_required) {
  if constexpr (std::is_same_v<Value, Estimate>) {
    add_figure(object, std::string(field.name), field.meaning, is_required);
  } else {
    SchemaJson schema = typed("array");  // of itself: no deeper
    if constexpr (!std::is_same_v<Value, std::vector<Owner>>) schema = schema_of<Value>(document);
    object.add(std::string(field.name),
               field.when_empty == WhenEmpty::kNull ? or_null(schema) : schema, field.meaning,
               is_required && field.when_empty != WhenEmpty::kLeftOut);
  }
}

template <typename Owner, typename Value, bool is_read>
void add_field(ObjectSchema& object, DocumentSet document,
               const Field<Owner, Value, is_read>& field, bool is_required) {
  add_value<Owner, Value>(object, document, field, is_required);
}

template <typename Owner, typename Value>
void add_field(ObjectSchema& object, DocumentSet document, const Computed<Owner, Value>& field,
               bool is_required) {
  add_value<Owner, Value>(object, document, field, is_required);
}

template <typename Owner, typename Held>
void add_field(ObjectSchema& object, DocumentSet document, const Members<Owner, Held>&,
               bool is_required) {
  if constexpr (is_optional<Held>) {
    add_held<typename Held::value_type>(object, document, false);
  } else {
    add_held<Held>(object, document, is_required);
  }
}

template <typename Owner>
void add_field(ObjectSchema& object, DocumentSet, const Derived<Owner>& field, bool is_required) {
  std::string names(field.name);
  for (size_t begin = 0; begin < names.size();) {
    const size_t end = std::min(names.find(", ", begin), names.size());
    std::string name = names.substr(begin, end - begin);
    const bool is_optional_key = name.ends_with('?');
    if (is_optional_key) name.pop_back();
    object.add(name, SchemaJson::object(), field.meaning, is_required && !is_optional_key);
    begin = end + 2;
  }
}

template <typename Owner>
void add_fields(ObjectSchema& object, DocumentSet document, bool is_required) {
  for_each_field<Owner>(
      document, [&](const auto& field) { add_field(object, document, field, is_required); });
}

/// The schema of a document of that kind.
template <typename Report>
SchemaJson document_schema(const std::string& kind, DocumentSet document) {
  ObjectSchema object;
  object.add("notice", typed("string"), "What may not be done with it", false);
  object.add(kNotPublishable, list_of(typed("string")), "Paths of what must not be published",
             false);
  object.add("notice_of_choice", typed("string"), "What may not be chosen by it", false);
  object.add("schema", {{"const", kReportSchema}}, "Format", true);
  object.add("kind", {{"const", kind}}, "Kind of document", true);
  add_fields<Report>(object, document, true);
  SchemaJson schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                       {"title", kind}};
  schema.update(object.schema());
  return schema;
}

}  // namespace equinoise::testing
