// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/train/clip_policy.h"
#include "tests/models/model_cases.h"
#include "tests/shared_vectors.h"

namespace equinoise::persample_vectors_test {

using nlohmann::json;
using testing::all_records;
using testing::expect_close;

/// A case of the file as our models see it: parameters and sums are feature-major and always have a
/// bias, which is 0 and not looked at where the case has none; half the squared error.
struct VectorCase {
  explicit VectorCase(const json& c)
      : kind(c["kind"]),
        has_bias(c["bias"]),
        num_features(c["num_features"]),
        num_scores(kind == "softmax" ? c["num_classes"].get<size_t>() : 1),
        loss_scale(kind == "squared" ? 2 : 1),
        table(testing::dense_table(c["X"], json::array(), static_cast<uint32_t>(num_features))),
        theta(feature_major(c["theta"])) {
    table.classes.clear();
    if (kind == "squared") {
      table.targets = c["y"].get<std::vector<float>>();
      model = testing::make_model({"linear", 0}, table);
      return;
    }
    table.labels = c["y"].get<std::vector<uint16_t>>();
    for (int k = 0; k < c["num_classes"]; ++k) table.classes.push_back(std::to_string(k));
    model = testing::make_model({kind, table.classes.size()}, table);
  }

  std::vector<double> feature_major(const json& values) const {
    const json rows = kind == "softmax" ? values : json::array({values});
    std::vector<double> result((num_features + 1) * num_scores, 0);
    for (size_t k = 0; k < num_scores; ++k) {
      for (size_t j = 0; j < rows[k].size(); ++j) result[j * num_scores + k] = rows[k][j];
    }
    return result;
  }

  std::string kind;
  bool has_bias;
  size_t num_features;
  size_t num_scores;
  double loss_scale;
  EncodedTable table;
  std::vector<double> theta;
  std::unique_ptr<Model> model;
};

/// Compares a block by its largest entry, as the vectors' page says.
void expect_block(std::vector<double> got, const json& expected, const VectorCase& c,
                  const json& tolerance, const std::string& what) {
  const std::vector<double> want = c.feature_major(expected);
  ASSERT_EQ(got.size(), want.size()) << what;
  double largest = 0;
  for (double value : want) largest = std::max(largest, std::fabs(value));
  const size_t count = c.has_bias ? got.size() : got.size() - c.num_scores;
  for (size_t i = 0; i < count; ++i) {
    EXPECT_LE(std::fabs(c.loss_scale * got[i] - want[i]),
              tolerance.value("abs", 0.0) + tolerance.value("rel", 0.0) * largest)
        << what << " entry " << i;
  }
}

TEST(Models, AgreeWithThePerSampleVectors) {
  EQUINOISE_VECTORS(cases, "steps/persample_logistic.json");
  for (const auto& c : cases) {
    const VectorCase given(c);
    const Model& model = *given.model;
    const std::vector<uint32_t> records = all_records(given.table);
    const json& expected = c["expected"];
    const json& tolerance = c["tolerance_double"];
    const std::string id = c["id"];

    const Predictions predictions = model.predict(given.table, given.theta);
    double total = 0;
    for (size_t i = 0; i < records.size(); ++i) {
      const double loss = given.loss_scale * predictions.loss[i];
      expect_close(loss, expected["loss"][i], tolerance, id + " loss");
      total += loss;
    }
    expect_close(total, expected["total_loss"], tolerance, id + " total");

    PerSample samples;
    model.per_sample({given.table, records}, given.theta, samples);
    std::vector<double> weights = expected["clip_weight"];
    if (given.has_bias) {
      // min(1, C / (scale * norm)) = min(1, (C / scale) / norm).
      FlatClip(c["max_grad_norm"].get<double>() / given.loss_scale)
          .weights({samples.squared_norm}, weights);
      for (size_t i = 0; i < records.size(); ++i) {
        expect_close(given.loss_scale * std::sqrt(samples.squared_norm[i]),
                     expected["grad_norm"][i], tolerance, id + " norm");
        expect_close(weights[i], expected["clip_weight"][i], tolerance, id + " weight");
      }
    }
    std::vector<double> sum(model.num_parameters(), 0);
    model.add_weighted_sum({given.table, records}, samples, weights, sum);
    expect_block(sum, expected["clipped_sum"], given, tolerance, id + " clipped");
    std::ranges::fill(sum, 0);
    model.add_weighted_sum({given.table, records}, samples, std::vector<double>(records.size(), 1),
                           sum);
    expect_block(sum, expected["unclipped_sum"], given, tolerance, id + " unclipped");

    std::vector<int64_t> units(model.num_parameters(), 0);
    constexpr double kGrid = 0x1p-40;
    model.add_weighted_sum({given.table, records}, samples, weights, {kGrid, 1}, units);
    for (size_t j = 0; j < units.size(); ++j) sum[j] = static_cast<double>(units[j]) * kGrid;
    expect_block(sum, expected["clipped_sum"], given, {{"rel", 1e-9}, {"abs", 1e-10}},
                 id + " clipped on the grid");
  }
  EXPECT_FALSE(cases.empty());
}

}  // namespace equinoise::persample_vectors_test
