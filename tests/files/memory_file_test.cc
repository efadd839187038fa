// SPDX-License-Identifier: Apache-2.0
#include "equinoise/files/memory_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

namespace equinoise::memory_file_test {

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(MemoryFile, CanBeReadSeveralTimesUntilItIsGone) {
  const std::string text = "a,b\n1,\0x\n" + std::string(300'000, 'z');
  std::optional<MemoryFile> file(text);
  const std::filesystem::path path = file->path();
  EXPECT_TRUE(std::filesystem::is_regular_file(path));
  EXPECT_EQ(content_of(path), text);
  EXPECT_EQ(content_of(path), text);
  file.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace equinoise::memory_file_test
