// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "equinoise/privacy/accountants/pld.h"
#include "equinoise/reproduction/worst_group/grouped_records.h"
#include "tests/shared_vectors.h"

namespace equinoise::testing {

inline std::vector<double> numbers(const nlohmann::json& values) {
  return values.get<std::vector<double>>();
}

/// Every number on its own: |got - want| <= abs + rel |want|.
inline void expect_each(std::span<const double> got, const nlohmann::json& want,
                        const nlohmann::json& tolerance, const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (size_t i = 0; i < got.size(); ++i) expect_close(got[i], want[i], tolerance, what);
}

/// The groups of a case, [{x, y}, ...].
inline GroupedRecords records_of_groups(const nlohmann::json& groups,
                                        const std::string& loss = "logistic",
                                        double loss_scale = 1) {
  std::vector<int64_t> sizes;
  std::vector<double> features;
  std::vector<double> targets;
  size_t num_features = 0;
  for (const auto& group : groups) {
    sizes.push_back(static_cast<int64_t>(group["y"].size()));
    for (const auto& row : group["x"]) {
      num_features = row.size();
      for (const auto& value : row) features.push_back(value);
    }
    for (const auto& target : group["y"]) targets.push_back(target);
  }
  return {loss == "squared" ? RegressionModel::kLinear : RegressionModel::kLogistic,
          loss_scale,
          num_features,
          sizes,
          std::move(features),
          std::move(targets)};
}

/// The standard deviation over the sensitivity with which one Gaussian release is (epsilon,
/// delta)-DP, exactly.
inline double analytic_multiplier(double epsilon, double delta) {
  double low = 1e-3;
  double high = 1e6;
  for (int i = 0; i < 200; ++i) {
    const double middle = std::sqrt(low * high);
    const PldAccountant accountant(Relation::kZeroOut, {Event::gaussian(middle)});
    (accountant.delta(Epsilon(epsilon)) > delta ? low : high) = middle;
  }
  return high;
}

}  // namespace equinoise::testing
