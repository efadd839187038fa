// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/images/attribute_reader.h"

#include "tests/data/records.h"
#include "tests/data/table_files.h"
#include "tests/test_support.h"

namespace equinoise::attribute_reader_test {

using testing::all_records;
using testing::Cells;
using testing::gzip;

class AttributeReaderTest : public ::testing::Test {
 protected:
  AttributeReader open(std::string_view content) {
    return AttributeReader(ByteStream(InputFile(folder_.write_file("list.txt", content))));
  }
  std::string error(std::string_view content) {
    const std::string message = error_of(ErrorKind::kInput, [&] {
      AttributeReader reader = open(content);
      all_records(reader);
    });
    EXPECT_THAT(message, AllOf(StartsWith("[data.table] " + (folder_.path() / "list.txt").string()),
                               Not(HasSubstr("S3CRET"))));
    return message;
  }

  TempFolder folder_;
};

TEST_F(AttributeReaderTest, ReadsTheFormOfCelebA) {
  const std::string content =
      "2\nMale Young Smiling \n000001.jpg -1  1 -1\n000002.jpg\t 1 -1  ?\n\n";
  for (const std::string& file : {content, gzip(content)}) {
    AttributeReader reader = open(file);
    EXPECT_THAT(reader.header(), ElementsAre("Male", "Young", "Smiling"));
    EXPECT_THAT(all_records(reader), ElementsAre(Cells{"-1", "1", "-1"}, Cells{"1", "-1", "?"}));
    ASSERT_EQ(reader.images().size(), 2U);
    EXPECT_EQ(reader.images()[0].name, "000001.jpg");
    EXPECT_EQ(reader.images()[1].name, "000002.jpg");
    EXPECT_EQ(reader.images()[1].line, 4);
  }
}

TEST_F(AttributeReaderTest, WindowsLineEndsAndNoLastOne) {
  AttributeReader reader = open("1\r\nA\r\nx.jpg 5");
  EXPECT_THAT(all_records(reader), ElementsAre(Cells{"5"}));
}

TEST_F(AttributeReaderTest, SaysWhereAndWhat) {
  EXPECT_THAT(error("S3CRET\nA\nx.jpg 1\n"), HasSubstr("line 1 must be the number of images"));
  EXPECT_THAT(error("1 S3CRET\nA\nx.jpg 1\n"), HasSubstr("line 1 must be the number of images"));
  EXPECT_THAT(error("0\nA\nx.jpg 1\n"), HasSubstr("line 1 must be the number of images"));
  EXPECT_THAT(error("-1\nA\nx.jpg 1\n"), HasSubstr("line 1 must be the number of images"));
  EXPECT_THAT(error("99999999999999999999\nA\nx 1\n"), HasSubstr("line 1 must be the number"));
  EXPECT_THAT(error("1\n"), HasSubstr("ends after line 1"));
  EXPECT_THAT(error("1\n \nx.jpg 1\n"), HasSubstr("line 2 must name the attributes"));
  EXPECT_THAT(error("1\nA B\nS3CRET.jpg S3CRET\n"),
              HasSubstr("row 1 (line 3) has 2 words instead of 3"));
  EXPECT_THAT(error("1\nA\nS3CRET.jpg 1 S3CRET\n"), HasSubstr("has 3 words instead of 2"));
  EXPECT_THAT(error("3\nA\na.jpg 1\nb.jpg 1\n"),
              HasSubstr("ends after 2 images, but its first line says 3"));
  EXPECT_THAT(error("1\nA\na.jpg 1\n\nb.jpg 1\n"),
              HasSubstr("row 2 (line 5) the first line of the file says that there are only 1"));
  EXPECT_THAT(error("2\nA\nS3CRET 1\nS3CRET 1\n"),
              HasSubstr("row 2 (line 4) names the same image as line 3"));
}

TEST_F(AttributeReaderTest, NoNameLeadsOutOfTheFolder) {
  for (const char* name : {"..", ".", "../S3CRET", "/S3CRET", "a/S3CRET", "S3CRET/.."}) {
    EXPECT_THAT(error("1\nA\n" + std::string(name) + " 1\n"),
                HasSubstr("row 1 (line 3) must begin with the name of a file in the image folder"));
  }
}

}  // namespace equinoise::attribute_reader_test
