// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/byte_stream.h"

#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "tests/data/table_files.h"
#include "tests/test_support.h"

namespace equinoise::byte_stream_test {

using testing::gzip;

const std::string kSecret = "S3CRET";

/// `size` bytes that hardly compress, and no byte order mark.
std::string noise(size_t size) {
  std::string text;
  uint64_t state = 1;
  while (text.size() < size) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    text += static_cast<char>('a' + (state >> 33) % 26);
  }
  return text;
}

class ByteStreamTest : public ::testing::Test {
 protected:
  std::string read(std::string_view content, size_t block_bytes = ByteStream::kBlockBytes) {
    ByteStream bytes(InputFile(folder_.write_file("file", content)), block_bytes);
    std::string text;
    for (std::string_view block = bytes.block(); !block.empty(); block = bytes.block()) {
      EXPECT_LE(block.size(), block_bytes);
      text += block;
      bytes.skip(block.size());
    }
    EXPECT_TRUE(bytes.block().empty()) << "the end stays the end";
    return text;
  }
  std::string error_at(const std::filesystem::path& path) {
    const std::string message = error_of(ErrorKind::kInput, [&] {
      ByteStream bytes{InputFile(path)};
      while (!bytes.block().empty()) bytes.skip(bytes.block().size());
    });
    EXPECT_THAT(message, AllOf(StartsWith("[data.table] "), HasSubstr(path.string()),
                               Not(HasSubstr(kSecret))));
    return message;
  }
  std::string error(std::string_view content) {
    return error_at(folder_.write_file("file", content));
  }

  TempFolder folder_;
};

TEST_F(ByteStreamTest, HandsOutTheWholeFile) {
  const std::string content = noise(3 * ByteStream::kBlockBytes + 17);
  EXPECT_EQ(read(content), content);
  EXPECT_EQ(read(gzip(content)), content);
  EXPECT_EQ(read("x"), "x");
  EXPECT_EQ(read("\x1f"), "\x1f") << "half of what gzip begins with";
}

TEST_F(ByteStreamTest, AnySizeOfBlockGivesTheSameBytes) {
  const std::string content = noise(100);
  for (size_t block_bytes = 3; block_bytes < 110; ++block_bytes) {
    ASSERT_EQ(read(content, block_bytes), content);
    ASSERT_EQ(read(gzip(content), block_bytes), content);
  }
}

TEST_F(ByteStreamTest, SkippingLessThanABlockKeepsTheRest) {
  ByteStream bytes(InputFile(folder_.write_file("file", "abcdef")), 4);
  EXPECT_EQ(bytes.block(), "abcd");
  bytes.skip(3);
  EXPECT_EQ(bytes.block(), "d");
  bytes.skip(1);
  EXPECT_EQ(bytes.block(), "ef");
}

TEST_F(ByteStreamTest, TheByteOrderMarkIsLeftOut) {
  const std::string mark = "\xef\xbb\xbf";
  for (const size_t block_bytes : {size_t{3}, size_t{4}, size_t{5}, ByteStream::kBlockBytes}) {
    EXPECT_EQ(read(mark + "abc", block_bytes), "abc");
    EXPECT_EQ(read(gzip(mark + "abc"), block_bytes), "abc");
    EXPECT_EQ(read(mark + mark, block_bytes), mark) << "only the first";
    EXPECT_EQ(read("a" + mark, block_bytes), "a" + mark);
  }
  EXPECT_EQ(read("\xef\xbb"), "\xef\xbb");
}

