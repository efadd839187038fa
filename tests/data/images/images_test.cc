// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/images/images.h"

#include <algorithm>

#include "equinoise/data/encoder.h"
#include "tests/data/images/image_files.h"
#include "tests/data/table_files.h"
#include "tests/schema_text.h"
#include "tests/shared_vectors.h"
#include "tests/test_support.h"

namespace equinoise::images_test {

using testing::gzip;
using testing::idx_images;
using testing::idx_labels;
using testing::jpeg;
using testing::picture_of_blocks;

Schema schema_of(int64_t num_records, const std::string& shape, const std::string& columns) {
  return parse_schema(
      schema_head("images", "", num_records) + "[image]\nshape = " + shape + "\n" + columns,
      "schema.toml");
}

const std::string kDigit = categorical_section("digit", {"0", "7"});

class IdxImagesTest : public ::testing::Test {
 protected:
  /// Three images of 1 x 2 pixels with these labels.
  Dataset read(const std::string& images, const std::string& labels, const Schema& schema,
               TableUse use = TableUse::kDescribed) {
    const std::filesystem::path images_path = folder_.write_file("images", images);
    return read_images(images_path, folder_.write_file("labels", labels), schema, use);
  }
  std::string error(const std::string& images, const std::string& labels, const Schema& schema,
                    TableUse use = TableUse::kDescribed) {
    const std::string message =
        error_of(ErrorKind::kInput, [&] { read(images, labels, schema, use); });
    EXPECT_THAT(message, StartsWith("[data.table] " + folder_.path().string()));
    return message;
  }

