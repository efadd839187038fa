// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/line_reader.h"

#include <string>
#include <vector>

#include "tests/data/table_files.h"
#include "tests/test_support.h"

namespace equinoise::line_reader_test {

const std::string kSecret = "S3CRET";

class LineReaderTest : public ::testing::Test {
 protected:
  std::vector<std::string> lines_of(const std::filesystem::path& path, size_t block_bytes) {
    LineReader reader(ByteStream(InputFile(path), block_bytes));
    std::vector<std::string> lines;
    std::string_view line;
    while (reader.next(line)) {
      lines.emplace_back(line);
      EXPECT_EQ(reader.line_number(), static_cast<int64_t>(lines.size()));
    }
    EXPECT_FALSE(reader.next(line)) << "the end stays the end";
    return lines;
  }
  /// The same whatever the size of the blocks.
  std::vector<std::string> lines(std::string_view content) {
    const std::filesystem::path path = folder_.write_file("file", content);
    const std::vector<std::string> lines = lines_of(path, ByteStream::kBlockBytes);
    for (size_t block_bytes = 3; block_bytes <= content.size(); ++block_bytes) {
      EXPECT_EQ(lines_of(path, block_bytes), lines) << "blocks of " << block_bytes;
    }
    return lines;
  }
  std::string error(std::string_view content, size_t block_bytes = ByteStream::kBlockBytes) {
    const std::filesystem::path path = folder_.write_file("file", content);
    const std::string message = error_of(ErrorKind::kInput, [&] { lines_of(path, block_bytes); });
    EXPECT_THAT(message, AllOf(HasSubstr(path.string()), Not(HasSubstr(kSecret))));
    return message;
  }

  TempFolder folder_;
};

TEST_F(LineReaderTest, EveryKindOfLineEnd) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    EXPECT_THAT(lines("ab" + end + "cde" + end), ElementsAre("ab", "cde"));
    EXPECT_THAT(lines("ab" + end + "cde"), ElementsAre("ab", "cde"));
    EXPECT_THAT(lines(end + "ab" + end + end + "cde" + end + end),
                ElementsAre("", "ab", "", "cde", ""));
    EXPECT_THAT(lines(end), ElementsAre(""));
  }
  EXPECT_THAT(lines("ab"), ElementsAre("ab"));
}

TEST_F(LineReaderTest, LfAndCrlfMayBeMixed) {
  EXPECT_THAT(lines("ab\ncd\r\nef\n"), ElementsAre("ab", "cd", "ef"));
  EXPECT_THAT(lines("ab\r\ncd\nef\r\n"), ElementsAre("ab", "cd", "ef"));
}

TEST_F(LineReaderTest, ALoneCarriageReturnEndsLinesOnlyWhereItEndsTheFirst) {
  EXPECT_THAT(lines("ab\nc\rd\ne\r"), ElementsAre("ab", "c\rd", "e\r"));
  EXPECT_THAT(lines("ab\r\nc\rd\r\n"), ElementsAre("ab", "c\rd"));
  EXPECT_THAT(lines("ab\rc\nd\r"), ElementsAre("ab", "c\nd"));
  EXPECT_THAT(lines("ab\rcd\r\nef"), ElementsAre("ab", "cd", "\nef"));
}

TEST_F(LineReaderTest, LinesAcrossManyBlocks) {
  const std::string line(1'999'999, 'x');
  const std::filesystem::path path = folder_.write_file("file", line + "\n\n" + line + "\r\n");
  EXPECT_THAT(lines_of(path, ByteStream::kBlockBytes), ElementsAre(line, "", line));
}

TEST_F(LineReaderTest, WellFormedUtf8) {
  for (const char* text :
       {"\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
        "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf",
        "\xc3\xa9t\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80, plain text after it"}) {
    for (const std::string before : {"", "a", "1234567", "12345678", "123456789012345"}) {
      EXPECT_THAT(lines(before + text + "\n" + before + text),
                  ElementsAre(before + text, before + text));
    }
  }
}

