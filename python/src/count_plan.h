// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <vector>

namespace equinoise::python {

using PlanByName = nanobind::typed<nanobind::dict, nanobind::str, nanobind::any>;

/// The CountPlan of the schema in a file, by the names of its members. A column has "time", with
/// its unit in microseconds and its offset in minutes, or None; "schema" is an argument of
/// codes_of_texts. Errors: those of equinoise.errors.
PlanByName count_plan_of(const std::string& path);

/// (texts) the codes of texts in a column of the schema, as CellCoder gives them for cells of a
/// file.
std::vector<int32_t> codes_of_texts(const std::string& schema, const std::string& column,
                                    const std::vector<std::string>& texts);

}  // namespace equinoise::python
