#include "equinoise/tasks/table_files.h"

#include <gmock/gmock.h>

#include "tests/data/image_files.h"
#include "tests/tasks/small_model.h"
#include "tests/test_support.h"

namespace equinoise {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
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

TEST(TableFilesTest, LabelsAreForImagesOnly) {
  const Schema table = parse_schema(kSmallSchema, "s");
  const Schema images = parse_schema(kDigits, "s");
  for (const TableUse use : {TableUse::kDescribed, TableUse::kOther, TableUse::kFeaturesOnly}) {
    check_labels("", table, use);
    check_labels("labels", images, use);
    EXPECT_THAT(error_of(ErrorKind::kUsage, [&] { check_labels("labels", table, use); }),
                HasSubstr("the schema has no [image]"));
  }
  check_labels("", images, TableUse::kFeaturesOnly);
  for (const TableUse use : {TableUse::kDescribed, TableUse::kOther}) {
    EXPECT_THAT(error_of(ErrorKind::kUsage, [&] { check_labels("", images, use); }),
                HasSubstr("--labels FILE"));
  }
}

}  // namespace
}  // namespace equinoise
