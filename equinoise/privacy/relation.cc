// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/relation.h"

#include <fmt/format.h>

#include "equinoise/base/error.h"

namespace equinoise {

std::string_view to_string(Relation relation) {
  for (const auto& [value, word] : kRelations)
    if (value == relation) return word;
  throw Error(ErrorKind::kRuntime, "privacy.relation", "not a relation");
}

Relation parse_relation(std::string_view name) {
  if (const std::optional<Relation> relation = value_of(kRelations, name)) return *relation;
  throw Error(
      ErrorKind::kUsage, "privacy.relation",
      fmt::format("unknown relation \"{}\"; use zero_out, add_remove or replace_one", name));
}

}  // namespace equinoise
