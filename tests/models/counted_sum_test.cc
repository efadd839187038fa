// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/counted_sum.h"

#include <gtest/gtest.h>

#include "tests/models/model_cases.h"

namespace equinoise::counted_sum_test {
namespace {

/// Of every kind of model, and with a weight of 0 among the others.
TEST(CountedSum, IsThatOfTheRecordsOneByOne) {
  std::vector<testing::ModelCase> cases = testing::model_cases();
  cases.push_back({"mlp", 2});
  cases.push_back({"additive", 2});
  for (const testing::ModelCase& kind : cases) {
    const EncodedTable table = testing::table_for(kind, 9, 5);
    const auto model = testing::make_model(kind, table);
    const std::vector<double> parameters = testing::wavy_parameters(*model, 0.3);
    const std::vector<uint32_t> records = testing::all_records(table);
    const std::vector<uint32_t> counts = {1, 2, 3, 1, 64, 7, 1, 40, 5};
    std::vector<double> weights = {1, 0.5, 0.25, 1, 0.3, 0.7, 0, 0.9, 1};
    const SumScale scale{model->exact_grid({0x1p-20, 4}), 4};
    PerSample samples;
    model->per_sample(table, records, parameters, samples);
    for (size_t i = 0; i < weights.size(); ++i)
      weights[i] *= std::min(1.0, 4 / std::sqrt(samples.squared_norm[i]));
    std::vector<int64_t> counted(model->num_parameters(), 11);
    add_counted_sum(*model, table, {records, counts}, samples, weights, scale, counted);

    std::vector<uint32_t> repeated;
    std::vector<double> repeated_weights;
    for (size_t i = 0; i < records.size(); ++i) {
      repeated.insert(repeated.end(), counts[i], records[i]);
      repeated_weights.insert(repeated_weights.end(), counts[i], weights[i]);
    }
    std::vector<int64_t> one_by_one(model->num_parameters(), 11);
    model->per_sample(table, repeated, parameters, samples);
    model->add_weighted_sum(table, repeated, samples, repeated_weights, scale, one_by_one);
    EXPECT_EQ(counted, one_by_one) << kind;
  }
}

}  // namespace
}  // namespace equinoise::counted_sum_test
