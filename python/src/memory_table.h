// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "equinoise/data/table_source.h"

namespace equinoise::python {

/// A table that Python holds: an object with __arrow_c_stream__, or a dict of columns that
/// hold_columns() takes. `table` must outlive the source and all copies of it, the last of which
/// needs the GIL. Errors: InputError of Python for another object.
TableSource memory_table(const std::string& name, nanobind::handle table);

}  // namespace equinoise::python
