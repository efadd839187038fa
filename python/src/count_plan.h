// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace equinoise::python {

using PlanByName = nanobind::typed<nanobind::dict, nanobind::str, nanobind::any>;

/// CountPlan of the schema in a file, by the names of its members; a column has "time" with its
/// unit in microseconds and its offset in minutes, or None. Errors: those of equinoise.errors.
PlanByName count_plan_of(const std::string& path);

}  // namespace equinoise::python
