// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "equinoise/data/formats/unpacker.h"
#include "equinoise/data/open_table.h"
#include "tests/data/records.h"
#include "tests/data/table_files.h"
#include "tests/test_support.h"

namespace equinoise::zip_test {

using testing::all_records;
using testing::zip;
using testing::ZipMember;

const std::string kSecret = "S3CRET";

/// More than a block, and with lines that differ.
std::string table() {
  std::string csv = "a,b\n";
  for (int i = 0; i < 60'000; ++i) csv += std::to_string(i * 7919) + ",x\n";
  return csv;
}

class ZipTest : public ::testing::Test {
 protected:
  size_t num_records(const std::string& archive) {
    return all_records(*open_table(folder_.write_file("t.zip", archive))).size();
  }
  std::string error(const std::string& archive) {
    const auto path = folder_.write_file("t.zip", archive);
    const std::string message =
        error_of(ErrorKind::kInput, [&] { all_records(*open_table(path)); });
    EXPECT_THAT(message, AllOf(HasSubstr("t.zip: "), Not(HasSubstr(kSecret))));
    return message;
  }

  TempFolder folder_;
};

TEST_F(ZipTest, TheOnlyMemberIsTheTable) {
  for (const bool is_deflated : {true, false})
    EXPECT_EQ(num_records(zip({{"t.csv", table(), is_deflated}})), 60'000u);
  EXPECT_EQ(num_records(zip({{"t.csv", table(), true, true}})), 60'000u);
  EXPECT_EQ(num_records(zip({{"folder/", "", false}, {"folder/t.csv", table()}})), 60'000u);
  EXPECT_EQ(num_records(zip({{"t.csv", table()}, {"__MACOSX/._t.csv", "x"}})), 60'000u);
}

TEST_F(ZipTest, FoldersAndWhatSystemsAddDoNotCountWhereverTheyStand) {
  const ZipMember the_table = {"d/t.csv", table(), true, true};
  // Java writes folders so; macOS packs its files as streams.
  const ZipMember folder = {"d/", "", true, true};
  const ZipMember added = {"__MACOSX/d/._t.csv", kSecret, true, true};
  const ZipMember hidden = {"d/.DS_Store", kSecret, false};
  EXPECT_EQ(num_records(zip({folder, the_table})), 60'000u);
  EXPECT_EQ(num_records(zip({hidden, added, folder, the_table, folder, added, hidden})), 60'000u);
  // Another table behind them was once not seen.
  EXPECT_THAT(error(zip({the_table, added, {"d/u.csv", kSecret}, added})),
              HasSubstr("several files"));
  EXPECT_THAT(error(zip({folder, added})), HasSubstr("without a file"));
}

TEST_F(ZipTest, OtherArchivesAreNamedForWhatTheyAre) {
  EXPECT_THAT(error(zip({{"a.csv", kSecret}, {"b.csv", kSecret}})), HasSubstr("several files"));
  EXPECT_THAT(error(zip({{"[Content_Types].xml", kSecret}})), HasSubstr("Excel workbook"));
  EXPECT_THAT(error(zip({{"xl/workbook.xml", kSecret}})), HasSubstr("Excel workbook"));
  EXPECT_THAT(error(zip({{"mimetype", kSecret}})), HasSubstr("OpenDocument"));
  EXPECT_THAT(error(zip({{"a.npy", kSecret}})), HasSubstr("NumPy"));
  EXPECT_THAT(error(zip({{"folder/", "", false}})), HasSubstr("without a file"));
  std::string encrypted = zip({{"a.csv", kSecret}});
  encrypted[6] = 1;
  EXPECT_THAT(error(encrypted), HasSubstr("encrypted"));
  std::string other_method = zip({{"a.csv", kSecret}});
  other_method[8] = 9;
  EXPECT_THAT(error(other_method), HasSubstr("not read here"));
}

TEST_F(ZipTest, EveryCutAndEveryChangedByteIsFound) {
  const std::string archive = zip({{"t.csv", "a,b\n1,x\n2,y\n3,x\n"}});
  const size_t end = archive.find("PK\x01\x02");
  for (size_t size = 4; size < end + 4; ++size)
    EXPECT_NE(error(archive.substr(0, size)), "") << size;
  const size_t data = archive.find("t.csv") + 5;
  for (size_t at = data; at < end; ++at) {
    std::string damaged = archive;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    EXPECT_NE(error(damaged), "") << at;
  }
}

}  // namespace equinoise::zip_test
