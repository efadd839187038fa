// SPDX-License-Identifier: Apache-2.0
#include "equinoise/files/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "equinoise/base/error.h"

namespace equinoise {

FileLock::FileLock(const std::filesystem::path& path, std::string_view option) : path_(path) {
  constexpr std::string_view kWhere = "tasks.file_lock";
  path_ += ".lock";
  while (true) {
    descriptor_ = open(path_.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor_ < 0) {
      throw Error(ErrorKind::kRuntime, kWhere, "{}: cannot be written: {}", path.string(),
                  std::generic_category().message(errno));
    }
    int problem = 0;
    do {
      problem = flock(descriptor_, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    } while (problem == EINTR);
    if (problem != 0) {
      close(descriptor_);
      if (problem != EWOULDBLOCK) {
        throw Error(
            ErrorKind::kRuntime, kWhere,
            "{}: cannot be locked: {}; give another {}, on a file system that supports locks",
            path.string(), std::generic_category().message(problem), option);
      }
      throw Error(ErrorKind::kUsage, kWhere,
                  "{}: is in use by another run; wait for it, or give another {}", path.string(),
                  option);
    }
    // The last holder may have removed the file before it was locked here.
    struct stat held = {};
    struct stat named = {};
    if (fstat(descriptor_, &held) == 0 && stat(path_.c_str(), &named) == 0 &&
        held.st_ino == named.st_ino && held.st_dev == named.st_dev) {
      return;
    }
    close(descriptor_);
  }
}

FileLock::~FileLock() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
  close(descriptor_);
}

}  // namespace equinoise
