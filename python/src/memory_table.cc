// SPDX-License-Identifier: Apache-2.0
#include "python/src/memory_table.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <memory>

#include "equinoise/base/error.h"
#include "equinoise/data/arrow_reader.h"
#include "python/src/held_columns.h"
#include "python/src/python_errors.h"

namespace equinoise::python {

namespace nb = nanobind;

namespace {

/// Asks an object for its records, without the GIL. What Python says of an error may hold a value.
std::unique_ptr<RecordReader> open_arrow(const std::string& name, PyObject* table) {
  const nb::gil_scoped_acquire gil;
  try {
    const nb::object capsule = nb::handle(table).attr("__arrow_c_stream__")();
    void* stream = PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream");
    if (stream == nullptr) throw nb::python_error();
    return std::make_unique<ArrowReader>(name, static_cast<ArrowArrayStream*>(stream));
  } catch (const nb::python_error& error) {
    const auto type = nb::cast<std::string>(error.type().attr("__name__"));
    throw Error(ErrorKind::kInput, "data.table",
                fmt::format("{}: its columns cannot be read as those of Arrow ({}); the values of "
                            "a column must be of one type",
                            name, type));
  }
}

}  // namespace

TableSource memory_table(const std::string& name, nb::handle table) {
  if (nb::isinstance<nb::dict>(table)) {
    return {name, [name, columns = hold_columns(name, nb::cast<nb::dict>(table))] {
              return read_held_columns(name, columns);
            }};
  }
  if (nb::hasattr(table, "__arrow_c_stream__"))
    return {name, [name, held = table.ptr()] { return open_arrow(name, held); }};
  raise_error(static_cast<int>(ErrorKind::kInput),
              fmt::format("[data.table] {}: a table must be a frame with __arrow_c_stream__ or a "
                          "dictionary of NumPy arrays",
                          name));
}

}  // namespace equinoise::python
