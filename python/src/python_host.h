// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "cli/tool_host.h"

namespace equinoise::python {

using TablesByName = nanobind::typed<nanobind::dict, nanobind::str, nanobind::any>;

/// The host of a command in a Python process. Its answer goes into a string; messages and progress
/// go to an object with the methods of `equinoise._command.Progress`.
///
/// Calls come from threads without the GIL, which is taken for each call of the object. The first
/// exception of that object stops the command as Ctrl-C does.
class PythonHost final : public cli::ToolHost {
 public:
  /// Made and destroyed with the GIL. `progress`: may be None. Errors: those of
  /// memory_table().
  PythonHost(const TablesByName& tables, nanobind::object progress);

  void print(std::string_view text) override { printed_ += text; }
  void tell(const std::string& text) noexcept override;
  TableSource table(const std::string& name) override;
  std::unique_ptr<TrainProgress> make_progress(bool quiet) override;

  const std::string& printed() const { return printed_; }

  /// Makes the command stop as soon as it can, because of the exception that Python has set; the
  /// first one counts. Needs the GIL.
  void stop();
  bool is_stopped() const { return stopped_; }

  /// Throws the exception that stopped the command, if one did. `cause`: the command's own error as
  /// a Python exception, or None. Needs the GIL.
  void raise_what_stopped(const nanobind::object& cause);

  /// Calls a method of the progress object with these values. A value that Python cannot hold also
  /// stops the command.
  template <typename... Values>
  void call(const char* method, const Values&... values) noexcept {
    if (progress_.is_none() || stopped_) return;
    const nanobind::gil_scoped_acquire gil;
    try {
      progress_.attr(method)(values...);
    } catch (nanobind::python_error& error) {
      error.restore();
      stop();
    } catch (const std::exception& error) {
      PyErr_SetString(PyExc_RuntimeError, error.what());
      stop();
    }
  }

 private:
  nanobind::dict held_;  ///< the tables; Python code could remove them from the caller's dict
  std::map<std::string, TableSource> tables_;
  nanobind::object progress_;
  std::string printed_;
  std::atomic<bool> stopped_ = false;
  std::optional<nanobind::python_error> why_stopped_;  ///< guarded by the GIL
};

}  // namespace equinoise::python
