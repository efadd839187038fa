// SPDX-License-Identifier: Apache-2.0
#include "equinoise/files/output_folder.h"

#include <gtest/gtest.h>

#include <fstream>

#include "equinoise/base/read_text.h"
#include "tests/test_support.h"

namespace equinoise::output_folder_test {

const std::vector<std::string> kNames = {"x.txt"};

size_t num_entries(const std::filesystem::path& folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(OutputFolder, AppearsWholeOnCommit) {
  const TempFolder temp;
  const std::filesystem::path out = temp.path() / "a/b/model";
  OutputFolder folder(out, false, kNames, 1000);
  folder.write("x.txt", "one");
  EXPECT_FALSE(std::filesystem::exists(out));
  folder.commit();
  EXPECT_EQ(read_text(out / "x.txt", "tests"), "one");
  EXPECT_EQ(num_entries(out), 1U);
  EXPECT_EQ(num_entries(out.parent_path()), 1U);
}

TEST(OutputFolder, WhatIsNotPrivateIsForItsOwnerAlone) {
  const TempFolder temp;
  const std::filesystem::path out = temp.path() / "model";
  OutputFolder folder(out, false, kNames, 1000);
  folder.write("x.txt", "one", Audience::kOwner);
  folder.commit();
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(out / "x.txt").permissions(),
            perms::owner_read | perms::owner_write);
}

TEST(OutputFolder, AFileIsAlsoWrittenPieceByPiece) {
  const TempFolder temp;
  const std::filesystem::path out = temp.path() / "model";
  OutputFolder folder(out, false, kNames, 1000);
  const FileWriter file = folder.open("x.txt");
  file.write("one\n");
  file.write("two\n");
  file.sync();
  folder.commit();
  EXPECT_EQ(read_text(out / "x.txt", "tests"), "one\ntwo\n");
}

TEST(OutputFolder, LeavesNothingWithoutCommit) {
  const TempFolder temp;
  { OutputFolder(temp.path() / "model", false, kNames, 1000).write("x.txt", "one"); }
  EXPECT_EQ(num_entries(temp.path()), 0U);
}

TEST(OutputFolder, RefusesAnExistingFolderUnlessForced) {
  const TempFolder temp;
  const std::filesystem::path out = temp.path() / "model";
  std::filesystem::create_directory(out);
  temp.write_file("model/x.txt", "old");
  temp.write_file("model/other.txt", "mine");
  error_of(ErrorKind::kUsage, [&] { OutputFolder(out, false, kNames, 1000); });
  {
    OutputFolder folder(out, true, kNames, 1000);
    folder.write("x.txt", "new");
    EXPECT_EQ(read_text(out / "x.txt", "tests"), "old");
    folder.commit();
  }
  EXPECT_EQ(read_text(out / "x.txt", "tests"), "new");
  EXPECT_EQ(read_text(out / "other.txt", "tests"), "mine");
  EXPECT_EQ(num_entries(temp.path()), 1U);
}

TEST(OutputFolder, IsNeverCalledStandardOutput) {
  for (const char* name : {"-", "-/"})
    error_of(ErrorKind::kUsage, [&] { OutputFolder(name, true, kNames, 0); });
}

TEST(OutputFolder, RefusesAFileInThePlaceOfTheFolder) {
  const TempFolder temp;
  temp.write_file("model", "a file");
  error_of(ErrorKind::kRuntime, [&] { OutputFolder(temp.path() / "model", true, kNames, 1000); });
  EXPECT_EQ(read_text(temp.path() / "model", "tests"), "a file");
}

TEST(OutputFolder, FindsEverythingThatCommitCouldStumbleOver) {
  const TempFolder temp;
  std::filesystem::create_symlink(temp.path() / "nowhere", temp.path() / "dangling");
  error_of(ErrorKind::kUsage, [&] { OutputFolder(temp.path() / "dangling", false, kNames, 1000); });
  error_of(ErrorKind::kRuntime,
           [&] { OutputFolder(temp.path() / "dangling", true, kNames, 1000); });
  std::filesystem::create_directories(temp.path() / "model/x.txt");
  error_of(ErrorKind::kRuntime, [&] { OutputFolder(temp.path() / "model", true, kNames, 1000); });
  EXPECT_EQ(num_entries(temp.path()), 2U);
}

}  // namespace equinoise::output_folder_test
