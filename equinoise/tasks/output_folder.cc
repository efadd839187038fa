#include "equinoise/tasks/output_folder.h"

#include <fcntl.h>
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
  throw Error(ErrorKind::kRuntime, kWhere,
              fmt::format("{}: {}", path.string(), std::strerror(error)));
}

/// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, mode_t mode)
      : path_(path), value_(open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, mode)) {
    if (value_ < 0) fail(path, errno);
  }
  ~Descriptor() { close(value_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  void reserve(int64_t bytes) const {
    const int error = posix_fallocate(value_, 0, bytes);
    if (error != 0) fail(path_, error);
  }

  void write_all(const std::string& content) const {
    size_t written = 0;
    while (written < content.size()) {
      const ssize_t count = ::write(value_, content.data() + written, content.size() - written);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail(path_, errno);
      written += static_cast<size_t>(count);
    }
    if (fsync(value_) != 0) fail(path_, errno);
  }

 private:
  std::filesystem::path path_;
  int value_;
};

}  // namespace

OutputFolder::OutputFolder(std::filesystem::path path, bool force, std::vector<std::string> names,
                           int64_t reserved_bytes)
    : path_(std::move(path)), names_(std::move(names)) {
  if (path_.filename().empty()) path_ = path_.parent_path();
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(path_, error))) {
    if (!force) {
      throw Error(ErrorKind::kUsage, kWhere,
                  fmt::format("{} exists; give another --out or --force to replace its files",
                              path_.string()));
    }
    check_replaceable();
  }
  const std::filesystem::path parent = path_.has_parent_path() ? path_.parent_path() : ".";
  std::filesystem::create_directories(parent, error);
  if (error) fail(parent, error.value());
  const std::filesystem::path staging =
      parent / fmt::format("{}.partial-{}", path_.filename().string(), getpid());
  if (mkdir(staging.c_str(), 0777) != 0) fail(path_, errno);
  staging_ = staging;
  try {
    Descriptor(staging_ / kReserve, 0600).reserve(reserved_bytes);
  } catch (...) {
    std::filesystem::remove_all(staging_, error);
    throw;
  }
}

void OutputFolder::check_replaceable() const {
  if (!std::filesystem::is_directory(path_)) fail(path_, ENOTDIR);
  if (access(path_.c_str(), W_OK | X_OK) != 0) fail(path_, errno);
  for (const std::string& name : names_) {
    if (std::filesystem::is_directory(path_ / name)) fail(path_ / name, EISDIR);
  }
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (!staging_.empty()) std::filesystem::remove_all(staging_, ignored);
}

void OutputFolder::write(const std::string& name, const std::string& content, Audience audience) {
  std::error_code ignored;
  std::filesystem::remove(staging_ / kReserve, ignored);
  Descriptor(staging_ / name, audience == Audience::kOwner ? 0600 : 0666).write_all(content);
}

void OutputFolder::commit() {
  std::error_code error;
  if (std::filesystem::is_directory(path_)) {
    for (const std::string& name : names_) {
      std::filesystem::rename(staging_ / name, path_ / name, error);
      if (error) fail(path_ / name, error.value());
    }
    return;
  }
  std::filesystem::rename(staging_, path_, error);
  if (error) fail(path_, error.value());
  staging_.clear();
}

}  // namespace equinoise
