// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "equinoise/base/enum_words.h"
#include "equinoise/base/error.h"

namespace equinoise {

/// The neighbouring relation: the pairs of tables that a guarantee makes hard to distinguish.
enum class Relation {
  /// One record is replaced by the null record, which contributes nothing. The number of records
  /// and declared group sizes
  /// are public. Has the same dominating pairs as add_remove.
  kZeroOut,
  /// One record is added or removed; sizes are private.
  kAddRemove,
  /// One record is replaced by another one (within its stratum, if strata are public).
  kReplaceOne,
};

inline constexpr EnumWords<Relation, 3> kRelations = {{{Relation::kZeroOut, "zero_out"},
                                                       {Relation::kAddRemove, "add_remove"},
                                                       {Relation::kReplaceOne, "replace_one"}}};
template <>
inline constexpr auto words_for<Relation> = kRelations;

/// "zero_out", "add_remove", "replace_one".
inline std::string_view to_string(Relation relation) {
  for (const auto& [value, word] : kRelations)
    if (value == relation) return word;
  throw Error(ErrorKind::kRuntime, "privacy.relation", "not a relation");
}

/// The reverse of to_string. Errors: kUsage for any other name.
inline Relation parse_relation(std::string_view name) {
  if (const std::optional<Relation> relation = value_of(kRelations, name)) return *relation;
  throw Error(ErrorKind::kUsage, "privacy.relation",
              "unknown relation \"{}\"; use zero_out, add_remove or replace_one", name);
}

}  // namespace equinoise
