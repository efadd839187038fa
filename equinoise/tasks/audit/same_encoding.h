// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// The key of the schema in which the encodings of two columns differ ("bounds"), or "".
std::string_view different_key(const ColumnSchema& a, const ColumnSchema& b);

/// Refuses a schema whose encoding of records differs from that of `trained`, the schema that a
/// model was trained with. Groups, sizes and columns that are not features may differ. Errors:
/// kInput, naming `origin` and the column.
void require_same_encoding(const Schema& trained, const Schema& given, std::string_view origin);

}  // namespace equinoise
