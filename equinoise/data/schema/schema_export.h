// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// A format of another tool.
enum class ExportFormat {
  kSdv,     ///< metadata of SDV, version V1 with one table
  kDomain,  ///< domain of private-pgm: {"COLUMN": K}, for columns of codes 0 to K - 1
};

struct ExportedSchema {
  std::string text;                ///< JSON
  std::vector<std::string> notes;  ///< facts of the schema that the format cannot hold
};

/// The columns of a schema in that format. In a domain, codes are those of the categories in the
/// schema's order, "other" and "missing" after them; numeric and ignored columns have none and are
/// left out. For SDV dates and timestamps are datetime with their format, and categories that are
/// true and false are boolean. Errors: kInput for a schema of images, or without a column that the
/// format can hold.
ExportedSchema export_schema(const Schema& schema, ExportFormat format);

}  // namespace equinoise
