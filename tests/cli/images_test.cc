// SPDX-License-Identifier: Apache-2.0
#include "equinoise/base/lists.h"
#include "tests/cli/people.h"
#include "tests/data/images/image_files.h"
#include "tests/data/table_files.h"

namespace equinoise::testing::images_test {
namespace {

constexpr int kNumImages = 300;

/// Images of 6 x 6 whose class is the third of the picture that is bright.
uint8_t label_of(int image) { return static_cast<uint8_t>(image * 7 % 3); }
std::vector<uint8_t> image_of(int image) {
  std::vector<uint8_t> pixels;
  for (int i = 0; i < 36; ++i) {
    const bool bright = i / 12 == label_of(image);
    pixels.push_back(static_cast<uint8_t>((bright ? 200 : 20) + (image * 31 + i * 17) % 50));
  }
  return pixels;
}

std::string stripes_schema(const std::string& columns) {
  return schema_head("stripes", "label", kNumImages) + "[image]\nshape = [1, 6, 6]\n" +
         categorical_section("label", {"0", "1", "2"}) + columns;
}

/// The same table as idx files and as a folder of JPEG files with attributes.
class ImagesCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    std::vector<uint8_t> pixels;
    std::vector<uint8_t> labels;
    std::filesystem::create_directory(workspace.path("faces"));
    std::string attributes = std::to_string(kNumImages) + "\nlabel Male Young\n";
    for (int i = 0; i < kNumImages; ++i) {
      const std::vector<uint8_t> image = image_of(i);
      append(pixels, image);
      labels.push_back(label_of(i));
      const std::string name = std::to_string(1000 + i) + ".jpg";
      workspace.write("faces/" + name, jpeg(picture_of_blocks(6, 6, 1, image)));
      attributes +=
          name + "  " + std::to_string(label_of(i)) + (i % 4 == 0 ? " 1" : " -1") + " 1\n";
    }
    workspace.write("images.gz", gzip(idx_images({kNumImages, 6, 6}, pixels)));
    workspace.write("labels", idx_labels(labels));
    workspace.write("idx.toml", stripes_schema(""));
    workspace.write("attributes.txt", attributes);
    workspace.write("faces.toml", stripes_schema(categorical_section("Male", {"-1", "1"})));
  }

  static Words train(const std::string& schema, const std::string& data, const std::string& labels,
                     const Words& more = {}) {
    return join({"train", "--schema", schema, "--data", data, "--labels", labels, "--ledger",
                 "people.ledger", "--batch-size", "64", "--steps", "60", "--delta", "1e-5"},
                more);
  }
  void open_ledger() const {
    ok(workspace.run(
        "ledger init --ledger people.ledger --dataset stripes --epsilon 8 --delta 1e-5"));
  }
  Workspace workspace;
};

/// Convolutional networks through training, model.json, audit and predict.
TEST_F(ImagesCommand, ConvolutionsAreTrainedKeptAndUsed) {
  open_ledger();
  ok(workspace.run(train("idx.toml", "images.gz", "labels",
                         "--model cnn --channels 3 --kernel-size 3 --pooling max --epsilon 8 "
                         "--groups label --out model")));
  const Json model = workspace.json("model/model.json");
  EXPECT_EQ(model.at("network").at("channels"), Json::array({3}));
  // 6 x 6 -> 4 x 4 -> 2 x 2.
  EXPECT_EQ(model.at("parameters").size(), 3U * 10 + 3 * 13);
  EXPECT_THAT(workspace.text("model/model_card.md"),
              HasSubstr("cnn, 3 x 3 convolutions of 3 channels, max pooling, tanh"));
  const ToolResult audited =
      ok(workspace.run("audit --model model --data images.gz --labels labels --groups label "
                       "--explain --explain-directions 4 --json"));
  EXPECT_EQ(json_of(audited).at("explanations")[0].at("groups").size(), 3U);
  ok(workspace.run("predict --model model --data images.gz --out said.csv"));
}

