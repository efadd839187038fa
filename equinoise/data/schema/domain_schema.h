// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "equinoise/data/schema/json_section.h"
#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// A column of a domain of private-pgm, {"COLUMN": K, ...}, which holds the codes "0" to "K - 1".
struct DomainColumn {
  std::string name;
  std::vector<std::string> codes;
};

/// The columns of a domain, in its order. Errors: kInput for JSON that is no domain: a nested
/// value, a K that is not a whole number from 1 to 65,000, more than 1,000,000 codes in all.
std::vector<DomainColumn> domain_columns(const nlohmann::ordered_json& json,
                                         const JsonSource& source);

/// The schema in TOML that is equivalent to a domain of private-pgm. It is marked as reviewed,
/// because a domain is a declaration and not drafted from data.
///
/// `file` names the file in messages and gives what a domain does not say. Errors: those of
/// parse_json and domain_columns; kUsage for a number of records, target or dataset that is missing
/// or impossible.
std::string domain_to_toml(std::string_view json, const SchemaFile& file);

}  // namespace equinoise
