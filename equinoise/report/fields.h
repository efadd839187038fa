// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "equinoise/data/schema/json_section.h"

namespace equinoise {

/// An undefined figure, null in JSON.
inline constexpr double kNoFigure = std::numeric_limits<double>::quiet_NaN();

// Fields of a struct in JSON, declared once beside it:
//
//   template <>
//   inline constexpr auto fields_of<LargestLoss> =
//       std::tuple(field("loss", &LargestLoss::loss, "of the released model"),
//                  field("radius", &LargestLoss::radius, "of the parameters that are compared"));
//
// field_json.h writes and reads it.

/// The documents that contain a field: the owner's report, unless the field says otherwise. All
/// others are publishable.
using DocumentSet = unsigned;
struct Documents {
  static constexpr DocumentSet kReport = 1;  ///< of the owner, not private
  static constexpr DocumentSet kCard = 2;
  static constexpr DocumentSet kModel = 4;
  static constexpr DocumentSet kPlan = 8;
  static constexpr DocumentSet kAll = ~0U;
};

/// Facts outside its owner on which the JSON of a field depends.
struct FieldScope {
  DocumentSet document = Documents::kAll;  ///< the document that is written
  size_t num_classes = 0;                  ///< of the target; 0: a number
  bool counts_units = false;  ///< units may have several records; otherwise counts are of records
};

/// The JSON of an empty value: an optional without a value, "", [] or false.
enum class WhenEmpty {
  kAsItIs,   ///< null for an optional, else the value
  kNull,     ///< null; a file may lack the key
  kLeftOut,  ///< left out with its key; a file may lack it
};

/// A member under its key. `is_read` false: it is written but not read.
template <typename Owner, typename Value, bool is_read = true>
struct Field {
  std::string_view name;
  Value Owner::*member;
  std::string_view meaning;
  DocumentSet documents = Documents::kReport;
  WhenEmpty when_empty = WhenEmpty::kAsItIs;
  std::string_view earlier = "";  ///< key in files of earlier versions; "": the same

  constexpr Field in(DocumentSet told) const {
    return {name, member, meaning, told, when_empty, earlier};
  }
  constexpr Field publishable() const { return in(Documents::kAll); }
  constexpr Field or_null() const {
    return {name, member, meaning, documents, WhenEmpty::kNull, earlier};
  }
  constexpr Field or_nothing() const {
    return {name, member, meaning, documents, WhenEmpty::kLeftOut, earlier};
  }
  constexpr Field formerly(std::string_view key) const {
    return {name, member, meaning, documents, when_empty, key};
  }
  constexpr Field<Owner, Value, false> write_only() const {
    return {name, member, meaning, documents, when_empty};
  }
};

template <typename Owner, typename Value>
constexpr Field<Owner, Value> field(std::string_view name, Value Owner::*member,
                                    std::string_view meaning) {
  return {name, member, meaning};
}

/// Fields of the same documents.
template <typename... Fields>
constexpr auto fields_in(DocumentSet documents, const Fields&... fields) {
  return std::tuple(fields.in(documents)...);
}

/// Fields that all documents have.
template <typename... Fields>
constexpr auto publishable(const Fields&... fields) {
  return fields_in(Documents::kAll, fields...);
}

/// A member whose keys are added to those of the owner; for an optional one, if it has a value.
template <typename Owner, typename Member>
struct Members {
  Member Owner::*member;
  std::string_view meaning;
  DocumentSet documents = Documents::kReport;

  constexpr Members in(DocumentSet told) const { return {member, meaning, told}; }
  constexpr Members publishable() const { return in(Documents::kAll); }
};

template <typename Owner, typename Member>
constexpr Members<Owner, Member> members(Member Owner::*member, std::string_view meaning) {
  return {member, meaning};
}

/// A value computed from the owner. It is written but not read.
template <typename Owner, typename Value>
struct Computed {
  std::string_view name;
  Value (*of)(const Owner& owner);
  std::string_view meaning;
  DocumentSet documents = Documents::kReport;
  WhenEmpty when_empty = WhenEmpty::kAsItIs;

  constexpr Computed in(DocumentSet told) const { return {name, of, meaning, told, when_empty}; }
  constexpr Computed publishable() const { return in(Documents::kAll); }
  constexpr Computed or_null() const { return {name, of, meaning, documents, WhenEmpty::kNull}; }
  constexpr Computed or_nothing() const {
    return {name, of, meaning, documents, WhenEmpty::kLeftOut};
  }
};

template <typename Owner, typename Value>
constexpr Computed<Owner, Value> computed(std::string_view name, Value (*of)(const Owner& owner),
                                          std::string_view meaning) {
  return {name, of, meaning};
}

/// Keys that a function of the owner writes, and another one reads if the document is read. `name`:
/// all of them, "unit, max_records_per_unit?", with a question mark after optional ones.
template <typename Owner>
struct Derived {
  std::string_view name;
  std::string_view meaning;
  void (*write)(const Owner& owner, const FieldScope& scope, nlohmann::ordered_json& object);
  void (*read)(const OrderedJsonSection& section, const FieldScope& scope, Owner& owner) = nullptr;
  DocumentSet documents = Documents::kReport;

  constexpr Derived in(DocumentSet told) const { return {name, meaning, write, read, told}; }
  constexpr Derived publishable() const { return in(Documents::kAll); }
};

/// The fields of a struct, in the order of their keys; nullptr: none.
template <typename Owner>
inline constexpr std::nullptr_t fields_of = nullptr;

template <typename Owner>
concept HasFields = !std::same_as<std::remove_const_t<decltype(fields_of<Owner>)>, std::nullptr_t>;

}  // namespace equinoise