TEST_F(LineReaderTest, IllFormedUtf8) {
  for (const char* text : {"\x80",
                           "\xbf",
                           "\xc0\x80",
                           "\xc1\xbf",
                           "\xc2",
                           "\xc2\x41",
                           "\xc2\xc0",
                           "\xe0\x80\x80",
                           "\xe0\x9f\xbf",
                           "\xe1\x80",
                           "\xe1\x80\x41",
                           "\xed\xa0\x80",
                           "\xed\xbf\xbf",
                           "\xf0\x80\x80\x80",
                           "\xf0\x8f\xbf\xbf",
                           "\xf1\x80\x80",
                           "\xf4\x90\x80\x80",
                           "\xf5\x80\x80\x80",
                           "\xfe",
                           "\xff"}) {
    for (const std::string before : {"", "1234567", "S3CRET and more text"}) {
      for (const std::string after : {"", "\n", " plain text after it"}) {
        for (const size_t block_bytes : {size_t{3}, ByteStream::kBlockBytes}) {
          ASSERT_THAT(error("ab\n" + before + text + after, block_bytes),
                      HasSubstr("line 2 is not UTF-8"));
        }
      }
    }
  }
}

TEST_F(LineReaderTest, CharactersAcrossTheBordersOfBlocks) {
  for (size_t start = ByteStream::kBlockBytes - 5; start <= ByteStream::kBlockBytes + 1; ++start) {
    SCOPED_TRACE(start);
    const std::string before(start, 'x');
    const std::string good = before + "\xf0\x9f\x98\x80";
    EXPECT_THAT(lines_of(folder_.write_file("file", good + "\nab"), ByteStream::kBlockBytes),
                ElementsAre(good, "ab"));
    EXPECT_THAT(error(before + "\xf0\x9f\x98\n"), HasSubstr("line 1 is not UTF-8"));
    EXPECT_THAT(lines_of(folder_.write_file("file", before + "\r\nab"), ByteStream::kBlockBytes),
                ElementsAre(before, "ab"));
    EXPECT_THAT(lines_of(folder_.write_file("file", before + "\rab"), ByteStream::kBlockBytes),
                ElementsAre(before, "ab"));
  }
}

TEST(LineReader, Utf8ThatWasReadAsLatin1IsSeen) {
  // prenom with an accent, a euro sign (of Windows), and an emoji whose bytes are partly open
  // there.
  for (const char* text : {"pr\xc3\x83\xc2\xa9nom", "\xc3\xa2\xe2\x80\x9a\xc2\xac",
                           "\xc3\xb0\xc5\xb8\xcb\x9c\xe2\x82\xac"})
    EXPECT_TRUE(is_utf8_read_as_latin1(text)) << text;
  for (const char* text : {"", "prenom", "pr\xc3\xa9nom", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
                           "pr\xc3\x83\xc2\xa9nom\xc3\xa9", "\xce\xb1"})
    EXPECT_FALSE(is_utf8_read_as_latin1(text)) << text;
}

TEST_F(LineReaderTest, WhatIsNoText) {
  EXPECT_THAT(error(std::string("ab\nS3CRET\0\n", 11)), HasSubstr("line 2 contains a NUL byte"));
  EXPECT_THAT(error(std::string("ab\nS3CRET\n\0", 11)), HasSubstr("line 3 contains a NUL byte"));
  EXPECT_THAT(error("\xff\xfe" + std::string("a\0\n\0", 4)), HasSubstr("is in UTF-16"));
}

TEST_F(LineReaderTest, TooLongLines) {
  const std::string limit(2'000'000, 'x');
  EXPECT_THAT(lines_of(folder_.write_file("file", limit + "\n" + limit), ByteStream::kBlockBytes),
              ElementsAre(limit, limit));
  EXPECT_THAT(error("ab\n" + limit + "x\nab"), HasSubstr("line 2 is longer than 2,000,000 bytes"));
  EXPECT_THAT(error("ab\n" + limit + "x"), HasSubstr("line 2 is longer than 2,000,000 bytes"));
  EXPECT_THAT(error(std::string(40'000'000, 'x')), HasSubstr("line 1 is longer than"));
}

TEST_F(LineReaderTest, CutGzipGivesNoHalfLine) {
  const std::string whole = testing::gzip("ab\ncd\n" + kSecret + std::string(100, 'x') + "\n");
  const std::filesystem::path path =
      folder_.write_file("file", std::string_view(whole).substr(0, whole.size() - 9));
  EXPECT_ERROR(kInput, HasSubstr("the file was cut short"), lines_of(path, 3));
}

}  // namespace equinoise::line_reader_test
