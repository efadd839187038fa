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

/// Where a command runs in a Python process: its answer goes into a string, what it tells and how
/// far it is to an object with the methods of `equinoise._command.Progress`.
///
/// Its calls come from threads without the GIL, which is taken for each call of the object. The
/// first exception of that object stops the command as Ctrl-C does.
class PythonHost final : public cli::ToolHost {
 public:
  /// Made and destroyed with the GIL. `progress`: None for nobody. Errors: those of memory_table().
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

  /// Throws what stopped the command, if anything did. `cause`: what the command said of that, as a
  /// Python exception, or None. Needs the GIL.
  void raise_what_stopped(const nanobind::object& cause);

  /// Calls a method of the progress object with these values; one that Python cannot hold stops the
  /// command, too.
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
  nanobind::dict held_;  ///< the tables, which a call of Python could take away from the caller's
  std::map<std::string, TableSource> tables_;
  nanobind::object progress_;
  std::string printed_;
  std::atomic<bool> stopped_ = false;
  std::optional<nanobind::python_error> why_stopped_;  ///< guarded by the GIL
};

}  // namespace equinoise::python
