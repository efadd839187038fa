// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <vector>

namespace equinoise::python {

using ColumnsByName = nanobind::typed<nanobind::dict, nanobind::str, nanobind::any>;

/// The columns of a table's file, by name. A column named in `numbers` is an array of doubles, with
/// NaN for a missing cell. Any other is a list of str, with None for a null. Without `numbers`, the
/// numeric columns of a Parquet file are arrays. Errors: those of equinoise.errors, InputError for
/// a cell of `numbers` that is no number.
ColumnsByName read_columns(const std::string& path,
                           const std::optional<std::vector<std::string>>& numbers);

}  // namespace equinoise::python
