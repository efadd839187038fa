// SPDX-License-Identifier: Apache-2.0
#include "equinoise/files/memory_file.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "equinoise/base/error.h"

namespace equinoise {

MemoryFile::MemoryFile(std::string_view content)
    : descriptor_(memfd_create("equinoise", MFD_CLOEXEC)) {
  while (descriptor_ >= 0 && !content.empty()) {
    const ssize_t written = write(descriptor_, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    content.remove_prefix(static_cast<size_t>(written));
  }
  if (descriptor_ >= 0 && content.empty()) return;
  const int problem = errno;
  if (descriptor_ >= 0) close(descriptor_);
  throw Error(ErrorKind::kRuntime, "files.memory_file", "cannot keep a file in memory: {}",
              std::strerror(problem));
}

MemoryFile::~MemoryFile() { close(descriptor_); }

std::filesystem::path MemoryFile::path() const {
  return fmt::format("/proc/self/fd/{}", descriptor_);
}

}  // namespace equinoise
