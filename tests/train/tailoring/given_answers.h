// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/reproduction/simulation/group_records.h"
#include "equinoise/reproduction/simulation/weighted_descent.h"

namespace equinoise::testing {

/// max|got - want| <= abs + rel max|want|.
inline void expect_block(std::span<const double> got, const nlohmann::json& want,
                         const nlohmann::json& tolerance, const std::string& what) {
  std::vector<double> values;
  for (const auto& entry : want) {
    if (entry.is_array()) {
      for (const auto& inner : entry) values.push_back(inner.get<double>());
    } else {
      values.push_back(entry.get<double>());
    }
  }
  ASSERT_EQ(got.size(), values.size()) << what;
  double largest = 0;
  for (const double value : values) largest = std::fmax(largest, std::fabs(value));
  const double allowed = tolerance.value("abs", 0.0) + tolerance.value("rel", 0.0) * largest;
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_LE(std::fabs(got[i] - values[i]), allowed) << what << " entry " << i << ": " << got[i];
}

inline std::vector<double> flat(const nlohmann::json& rows) {
  std::vector<double> values;
  for (const auto& row : rows)
    for (const auto& value : row) values.push_back(value.get<double>());
  return values;
}

/// The records of a case: X, y and the group of each, or the membership of each in groups.
inline GroupRecords records_of(const nlohmann::json& c) {
  std::vector<RecordCell> cells;
  size_t num_groups = 0;
  if (c.contains("group")) {
    num_groups = c["num_groups"];
    for (const size_t group : c["group"]) cells.push_back({1, {group}});
  } else {
    num_groups = c["membership"][0].size();
    for (const auto& row : c["membership"]) {
      RecordCell& cell = cells.emplace_back();
      cell.num_records = 1;
      for (size_t k = 0; k < num_groups; ++k)
        if (row[k] == 1) cell.groups.push_back(k);
    }
  }
  return {c["X"][0].size(), num_groups, cells, flat(c["X"]), c["y"].get<std::vector<double>>()};
}

inline RegressionModel model_of(const nlohmann::json& c) {
  return c["model"] == "linear" ? RegressionModel::kLinear : RegressionModel::kLogistic;
}

/// Answers with given noise, added as it stands.
class GivenAnswers final : public WeightedGroupAnswers {
 public:
  GivenAnswers(const GroupRecords& records, RegressionModel model, const AnswerBounds& bounds)
      : records_(records), model_(model), bounds_(bounds) {}

  std::vector<double> gradient_noise = {};  ///< (groups, features), or (features) of a weighted sum
  std::vector<double> loss_noise = {};      ///< (groups)
  std::vector<double> gradient_rho = {};    ///< what each question cost
  std::vector<double> loss_rho = {};

  size_t num_features() const override { return records_.num_features(); }
  std::span<const int64_t> group_sizes() const override { return records_.group_sizes(); }
  AnswerBounds bounds() const override { return bounds_; }

  void gradient_mean(size_t group, std::span<const double> parameters, double rho,
                     std::span<double> answer) override {
    records_.gradient_sum(model_, group, parameters, bounds_.max_grad_norm, answer);
    for (size_t j = 0; j < answer.size(); ++j) {
      answer[j] = answer[j] / static_cast<double>(group_sizes()[group]) +
                  gradient_noise[group * answer.size() + j];
    }
    gradient_rho.push_back(rho);
  }
  double loss_mean(size_t group, std::span<const double> parameters, double rho) override {
    loss_rho.push_back(rho);
    return records_.loss_sum(model_, group, parameters, bounds_.loss_clip) /
               static_cast<double>(group_sizes()[group]) +
           loss_noise[group];
  }
  void weighted_sum(std::span<const double> parameters, std::span<const double> coefficients,
                    std::span<const double> max_grad_norms, double,
                    std::span<double> answer) override {
    std::vector<double> sum(answer.size());
    for (size_t j = 0; j < answer.size(); ++j) answer[j] = gradient_noise[j];
    for (size_t k = 0; k < coefficients.size(); ++k) {
      records_.gradient_sum(model_, k, parameters, max_grad_norms[k], sum);
      for (size_t j = 0; j < answer.size(); ++j) answer[j] += coefficients[k] * sum[j];
    }
  }

 private:
  const GroupRecords& records_;
  RegressionModel model_;
  AnswerBounds bounds_;
};

/// Answers of groups of these sizes without records: for what follows from sizes alone.
class SizedAnswers final : public WeightedGroupAnswers {
 public:
  SizedAnswers(std::vector<int64_t> sizes, const AnswerBounds& bounds)
      : sizes_(std::move(sizes)), bounds_(bounds) {}

  size_t num_features() const override { return 1; }
  std::span<const int64_t> group_sizes() const override { return sizes_; }
  AnswerBounds bounds() const override { return bounds_; }
  void gradient_mean(size_t, std::span<const double>, double, std::span<double>) override {
    FAIL();
  }
  double loss_mean(size_t, std::span<const double>, double) override {
    ADD_FAILURE();
    return 0;
  }
  void weighted_sum(std::span<const double>, std::span<const double>, std::span<const double>,
                    double, std::span<double>) override {
    FAIL();
  }

 private:
  std::vector<int64_t> sizes_;
  AnswerBounds bounds_;
};

}  // namespace equinoise::testing
