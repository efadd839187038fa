// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "equinoise/models/model.h"
#include "equinoise/train/clip_policy.h"
#include "tests/shared_vectors.h"
#include "tests/small_tables.h"

namespace equinoise::testing {

/// Checks losses, norms, clip weights and sums of a case of persample_mlp.json or
/// persample_conv.json. `given` is the case as our models see it, with losses of 1 / scale() of the
/// file's.
template <typename VectorCase>
void expect_vector_case(const nlohmann::json& c, const VectorCase& given) {
  const std::string id = c["id"];
  const nlohmann::json& expected = c["expected"];
  const nlohmann::json& tolerance = c["tolerance"];
  const Model& model = *given.model;
  const double bound = c["max_grad_norm"].get<double>() / given.scale();
  const std::vector<uint32_t> records = all_records(given.table);
  const Predictions predictions = model.predict(given.table, given.theta);
  PerSample samples;
  model.per_sample({given.table, records}, given.theta, samples);
  std::vector<double> weights(records.size());
  FlatClip(bound).weights({samples.squared_norm}, weights);
  for (size_t i = 0; i < records.size(); ++i) {
    expect_close(given.scale() * predictions.loss[i], expected["loss"][i], tolerance, id + " loss");
    expect_close(given.scale() * given.scale() * samples.squared_norm[i],
                 expected["squared_norm"][i], tolerance, id + " squared norm");
    expect_close(weights[i], expected["clip_weight"][i], tolerance, id + " weight");
  }
  const size_t size = model.num_parameters();
  std::vector<double> sum(size, 0);
  model.add_weighted_sum({given.table, records}, samples, weights, sum);
  given.expect_blocks(sum, expected["clipped_sum"], tolerance, id + " clipped");
  std::ranges::fill(sum, 0);
  model.add_weighted_sum({given.table, records}, samples, std::vector<double>(records.size(), 1),
                         sum);
  given.expect_blocks(sum, expected["unclipped_sum"], tolerance, id + " unclipped");

  const SumScale scale{model.exact_grid({1, bound}), bound};
  std::vector<int64_t> units(size, 0);
  model.add_weighted_sum({given.table, records}, samples, weights, scale, units);
  // Each record keeps some four digits of what is as large as the bound.
  nlohmann::json truncated = tolerance;
  truncated["abs"] = static_cast<double>(records.size()) * bound * 0x1p-14;
  for (size_t j = 0; j < size; ++j) sum[j] = static_cast<double>(units[j]) * scale.grid;
  given.expect_blocks(sum, expected["clipped_sum"], truncated, id + " clipped on the grid");
}

}  // namespace equinoise::testing
