// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/relation.h"

#include <fmt/format.h>

#include "equinoise/base/error.h"

namespace equinoise {

std::string_view to_string(Relation relation) {
  switch (relation) {
    case Relation::kZeroOut:
      return "zero_out";
    case Relation::kAddRemove:
      return "add_remove";
    case Relation::kReplaceOne:
      return "replace_one";
  }
  throw Error(ErrorKind::kRuntime, "privacy.relation", "not a relation");
}

Relation parse_relation(std::string_view name) {
  for (Relation relation : {Relation::kZeroOut, Relation::kAddRemove, Relation::kReplaceOne}) {
    if (to_string(relation) == name) return relation;
  }
  throw Error(
      ErrorKind::kUsage, "privacy.relation",
      fmt::format("unknown relation \"{}\"; use zero_out, add_remove or replace_one", name));
}

}  // namespace equinoise
