// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <utility>
#include <vector>

#include "python/src/python_host.h"

namespace equinoise::python {

/// Runs a command of the tool with the GIL released. Returns its exit code and what it prints.
/// `tables`: see memory_table(), by the names that options of the command give. `progress`: see
/// PythonHost.
///
/// Errors: those of equinoise.errors; MemoryError; what the object or a signal handler raised,
/// KeyboardInterrupt, say, when the command has stopped as the tool does, with its ledger
/// consistent.
std::pair<int, std::string> run(const std::vector<std::string>& words, const TablesByName& tables,
                                const nanobind::object& progress);

}  // namespace equinoise::python
