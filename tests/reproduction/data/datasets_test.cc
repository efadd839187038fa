// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/data/datasets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "equinoise/reproduction/data/models.h"
#include "tests/data/images/image_files.h"
#include "tests/shared_vectors.h"
#include "tests/test_support.h"

namespace equinoise::datasets_test {

std::unique_ptr<ReproductionData> load_from(const std::filesystem::path& folder,
                                            std::string_view name) {
  TaskProgress silent;
  return find_reproduction_data(name).load(folder, kAllRecords, silent);
}

std::unique_ptr<ReproductionData> load(const std::string& name) {
  const auto shared = testing::shared_folder();
  const ReproductionDataRow& row = find_reproduction_data(name);
  if (!shared || !std::filesystem::exists(*shared / "data" / row.files.files[0])) {
    if (std::getenv("EQUINOISE_REQUIRE_SHARED") != nullptr)
      ADD_FAILURE() << "missing data: " << name;
    return nullptr;
  }
  return load_from(*shared / "data", name);
}

int64_t count_group(const EncodedTable& table, uint32_t group) {
  return std::ranges::count(table.groups, GroupId(group));
}

TEST(ReproductionData, AdultIsBalancedAsInThePublishedCode) {
  const auto data = load("adult");
  if (!data) GTEST_SKIP() << "no shared data";
  EXPECT_EQ(data->groups(), (std::vector<std::string>{"M", "F"}));
  for (uint64_t seed = 0; seed < 3; ++seed) {
    const auto shared = data->split(seed);
    const ReproductionSplit& split = *shared;
    const int64_t women = count_group(split.train, 1) + count_group(split.test, 1);
    const int64_t men = count_group(split.train, 0) + count_group(split.test, 0);
    // All women; of 30,527 men as many on average: a standard deviation is 87.
    EXPECT_EQ(women, 14695);
    EXPECT_NEAR(static_cast<double>(men), 14695, 500);
    EXPECT_EQ(split.test.num_records, (women + men) / 5);
    EXPECT_EQ(split.train.num_dense, 7U);
    EXPECT_EQ(split.train.num_active, 6U);
    EXPECT_GE(split.train.num_features, 97U);
    EXPECT_LE(split.train.num_features, 98U);
    EXPECT_EQ(split.train.feature_names, split.test.feature_names);
    const auto model = make_reproduction_model("mlp", split.train.feature_names, 2);
    const size_t missing = 98 - split.train.num_features;
    EXPECT_EQ(model->num_parameters(), 91'650 - 256 * missing);
  }
}

TEST(ReproductionData, AdultNumbersAreStandardisedOverAllRows) {
  const auto data = load("adult");
  if (!data) GTEST_SKIP() << "no shared data";
  const auto shared = data->split(0);
  const ReproductionSplit& split = *shared;
  double mean = 0;
  double square = 0;
  for (int64_t r = 0; r < split.train.num_records; ++r) {
    const double age = split.train.dense_row(r)[0];
    mean += age / static_cast<double>(split.train.num_records);
    square += age * age / static_cast<double>(split.train.num_records);
  }
  // Not exactly: the rows that are kept hold more women, who are a little younger.
  EXPECT_NEAR(mean, 0, 0.1);
  EXPECT_NEAR(square, 1, 0.1);
}

TEST(ReproductionData, SeedsChooseRecordsAndNothingElse) {
  const auto data = load("dutch");
  if (!data) GTEST_SKIP() << "no shared data";
  EXPECT_EQ(data->split(1)->train.active, data->split(1)->train.active);
  EXPECT_NE(data->split(1)->train.active, data->split(2)->train.active);
}

TEST(ReproductionData, DutchHasThePublishedNumberOfParameters) {
  const auto data = load("dutch");
  if (!data) GTEST_SKIP() << "no shared data";
  const auto shared = data->split(0);
  const ReproductionSplit& split = *shared;
  EXPECT_EQ(split.train.num_records + split.test.num_records, 60'420);
  EXPECT_EQ(split.test.num_records, 12'084);
  EXPECT_EQ(count_group(split.train, 0) + count_group(split.test, 0), 30'147);
  EXPECT_EQ(split.train.num_features, 59U);
  const auto model =
      make_reproduction_model("logistic of the published code", split.train.feature_names, 2);
  EXPECT_EQ(model->num_parameters(), 120U);
  // Sigmoids before the softmax: however sure, no loss is below log(1 + exp(-1)).
  std::vector<double> sure(120, 0.0);
  sure[118] = 1e3;
  sure[119] = -1e3;
  const Predictions predictions = model->predict(split.test, sure);
  std::set<double> losses(predictions.loss.begin(), predictions.loss.end());
  ASSERT_EQ(losses.size(), 2U);
  EXPECT_NEAR(*losses.begin(), std::log1p(std::exp(-1.0)), 1e-12);
}

TEST(ReproductionData, MnistHasFewRecordsOfClassEight) {
  const auto data = load("mnist");
  if (!data) GTEST_SKIP() << "no shared data";
  const auto shared = data->split(0);
  const ReproductionSplit& split = *shared;
  // 9 % of 5,851: a standard deviation is 22.
  EXPECT_NEAR(static_cast<double>(count_group(split.train, 8)), 0.09 * 5851, 130);
  EXPECT_EQ(count_group(split.train, 2), 5958);
  EXPECT_EQ(count_group(split.test, 8), 974);
  EXPECT_EQ(split.test.num_records, 10'000);
  EXPECT_EQ(split.train.num_features, 784U);
  EXPECT_EQ(*std::ranges::max_element(split.test.dense), 1.0F);
  EXPECT_EQ(split.train.labels[0], 5);
}

TEST(ReproductionData, TwoDigitsAreTheSameRecordsAsAmongAll) {
  const auto data = load("mnist 2 and 8");
  const auto all = load("mnist");
  if (!data || !all) GTEST_SKIP() << "no shared data";
  EXPECT_EQ(data->groups(), (std::vector<std::string>{"2", "8"}));
  const auto split = data->split(3);
  const auto whole = all->split(3);
  EXPECT_EQ(count_group(split->train, 0), count_group(whole->train, 2));
  EXPECT_EQ(count_group(split->train, 1), count_group(whole->train, 8));
  EXPECT_EQ(split->train.num_records, count_group(split->train, 0) + count_group(split->train, 1));
  EXPECT_EQ(split->test.num_records, 1032 + 974);
  EXPECT_EQ(split->train.classes, data->groups());
  for (size_t i = 0; i < split->train.labels.size(); ++i)
    ASSERT_EQ(split->train.labels[i], index_of(split->train.groups[i]));
  const auto model = make_reproduction_model("lenet", split->train.feature_names, 2);
  EXPECT_EQ(model->num_outputs(), 2U);
}

/// A folder in the form of CelebA: images by their own sizes, lists in another order.
TEST(ReproductionData, CelebaHasTheDataSetsOwnSplit) {
  const TempFolder folder;
  std::filesystem::create_directory(folder.path() / "img_align_celeba");
  std::string attributes = "6\nEyeglasses Hat Male\n";
  std::string partition;
  for (int i = 0; i < 6; ++i) {
    const std::string name = "00000" + std::to_string(i) + ".jpg";
    const testing::Picture picture =
        testing::picture_of_blocks(9, 8, 1, std::vector<uint8_t>(72, static_cast<uint8_t>(40 * i)));
    folder.write_file("img_align_celeba/" + name, testing::jpeg(picture));
    attributes += name + (i % 2 == 0 ? " -1" : "  1") + " -1 " + (i < 3 ? "-1" : " 1") + "\n";
    partition.insert(0, name + " " + std::to_string(i % 3) + "\n");
  }
  folder.write_file("list_attr_celeba.txt", attributes);
  folder.write_file("list_eval_partition.txt", partition);
  const auto load = [&] { return load_from(folder.path(), "celeba"); };
  const auto data = load();
  EXPECT_EQ(data->groups(), (std::vector<std::string>{"W/O", "W"}));
  const auto split = data->split(0);
  EXPECT_EQ(split, data->split(1));
  // Images 3 and 0 train, 5 and 2 test.
  ASSERT_EQ(split->train.num_records, 2);
  EXPECT_EQ(split->train.num_features, 3U * 64 * 64);
  EXPECT_EQ(split->train.labels, (std::vector<uint16_t>{1, 0}));
  EXPECT_EQ(split->train.groups, (std::vector<GroupId>{GroupId(1), GroupId(0)}));
  EXPECT_EQ(split->test.labels, (std::vector<uint16_t>{1, 0}));
  EXPECT_EQ(split->test.groups, (std::vector<GroupId>{GroupId(1), GroupId(0)}));
  EXPECT_NEAR(split->train.dense[0], 120.0 / 255, 1e-6);
  EXPECT_NEAR(split->test.dense[0], 200.0 / 255, 1e-6);
  const auto model = make_reproduction_model("cnn of CelebA", split->train.feature_names, 2);
  EXPECT_EQ(model->num_parameters(), 120'722U);

  folder.write_file("list_eval_partition.txt", "000009.jpg 0\n");
  EXPECT_THAT(error_of(ErrorKind::kInput, load), HasSubstr("list_eval_partition.txt:1"));
  folder.write_file("list_eval_partition.txt", "000001.jpg 3\n");
  EXPECT_THAT(error_of(ErrorKind::kInput, load), HasSubstr("0, 1 or 2"));
  folder.write_file("list_eval_partition.txt", "000001.jpg 0\n");
  EXPECT_THAT(error_of(ErrorKind::kInput, load), HasSubstr("no images to train or to"));
}

TEST(ReproductionData, ADamagedImageFileIsAnInputError) {
  const TempFolder folder;
  for (const std::string_view name : find_reproduction_data("mnist").files.files)
    folder.write_file(name, "no images");
  error_of(ErrorKind::kInput, [&] { load_from(folder.path(), "mnist"); });
  using namespace std::string_literals;
  folder.write_file("train-images-idx3-ubyte.gz", "\0\0\x08\x03\0\0\0\x01\0\0\0\x1c\0\0\0\x1c!"s);
  error_of(ErrorKind::kInput, [&] { load_from(folder.path(), "mnist"); });
}

TEST(ReproductionData, RefusesWhatItDoesNotKnow) {
  error_of(ErrorKind::kUsage, [] { find_reproduction_data("census"); });
  error_of(ErrorKind::kUsage, [] { make_reproduction_model("forest", {"a"}, 2); });
}

}  // namespace equinoise::datasets_test
