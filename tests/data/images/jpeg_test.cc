// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/images/jpeg.h"

#include "tests/data/images/image_files.h"
#include "tests/test_support.h"

namespace equinoise::jpeg_test {

using testing::jpeg;
using testing::Picture;
using testing::picture_of_blocks;

constexpr const char* kDamaged =
    "is a damaged JPEG image or was cut short; replace it with an intact copy";

std::vector<uint8_t> decoded(std::string_view file, const ImageShape& shape) {
  std::vector<uint8_t> pixels(shape.num_values());
  decode_jpeg(file, "a.jpg", shape, pixels);
  return pixels;
}

std::string error(std::string_view file, const ImageShape& shape = {1, 2, 2}) {
  const std::string message = error_of(ErrorKind::kInput, [&] { decoded(file, shape); });
  EXPECT_THAT(message, StartsWith("[data.table] a.jpg: "));
  return message;
}

/// A picture in which every pixel differs.
Picture busy_picture(int channels, bool progressive = false) {
  Picture picture{40, 56, channels, {}, progressive};
  for (int i = 0; i < 40 * 56 * channels; ++i) {
    picture.values.push_back(static_cast<uint8_t>(i * 37 % 251));
  }
  return picture;
}

TEST(JpegTest, GreyIsKeptAndScaled) {
  const std::string file = jpeg(picture_of_blocks(2, 2, 1, {0, 100, 200, 255}));
  EXPECT_THAT(decoded(file, {1, 2, 2}), ElementsAre(0, 100, 200, 255));
  EXPECT_THAT(decoded(file, {1, 1, 1}), ElementsAre(139));
  EXPECT_THAT(decoded(file, {1, 1, 2}), ElementsAre(100, 178));
  EXPECT_THAT(decoded(file, {3, 1, 2}), ElementsAre(100, 178, 100, 178, 100, 178));
}

TEST(JpegTest, ColoursStandChannelByChannel) {
  const std::string file = jpeg(picture_of_blocks(1, 1, 3, {250, 20, 130}));
  const std::vector<uint8_t> pixels = decoded(file, {3, 1, 2});
  const std::vector<int> expected = {250, 250, 20, 20, 130, 130};
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(pixels[i], expected[i], 2) << i;
  const double luminance = 0.299 * 250 + 0.587 * 20 + 0.114 * 130;
  EXPECT_NEAR(decoded(file, {1, 1, 1})[0], luminance, 1);
}

TEST(JpegTest, AProgressiveFileIsTheSameImage) {
  for (const int channels : {1, 3}) {
    const ImageShape shape = {channels, 20, 28};
    EXPECT_EQ(decoded(jpeg(busy_picture(channels, true)), shape),
              decoded(jpeg(busy_picture(channels)), shape));
  }
}

TEST(JpegTest, WhatIsNoJpegIsRefused) {
  EXPECT_THAT(error("not an image S3CRET"), HasSubstr("is not a JPEG image"));
  EXPECT_THAT(error(""), HasSubstr("is not a JPEG image"));
  EXPECT_THAT(error("\x89PNG\r\n"), HasSubstr("is not a JPEG image"));
  EXPECT_THAT(error("\xff\xd8 and nothing"), HasSubstr(kDamaged));
}

TEST(JpegTest, WhatMustBeConvertedIsToldFromWhatIsDamaged) {
  EXPECT_THAT(error(jpeg(busy_picture(4))),
              HasSubstr("has 4 colour channels; convert it to RGB or grey"));
  const std::string file = jpeg(busy_picture(1));
  const size_t frame = file.find("\xff\xc0");
  ASSERT_NE(frame, file.npos);
  std::string lossless = file;
  lossless[frame + 1] = '\xc3';
  std::string of_12_bits = file;
  of_12_bits[frame + 4] = 12;
  for (const std::string& other : {lossless, of_12_bits}) {
    EXPECT_THAT(error(other), HasSubstr("convert it to a baseline JPEG image"));
  }
}

/// libjpeg only warns of these, and makes the rest up.
TEST(JpegTest, AFileThatIsCutShortIsRefusedWherever) {
  for (const bool progressive : {false, true}) {
    const std::string file = jpeg(busy_picture(3, progressive));
    for (size_t size = 0; size < file.size(); size += 1 + size / 50) {
      EXPECT_THAT(error(file.substr(0, size)), HasSubstr("JPEG image"));
    }
    EXPECT_THAT(error(file.substr(0, file.size() - 1)), HasSubstr(kDamaged));
  }
}

TEST(JpegTest, DamageIsAnErrorOrAnotherImageAndNothingWorse) {
  const std::string file = jpeg(busy_picture(3));
  int num_refused = 0;
  for (size_t i = 0; i < file.size(); i += 3) {
    for (const char byte : {'\x00', '\x7f', '\xff'}) {
      std::string damaged = file;
      damaged[i] = byte;
      try {
        decoded(damaged, {3, 4, 4});
      } catch (const Error& refused) {
        EXPECT_EQ(refused.kind(), ErrorKind::kInput);
        ++num_refused;
      }
    }
  }
  EXPECT_GT(num_refused, 100);
}

TEST(JpegTest, AHugeImageIsRefusedBeforeItIsDecoded) {
  std::string file = jpeg(busy_picture(1));
  const size_t frame = file.find("\xff\xc0");
  ASSERT_NE(frame, file.npos);
  file.replace(frame + 5, 4, "\xff\x00\xff\x00", 4);
  EXPECT_THAT(error(file), HasAll("65280 x 65280 pixels", "67108864"));
}

/// A progressive file may go over its pixels for every bit of every frequency, in a few bytes each.
TEST(JpegTest, ManyScansOfManyPixelsAreRefused) {
  std::vector<jpeg_scan_info> scans;
  for (int bit = 10; bit >= 0; --bit) {
    for (int frequency = 0; frequency < 64; ++frequency) {
      const int earlier = bit == 10 ? 0 : bit + 1;
      scans.push_back({1, {0, 0, 0, 0}, frequency, frequency, earlier, bit});
    }
  }
  const auto grey = [](int side) {
    return Picture{side, side, 1, std::vector<uint8_t>(static_cast<size_t>(side * side), 128)};
  };
  EXPECT_THAT(decoded(jpeg(grey(256), scans), {1, 1, 1}), ElementsAre(128));
  EXPECT_THAT(error(jpeg(grey(1280), scans)), HasSubstr("has more scans"));
}

}  // namespace equinoise::jpeg_test
