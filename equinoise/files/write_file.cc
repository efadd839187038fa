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

}  // namespace

FileWriter::FileWriter(const std::filesystem::path& path, Audience audience)
    : path_(path),
      descriptor_(open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC,
                       audience == Audience::kOwner ? 0600 : 0666)) {
  if (descriptor_ < 0) fail_to_write(path, errno);
}

FileWriter::~FileWriter() { close(descriptor_); }

void FileWriter::reserve(int64_t bytes) const {
  const int error = posix_fallocate(descriptor_, 0, bytes);
  if (error != 0) fail_to_write(path_, error);
}

void FileWriter::write(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor_, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_to_write(path_, errno);
    text.remove_prefix(static_cast<size_t>(count));
  }
}

void FileWriter::sync() const {
  if (fsync(descriptor_) != 0) fail_to_write(path_, errno);
  sync_folder_of(path_);
}

void write_file(const std::filesystem::path& path, const std::string& content, Audience audience) {
  const FileWriter file(path, audience);
  file.write(content);
  file.sync();
}

void move_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (rename(from.c_str(), to.c_str()) != 0) fail_to_write(to, errno);
  sync_folder_of(to);
}

void reserve_space(const std::filesystem::path& path, int64_t bytes) {
  FileWriter(path, Audience::kOwner).reserve(bytes);
}

void sync_folder_of(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

}  // namespace equinoise
