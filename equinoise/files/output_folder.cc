// SPDX-License-Identifier: Apache-2.0
#include "equinoise/files/output_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "equinoise/base/error.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.output";
constexpr const char* kReserve = "reserved-space";

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  throw Error(ErrorKind::kRuntime, kWhere, "{}: {}", path.string(), std::strerror(error));
}

/// The path without a slash at its end, which names the same folder.
std::filesystem::path without_slash(std::filesystem::path path) {
  return path.filename().empty() ? path.parent_path() : path;
}

}  // namespace

void OutputFolder::check(std::filesystem::path path, bool force,
                         const std::vector<std::string>& names) {
  path = without_slash(std::move(path));
  if (path == "-") {
    throw Error(ErrorKind::kUsage, kWhere,
                "- is no standard output here; --out is a folder, ./- for one of that name");
  }
  std::error_code error;
  // A link to nothing counts as existing.
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, error))) return;
  if (!force) {
    throw Error(ErrorKind::kUsage, kWhere,
                "{} exists; give another --out or --force to replace its files", path.string());
  }
  if (!std::filesystem::is_directory(path)) fail(path, ENOTDIR);
  if (access(path.c_str(), W_OK | X_OK) != 0) fail(path, errno);
  for (const std::string& name : names) {
    if (std::filesystem::is_directory(path / name)) fail(path / name, EISDIR);
  }
}

OutputFolder::OutputFolder(std::filesystem::path path, bool force, std::vector<std::string> names,
                           int64_t reserved_bytes)
    : path_(std::move(path)), names_(std::move(names)) {
  path_ = without_slash(std::move(path_));
  check(path_, force, names_);
  std::error_code error;
  const std::filesystem::path parent = path_.has_parent_path() ? path_.parent_path() : ".";
  std::filesystem::create_directories(parent, error);
  if (error) fail(parent, error.value());
  const std::filesystem::path staging =
      parent / fmt::format("{}.partial-{}", path_.filename().string(), getpid());
  if (mkdir(staging.c_str(), 0777) != 0) fail(path_, errno);
  staging_ = staging;
  try {
    reserve_space(staging_ / kReserve, reserved_bytes);
  } catch (...) {
    std::filesystem::remove_all(staging_, error);
    throw;
  }
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (!staging_.empty()) std::filesystem::remove_all(staging_, ignored);
}

void OutputFolder::write(const std::string& name, const std::string& content, Audience audience) {
  const FileWriter file = open(name, audience);
  file.write(content);
  file.sync();
}

FileWriter OutputFolder::open(const std::string& name, Audience audience) const {
  std::error_code ignored;
  std::filesystem::remove(staging_ / kReserve, ignored);
  return {staging_ / name, audience};
}

void OutputFolder::commit() {
  std::error_code error;
  if (std::filesystem::is_directory(path_)) {
    for (const std::string& name : names_) {
      std::filesystem::rename(staging_ / name, path_ / name, error);
      if (error) fail(path_ / name, error.value());
    }
    sync_folder_of(path_ / names_.front());
    return;
  }
  std::filesystem::rename(staging_, path_, error);
  if (error) fail(path_, error.value());
  sync_folder_of(path_);
  staging_.clear();
}

}  // namespace equinoise
