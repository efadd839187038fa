// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/engine/adbc_driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "equinoise/base/error.h"

namespace equinoise {
namespace {

[[noreturn]] void refuse(std::string_view message) {
  throw Error(ErrorKind::kRuntime, "data.adbc", message);
}

std::string_view meaning_of(AdbcStatusCode status) {
  switch (status) {
    case ADBC_STATUS_NOT_IMPLEMENTED:
      return "the driver has no such function";
    case ADBC_STATUS_NOT_FOUND:
      return "something that an option or the table names is not there, or a column is of a type "
             "that cannot be compared";
    case ADBC_STATUS_INVALID_ARGUMENT:
      return "the driver or the engine does not accept it";
    case ADBC_STATUS_INVALID_STATE:
      return "the connection is not ready for it, as after a statement that failed";
    case ADBC_STATUS_INVALID_DATA:
    case ADBC_STATUS_INTEGRITY:
      return "the engine finds its data wrong";
    case ADBC_STATUS_IO:
      return "the engine cannot be reached, does not let this user in, or broke the connection; "
             "nothing was written";
    case ADBC_STATUS_CANCELLED:
      return "the engine gave it up, as where it takes longer than is allowed, or somebody "
             "cancelled it";
    case ADBC_STATUS_TIMEOUT:
      return "it took longer than the engine or an option allows";
    case ADBC_STATUS_UNAUTHENTICATED:
      return "the engine does not let this user in, for there is no password, or a wrong one; an "
             "environment variable can hold it that the driver reads itself, or that an option "
             "names: password_env=NAME, or uri_env=NAME with all of the uri in it";
    case ADBC_STATUS_UNAUTHORIZED:
      return "the user may not do that; an administrator can grant the right to read the table, "
             "or to see all its rows, where row security hides some";
    default:
      return "the driver reports an error";
  }
}

/// "libadbc_driver_sqlite.so.2" -> "AdbcDriverSqliteInit", "duckdb" -> "AdbcDuckdbInit".
std::string specified_entry_point(std::string_view library) {
  library.remove_prefix(library.rfind('/') + 1);
  library = library.substr(0, library.find('.'));
  if (library.starts_with("lib")) library.remove_prefix(3);
  std::string name;
  bool begins_word = true;
  for (const char c : library) {
    const bool is_between = c == '_' || c == '-';
    if (!is_between) {
      const bool is_raised = begins_word && c >= 'a' && c <= 'z';
      name += is_raised ? static_cast<char>(c - 'a' + 'A') : c;
    }
    begins_word = is_between;
  }
  return (name.starts_with("Adbc") ? "" : "Adbc") + name + "Init";
}

void* load_library(std::string_view library) {
  const bool is_file = library.find('/') != library.npos || library.find(".so") != library.npos;
  const std::string file = is_file ? std::string(library) : fmt::format("lib{}.so", library);
  void* loaded = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded != nullptr) return loaded;
  const char* problem = ::dlerror();
  refuse(
      fmt::format("the driver {} cannot be loaded ({}); give the path of its shared library, or "
                  "install it where libraries are found (LD_LIBRARY_PATH)",
                  library, problem == nullptr ? "no reason is given" : problem));
}

}  // namespace

AdbcOutcome adbc_outcome(AdbcStatusCode status, const AdbcError& error) {
  if (status == ADBC_STATUS_OK) return {};
  const std::string_view sqlstate(error.sqlstate, sizeof error.sqlstate);
  const bool is_given =
      sqlstate.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == sqlstate.npos;
  return {status, is_given ? std::string(sqlstate) : ""};
}

void fail_of_adbc(const AdbcOutcome& outcome, std::string_view name, std::string_view what) {
  const std::string state =
      outcome.sqlstate.empty() ? "" : fmt::format(", SQLSTATE {}", outcome.sqlstate);
  refuse(fmt::format("{}: cannot {}: {} (ADBC status {}{})", name, what, meaning_of(outcome.status),
                     outcome.status, state));
}

void require_good(const AdbcOutcome& outcome, std::string_view name, std::string_view what) {
  if (!outcome.is_good()) fail_of_adbc(outcome, name, what);
}

LoadedAdbcDriver::LoadedAdbcDriver(std::string_view library, const std::string& entry_point) {
  void* loaded = load_library(library);
  std::vector<std::string> names = {entry_point};
  if (entry_point.empty()) names = {specified_entry_point(library), "AdbcDriverInit"};
  AdbcDriverInitFunc begin = nullptr;
  for (const std::string& name : names) {
    if (begin == nullptr)
      begin = reinterpret_cast<AdbcDriverInitFunc>(::dlsym(loaded, name.c_str()));
  }
  if (begin == nullptr) {
    refuse(
        fmt::format("the library of the driver {} has no function {}; name the one by which it "
                    "begins, in its manual, as the option entrypoint=NAME",
                    library, fmt::join(names, " or ")));
  }
  if (!call_adbc(begin, ADBC_VERSION_1_1_0, static_cast<void*>(&driver_)).is_good()) {
    driver_ = {};
    const AdbcOutcome outcome = call_adbc(begin, ADBC_VERSION_1_0_0, static_cast<void*>(&driver_));
    require_good(outcome, library, "begin as an ADBC driver of version 1.0.0 or 1.1.0");
  }
  const AdbcDriver& d = driver_;
  if (d.DatabaseNew == nullptr || d.DatabaseInit == nullptr || d.DatabaseRelease == nullptr ||
      d.ConnectionNew == nullptr || d.ConnectionInit == nullptr || d.ConnectionRelease == nullptr ||
      d.StatementNew == nullptr || d.StatementRelease == nullptr) {
    release();
    refuse(fmt::format("the driver {} lacks functions without which no statement can be made",
                       library));
  }
}

LoadedAdbcDriver::~LoadedAdbcDriver() { release(); }

void LoadedAdbcDriver::release() {
  if (driver_.release != nullptr) call_adbc(driver_.release, &driver_);
}

}  // namespace equinoise
