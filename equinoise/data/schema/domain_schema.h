// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// The schema in TOML that is equivalent to a domain of private-pgm: {"COLUMN": K, ...}, where each
/// column holds the codes "0" to "K - 1". Columns keep their order; the schema is marked as
/// reviewed, because a domain is a declaration and not drafted from data.
///
/// `file` names the file in messages and gives what a domain does not say. Errors: kInput for JSON
/// that is no domain (a nested value, a K that is not a whole number from 1 to 65,000, a column
/// declared twice, more than 1,000,000 codes in all); kUsage for a number of records, target or
/// dataset that is missing or impossible.
std::string domain_to_toml(std::string_view json, const SchemaFile& file);

}  // namespace equinoise
