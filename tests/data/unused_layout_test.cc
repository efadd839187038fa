// SPDX-License-Identifier: Apache-2.0

#include <filesystem>

#include "equinoise/data/open_table.h"
#include "tests/data/formats/arrow_tables.h"
#include "tests/data/table_files.h"
#include "tests/test_support.h"

namespace equinoise::unused_layout_test {

TEST(UnusedLayout, IsRefused) {
  const TempFolder folder;
  const auto json = folder.write_file("t.json", R"([{"a": 1}, {"a": 2}])");
  const auto parquet = testing::write_parquet(folder.path() / "t.parquet", "SELECT 1 AS a");
  const auto arff = folder.write_file("t.arff", "@relation r\n@attribute a real\n@data\n1\n");
  const auto csv = folder.write_file("t.csv", "a;b\n1;2\n");
  const std::filesystem::path images = folder.path() / "images";
  std::filesystem::create_directory(images);
  TableOptions none;
  none.missing_values = {"N"};
  TableOptions delimiter;
  delimiter.delimiter = ';';
  TableOptions encoding;
  encoding.encoding = Encoding::kLatin1;
  TableOptions no_header;
  no_header.has_header = false;
  const auto refusal = [](const TableSource& table, const TableOptions& options) {
    return error_of(ErrorKind::kUsage, [&] { refuse_unused_layout(table, options); });
  };
  for (const TableSource& table :
       {TableSource(json), TableSource(parquet), testing::memory_table("SELECT 1 AS a")}) {
    EXPECT_THAT(refusal(table, delimiter), HasSubstr("is not CSV, so --delimiter"));
    EXPECT_THAT(refusal(table, encoding), HasSubstr("so --encoding says nothing"));
    EXPECT_NO_THROW(refuse_unused_layout(table, none));
  }
  EXPECT_THAT(refusal(arff, delimiter), HasSubstr("is not CSV"));
  EXPECT_NO_THROW(refuse_unused_layout(arff, encoding));
  EXPECT_THAT(refusal(parquet, no_header), HasSubstr("leave them out"));
  EXPECT_NO_THROW(refuse_unused_layout(json, no_header)) << "a record of CSV";
  for (const TableOptions& options : {delimiter, encoding, no_header}) {
    EXPECT_NO_THROW(refuse_unused_layout(csv, options));
    EXPECT_NO_THROW(refuse_unused_layout(images, options)) << "images";
  }
}

}  // namespace equinoise::unused_layout_test
