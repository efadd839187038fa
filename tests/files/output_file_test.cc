// SPDX-License-Identifier: Apache-2.0
#include "equinoise/files/output_file.h"

#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include "equinoise/base/read_text.h"
#include "tests/test_support.h"

namespace equinoise::output_file_test {

size_t num_entries(const std::filesystem::path& folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(OutputFile, AppearsWholeOnCommitForItsOwnerAlone) {
  const TempFolder temp;
  const std::filesystem::path out = temp.path() / "a/b/out.csv";
  {
    OutputFile file(out, false);
    file.reserve(100'000);
    file.write("one\n");
    file.write("two\n");
    EXPECT_FALSE(std::filesystem::exists(out));
    file.commit();
  }
  EXPECT_EQ(read_text(out, "tests"), "one\ntwo\n");
  EXPECT_EQ(num_entries(out.parent_path()), 1U);
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(out).permissions(), perms::owner_read | perms::owner_write);
}

TEST(OutputFile, LeavesNothingWithoutCommit) {
  const TempFolder temp;
  OutputFile(temp.path() / "out.csv", false).write("one");
  EXPECT_EQ(num_entries(temp.path()), 0U);
}

TEST(OutputFile, RefusesAnExistingFileUnlessForced) {
  const TempFolder temp;
  const std::filesystem::path out = temp.write_file("out.csv", "old");
  EXPECT_ERROR(kUsage, HasSubstr("--force"), OutputFile(out, false));
  {
    OutputFile file(out, true);
    file.write("new");
    EXPECT_EQ(read_text(out, "tests"), "old");
    file.commit();
  }
  EXPECT_EQ(read_text(out, "tests"), "new");
  EXPECT_EQ(num_entries(temp.path()), 1U);
}

TEST(OutputFile, NeverReplacesWhatIsNoRegularFile) {
  const TempFolder temp;
  std::filesystem::create_directory(temp.path() / "folder");
  std::filesystem::create_symlink("elsewhere", temp.path() / "link");
  ASSERT_EQ(mkfifo((temp.path() / "pipe").c_str(), 0600), 0);
  for (const char* name : {"folder", "folder/", "link", "pipe", "new/"}) {
    error_of(ErrorKind::kUsage, [&] { OutputFile(temp.path() / name, true); });
  }
  EXPECT_EQ(num_entries(temp.path()), 3U);
  EXPECT_TRUE(std::filesystem::is_symlink(temp.path() / "link"));
}

TEST(OutputFile, IsNeverCalledStandardOutput) {
  EXPECT_ERROR(kUsage, HasSubstr("no standard output here"), OutputFile("-", true));
}

TEST(OutputFile, SaysWhereItCannotBeWritten) {
  const TempFolder temp;
  temp.write_file("file", "mine");
  for (const std::string& name : {std::string("file/out.csv"), std::string(300, 'x')}) {
    EXPECT_ERROR(kRuntime, HasSubstr(name + ": "), OutputFile(temp.path() / name, false));
  }
  EXPECT_EQ(num_entries(temp.path()), 1U);
}

TEST(OutputFile, FindsAFullDiskWhenSpaceIsReserved) {
  const TempFolder temp;
  const OutputFile file(temp.path() / "out.csv", false);
  EXPECT_ERROR(kRuntime, HasSubstr("out.csv: "), file.reserve(int64_t{1} << 60));
}

}  // namespace equinoise::output_file_test
