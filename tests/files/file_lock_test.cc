// SPDX-License-Identifier: Apache-2.0
#include "equinoise/files/file_lock.h"

#include <optional>

#include "tests/test_support.h"

namespace equinoise::file_lock_test {

TEST(FileLock, OneHolderAtATime) {
  const TempFolder folder;
  const std::filesystem::path path = folder.path() / "runs.json";
  std::optional<FileLock> first(std::in_place, path, "--runs");
  EXPECT_ERROR(
      kUsage, HasSubstr("runs.json: is in use by another run; wait for it, or give another --runs"),
      FileLock(path, "--runs"));
  first.reset();
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  FileLock(path, "--runs");
}

TEST(FileLock, AFolderThatIsMissingIsAnError) {
  const TempFolder folder;
  EXPECT_ERROR(kRuntime, HasSubstr("none/file: cannot be written: No such file"),
               FileLock(folder.path() / "none" / "file", "--runs"));
}

}  // namespace equinoise::file_lock_test