TEST_F(ImagesCommand, NetworksThatDoNotFitTheImagesAreUsageErrors) {
  open_ledger();
  expect_refused(workspace,
                 train("idx.toml", "images.gz", "labels", "--model lenet --epsilon 1 --out model"),
                 2, {"lenet needs images of at least 16 x 16 pixels"});
  expect_refused(
      workspace,
      train("idx.toml", "images.gz", "labels", "--model cnn --channels 3,3,3 --epsilon 1"), 2,
      {"does not fit maps of 2 x 2"});
}

TEST_F(ImagesCommand, IdxFilesFromTrainingToPredictions) {
  open_ledger();
  const Json report = json_of(
      ok(workspace.run(train("idx.toml", "images.gz", "labels",
                             "--epsilon 8 --groups label --reference --out model --json"))));
  EXPECT_EQ(report.at("status"), "private");
  EXPECT_LE(report.at("privacy").at("epsilon").get<double>(), 8);
  EXPECT_GT(report.at("overall").at("accuracy").get<double>(), 0.6);
  ASSERT_EQ(report.at("groups").size(), 3U) << "the target is a group";
  EXPECT_EQ(report.at("groups")[1].at("group").at("label"), "1");
  const std::string model = workspace.text("model/model.json");
  EXPECT_THAT(model, AllOf(Not(HasSubstr("pixel")), HasSubstr("shape = [1, 6, 6]")));
  EXPECT_EQ(Json::parse(model).at("parameters").size(), 3U * 37);
  EXPECT_THAT(workspace.text("model/model_card.md"), HasSubstr("6 x 6 grey"));

  const ToolResult audited = ok(workspace.run(
      "audit --model model --data images.gz --labels labels --held-out --groups label --json"));
  EXPECT_EQ(json_of(audited).at("overall").at("accuracy"), report.at("overall").at("accuracy"));

  const Words predict = "predict --model model --data images.gz --out a.csv";
  const ToolResult predicted = ok(workspace.run(predict));
  EXPECT_THAT(predicted.out, HasSubstr("300 rows, 0 of them without a prediction"));
  ok(workspace.run(join(with_option(predict, "--out", "b.csv"), "--labels labels")));
  EXPECT_EQ(workspace.text("a.csv"), workspace.text("b.csv"));
}

TEST_F(ImagesCommand, AFolderWithAttributesIsTheSameTable) {
  const Words seeded = "--method sgd --seed 1 --insecure-test-rng --json";
  const ToolResult idx = ok(workspace.run(train("idx.toml", "images.gz", "labels", seeded)));
  const ToolResult faces = ok(workspace.run(
      train("faces.toml", "faces", "attributes.txt", join(seeded, "--groups Male --out model"))));
  EXPECT_EQ(json_of(faces).at("overall"), json_of(idx).at("overall"));
  EXPECT_EQ(json_of(faces).at("groups").size(), 2U);

  const Words predict = "predict --model model --data faces --out a.csv";
  ok(workspace.run(predict));
  ok(workspace.run(join(with_option(predict, "--out", "b.csv"), "--labels attributes.txt")));
  EXPECT_EQ(workspace.text("a.csv"), workspace.text("b.csv"));
  // Whose prediction a line is.
  EXPECT_THAT(workspace.text("a.csv"), StartsWith("row,file,prediction,"));
  EXPECT_THAT(workspace.text("a.csv"), HasSubstr(".jpg,"));
  ok(workspace.run("audit --model model --data faces --labels attributes.txt --groups Male,label"));
}

TEST_F(ImagesCommand, SchemaCheckReadsImages) {
  const ToolResult result =
      ok(workspace.run("schema check --schema idx.toml --data images.gz --labels labels"));
  EXPECT_THAT(result.out, HasAll("36 features", "images.gz: fits the schema"));
  expect_refused(workspace, "schema check --schema idx.toml --labels labels", 2, "--data");
}