  const std::string images_ = idx_images({3, 1, 2}, {1, 2, 3, 4, 5, 6});
  const Schema schema_ = schema_of(3, "[1, 1, 2]", kDigit);
  TempFolder folder_;
};

TEST_F(IdxImagesTest, PixelsAndLabelsBecomeADataset) {
  for (const bool packed : {false, true}) {
    const std::string labels = idx_labels({7, 0, 7});
    const Dataset dataset =
        packed ? read(gzip(images_), gzip(labels), schema_) : read(images_, labels, schema_);
    EXPECT_EQ(dataset.num_records, 3);
    EXPECT_THAT(dataset.pixels, ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_THAT(dataset.contributes, ElementsAre(1, 1, 1));
    ASSERT_THAT(dataset.categorical, SizeIs(1));
    EXPECT_EQ(dataset.categorical[0].name, "digit");
    EXPECT_THAT(dataset.categorical[0].codes, ElementsAre(1, 0, 1));
  }
}

TEST_F(IdxImagesTest, LabelsFollowTheRulesOfTheirColumn) {
  const std::string labels = idx_labels({7, 200, 0});
  const Dataset dropped = read(images_, labels, schema_);
  EXPECT_THAT(dropped.contributes, ElementsAre(1, 0, 1));
  EXPECT_THAT(dropped.pixels, ElementsAre(1, 2, 0, 0, 5, 6)) << "a dropped record has zeros";
  EXPECT_EQ(dropped.num_dropped, 1);
  EXPECT_EQ(dropped.counts[0].unknown, 1);
  const Dataset other =
      read(images_, labels, schema_of(3, "[1, 1, 2]", kDigit + "unknown = \"other\"\n"));
  EXPECT_THAT(other.contributes, ElementsAre(1, 1, 1));
  EXPECT_THAT(other.categorical[0].codes, ElementsAre(1, 2, 0));
  EXPECT_THAT(other.pixels, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST_F(IdxImagesTest, ForFeaturesAloneLabelsMayBeThere) {
  const Dataset without =
      read_images(folder_.write_file("images", images_), "", schema_, TableUse::kFeaturesOnly);
  EXPECT_THAT(without.pixels, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(without.contributes, ElementsAre(1, 1, 1));
  EXPECT_THAT(without.categorical, IsEmpty());
  const Dataset with = read(images_, idx_labels({1, 2, 3}), schema_, TableUse::kFeaturesOnly);
  EXPECT_EQ(with.pixels, without.pixels);
  EXPECT_THAT(with.contributes, ElementsAre(1, 1, 1)) << "what they are does not matter";
  EXPECT_THAT(error(images_, idx_labels({1, 2}), schema_, TableUse::kFeaturesOnly),
              HasSubstr("2 labels"));
}

TEST_F(IdxImagesTest, AnotherTableMayHaveAnotherNumberOfImages) {
  const Schema schema = schema_of(60000, "[1, 1, 2]", kDigit);
  EXPECT_EQ(read(images_, idx_labels({7, 0, 7}), schema, TableUse::kOther).num_records, 3);
  EXPECT_THAT(error(images_, idx_labels({7, 0, 7}), schema),
              HasAll("images: byte 4: the header says 3 images", "num_records = 60000"));
}

TEST_F(IdxImagesTest, IgnoredColumnsAreNoPartOfTheFiles) {
  const Schema schema = schema_of(3, "[1, 1, 2]", "[columns.zip]\ntype = \"ignored\"\n" + kDigit);
  EXPECT_THAT(read(images_, idx_labels({7, 0, 7}), schema).categorical, SizeIs(1));
}

TEST_F(IdxImagesTest, WhatDoesNotFitTheSchemaIsNamed) {
  const std::string labels = idx_labels({7, 0, 7});
  EXPECT_THAT(
      error(images_, labels, schema_of(3, "[1, 2, 1]", kDigit)),
      HasAll("images: byte 8: the header says images of shape [1, 1, 2]", "says [1, 2, 1]"));
  EXPECT_THAT(error(images_, labels, schema_of(3, "[3, 1, 2]", kDigit)), HasSubstr("[3, 1, 2]"));
  EXPECT_THAT(error(images_, idx_labels({7, 0}), schema_),
              HasAll("labels: byte 4: the header says 2 labels",
                     "images holds 3 images; give the labels of the same images"));
  EXPECT_THAT(error(labels, images_, schema_),
              HasAll("images: byte 0: the magic number", "are --data and --labels swapped?"));
  const std::string two = kDigit + categorical_section("sex", {"F"});
  EXPECT_THAT(error(images_, labels, schema_of(3, "[1, 1, 2]", two)),
              HasSubstr("must have exactly one column that is not ignored"));
  EXPECT_THAT(error(images_, labels, schema_of(3, "[1, 1, 2]", numeric_section("digit", 0, 9))),
              HasSubstr("must be categorical"));
  EXPECT_THAT(error(images_.substr(0, 20), labels, schema_),
              HasSubstr("byte 20: the file is shorter than the 6 values"));
}

TEST(ReadImagesTest, ASchemaWithoutImageAndAbsentLabelsAreWrongUse) {
  EXPECT_ERROR(kUsage, HasSubstr("and labels"),
               read_images("images", "", schema_of(3, "[1, 1, 2]", kDigit)));
  Schema schema = schema_of(3, "[1, 1, 2]", kDigit);
  schema.image.reset();
  EXPECT_ERROR(kUsage, HasSubstr("a schema with [image]"), read_images("images", "labels", schema));
}

const std::string kFaces =
    categorical_section("Male", {"-1", "1"}) + numeric_section("Age", 0, 100);

class ImageFolderTest : public ::testing::Test {
 protected:
  ImageFolderTest() {
    std::filesystem::create_directory(faces_);
    write("b.jpg", {0, 100});
    write("a.jpg", {200, 255});
    write("c.JPEG", {10, 20});
    write_attributes("3\nYoung Age Male\nb.jpg 1 30 -1\na.jpg 1 40 1\nc.JPEG -1 50 1\n");
  }
  void write(const std::string& name, const std::vector<uint8_t>& blocks) {
    folder_.write_file("faces/" + name, jpeg(picture_of_blocks(1, 2, 1, blocks)));
  }
  void write_attributes(const std::string& content) { folder_.write_file("list.txt", content); }
  Dataset read(const Schema& schema, TableUse use = TableUse::kDescribed) {
    return read_images(faces_, folder_.path() / "list.txt", schema, use);
  }
  std::string error(const Schema& schema, TableUse use = TableUse::kDescribed) {
    const std::string message = error_of(ErrorKind::kInput, [&] { read(schema, use); });
    EXPECT_THAT(message, AllOf(StartsWith("[data.table] " + folder_.path().string()),
                               Not(HasSubstr("S3CRET"))));
    return message;
  }

  TempFolder folder_;
  const std::filesystem::path faces_ = folder_.path() / "faces";
  const std::string a_ = (faces_ / "a.jpg").string();
  const Schema schema_ = schema_of(3, "[1, 1, 2]", kFaces);
};

TEST_F(ImageFolderTest, ImagesStandInTheOrderOfTheAttributes) {
  const Dataset dataset = read(schema_);
  EXPECT_EQ(dataset.num_records, 3);
  EXPECT_THAT(dataset.pixels, ElementsAre(0, 100, 200, 255, 10, 20));
  EXPECT_THAT(dataset.image_names, ElementsAre("b.jpg", "a.jpg", "c.JPEG"));
  EXPECT_THAT(dataset.find_categorical("Male")->codes, ElementsAre(0, 1, 1));
  EXPECT_THAT(dataset.find_numeric("Age")->values, ElementsAre(30, 40, 50));
  EXPECT_EQ(dataset.find_categorical("Young"), nullptr);
}

TEST_F(ImageFolderTest, ImagesAreBroughtToTheShape) {
  EXPECT_THAT(read(schema_of(3, "[1, 1, 1]", kFaces)).pixels, ElementsAre(50, 228, 15));
  EXPECT_THAT(read(schema_of(3, "[3, 2, 1]", kFaces)).pixels, SizeIs(18));
}

TEST_F(ImageFolderTest, ADroppedRecordHasZerosAndItsImageIsReadAllTheSame) {
  write_attributes("3\nAge Male\nb.jpg 30 -1\na.jpg 40 S3CRET\nc.JPEG ? 1\n");
  const Dataset dataset = read(schema_);
  EXPECT_THAT(dataset.contributes, ElementsAre(1, 0, 0));
  EXPECT_THAT(dataset.pixels, ElementsAre(0, 100, 0, 0, 0, 0));
  folder_.write_file("faces/a.jpg", "no image");
  EXPECT_THAT(error(schema_),
              HasSubstr("list.txt: the image of line 4, " + a_ + ": is not a JPEG image"));
}

TEST_F(ImageFolderTest, ForFeaturesAloneTheFolderIsEnough) {
  folder_.write_file("faces/notes.txt", "not looked at");
  const Dataset dataset = read_images(faces_, "", schema_, TableUse::kFeaturesOnly);
  EXPECT_THAT(dataset.pixels, ElementsAre(200, 255, 0, 100, 10, 20)) << "ordered by name";
  EXPECT_THAT(dataset.image_names, ElementsAre("a.jpg", "b.jpg", "c.JPEG"));
  EXPECT_THAT(dataset.contributes, ElementsAre(1, 1, 1));
  EXPECT_THAT(dataset.categorical, IsEmpty());
  write_attributes("2\nNobody\nc.JPEG 5\nb.jpg 5\n");
  EXPECT_THAT(read(schema_, TableUse::kFeaturesOnly).pixels, ElementsAre(10, 20, 0, 100));
  std::filesystem::create_directory(folder_.path() / "empty");
  EXPECT_THAT(
      error_of(
          ErrorKind::kInput,
          [&] { read_images(folder_.path() / "empty", "", schema_, TableUse::kFeaturesOnly); }),
      HasSubstr("holds no .jpg or .jpeg files"));
}

TEST_F(ImageFolderTest, ProgressIsToldForEveryImage) {
  std::vector<int64_t> told;
  read_images(faces_, folder_.path() / "list.txt", schema_, TableUse::kDescribed,
              [&](int64_t done, int64_t all) {
                EXPECT_EQ(all, 3);
                told.push_back(done);
              });
  EXPECT_THAT(told, ElementsAre(1, 2, 3));
}

TEST_F(ImageFolderTest, WhatIsWrongWithTheAttributesIsNamed) {
  EXPECT_THAT(error(schema_of(4, "[1, 1, 2]", kFaces)),
              HasSubstr("list.txt: has 3 images, but the schema says num_records = 4"));
  EXPECT_EQ(read(schema_of(4, "[1, 1, 2]", kFaces), TableUse::kOther).num_records, 3);
  write_attributes("1\nAge Mal\nb.jpg 30 -1\n");
  EXPECT_THAT(error(schema_), HasAll("lacks column 'Male'", "'Mal'"));
  write_attributes("1\nAge Male\nb.jpg S3CRET -1\n");
  EXPECT_THAT(error(schema_), HasSubstr("row 1 (line 3) column 'Age' is not a number"));
}

TEST_F(ImageFolderTest, AnImageThatIsMissingOrBrokenIsNamed) {
  write_attributes("3\nAge Male\nb.jpg 30 -1\nS3CRET 30 -1\nc.JPEG 50 1\n");
  EXPECT_THAT(error(schema_),
              HasSubstr("list.txt: line 4 names an image that cannot be found in "));
  write_attributes("1\nAge Male\n" + std::string(300, 'S') + "3CRET 30 -1\n");
  EXPECT_THAT(error(schema_of(1, "[1, 1, 2]", kFaces)), HasSubstr("line 3 names an image that"));
  write_attributes("3\nAge Male\nb.jpg 30 -1\nc.JPEG 50 1\nlost.JPG 30 -1\n");
  EXPECT_THAT(
      error(schema_),
      AllOf(HasSubstr("list.txt: line 5 names an image that cannot be found in " + faces_.string() +
                      "; put it back, or remove the line and lower the count in line 1"),
            Not(HasSubstr("lost"))));
  write_attributes("3\nAge Male\nb.jpg 30 -1\na.jpg 30 -1\nc.JPEG 50 1\n");
  const std::string image = jpeg(picture_of_blocks(4, 4, 1, std::vector<uint8_t>(16, 90)));
  folder_.write_file("faces/a.jpg", image.substr(0, image.size() - 2));
  const std::string line_4 = "list.txt: the image of line 4, " + a_;
  EXPECT_THAT(error(schema_), HasSubstr(line_4 + ": is a damaged JPEG image or was cut short"));
  folder_.write_file("faces/a.jpg", "");
  EXPECT_THAT(error(schema_), HasSubstr(line_4 + ": is empty; fetch or write the file again"));
  std::filesystem::remove(faces_ / "a.jpg");
  std::filesystem::create_directory(faces_ / "a.jpg");
  EXPECT_THAT(error(schema_),
              HasSubstr(line_4 + ": is a directory; put the image itself in its place"));
}

/// The published MNIST, whose numbers of digits are known.
void expect_mnist(const std::string& name, int64_t num_records, size_t code, int64_t num_of_code) {
  const auto shared = testing::shared_folder();
  const std::string images = "data/" + name + "-images-idx3-ubyte.gz";
  if (!shared || !std::filesystem::exists(*shared / images)) {
    if (std::getenv("EQUINOISE_REQUIRE_SHARED") != nullptr) ADD_FAILURE() << "missing " << images;
    GTEST_SKIP() << "no " << images;
  }
  const Schema schema =
      schema_of(num_records, "[1, 28, 28]",
                categorical_section("label", {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}));
  const Dataset dataset =
      read_images(*shared / images, *shared / "data" / (name + "-labels-idx1-ubyte.gz"), schema);
  EXPECT_EQ(dataset.num_records, num_records);
  EXPECT_EQ(dataset.num_dropped, 0);
  EXPECT_EQ(dataset.pixels.size(), static_cast<size_t>(num_records) * 28 * 28);
  const std::vector<uint16_t>& codes = dataset.categorical[0].codes;
  EXPECT_EQ(std::ranges::count(codes, code), num_of_code);
  EXPECT_GT(std::ranges::count(dataset.pixels, 255), num_records);
}

TEST(MnistTest, ReadsTheTrainingFiles) {
  expect_mnist("train", 60'000, 0, 5923);
  expect_mnist("train", 60'000, 8, 5851);
}

TEST(MnistTest, ReadsTheTestFiles) { expect_mnist("t10k", 10'000, 0, 980); }

}  // namespace equinoise::images_test
