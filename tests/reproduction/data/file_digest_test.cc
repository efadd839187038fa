// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/data/file_digest.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "tests/test_support.h"

namespace equinoise::file_digest_test {

void write_gzip(const std::filesystem::path& path, const std::string& text) {
  gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())),
            static_cast<int>(text.size()));
  ASSERT_EQ(gzclose(file), Z_OK);
}

TEST(FileDigest, FollowsWhatFilesHold) {
  const ReproductionFiles files = {"test", {"a.csv", "images"}, ""};
  const TempFolder folder;
  const auto write = [&](const std::string& table, const std::string& first,
                         const std::string& second) {
    std::filesystem::create_directories(folder.path() / "images" / "inner");
    folder.write_file("a.csv", table);
    folder.write_file("images/1", first);
    folder.write_file("images/inner/2", second);
    return digest_of_files(files, folder.path());
  };
  const std::string digest = write("x,y\n1,2\n", "one", "two");
  EXPECT_EQ(digest.size(), 64U);
  EXPECT_NE(write("x,y\n1,3\n", "one", "two"), digest);
  EXPECT_NE(write("x,y\n1,2\n", "two", "one"), digest);
  EXPECT_NE(write("x,y\n1,2\n", "onet", "wo"), digest);
  folder.write_file("images/3", "three");
  EXPECT_NE(write("x,y\n1,2\n", "one", "two"), digest);
  std::filesystem::remove(folder.path() / "images" / "3");
  EXPECT_EQ(write("x,y\n1,2\n", "one", "two"), digest);
  // Files beside those of the data set do not count, nor does compression.
  folder.write_file("b.csv", "x\n");
  write_gzip(folder.path() / "a.csv", "x,y\n1,2\n");
  EXPECT_EQ(digest_of_files(files, folder.path()), digest);
}

}  // namespace equinoise::file_digest_test
