// SPDX-License-Identifier: Apache-2.0
#include "equinoise/files/write_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "equinoise/base/error.h"

namespace equinoise {

namespace {

[[noreturn]] void fail_to_write(const std::filesystem::path& path, int error) {
  throw Error(ErrorKind::kRuntime, "tasks.output", "{}: {}", path.string(), std::strerror(error));
}

/// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, Audience audience)
      : path_(path),
        value_(open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC,
                    audience == Audience::kOwner ? 0600 : 0666)) {
    if (value_ < 0) fail_to_write(path, errno);
  }
  ~Descriptor() { close(value_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  void reserve(int64_t bytes) const {
    const int error = posix_fallocate(value_, 0, bytes);
    if (error != 0) fail_to_write(path_, error);
  }

  void write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t count = ::write(value_, text.data(), text.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail_to_write(path_, errno);
      text.remove_prefix(static_cast<size_t>(count));
    }
  }

  void sync() const {
    if (fsync(value_) != 0) fail_to_write(path_, errno);
  }

 private:
  std::filesystem::path path_;
  int value_;
};

}  // namespace

void write_file(const std::filesystem::path& path, const std::string& content, Audience audience) {
  write_file(
      path, [&](const PieceSink& sink) { sink(content); }, audience);
}

void write_file(const std::filesystem::path& path,
                const std::function<void(const PieceSink&)>& content, Audience audience) {
  const Descriptor file(path, audience);
  content([&](std::string_view piece) { file.write(piece); });
  file.sync();
  sync_folder_of(path);
}

void move_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (rename(from.c_str(), to.c_str()) != 0) fail_to_write(to, errno);
  sync_folder_of(to);
}

void reserve_space(const std::filesystem::path& path, int64_t bytes) {
  Descriptor(path, Audience::kOwner).reserve(bytes);
}

void sync_folder_of(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

}  // namespace equinoise
