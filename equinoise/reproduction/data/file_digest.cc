// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/data/file_digest.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "equinoise/base/sha256.h"
#include "equinoise/data/formats/byte_stream.h"

namespace equinoise {

namespace {

/// The files below a path, including the path if it is a file, in an order that does not depend on
/// the system.
std::vector<std::filesystem::path> files_below(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return {path};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

/// Lengths separate files: the end of one cannot count as the start of the next.
void add_file(const std::string& name, const std::filesystem::path& path, Sha256& sum) {
  ByteStream stream{InputFile(path)};
  uint64_t size = 0;
  for (std::string_view block = stream.block(); !block.empty(); block = stream.block()) {
    sum.add(block);
    size += block.size();
    stream.skip(block.size());
  }
  sum.add(std::to_string(size) + ":" + std::to_string(name.size()) + ":" + name);
}

}  // namespace

std::string digest_of_files(const ReproductionFiles& files, const std::filesystem::path& folder) {
  Sha256 sum;
  for (const std::string_view name : files.files) {
    for (const std::filesystem::path& path : files_below(folder / name))
      add_file(path.lexically_relative(folder).generic_string(), path, sum);
  }
  return sum.hex();
}

}  // namespace equinoise
