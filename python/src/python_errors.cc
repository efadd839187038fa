// SPDX-License-Identifier: Apache-2.0
#include "python/src/python_errors.h"

#include <nanobind/stl/string.h>

namespace equinoise::python {

namespace nb = nanobind;

nb::object error_of(int exit_code, const std::string& message) {
  return nb::module_::import_("equinoise.errors").attr("error_of")(exit_code, message);
}

void raise_error(int exit_code, const std::string& message) {
  const nb::object error = error_of(exit_code, message);
  PyErr_SetObject(error.type().ptr(), error.ptr());
  throw nb::python_error();
}

}  // namespace equinoise::python
