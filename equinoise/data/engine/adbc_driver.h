// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "equinoise/data/engine/adbc_interface.h"

namespace equinoise {

/// How a call of a driver ended. What the driver says of it is dropped: it may quote values or
/// passwords.
struct AdbcOutcome {
  AdbcStatusCode status = ADBC_STATUS_OK;
  std::string sqlstate;  ///< five digits or capital letters; "" where the driver gives none

  bool is_good() const { return status == ADBC_STATUS_OK; }
};

/// Of what a driver has put into an error.
AdbcOutcome adbc_outcome(AdbcStatusCode status, const AdbcError& error);

/// Throws kRuntime, `data.adbc`, with what the status stands for and what to do. `name`: the table,
/// as messages call it. `what`: what was to be done, "count the table".
[[noreturn]] void fail_of_adbc(const AdbcOutcome& outcome, std::string_view name,
                               std::string_view what);

/// Errors: those of fail_of_adbc, unless the call ended well.
void require_good(const AdbcOutcome& outcome, std::string_view name, std::string_view what);

/// Calls a function of a driver, with an error behind its arguments. One that is missing is not
/// implemented.
template <typename Function, typename... Arguments>
AdbcOutcome call_adbc(Function* function, Arguments... arguments) {
  if (function == nullptr) return {ADBC_STATUS_NOT_IMPLEMENTED, ""};
  AdbcError error{};
  const AdbcStatusCode status = function(arguments..., &error);
  const AdbcOutcome outcome = adbc_outcome(status, error);
  if (error.release != nullptr) error.release(&error);
  return outcome;
}

/// A driver of ADBC 1.0.0 or 1.1.0 in a shared library, which stays loaded when the object goes:
/// not every runtime system in one bears to be unloaded.
class LoadedAdbcDriver {
 public:
  /// `library`: a path or file name, as "libduckdb.so", or a name, as "duckdb", which stands for
  /// the same. `entry_point`: the C function by which the driver begins; "" for those of the
  /// specification, "AdbcDuckdbInit" and then "AdbcDriverInit".
  ///
  /// Errors: kRuntime, `data.adbc`, for a library that cannot be loaded, has no such function, or
  /// whose driver lacks what a query needs.
  LoadedAdbcDriver(std::string_view library, const std::string& entry_point);
  ~LoadedAdbcDriver();
  LoadedAdbcDriver(const LoadedAdbcDriver&) = delete;
  LoadedAdbcDriver& operator=(const LoadedAdbcDriver&) = delete;

  const AdbcDriver* operator->() const { return &driver_; }
  const AdbcDriver& operator*() const { return driver_; }

 private:
  void release();

  AdbcDriver driver_{};
};

/// Owns an AdbcDatabase, AdbcConnection or AdbcStatement, which is released with it.
template <typename Object>
class AdbcOwned {
 public:
  using Function = AdbcStatusCode(Object*, AdbcError*);

  explicit AdbcOwned(Function* release) : release_(release) {}
  ~AdbcOwned() { reset(); }
  AdbcOwned(const AdbcOwned&) = delete;
  AdbcOwned& operator=(const AdbcOwned&) = delete;

  void reset() {
    if (object_.private_data != nullptr) call_adbc(release_, &object_);
    object_ = {};
  }
  Object* get() { return &object_; }

 private:
  Function* release_;
  Object object_{};
};

}  // namespace equinoise
