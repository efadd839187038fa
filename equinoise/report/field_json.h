// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "equinoise/report/fields.h"
#include "equinoise/report/group_json.h"
#include "equinoise/report/json.h"
#include "equinoise/report/json_reader.h"
#include "equinoise/report/ledger/ledger_json.h"

namespace equinoise {

// Values as JSON, and back. Numbers that are not finite are null, which is read as NaN; an
// enumeration with `words_for` is its word. Errors of readers: kInput, naming file and member.

template <typename Value>
inline constexpr bool is_optional = false;
template <typename Value>
inline constexpr bool is_optional<std::optional<Value>> = true;
template <typename Value>
inline constexpr bool is_vector = false;
template <typename Value>
inline constexpr bool is_vector<std::vector<Value>> = true;
template <typename Value>
inline constexpr bool is_variant = false;
template <typename... Values>
inline constexpr bool is_variant<std::variant<Values...>> = true;

template <typename Owner>
void write_fields(const Owner& owner, const FieldScope& scope, nlohmann::ordered_json& object);
template <typename Owner>
Owner read_fields(const OrderedJsonSection& section, const FieldScope& scope);

template <typename Value>
nlohmann::ordered_json json_of(const Value& value, const FieldScope& scope) {
  using Json = nlohmann::ordered_json;
  if constexpr (std::is_same_v<Value, Json>) {
    return value;  // first, because Json also converts to the types below
  } else if constexpr (HasFields<Value>) {
    Json object = Json::object();
    write_fields(value, scope, object);
    return object;
  } else if constexpr (is_optional<Value>) {
    return value ? json_of(*value, scope) : Json(nullptr);
  } else if constexpr (std::is_floating_point_v<Value>) {
    return number_or_null(value);
  } else if constexpr (std::is_same_v<Value, Interval>) {
    return interval_to_json(value);
  } else if constexpr (std::is_same_v<Value, Epsilon>) {
    return value.value();
  } else if constexpr (std::is_enum_v<Value>) {
    return word_of(words_for<Value>, value);
  } else if constexpr (std::is_same_v<Value, Event>) {
    return value.to_json();
  } else if constexpr (requires { to_json(value); }) {
    return to_json(value);
  } else if constexpr (is_variant<Value>) {
    return std::visit([&](const auto& held) { return json_of(held, scope); }, value);
  } else if constexpr (is_vector<Value>) {
    Json list = Json::array();
    for (const auto& part : value) list.push_back(json_of(part, scope));
    return list;
  } else {
    return value;
  }
}

template <typename Value>
Value read_value(const OrderedJsonSection& section, const std::string& key,
                 const FieldScope& scope) {
  if constexpr (std::is_same_v<Value, LedgerStatement>) {
    return read_ledger_statement(section.section(key));
  } else if constexpr (HasFields<Value>) {
    return read_fields<Value>(section.section(key), scope);
  } else if constexpr (is_optional<Value>) {
    if (section.member(key).is_null()) return std::nullopt;
    return read_value<typename Value::value_type>(section, key, scope);
  } else if constexpr (std::is_same_v<Value, bool>) {
    return section.flag(key);
  } else if constexpr (std::is_same_v<Value, uint64_t>) {
    return section.unsigned_integer(key);
  } else if constexpr (std::is_integral_v<Value>) {
    return read_count(section, key);
  } else if constexpr (std::is_floating_point_v<Value>) {
    return read_number(section, key);
  } else if constexpr (std::is_enum_v<Value>) {
    return read_word(section, key, words_for<Value>);
  } else if constexpr (std::is_same_v<Value, std::string>) {
    return section.text(key);
  } else if constexpr (std::is_same_v<Value, Interval>) {
    return read_interval(section, key);
  } else if constexpr (std::is_same_v<Value, Epsilon>) {
    return read_epsilon(section, key);
  } else if constexpr (std::is_same_v<Value, Event>) {
    return read_event(section, key);
  } else if constexpr (std::is_same_v<Value, Guarantee>) {
    const std::optional<Guarantee> guarantee = read_guarantee(section, key);
    if (!guarantee) section.wrong(key, "a guarantee");
    return *guarantee;
  } else if constexpr (std::is_same_v<Value, GroupLabel>) {
    return read_group(section, key);
  } else if constexpr (std::is_same_v<Value, std::vector<Event>>) {
    return read_events(section, key);
  } else if constexpr (std::is_same_v<Value, std::vector<Setting>>) {
    return read_options(section, key);
  } else if constexpr (std::is_same_v<Value, NamedFigures>) {
    return read_figures(section, key);
  } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
    return section.texts(key);
  } else if constexpr (std::is_same_v<Value, std::vector<double>>) {
    return read_numbers(section, key);
  } else if constexpr (std::is_same_v<Value, std::vector<int64_t>>) {
    const std::vector<size_t> counts = section.unsigned_integers(key);
    return Value(counts.begin(), counts.end());
  } else {
    Value list;
    for (const OrderedJsonSection& part : section.sections(key)) {
      if constexpr (std::is_same_v<Value, std::vector<GroupLabel>>) {
        list.push_back(read_label(part));
      } else {
        list.push_back(read_fields<typename Value::value_type>(part, scope));
      }
    }
    return list;
  }
}

template <HasFields Owner>
void add_members(nlohmann::ordered_json& object, const Owner& owner, const FieldScope& scope) {
  write_fields(owner, scope, object);
}

