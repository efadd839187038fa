// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/parquet_writer.h"

#include <fstream>

#include "equinoise/data/formats/parquet_reader.h"
#include "tests/data/records.h"
#include "tests/test_support.h"

namespace equinoise::parquet_writer_test {

using ::testing::_;

using Type = ParquetWriter::Type;

TEST(ParquetWriter, WhatIsWrittenIsReadAgain) {
  const std::vector<std::string> names = {"a b", "say \"x\"", "select", "c0", "few", "many"};
  std::vector<std::string> many;
  for (int code = 0; code < 300; ++code) many.push_back(std::to_string(code));
  ParquetWriter::check_names(names);
  ParquetWriter writer({{names[0], Type::kText},
                        {names[1], Type::kInteger},
                        {names[2], Type::kNumber},
                        {names[3], Type::kTruth},
                        {names[4], Type::kCategory, {"", "\xc3\xa9, \"'\n"}},
                        {names[5], Type::kCategory, many}});
  constexpr int kNumRows = 10'000;  // more than a chunk
  int i = -1;
  const auto add_row = [&] {
    if (++i == kNumRows) return false;
    writer.add(std::string_view(i == 1 ? "" : "\xc3\xa9, \"'\n"));
    if (i == 1) {
      writer.add_null();
      writer.add_null();
    } else {
      writer.add(int64_t{-5'000'000'000});
      writer.add(i * 0.1);
    }
    writer.add(i % 2 == 0);
    if (i == 1) {
      writer.add_null();
    } else {
      writer.add_category(i % 2);
    }
    writer.add_category(i % 300);
    return true;
  };
  const TempFolder folder;
  const std::filesystem::path path = folder.path() / "rows.parquet";
  std::ofstream file(path, std::ios::binary);
  writer.write(add_row, [&](std::string_view piece) { file << piece; });
  file.close();
  ParquetReader reader{InputFile(path)};
  EXPECT_EQ(reader.header(), names);
  const auto records = testing::all_records(reader);
  ASSERT_THAT(records, SizeIs(kNumRows));
  EXPECT_THAT(records[1], ElementsAre("", std::nullopt, std::nullopt, "false", std::nullopt, "1"));
  EXPECT_THAT(records[3], ElementsAre("\xc3\xa9, \"'\n", "-5000000000", "0.30000000000000004",
                                      "false", "\xc3\xa9, \"'\n", "3"));
  EXPECT_THAT(records[9998], ElementsAre(_, _, _, "true", "", "98"));
  EXPECT_EQ(records[4][3], "true");
}

TEST(ParquetWriter, WhatCannotBeWrittenIsSaid) {
  EXPECT_ERROR(kUsage, HasSubstr("columns 'Sex' and 'sex' differ only in upper and lower case"),
               ParquetWriter::check_names({"a", "Sex", "sex"}));
  EXPECT_ERROR(kUsage, HasSubstr("no name"), ParquetWriter::check_names({"a", ""}));
  ParquetWriter writer({{"a", Type::kText}});
  EXPECT_ERROR(kRuntime, HasSubstr("UTF-8"),
               writer.write(
                   [&] {
                     writer.add(std::string_view("\xff"));
                     return true;
                   },
                   [](std::string_view) { FAIL() << "half a file"; }));
}

}  // namespace equinoise::parquet_writer_test
