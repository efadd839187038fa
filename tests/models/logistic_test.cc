#include "equinoise/models/logistic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "equinoise/base/error.h"
#include "equinoise/train/clip_policy.h"
#include "tests/shared_vectors.h"
#include "tests/small_tables.h"

namespace equinoise {
namespace {

using testing::all_records;
using testing::dense_table;

/// Compares a block by its largest entry, as the vectors' page says.
void expect_block(const std::vector<double>& got, const std::vector<double>& want,
                  const nlohmann::json& tolerance, const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  double largest = 0;
  for (double value : want) largest = std::max(largest, std::fabs(value));
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_LE(std::fabs(got[i] - want[i]),
              tolerance.value("abs", 0.0) + tolerance.value("rel", 0.0) * largest)
        << what << " entry " << i;
  }
}

TEST(Logistic, AgreesWithThePerSampleVectors) {
  EQUINOISE_VECTORS(cases, "steps/persample_logistic.json");
  int checked = 0;
  for (const auto& c : cases) {
    if (c["kind"] != "logistic" || !c["bias"].get<bool>()) continue;
    ++checked;
    const EncodedTable table = dense_table(c["X"], c["y"], c["num_features"]);
    const LogisticModel model(table.feature_names, table.classes);
    const std::vector<double> theta = c["theta"];
    const std::vector<uint32_t> records = all_records(table);
    const nlohmann::json& expected = c["expected"];
    const nlohmann::json& tolerance = c["tolerance_double"];
    const std::string id = c["id"];

    std::vector<uint16_t> predicted(records.size());
    std::vector<double> loss(records.size());
    model.predict(table, theta, predicted, loss);
    PerSample samples;
    model.per_sample(table, records, theta, samples);
    std::vector<double> weights(records.size());
    FlatClip(c["max_grad_norm"].get<double>()).weights(samples.squared_norm, weights);
    for (size_t i = 0; i < records.size(); ++i) {
      testing::expect_close(loss[i], expected["loss"][i], tolerance, id + " loss");
      testing::expect_close(std::sqrt(samples.squared_norm[i]), expected["grad_norm"][i], tolerance,
                            id + " norm");
      testing::expect_close(weights[i], expected["clip_weight"][i], tolerance, id + " weight");
    }
    testing::expect_close(std::accumulate(loss.begin(), loss.end(), 0.0), expected["total_loss"],
                          tolerance, id + " total");

    std::vector<double> sum(model.num_parameters(), 0);
    model.add_weighted_sum(table, records, samples, weights, sum);
    expect_block(sum, expected["clipped_sum"], tolerance, id + " clipped");
    std::fill(sum.begin(), sum.end(), 0);
    model.add_weighted_sum(table, records, samples, std::vector<double>(records.size(), 1), sum);
    expect_block(sum, expected["unclipped_sum"], tolerance, id + " unclipped");

    std::vector<int64_t> units(model.num_parameters(), 0);
    constexpr double kGrid = 0x1p-40;
    model.add_weighted_sum(table, records, samples, weights, kGrid, units);
    for (size_t j = 0; j < units.size(); ++j) sum[j] = static_cast<double>(units[j]) * kGrid;
    expect_block(sum, expected["clipped_sum"], {{"rel", 1e-9}, {"abs", 1e-10}},
                 id + " clipped on the grid");
  }
  EXPECT_GT(checked, 0);
}

TEST(Logistic, GradientAgreesWithFiniteDifferences) {
  const EncodedTable table = testing::mixed_table(20, 3);
  const LogisticModel model(table.feature_names, table.classes);
  std::vector<double> theta(model.num_parameters());
  for (size_t j = 0; j < theta.size(); ++j) theta[j] = 0.1 * static_cast<double>(j % 7) - 0.3;
  const auto total_loss = [&](const std::vector<double>& parameters) {
    std::vector<uint16_t> predicted(static_cast<size_t>(table.num_records));
    std::vector<double> loss(predicted.size());
    model.predict(table, parameters, predicted, loss);
    return std::accumulate(loss.begin(), loss.end(), 0.0);
  };
  const std::vector<uint32_t> records = all_records(table);
  PerSample samples;
  model.per_sample(table, records, theta, samples);
  std::vector<double> gradient(model.num_parameters(), 0);
  model.add_weighted_sum(table, records, samples, std::vector<double>(records.size(), 1), gradient);
  for (size_t j = 0; j < theta.size(); ++j) {
    std::vector<double> up = theta;
    std::vector<double> down = theta;
    up[j] += 1e-5;
    down[j] -= 1e-5;
    EXPECT_NEAR(gradient[j], (total_loss(up) - total_loss(down)) / 2e-5, 1e-7)
        << model.parameter_names()[j];
  }
}

/// The bound on which the sensitivity rests: a clipped record's integer vector has norm at most C /
/// grid, in exact arithmetic.
TEST(Logistic, ClippedVectorsOnTheGridNeverExceedTheBound) {
  const EncodedTable table = testing::mixed_table(400, 17);
  const LogisticModel model(table.feature_names, table.classes);
  for (double scale : {0.0, 0.3, 30.0}) {
    std::vector<double> theta(model.num_parameters());
    for (size_t j = 0; j < theta.size(); ++j)
      theta[j] = scale * std::sin(static_cast<double>(j) + 1);
    for (double bound : {0.01, 0.7, 1.0, 1.7320508075688772, 1e6}) {
      const double grid = bound * 0x1p-26;
      const __int128 limit = static_cast<__int128>(0x1p26) * static_cast<__int128>(0x1p26);
      for (uint32_t record : all_records(table)) {
        PerSample samples;
        const std::vector<uint32_t> one = {record};
        model.per_sample(table, one, theta, samples);
        std::vector<double> weight(1);
        FlatClip(bound).weights(samples.squared_norm, weight);
        std::vector<int64_t> units(model.num_parameters(), 0);
        model.add_weighted_sum(table, one, samples, weight, grid, units);
        __int128 squared = 0;
        for (int64_t unit : units) squared += static_cast<__int128>(unit) * unit;
        ASSERT_TRUE(squared <= limit) << "record " << record << " bound " << bound;
      }
    }
  }
}

/// A record's vector must depend on nothing but the record: not on its place in the batch, not on
/// where buffers lie in memory.
TEST(Logistic, ARecordsValuesDoNotDependOnItsPlace) {
  const EncodedTable table = testing::mixed_table(64, 9);
  const LogisticModel model(table.feature_names, table.classes);
  std::vector<double> theta(model.num_parameters());
  for (size_t j = 0; j < theta.size(); ++j)
    theta[j] = 1.7 * std::sin(3.0 * static_cast<double>(j) + 1);
  const std::vector<uint32_t> records = all_records(table);
  PerSample whole;
  model.per_sample(table, records, theta, whole);
  for (size_t begin = 0; begin < records.size(); ++begin) {
    PerSample part;
    model.per_sample(table, std::span(records).subspan(begin), theta, part);
    for (size_t i = 0; i < part.squared_norm.size(); ++i) {
      ASSERT_EQ(part.output_gradient[i], whole.output_gradient[begin + i]) << begin;
      ASSERT_EQ(part.squared_norm[i], whole.squared_norm[begin + i]) << begin;
    }
  }
}

TEST(Logistic, ANaNRecordHasNoFiniteNorm) {
  EncodedTable table = testing::mixed_table(3, 1);
  table.dense[0] = std::nanf("");
  const LogisticModel model(table.feature_names, table.classes);
  PerSample samples;
  model.per_sample(table, all_records(table), std::vector<double>(model.num_parameters(), 0.1),
                   samples);
  EXPECT_FALSE(std::isfinite(samples.squared_norm[0]));
  EXPECT_TRUE(std::isfinite(samples.squared_norm[1]));
}

TEST(Logistic, NeedsTwoClasses) {
  EXPECT_THROW(LogisticModel({"x"}, {"only"}), Error);
  EXPECT_THROW(LogisticModel({"x"}, {"a", "b", "c"}), Error);
}

}  // namespace
}  // namespace equinoise