TEST_F(ImagesCommand, LabelsAreGivenExactlyWhereTheyAreNeeded) {
  const Words plain = "train --batch-size 64 --epsilon 1 --delta 1e-5";
  expect_refused(workspace, join(plain, "--schema idx.toml --data images.gz"), 2,
                 {"the schema has [image]", "--labels FILE"});
  expect_refused(workspace, join(plain, "--schema people.toml --data people.csv --labels labels"),
                 2, {"the schema has no [image]"});
  expect_refused(workspace, train("idx.toml", "images.gz", "", "--epsilon 1"), 2, "--labels");
  ok(workspace.run(train("idx.toml", "images.gz", "labels", "--method sgd --out model")));
  expect_refused(workspace, "audit --model model --data images.gz", 2, {"--labels FILE"});
  expect_refused(workspace,
                 "predict --model model --data images.gz --labels labels --out labels --force", 2,
                 {"labels is read by this command"});
  ok(workspace.train("--method sgd --out people"));
  expect_refused(workspace, "audit --model people --data people.csv --labels labels", 2,
                 {"the schema has no [image]"});
  expect_refused(workspace,
                 "predict --model people --data people.csv --labels labels --out out.csv", 2,
                 {"the schema has no [image]"});
  expect_refused(workspace,
                 "audit --model model --data images.gz --labels labels --reference people", 3,
                 {"people: predicts from columns, but the audited model predicts from images"});
}

TEST_F(ImagesCommand, WhatIsWrongWithTheFilesIsSaid) {
  const Words more = "--epsilon 1";
  open_ledger();
  workspace.write("short", idx_labels({1, 2}));
  expect_refused(workspace, train("idx.toml", "labels", "labels", more), 3,
                 {"labels: byte 0: the magic"});
  expect_refused(workspace, train("idx.toml", "images.gz", "short", more), 3,
                 {"short: byte 4: ", "2 labels"});
  expect_refused(workspace, train("idx.toml", "nothing", "labels", more), 3,
                 {"nothing: cannot be opened"});
  expect_refused(workspace, train("idx.toml", "images.gz", "nothing", more), 3,
                 {"nothing: cannot be opened"});
  expect_refused(workspace, train("idx.toml", "people.csv", "labels", more), 3,
                 {"this is not an idx file"});
  expect_refused(workspace, train("faces.toml", "faces", "labels", more), 3, {"labels: line 1 "});
  workspace.write("faces/1007.jpg", "hunter2secret");
  expect_refused(workspace, train("faces.toml", "faces", "attributes.txt", more), 3,
                 {"attributes.txt: the image of line 10, faces/1007.jpg: is not a JPEG image"});
}

TEST_F(ImagesCommand, ACheckpointGoesOnWithTheSameShapeOnly) {
  open_ledger();
  const auto words = [](const std::string& schema, const Words& more = {}) {
    return join(join({"train", "--schema", schema},
                     "--data images.gz --labels labels --ledger people.ledger --batch-size 64 "
                     "--steps 6000 --delta 1e-5 --epsilon 8 --checkpoint state --checkpoint-every "
                     "200 --model mlp --hidden 4 --out model"),
                more);
  };
  ToolProcess process(words("idx.toml"), workspace.here());
  ASSERT_TRUE(workspace.wait_for_file("state"));
  process.send(SIGINT);
  const ToolResult stopped = process.finish();
  ASSERT_EQ(stopped.exit_code, 1) << stopped;
  workspace.write("other.toml", replaced(stripes_schema(""), "[1, 6, 6]", "[1, 4, 9]"));
  const ToolResult other = workspace.run(words("other.toml", {"--resume"}));
  EXPECT_EQ(other.exit_code, 2) << other;
  const ToolResult resumed = workspace.run(words("idx.toml", {"--resume"}));
  EXPECT_EQ(resumed.exit_code, 0) << resumed;
  EXPECT_TRUE(workspace.has("model/model.json"));
}

}  // namespace
}  // namespace equinoise::testing::images_test