TEST_F(ByteStreamTest, GzipMembersFollowOneAnother) {
  const std::string content = noise(2 * ByteStream::kBlockBytes);
  std::string file = gzip("");
  for (size_t begin = 0; begin < content.size(); begin += 50'001) {
    file += gzip(std::string_view(content).substr(begin, 50'001));
  }
  EXPECT_EQ(read(file), content);
  EXPECT_EQ(read(file + gzip("")), content);
  EXPECT_EQ(read(gzip("ab") + gzip("cd") + gzip("ef"), 3), "abcdef");
}

TEST_F(ByteStreamTest, CutGzipIsFoundWhereverItIsCut) {
  const std::string small = gzip(kSecret + noise(200)) + gzip(kSecret);
  const size_t border = gzip(kSecret + noise(200)).size();
  for (size_t size = 2; size < small.size(); ++size) {
    if (size == border) continue;  // a whole member is a whole file
    SCOPED_TRACE(size);
    ASSERT_THAT(error(small.substr(0, size)),
                HasSubstr("ends in the middle of its gzip data: the file was cut short; fetch or "
                          "compress the file again"));
  }
  const std::string large = gzip(noise(5 * ByteStream::kBlockBytes));
  for (const size_t size : {large.size() / 3, ByteStream::kBlockBytes, large.size() - 1}) {
    SCOPED_TRACE(size);
    EXPECT_THAT(error(large.substr(0, size)), HasSubstr("was cut short"));
  }
}

TEST_F(ByteStreamTest, DamagedGzipIsFoundWhereverItIsDamaged) {
  const std::string whole = gzip(kSecret + noise(200));
  constexpr size_t kNameAndTime = 4;  // bytes 4 to 9 of the header say nothing about the content
  for (size_t i = 2; i < whole.size(); ++i) {
    if (i >= kNameAndTime && i < 10) continue;
    SCOPED_TRACE(i);
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    ASSERT_THAT(error(damaged), HasSubstr("gzip data"));
  }
  std::string checksum = whole;
  checksum[whole.size() - 8] = static_cast<char>(checksum[whole.size() - 8] + 1);
  EXPECT_THAT(error(checksum),
              HasSubstr("has damaged gzip data; fetch or compress the file again"));
  std::string length = whole;
  length.back() = static_cast<char>(length.back() + 1);
  EXPECT_THAT(error(length), HasSubstr("has damaged gzip data"));
}

TEST_F(ByteStreamTest, NothingMayFollowTheGzipData) {
  for (const std::string& rest : {kSecret, std::string(1, '\0'), std::string("\n")}) {
    EXPECT_THAT(error(gzip("abc") + rest), HasSubstr("has other bytes after its gzip data"));
  }
  EXPECT_THAT(error(gzip("abc") + "\x1f"), HasSubstr("was cut short"));
  EXPECT_THAT(error(gzip("abc") + "\x1fS3CRET"), HasSubstr("has damaged gzip data"));
}

TEST_F(ByteStreamTest, FilesWithoutContent) {
  EXPECT_THAT(error(""), HasSubstr("is empty; fetch or write the file again"));
  EXPECT_THAT(error("\xef\xbb\xbf"), HasSubstr("is empty"));
  EXPECT_THAT(error(gzip("")), HasSubstr("is empty"));
  EXPECT_THAT(error(gzip("") + gzip("")), HasSubstr("is empty"));
  EXPECT_THAT(error(gzip("\xef\xbb\xbf")), HasSubstr("is empty"));
}

TEST_F(ByteStreamTest, WhatIsNotARegularFile) {
  EXPECT_THAT(error_at(folder_.path() / "none"), HasSubstr("No such file"));
  EXPECT_THAT(error_at(folder_.path()), HasSubstr("is a directory"));
  const std::filesystem::path pipe = folder_.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(error_at(pipe), HasSubstr("is not a regular file"));
  EXPECT_THAT(error_at("/dev/null"), HasSubstr("is not a regular file"));
}

TEST_F(ByteStreamTest, UnreadableFile) {
  const std::filesystem::path path = folder_.write_file("closed", "abc");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  // Root may read every file, so it becomes somebody else for a moment.
  const bool is_root = ::geteuid() == 0;
  if (is_root && ::seteuid(65534) != 0) GTEST_SKIP() << "this root cannot become another user";
  const std::string message = error_at(path);
  ASSERT_TRUE(!is_root || ::seteuid(0) == 0);
  EXPECT_THAT(message, HasSubstr("Permission denied"));
}

TEST_F(ByteStreamTest, TheOpenFileIsReadEvenWhenItsNameIsTaken) {
  InputFile file(folder_.write_file("file", "first"));
  std::filesystem::rename(folder_.path() / "file", folder_.path() / "old");
  folder_.write_file("file", "second");
  EXPECT_EQ(ByteStream(std::move(file)).block(), "first");
}

}  // namespace equinoise::byte_stream_test