/// Reads the members if the last of them is present.
template <HasFields Owner>
void read_members(const OrderedJsonSection& section, const FieldScope& scope,
                  std::optional<Owner>& owner) {
  constexpr size_t kLast = std::tuple_size_v<std::remove_const_t<decltype(fields_of<Owner>)>> - 1;
  if (section.has(std::string(std::get<kLast>(fields_of<Owner>).name)))
    owner = read_fields<Owner>(section, scope);
}

template <typename Value>
bool is_empty(const Value& value) {
  if constexpr (is_optional<Value>) return !value;
  if constexpr (std::is_same_v<Value, bool>) return !value;
  if constexpr (requires { value.empty(); }) return value.empty();
  return false;
}

/// Writes a value under the key of its field.
template <typename AnyField, typename Value>
void write_value(const AnyField& field, const Value& value, const FieldScope& scope,
                 nlohmann::ordered_json& object) {
  const std::string key(field.name);
  if constexpr (std::is_same_v<Value, Estimate>) {
    add_estimate(object, key, value);
  } else if (!is_empty(value) || field.when_empty == WhenEmpty::kAsItIs) {
    object[key] = json_of(value, scope);
  } else if (field.when_empty == WhenEmpty::kNull) {
    object[key] = nullptr;
  }
}

/// The struct with the field, which may have been declared for a base of it.
template <typename Owner>
using Whole = std::type_identity_t<Owner>;

template <typename Owner, typename Value, bool is_read>
void write_field(const Field<Owner, Value, is_read>& field, const Whole<Owner>& owner,
                 const FieldScope& scope, nlohmann::ordered_json& object) {
  write_value(field, owner.*field.member, scope, object);
}

template <typename Owner, typename Value>
void write_field(const Computed<Owner, Value>& field, const Whole<Owner>& owner,
                 const FieldScope& scope, nlohmann::ordered_json& object) {
  write_value(field, field.of(owner), scope, object);
}

template <typename Owner, typename Value>
void read_field(const Computed<Owner, Value>&, const OrderedJsonSection&, const FieldScope&,
                Whole<Owner>&) {}

template <typename Owner, typename Value, bool is_read>
void read_field(const Field<Owner, Value, is_read>& field, const OrderedJsonSection& section,
                const FieldScope& scope, Whole<Owner>& owner) {
  std::string key(field.name);
  if (!section.has(key) && !field.earlier.empty() && section.has(std::string(field.earlier)))
    key = field.earlier;
  if constexpr (std::is_same_v<Value, Estimate>) {
    if (field.when_empty == WhenEmpty::kNull && !section.has(key)) return;
    owner.*field.member = read_estimate(section, key);
  } else if constexpr (is_read) {
    if (field.when_empty != WhenEmpty::kAsItIs && !section.has(key)) return;
    if (field.when_empty == WhenEmpty::kNull && section.member(key).is_null()) return;
    owner.*field.member = read_value<Value>(section, key, scope);
  }
}

template <typename Owner, typename Member>
void write_field(const Members<Owner, Member>& field, const Whole<Owner>& owner,
                 const FieldScope& scope, nlohmann::ordered_json& object) {
  const Member& member = owner.*field.member;
  if constexpr (is_optional<Member>) {
    if (member) add_members(object, *member, scope);
  } else {
    add_members(object, member, scope);
  }
}

template <typename Owner, typename Member>
void read_field(const Members<Owner, Member>& field, const OrderedJsonSection& section,
                const FieldScope& scope, Whole<Owner>& owner) {
  if constexpr (is_optional<Member>) {
    read_members(section, scope, owner.*field.member);
  } else {
    owner.*field.member = read_fields<Member>(section, scope);
  }
}

template <typename Owner>
void write_field(const Derived<Owner>& field, const Whole<Owner>& owner, const FieldScope& scope,
                 nlohmann::ordered_json& object) {
  field.write(owner, scope, object);
}

template <typename Owner>
void read_field(const Derived<Owner>& field, const OrderedJsonSection& section,
                const FieldScope& scope, Whole<Owner>& owner) {
  if (field.read != nullptr) field.read(section, scope, owner);
}

/// Calls `use(field)` for each field that belongs to the document.
template <typename Owner, typename Use>
void for_each_field(DocumentSet document, const Use& use) {
  const auto use_told = [&](const auto& field) {
    if ((field.documents & document) != 0) use(field);
  };
  std::apply([&](const auto&... fields) { (use_told(fields), ...); }, fields_of<Owner>);
}

/// Appends the fields that belong to scope.document to the object.
template <typename Owner>
void write_fields(const Owner& owner, const FieldScope& scope, nlohmann::ordered_json& object) {
  for_each_field<Owner>(scope.document,
                        [&](const auto& field) { write_field(field, owner, scope, object); });
}

/// A document of that kind with the fields of a report that belong to it. `notices` come first.
template <typename Report>
nlohmann::ordered_json document_of(
    std::string_view kind, const Report& report, const FieldScope& scope = {},
    nlohmann::ordered_json notices = nlohmann::ordered_json::object()) {
  notices.update(json_document(kind));
  write_fields(report, scope, notices);
  return notices;
}

/// Reads the fields of a document that write_fields() wrote, then calls complete(owner), if there
/// is one, for members derived from others.
template <typename Owner>
Owner read_fields(const OrderedJsonSection& section, const FieldScope& scope) {
  Owner owner{};
  for_each_field<Owner>(scope.document,
                        [&](const auto& field) { read_field(field, section, scope, owner); });
  if constexpr (requires { complete(owner); }) complete(owner);
  return owner;
}

}  // namespace equinoise
