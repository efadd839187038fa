// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <vector>

namespace equinoise::python {

using ColumnsByName = nanobind::typed<nanobind::dict, nanobind::str, nanobind::any>;

/// The columns of a table's file, by name: an array of doubles, with NaN for a missing cell, for
/// those named in `numbers` (none given: of a Parquet file those that hold numbers), of others a
/// list of str, None for a null. Errors: those of equinoise.errors, InputError for a cell of
/// `numbers` that is none.
ColumnsByName read_columns(const std::string& path,
                           const std::optional<std::vector<std::string>>& numbers);

}  // namespace equinoise::python
