// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace equinoise::python {

/// The exception of equinoise.errors for the tool's exit code and message. Needs the GIL.
nanobind::object error_of(int exit_code, const std::string& message);

/// Throws that exception. Needs the GIL.
[[noreturn]] void raise_error(int exit_code, const std::string& message);

}  // namespace equinoise::python
