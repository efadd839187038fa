// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "equinoise/base/error.h"

namespace equinoise {

void fail_in_file(std::string_view file, std::string_view problem) {
  throw Error(ErrorKind::kInput, "data.table", "{}: {}", file, problem);
}

InputFile::InputFile(const std::filesystem::path& path, std::string name)
    : name_(name.empty() ? path.string() : std::move(name)) {
  // Without O_NONBLOCK opening a pipe would wait for its writer.
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) {
    fail_in_file(name_,
                 fmt::format("cannot be opened: {}", std::generic_category().message(errno)));
  }
  struct stat status = {};
  std::string_view problem;
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    problem = S_ISDIR(status.st_mode)
                  ? "is a directory; name the file in it (a table may also be a directory of "
                    "Parquet files, whose names end in .parquet)"
                  : "is not a regular file";
  } else if (status.st_size == 0) {
    problem = "is empty; fetch or write the file again";
  }
  if (!problem.empty()) {
    ::close(descriptor_);
    fail_in_file(name_, problem);
  }
}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

InputFile::InputFile(InputFile&& other) noexcept
    : name_(std::move(other.name_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      is_standard_input_(other.is_standard_input_),
      head_(std::move(other.head_)),
      num_read_(other.num_read_) {}

InputFile InputFile::standard_input() {
  InputFile file;
  file.name_ = "standard input";
  file.is_standard_input_ = true;
  file.descriptor_ = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  file.head_.resize(kHeadBytes);
  file.head_.resize(file.read_on(file.head_));
  if (file.head_.empty()) fail_in_file(file.name_, "is empty; send a table to it");
  return file;
}

std::string InputFile::start(size_t size) const {
  if (is_standard_input_) return head_.substr(0, size);
  std::string start(size, '\0');
  const ssize_t read = ::pread(descriptor_, start.data(), start.size(), 0);
  start.resize(read > 0 ? static_cast<size_t>(read) : 0);
  return start;
}

std::string InputFile::end(size_t size) const {
  struct stat status = {};
  if (is_standard_input_ || ::fstat(descriptor_, &status) != 0) return "";
  std::string end(std::min(size, static_cast<size_t>(status.st_size)), '\0');
  const ssize_t read =
      ::pread(descriptor_, end.data(), end.size(), status.st_size - static_cast<off_t>(end.size()));
  end.resize(read > 0 ? static_cast<size_t>(read) : 0);
  return end;
}

bool InputFile::starts_with(std::string_view magic) const { return start(magic.size()) == magic; }

size_t InputFile::read(std::span<char> buffer) {
  const size_t from_head = std::min(buffer.size(), head_.size() - num_read_);
  std::copy_n(head_.data() + num_read_, from_head, buffer.data());
  num_read_ += from_head;
  return from_head + read_on(buffer.subspan(from_head));
}

size_t InputFile::read_on(std::span<char> buffer) const {
  size_t filled = 0;
  while (filled < buffer.size()) {
    const ssize_t size = ::read(descriptor_, buffer.data() + filled, buffer.size() - filled);
    if (size == 0) break;
    if (size > 0) {
      filled += static_cast<size_t>(size);
    } else if (errno != EINTR) {
      fail_in_file(name_,
                   fmt::format("cannot be read: {}", std::generic_category().message(errno)));
    }
  }
  return filled;
}

std::string InputFile::alias() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

SeenFile::SeenFile(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code error;
  size_ = std::filesystem::file_size(path_, error);
  if (!error) time_ = std::filesystem::last_write_time(path_, error);
  if (error) fail_in_file(path_.string(), "cannot be read");
}

bool SeenFile::is_same() const {
  std::error_code error;
  return std::filesystem::file_size(path_, error) == size_ &&
         std::filesystem::last_write_time(path_, error) == time_ && !error;
}

}  // namespace equinoise
