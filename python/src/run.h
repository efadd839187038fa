// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <unistd.h>

#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "python/src/python_host.h"

namespace equinoise::python {

/// The commands that run in this process, on any of its threads. Calls need the GIL.
class Runs {
 public:
  /// Runs a command of the tool with the GIL released. Returns its exit code and what it prints.
  /// `tables`: see memory_table(), by the names that options of the command give. `progress`: see
  /// PythonHost.
  ///
  /// Errors: those of equinoise.errors; MemoryError; an exception of the progress object or a
  /// signal handler, e.g. KeyboardInterrupt, after the command has stopped as the tool does, with
  /// its ledger consistent. The cause of such an exception is an EquinoiseError: the command's own
  /// error, or that it had finished.
  std::pair<int, std::string> run(const std::vector<std::string>& words, const TablesByName& tables,
                                  const nanobind::object& progress);

  /// Stops all commands, with SystemExit on their threads, waits until they have returned, and
  /// refuses others. Called before the interpreter ends, after which no thread could take the GIL.
  /// A forked child waits for nothing.
  void end();

 private:
  std::list<std::unique_ptr<PythonHost>> hosts_;
  bool is_ended_ = false;
  pid_t process_ = ::getpid();
};

}  // namespace equinoise::python
