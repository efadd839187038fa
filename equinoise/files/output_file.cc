// SPDX-License-Identifier: Apache-2.0
#include "equinoise/files/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>

#include "equinoise/base/error.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.output";

[[noreturn]] void refuse(const std::filesystem::path& path, std::string_view problem) {
  throw Error(ErrorKind::kUsage, kWhere, "{} {}", path.string(), problem);
}

/// Whether the file is an SQLite database, as ledgers are.
bool is_database(const std::filesystem::path& path) {
  constexpr std::string_view kBeginning = "SQLite format 3";
  std::string beginning(kBeginning.size(), '\0');
  std::ifstream(path, std::ios::binary).read(beginning.data(), std::ssize(beginning));
  return beginning == kBeginning;
}

/// Refuses a path that is not a regular file itself: moving a file in place would replace a link,
/// not its target.
void check_replaceable(const std::filesystem::path& path, bool force) {
  if (path == "-")
    refuse(path, "is no standard output here; give a file, ./- for one of that name");
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::symlink_status(path, ignored);
  if (path.filename().empty() || std::filesystem::is_directory(status)) {
    refuse(path, "is a folder; give the name of a file");
  }
  if (!std::filesystem::exists(status)) return;
  if (!std::filesystem::is_regular_file(status)) {
    refuse(path, "exists and is not a regular file; give another --out");
  }
  if (is_database(path)) refuse(path, "is a ledger or another database; give another --out");
  if (!force) refuse(path, "exists; give another --out or --force to replace it");
}

}  // namespace

OutputFile::OutputFile(std::filesystem::path path, bool force) : path_(std::move(path)) {
  check_replaceable(path_, force);
  std::error_code error;
  if (path_.has_parent_path()) {
    std::filesystem::create_directories(path_.parent_path(), error);
    if (error) fail(error.value());
  }
  partial_ = fmt::format("{}.partial-{}", path_.string(), getpid());
  descriptor_ = open(partial_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (descriptor_ < 0) fail(errno);
}

OutputFile::~OutputFile() {
  close(descriptor_);
  if (!committed_) unlink(partial_.c_str());
}

void OutputFile::reserve(int64_t bytes) const {
  const int error = posix_fallocate(descriptor_, 0, bytes);
  if (error != 0) fail(error);
}

void OutputFile::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor_, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno);
    written_ += count;
    text.remove_prefix(static_cast<size_t>(count));
  }
}

void OutputFile::commit() {
  // Reserved space that was not needed is released.
  if (ftruncate(descriptor_, written_) != 0 || fsync(descriptor_) != 0) fail(errno);
  if (rename(partial_.c_str(), path_.c_str()) != 0) fail(errno);
  committed_ = true;
}

void OutputFile::fail(int error) const {
  throw Error(ErrorKind::kRuntime, kWhere, "{}: {}", path_.string(),
              std::generic_category().message(error));
}

}  // namespace equinoise
