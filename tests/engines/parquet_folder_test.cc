// SPDX-License-Identifier: Apache-2.0
#include "equinoise/engines/parquet_folder.h"

#include <filesystem>
#include <string>
#include <vector>

#include "tests/test_support.h"

namespace equinoise::parquet_folder_test {

namespace fs = std::filesystem;

class ParquetFolder : public ::testing::Test {
 protected:
  void write(const std::string& name, std::string_view content = "PAR1") {
    fs::create_directories((folder_.path() / name).parent_path());
    folder_.write_file(name, content);
  }
  fs::path path(const std::string& name) const { return folder_.path() / name; }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const fs::path& file : parquet_files(folder_.path()))
      names.push_back(file.lexically_relative(folder_.path()).string());
    EXPECT_EQ(holds_parquet(folder_.path()), !names.empty());
    return names;
  }
  std::string problem() const {
    EXPECT_TRUE(holds_parquet(folder_.path()));
    return error_of(ErrorKind::kInput, [&] { parquet_files(folder_.path()); });
  }

  TempFolder folder_;
};

TEST_F(ParquetFolder, HasFilesAtAnyDepthWhateverTheCaseOfTheirEndings) {
  EXPECT_THAT(names(), ElementsAre());
  write("notes.txt", "of another kind");
  write("empty.csv", "");
  fs::create_directory(path("empty.parquet"));
  EXPECT_THAT(names(), ElementsAre());
  for (const char* name : {"b.PARQUET", "a.parquet", "year=2020/c.parq", "year=2020/d.snappy.pq",
                           "_sex=F/e.parquet", "people.parquet/part-0.parquet"})
    write(name);
  EXPECT_THAT(names(), ElementsAre("_sex=F/e.parquet", "a.parquet", "b.PARQUET",
                                   "people.parquet/part-0.parquet", "year=2020/c.parq",
                                   "year=2020/d.snappy.pq"));
}

/// They would count people twice.
TEST_F(ParquetFolder, HasNoHiddenAndTemporaryFiles) {
  for (const char* name :
       {".hidden.parquet", "._a.parquet", ".ipynb_checkpoints/a-checkpoint.parquet",
        "_temporary/0/part-0.parquet", "_metadata", "deep/.Trash/a.parquet", ".part-0.parquet.crc"})
    write(name);
  EXPECT_THAT(names(), ElementsAre());
  write("a.parquet");
  EXPECT_THAT(names(), ElementsAre("a.parquet"));
}

TEST_F(ParquetFolder, MayItselfBeHidden) {
  write("_people/.now/a.parquet");
  EXPECT_TRUE(holds_parquet(path("_people/.now")));
  EXPECT_EQ(parquet_files(path("_people/.now")).size(), 1U);
}

TEST_F(ParquetFolder, FollowsLinks) {
  const TempFolder elsewhere;
  elsewhere.write_file("b.parquet", "PAR1");
  fs::create_directory_symlink(elsewhere.path(), path("linked"));
  EXPECT_THAT(names(), ElementsAre("linked/b.parquet"));
  elsewhere.write_file("c.txt", "PAR1");
  fs::create_symlink(elsewhere.path() / "c.txt", path("a.parquet"));
  EXPECT_THAT(problem(), HasAll("linked/c.txt", "rename it"));
  fs::remove(path("linked"));
  EXPECT_THAT(names(), ElementsAre("a.parquet"));
}

TEST_F(ParquetFolder, HasNothingTwice) {
  write("years/a.parquet");
  fs::create_symlink(path("years/a.parquet"), path("years/b.parquet"));
  EXPECT_THAT(problem(), HasAll(".parquet: is in the folder twice", "remove the link"));
  fs::remove(path("years/b.parquet"));
  fs::create_hard_link(path("years/a.parquet"), path("c.parquet"));
  EXPECT_THAT(problem(), HasSubstr("is in the folder twice"));
  fs::remove(path("c.parquet"));
  fs::create_directory_symlink(folder_.path(), path("years/all"));
  EXPECT_THAT(problem(), HasSubstr("years/all: is in the folder twice"));
  fs::remove(path("years/all"));
  EXPECT_THAT(names(), ElementsAre("years/a.parquet"));
}

TEST_F(ParquetFolder, LeavesNothingOutInSilence) {
  write("a.parquet");
  fs::create_symlink(path("nowhere"), path("b.parquet"));
  EXPECT_THAT(problem(), HasSubstr("b.parquet: is no file, or a link to nothing"));
  fs::remove(path("b.parquet"));
  write("000000_0");
  EXPECT_THAT(problem(), HasAll("000000_0: ", "does not end in .parquet"));
}

TEST_F(ParquetFolder, IsNoTableOfAFormatThatKeepsOldFiles) {
  write("people/year=2020/a.parquet");
  for (const auto& [log, format] : std::vector<std::pair<std::string, std::string>>{
           {"people/_delta_log/0.json", "Delta"},
           {"people/.hoodie/hoodie.properties", "Hudi"},
           {"people/metadata/v1.metadata.json", "Iceberg"}}) {
    write(log, "{}");
    for (const char* folder : {"people", "people/year=2020", "."}) {
      EXPECT_TRUE(holds_parquet(path(folder)));
      EXPECT_ERROR(kInput, HasAll("people: is a table of " + format, "elsewhere"),
                   parquet_files(path(folder)))
          << folder;
    }
    fs::remove_all(path(log).parent_path());
  }
  write("people/metadata/notes.json", "{}");
  EXPECT_THAT(names(), ElementsAre("people/year=2020/a.parquet"));
}

}  // namespace equinoise::parquet_folder_test
