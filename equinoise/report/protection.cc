// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/protection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "equinoise/base/error.h"

namespace equinoise {

namespace {

/// The two tables that look alike, by what happens to one of `unit`.
std::string alternatives(const Protection& protection) {
  const char* of_group = protection.public_groups.empty() ? "" : " of the same group";
  switch (protection.relation) {
    case Relation::kZeroOut:
      return fmt::format(
          "was in the table with its own values or had been replaced by an empty record{} that "
          "contributes nothing",
          of_group);
    case Relation::kAddRemove:
      return "was in the table or was not";
    case Relation::kReplaceOne:
      return fmt::format("was in the table with its own values or with those of any other record{}",
                         of_group);
  }
  throw Error(ErrorKind::kRuntime, "report.protection", "not a relation");
}

}  // namespace

std::vector<std::string> explain(const Protection& protection) {
  const bool has_public_size = protection.relation != Relation::kAddRemove;
  std::string known = has_public_size
                          ? "the number of records, everything that the schema declares "
                            "(columns, bounds, categories, groups and their sizes) and "
                            "every option"
                          : "everything that the schema declares (columns, bounds, "
                            "categories, groups) and every option, but not the number "
                            "of records";
  if (!protection.public_groups.empty())
    known += fmt::format("; and which group by {} each {} is in",
                         fmt::join(protection.public_groups, ", "), protection.unit);
  return {fmt::format("Protected ({}): an attacker who sees everything that is released cannot "
                      "tell, beyond what epsilon and delta allow, whether any one {} {}.",
                      to_string(protection.relation), protection.unit, alternatives(protection)),
          fmt::format("Treated as public, so not protected: {}.", known)};
}

std::vector<std::string> explain(const std::optional<Protection>& protection) {
  return protection ? explain(*protection) : std::vector<std::string>();
}

}  // namespace equinoise
