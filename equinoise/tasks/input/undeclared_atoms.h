// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "equinoise/data/dataset.h"
#include "equinoise/data/schema.h"
#include "equinoise/synth/column_codes.h"

namespace equinoise {

/// The columns of which most cells with a value count as the same one, if that shares its bin with
/// others, so that synthetic rows would spread it over the bin: a column of zeros and a long tail
/// loses its zeros. `columns`: with the cells of with_law_cells for bins where rows follow these.
/// Columns with fewer than kTellingCells such cells are left out, and all where the schema has
/// `public_bins`, by which cells of one bin are one number. A sentence each, which does not
/// say the value. NOT PRIVATE.
std::vector<std::string> undeclared_atoms(const Dataset& dataset, const Schema& schema,
                                          std::span<const ColumnCodes> columns);

}  // namespace equinoise
