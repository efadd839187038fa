// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/images/idx_file.h"

#include "tests/data/images/image_files.h"
#include "tests/data/table_files.h"
#include "tests/test_support.h"

namespace equinoise::idx_file_test {

using testing::gzip;
using testing::idx;
using testing::idx_images;
using testing::idx_labels;
using testing::jpeg;
using testing::picture_of_blocks;

constexpr IdxFile::Content kImages = IdxFile::Content::kImages;
constexpr IdxFile::Content kLabels = IdxFile::Content::kLabels;
constexpr const char* kSwapped = "; are --data and --labels swapped?";
constexpr const char* kAgain = "; fetch or write the file again";

class IdxFileTest : public ::testing::Test {
 protected:
  std::string error(std::string_view content, IdxFile::Content kind = kImages) {
    const std::filesystem::path path = folder_.write_file("file.idx", content);
    const std::string message =
        error_of(ErrorKind::kInput, [&] { IdxFile(path, kind).read_values(); });
    EXPECT_THAT(message, StartsWith("[data.table] " + path.string() + ": "));
    return message;
  }

  TempFolder folder_;
};

TEST_F(IdxFileTest, ReadsImagesAndLabels) {
  const std::string images = idx_images({2, 1, 3}, {0, 1, 2, 253, 254, 255});
  for (const std::string& content : {images, gzip(images)}) {
    IdxFile file(folder_.write_file("images", content), kImages);
    EXPECT_THAT(file.sizes(), ElementsAre(2, 1, 3));
    EXPECT_THAT(file.read_values(), ElementsAre(0, 1, 2, 253, 254, 255));
  }
  IdxFile labels(folder_.write_file("labels", idx_labels({7, 0, 9})), kLabels);
  EXPECT_THAT(labels.sizes(), ElementsAre(3));
  EXPECT_THAT(labels.read_values(), ElementsAre(7, 0, 9));
}

TEST_F(IdxFileTest, ReadsMoreThanABlock) {
  const std::vector<uint8_t> values(1'000'000, 9);
  IdxFile file(folder_.write_file("images", gzip(idx_images({1000, 10, 100}, values))), kImages);
  const std::vector<uint8_t> read = file.read_values();
  EXPECT_EQ(read.size(), values.size());
  EXPECT_THAT(read, Each(9));
}

TEST_F(IdxFileTest, AnotherMagicNumberIsRefused) {
  EXPECT_THAT(error(idx_labels({1, 2, 3})),
              HasAll("byte 0: ", "must be 0x00000803 (images", "got 0x00000801", kSwapped));
  EXPECT_THAT(error(idx_images({1, 1, 1}, {1}), kLabels),
              HasAll("must be 0x00000801 (labels", "got 0x00000803", kSwapped));
  EXPECT_THAT(error(idx(0x802, {1, 1}, {1})),
              AllOf(HasSubstr("got 0x00000802"), Not(HasSubstr(kSwapped))));
  for (const uint32_t magic : {0x703U, 0xa03U, 0xf03U, 0x1000803U, 0x3080000U}) {
    EXPECT_THAT(error(idx(magic, {1, 1, 1}, {1})), HasSubstr("but this is not an idx file"));
  }
}

TEST_F(IdxFileTest, AnotherTypeOfValuesIsNamed) {
  EXPECT_THAT(error(idx(0xd03, {1, 1, 1}, {0, 0, 0, 0})),
              HasAll("must be 0x00000803 (images as unsigned bytes)", "got 0x00000d03 (floats)"));
  EXPECT_THAT(
      error(idx(0xc01, {1}, {0, 0, 0, 7}), kLabels),
      HasAll("must be 0x00000801 (labels as unsigned bytes)", "got 0x00000c01 (32-bit integers)"));
}

TEST_F(IdxFileTest, AFileOfAnotherKindIsNotQuoted) {
  EXPECT_THAT(error("S3CR,ET\n1,2\n"), AllOf(HasSubstr("this is not an idx file"),
                                             Not(HasSubstr("53334352")), Not(HasSubstr("S3CR"))));
}

TEST_F(IdxFileTest, OfAJpegImageItIsSaidHowItIsGiven) {
  const std::string image = jpeg(picture_of_blocks(1, 1, 1, {90}));
  for (const IdxFile::Content kind : {kImages, kLabels}) {
    EXPECT_THAT(error(image, kind), HasAll("this is a JPEG image", "--data FOLDER --labels FILE"));
  }
}

TEST_F(IdxFileTest, EveryPlaceWhereItIsCutShortIsNamed) {
  const std::string file = idx_images({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_THAT(error(""), HasSubstr("is empty"));
  for (size_t size = 1; size < file.size(); ++size) {
    EXPECT_THAT(error(file.substr(0, size)),
                HasAll("byte " + std::to_string(size) + ": the file ",
                       size < 16 ? "ends in the header"
                                 : "is shorter than the 8 values and the header, which "
                                   "take 24 bytes",
                       kAgain));
  }
  const std::string packed = gzip(file);
  EXPECT_THAT(error(packed.substr(0, packed.size() - 9)), HasSubstr("cut short"));
}

TEST_F(IdxFileTest, TrailingBytesAreRefused) {
  EXPECT_THAT(error(idx_images({1, 1, 2}, {1, 2, 3})),
              HasAll("byte 18: the file is longer than the 2 values and the header",
                     "which take 18 bytes", kAgain));
}

TEST_F(IdxFileTest, SizesThatCannotBeTrueAreRefused) {
  EXPECT_THAT(error(idx_images({1, 0, 2}, {1, 2})), HasSubstr("byte 8: the header gives"));
  EXPECT_THAT(error(idx_images({~0U, ~0U, ~0U}, {1, 2})), HasSubstr("byte 8: the sizes"));
}

/// Nothing is allocated for what is not there: this would be 2^58 bytes.
TEST_F(IdxFileTest, ALyingHeaderTakesNoMemory) {
  EXPECT_THAT(error(idx_images({1U << 30, 1U << 14, 1U << 14}, {1, 2})),
              HasSubstr("byte 18: the file is shorter than the 288230376151711744 values"));
}

}  // namespace equinoise::idx_file_test
