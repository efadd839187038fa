// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/input/table_files.h"

#include "tests/data/formats/arrow_tables.h"
#include "tests/data/images/image_files.h"
#include "tests/tasks/small_model.h"
#include "tests/test_support.h"

namespace equinoise::table_files_test {

using testing::kSmallSchema;
using testing::kSmallTable;
using testing::with;

class Stages : public TaskProgress {
 public:
  void stage(const std::string& text) override { texts.push_back(text); }
  std::vector<std::string> texts;
};

const std::string kDigits = R"(schema = "equinoise/1"
dataset = "digits"
[public]
num_records = 2
[image]
shape = [1, 1, 1]
[columns.digit]
type = "categorical"
values = ["0", "1"]
)";

TEST(TableFilesTest, TheHashIsOfEveryByteAndName) {
  const TempFolder folder;
  const std::filesystem::path table = folder.write_file("t.csv", std::string(3 << 20, 'x'));
  const std::string hash = hash_of_files({table, ""}, "salt");
  EXPECT_EQ(hash_of_files({table, ""}, "salt"), hash);
  EXPECT_NE(hash_of_files({table, ""}, "other salt"), hash);
  EXPECT_NE(hash_of_files({table, table}, "salt"), hash);
  folder.write_file("t.csv", std::string((3 << 20) - 1, 'x') + "y");
  EXPECT_NE(hash_of_files({table, ""}, "salt"), hash);

  std::filesystem::create_directory(folder.path() / "images");
  folder.write_file("images/a", "1");
  folder.write_file("images/b", "2");
  const TableFiles images = {folder.path() / "images", table};
  const std::string of_folder = hash_of_files(images, "salt");
  folder.write_file("images/a", "2");
  folder.write_file("images/b", "1");
  EXPECT_NE(hash_of_files(images, "salt"), of_folder);
  EXPECT_ERROR(kRuntime, HasSubstr("cannot be read"),
               hash_of_files({folder.path() / "none", ""}, "salt"));
}

TEST(TableFilesTest, TheHashOfRecordsInMemoryIsOfEveryNameAndCell) {
  const auto hash = [](const std::string& query, const std::string& salt = "salt") {
    return hash_of_files({testing::memory_table(query), ""}, salt);
  };
  const std::string one = hash("SELECT 'a' AS x, 'bc' AS y");
  EXPECT_EQ(hash("SELECT 'a' AS x, 'bc' AS y"), one);
  EXPECT_NE(hash("SELECT 'a' AS x, 'bc' AS y", "other salt"), one);
  EXPECT_NE(hash("SELECT 'ab' AS x, 'c' AS y"), one) << "cells do not run together";
  EXPECT_NE(hash("SELECT 'a' AS x, 'bc' AS z"), one);
  EXPECT_NE(hash("SELECT unnest(['x', 'y', 'a', 'bc']) AS x"), one);
  EXPECT_NE(hash("SELECT 'a' AS x, 'bc' AS y UNION ALL SELECT 'a', 'bc'"), one);
  EXPECT_NE(hash("SELECT '' AS x"), hash("SELECT NULL AS x"));
  // Longer than what is hashed at once.
  const std::string many = "SELECT i AS x FROM range(50000) AS r(i) ORDER BY i";
  EXPECT_EQ(hash(many), hash(many));
  EXPECT_NE(hash(many), hash("SELECT CASE WHEN i = 49999 THEN 0 ELSE i END AS x FROM range(50000) "
                             "AS r(i) ORDER BY i"));
}

TEST(TableFilesTest, ImagesAreReadFromFilesOnly) {
  Stages stages;
  const TableFiles files = {testing::memory_table("SELECT 1 AS digit"), "labels"};
  EXPECT_ERROR(kUsage, HasSubstr("the frame: the schema has [image]"),
               read_table_files(files, parse_schema(kDigits, "s"), TableUse::kDescribed, stages));
}

TEST(TableFilesTest, TheSchemaSaysWhatIsRead) {
  const TempFolder folder;
  Stages stages;
  const std::filesystem::path table = folder.write_file("t.csv", kSmallTable);
  const Dataset rows =
      read_table_files({table, ""}, parse_schema(kSmallSchema, "s"), TableUse::kDescribed, stages);
  EXPECT_EQ(rows.num_records, 9);
  EXPECT_TRUE(rows.pixels.empty());
  const std::filesystem::path images =
      folder.write_file("images", testing::idx_images({2, 1, 1}, {4, 5}));
  const std::filesystem::path labels = folder.write_file("labels", testing::idx_labels({0, 1}));
  const Dataset digits =
      read_table_files({images, labels}, parse_schema(kDigits, "s"), TableUse::kDescribed, stages);
  EXPECT_THAT(digits.pixels, ElementsAre(4, 5));
  EXPECT_THAT(stages.texts, ElementsAre("reading " + table.string(), "reading " + images.string()));
}

TEST(TableFilesTest, TheFirstMisfitIsSaidToWhoeverReadsTheTable) {
  const TempFolder folder;
  Stages stages;
  const std::filesystem::path table =
      folder.write_file("t.csv", "x,sex,y\n1,female,yes\n2,male,no\n");
  const Dataset rows =
      read_table_files({table, ""}, parse_schema(kSmallSchema, "s"), TableUse::kOther, stages);
  EXPECT_THAT(stages.texts,
              ElementsAre("reading " + table.string(),
                          "warning, not private: column sex: 2 of 2 cells (100 %) hold no category "
                          "of the schema, so the schema does not fit this column"));
  // One record to predict for may be an odd one.
  stages.texts.clear();
  read_table_files({table, ""}, parse_schema(kSmallSchema, "s"), TableUse::kFeaturesOnly, stages);
  EXPECT_THAT(stages.texts, ElementsAre("reading " + table.string(),
                                        "warning, not private: no record contributes anything, by "
                                        "the schema's rules"));
}

TEST(TableFilesTest, LabelsAreForImagesOnly) {
  const Schema table = parse_schema(kSmallSchema, "s");
  const Schema images = parse_schema(kDigits, "s");
  for (const TableUse use : {TableUse::kDescribed, TableUse::kOther, TableUse::kFeaturesOnly}) {
    check_labels("", table, use);
    check_labels("labels", images, use);
    EXPECT_ERROR(kUsage, HasSubstr("the schema has no [image]"),
                 check_labels("labels", table, use));
  }
  check_labels("", images, TableUse::kFeaturesOnly);
  for (const TableUse use : {TableUse::kDescribed, TableUse::kOther}) {
    EXPECT_ERROR(kUsage, HasSubstr("--labels FILE"), check_labels("", images, use));
  }
}

}  // namespace equinoise::table_files_test
