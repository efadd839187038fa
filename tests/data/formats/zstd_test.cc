// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "equinoise/data/formats/byte_stream.h"
#include "equinoise/data/formats/unpacker.h"
#include "tests/data/table_files.h"
#include "tests/test_support.h"

namespace equinoise::zstd_test {

using testing::zstd;

class ZstdTest : public ::testing::Test {
 protected:
  std::string read(const std::string& file, size_t block_bytes = ByteStream::kBlockBytes) {
    ByteStream bytes(InputFile(folder_.write_file("t.csv.zst", file)), block_bytes);
    std::string text;
    for (std::string_view block = bytes.block(); !block.empty(); block = bytes.block()) {
      text += block;
      bytes.skip(block.size());
    }
    return text;
  }
  std::string error(const std::string& file) {
    return error_of(ErrorKind::kInput, [&] { read(file); });
  }

  TempFolder folder_;
};

TEST_F(ZstdTest, FramesAreReadWhateverTheSizeOfBlocks) {
  std::string table = "a,b\n";
  for (int i = 0; i < 200'000; ++i) table += std::to_string(i * 7919 % 100'003) + ",x\n";
  for (const size_t block_bytes : {size_t{7}, size_t{1000}, ByteStream::kBlockBytes})
    EXPECT_EQ(read(zstd(table), block_bytes), table);
  EXPECT_EQ(read(zstd("a\n1\n") + zstd("") + zstd("2\n")), "a\n1\n2\n");
  EXPECT_THAT(error(zstd("")), HasSubstr("is empty"));
}

TEST_F(ZstdTest, EveryCutAndEveryChangedByteIsFound) {
  std::string table = "a,b\n";
  for (int i = 0; i < 100; ++i) table += "S3CRET," + std::to_string(i * 7919) + "\n";
  const std::string file = zstd(table);
  for (size_t size = 4; size < file.size(); ++size)
    EXPECT_THAT(error(file.substr(0, size)), HasAll("t.csv.zst: ", "cut short"));
  for (size_t at = 5; at < file.size(); ++at) {
    std::string damaged = file;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    try {
      EXPECT_EQ(read(damaged), table) << at << ": the bit meant nothing";
    } catch (const Error& found) {
      EXPECT_THAT(found.what(), AllOf(HasSubstr("zstd data"), Not(HasSubstr("S3CRET")))) << at;
    }
  }
  EXPECT_THAT(error(file + "x"), HasSubstr("zstd data"));
}

}  // namespace equinoise::zstd_test
