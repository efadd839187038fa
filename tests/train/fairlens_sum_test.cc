// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/fairlens_sum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "equinoise/base/error.h"
#include "equinoise/models/mlp.h"
#include "tests/models/model_cases.h"
#include "tests/test_support.h"
#include "tests/train/seeded_run.h"
#include "tests/vector_maths.h"

namespace equinoise::fairlens_sum_test {

using testing::ModelCase;

using Vector = std::vector<double>;

double product_of(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double norm_of(const Vector& a) { return std::sqrt(product_of(a, a)); }

Vector difference(const Vector& a, const Vector& b) {
  Vector result;
  for (size_t j = 0; j < a.size(); ++j) result.push_back(a[j] - b[j]);
  return result;
}

/// The printed algorithm with every gradient written out; its penalties' gradient by finite
/// differences, clip factors held.
class Reference {
 public:
  Reference(const EncodedTable& table, const Model& model, const FairLensConfig& config,
            std::vector<uint32_t> records)
      : table_(table), model_(model), config_(config), records_(std::move(records)) {}

  Vector gradient_of(uint32_t record, const Vector& theta) const {
    PerSample samples;
    Vector gradient(theta.size(), 0);
    model_.per_sample({table_, {&record, 1}}, theta, samples);
    model_.add_weighted_sum({table_, {&record, 1}}, samples, Vector{1}, gradient);
    return gradient;
  }

  double clip_factor(const Vector& gradient) const {
    return std::min(1.0, config_.max_grad_norm / norm_of(gradient));
  }

  Vector clip_factors(const Vector& theta) const {
    Vector factors;
    for (const uint32_t record : records_)
      factors.push_back(clip_factor(gradient_of(record, theta)));
    return factors;
  }

  double clipping_term(const Vector& theta, const Vector& factors) const {
    Vector error(theta.size(), 0);
    std::map<size_t, std::pair<double, Vector>> groups;
    for (size_t i = 0; i < records_.size(); ++i) {
      const Vector gradient = gradient_of(records_[i], theta);
      auto& [size, sum] = groups[index_of(table_.groups[records_[i]])];
      sum.resize(theta.size());
      size += 1;
      for (size_t j = 0; j < theta.size(); ++j) {
        sum[j] += gradient[j];
        error[j] += (factors[i] - 1) * gradient[j] / static_cast<double>(records_.size());
      }
    }
    double term = 0;
    for (auto a = groups.begin(); a != groups.end(); ++a) {
      for (auto b = groups.begin(); b != a; ++b) {
        const double of_a = product_of(a->second.second, error) / a->second.first;
        const double of_b = product_of(b->second.second, error) / b->second.first;
        term += std::fabs(of_a - of_b);
      }
    }
    return term;
  }

  double boundary_term(const Vector& theta) const {
    if (table_.labels.empty()) return 0;
    const Predictions predictions = model_.predict(table_, theta);
    std::map<size_t, std::pair<double, Vector>> groups;
    for (const uint32_t record : records_) {
      auto& [size, sum] = groups[index_of(table_.groups[record])];
      sum.resize(predictions.num_outputs);
      size += 1;
      for (size_t k = 0; k < sum.size(); ++k)
        sum[k] += predictions.outputs[record * predictions.num_outputs + k];
    }
    double term = 0;
    for (auto& [id, group] : groups) {
      for (const double sum : group.second) {
        const double f = sum / group.first;
        term += f * (1 - f) / 2 / static_cast<double>(config_.num_groups);
      }
    }
    return term;
  }

  Vector penalty_gradient(const Vector& theta, double step) const {
    const Vector factors = clip_factors(theta);
    const auto penalty = [&](const Vector& at) {
      return config_.clipping_penalty * clipping_term(at, factors) +
             config_.boundary_penalty * boundary_term(at);
    };
    Vector gradient;
    for (size_t j = 0; j < theta.size(); ++j)
      gradient.push_back(testing::partial(penalty, theta, j, step));
    return gradient;
  }

  Vector clipped_sum(const Vector& theta, const Vector& penalty) const {
    Vector sum(theta.size(), 0);
    for (const uint32_t record : records_) {
      Vector gradient = gradient_of(record, theta);
      for (size_t j = 0; j < sum.size(); ++j) gradient[j] += penalty[j];
      const double factor = clip_factor(gradient);
      for (size_t j = 0; j < sum.size(); ++j) sum[j] += factor * gradient[j];
    }
    return sum;
  }

 private:
  const EncodedTable& table_;
  const Model& model_;
  FairLensConfig config_;
  std::vector<uint32_t> records_;
};

/// Groups 0 .. num_groups - 1, a null record, one of no group, one that is not a number.
constexpr uint32_t kNull = 4;
constexpr uint32_t kStranger = 9;
constexpr uint32_t kNotANumber = 13;

EncodedTable spoilt(EncodedTable table, size_t num_groups) {
  for (size_t i = 0; i < table.contributes.size(); ++i)
    table.groups.push_back(GroupId(i * i % num_groups));
  table.contributes[kNull] = 0;
  table.groups[kStranger] = GroupId(num_groups);
  table.dense[kNotANumber * table.num_dense] = std::numeric_limits<float>::quiet_NaN();
  return table;
}

std::vector<uint32_t> good_ones(const std::vector<uint32_t>& records) {
  std::vector<uint32_t> good;
  for (const uint32_t record : records) {
    if (record != kNull && record != kStranger && record != kNotANumber) good.push_back(record);
  }
  return good;
}

class FairLensOfEveryModel : public ::testing::TestWithParam<ModelCase> {};

/// Those that the method trains.
std::vector<ModelCase> model_cases() {
  std::vector<ModelCase> cases = testing::model_cases();
  std::erase_if(cases, [](const ModelCase& model) {
    return !testing::method_of("fairlens").traits().trains(model.kind);
  });
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Models, FairLensOfEveryModel, ::testing::ValuesIn(model_cases()),
                         ::testing::PrintToStringParamName());

TEST_P(FairLensOfEveryModel, AgreesWithThePrintedAlgorithmWrittenOut) {
  for (const size_t num_groups : {1, 2, 3}) {
    const EncodedTable table = spoilt(testing::table_for(GetParam(), 24, 7), num_groups);
    const auto model = testing::make_model(GetParam(), table);
    const Vector theta = testing::wavy_parameters(*model, 0.7);
    const std::vector<uint32_t> batch = testing::all_records(table);
    for (const auto& [clipping, boundary] :
         {std::pair{1.0, 1.0}, {0.0, 2.5}, {3.0, 0.0}, {0.0, 0.0}}) {
      const FairLensConfig config{0.8, num_groups, clipping, boundary};
      FairLensSum fairlens(table, *model, config);
      const Vector sum = fairlens.clipped_sum(batch, theta);
      const Reference reference(table, *model, config, good_ones(batch));
      const Vector penalty = reference.penalty_gradient(theta, 1e-6);
      const Vector expected = reference.clipped_sum(theta, penalty);
      for (size_t j = 0; j < theta.size(); ++j) {
        EXPECT_NEAR(fairlens.penalty_gradient()[j], penalty[j], 1e-7) << j;
        EXPECT_NEAR(sum[j], expected[j], 1e-6) << j;
      }
    }
  }
}

/// Both terms are there to be weighed: a table on which they are zero would test nothing.
TEST(FairLensSum, PenaltiesChangeTheSum) {
  const EncodedTable table = spoilt(testing::mixed_table(24, 7), 2);
  const auto model = testing::make_model({"logistic", 2}, table);
  const Vector theta = testing::wavy_parameters(*model, 0.7);
  const std::vector<uint32_t> batch = testing::all_records(table);
  const auto sum_of = [&](double clipping, double boundary) {
    return FairLensSum(table, *model, {0.8, 2, clipping, boundary}).clipped_sum(batch, theta);
  };
  const Vector plain = sum_of(0, 0);
  EXPECT_GT(norm_of(difference(sum_of(1, 0), plain)), 0.01);
  EXPECT_GT(norm_of(difference(sum_of(0, 1), plain)), 0.01);
}

/// A network in tiles, in single precision.
TEST(FairLensSum, AgreesForANetwork) {
  const EncodedTable table = spoilt(testing::mixed_table(600, 5), 2);
  const auto model =
      make_mlp(table.feature_names, make_softmax_loss(2), {{5, 4}, ActivationKind::kTanh});
  const Vector theta = model->initial_parameters(3);
  const std::vector<uint32_t> batch = testing::all_records(table);
  ASSERT_GT(batch.size(), model->max_tile_records());
  const FairLensConfig config{0.3, 2, 1, 1};
  FairLensSum fairlens(table, *model, config);
  const Vector sum = fairlens.clipped_sum(batch, theta);
  const Reference reference(table, *model, config, good_ones(batch));
  const Vector penalty = reference.penalty_gradient(theta, 1e-3);
  const Vector expected = reference.clipped_sum(theta, penalty);
  const Vector found(fairlens.penalty_gradient().begin(), fairlens.penalty_gradient().end());
  EXPECT_LT(norm_of(difference(found, penalty)), 0.01 * norm_of(penalty));
  EXPECT_LT(norm_of(difference(sum, expected)), 0.01 * norm_of(expected));
  EXPECT_GT(norm_of(penalty), 0.01);
}

TEST(FairLensSum, AnAbsentGroupIsLeftOutAndAnEmptyBatchIsNothing) {
  const EncodedTable table = spoilt(testing::mixed_table(24, 7), 2);
  const auto model = testing::make_model({"logistic", 2}, table);
  const Vector theta = testing::wavy_parameters(*model, 0.7);
  std::vector<uint32_t> one_group;
  for (const uint32_t record : good_ones(testing::all_records(table)))
    if (table.groups[record] == GroupId(1)) one_group.push_back(record);
  const FairLensConfig config{0.8, 2, 1, 1};
  FairLensSum fairlens(table, *model, config);
  const Vector sum = fairlens.clipped_sum(one_group, theta);
  const Reference reference(table, *model, config, one_group);
  const Vector expected = reference.clipped_sum(theta, reference.penalty_gradient(theta, 1e-6));
  for (size_t j = 0; j < sum.size(); ++j) EXPECT_NEAR(sum[j], expected[j], 1e-6) << j;

  EXPECT_THAT(fairlens.clipped_sum({}, theta), Each(0.0));
  EXPECT_THAT(fairlens.penalty_gradient(), Each(0.0));
}

/// Why there is no guarantee: a record more or less moves the sum by more than the clip, which
/// noise of that scale does not hide.
TEST(FairLensSum, OneRecordReachesTheVectorsOfOthers) {
  EncodedTable table = testing::mixed_table(40, 7);
  for (size_t i = 0; i < 40; ++i) table.groups.push_back(GroupId(i == 0 ? 1 : 0));
  table.dense[0] = 200;
  const auto model = testing::make_model({"logistic", 2}, table);
  const Vector theta = testing::wavy_parameters(*model, 0.7);
  const std::vector<uint32_t> batch = testing::all_records(table);
  constexpr double kMaxGradNorm = 0.5;
  const auto moves_by = [&](double penalty) {
    FairLensSum fairlens(table, *model, {kMaxGradNorm, 2, penalty, penalty});
    return norm_of(difference(fairlens.clipped_sum(batch, theta),
                              fairlens.clipped_sum(std::span(batch).subspan(1), theta)));
  };
  EXPECT_LE(moves_by(0), kMaxGradNorm);
  EXPECT_GT(moves_by(1), 10 * kMaxGradNorm);
}

TEST(FairLensSum, NeedsGroups) {
  const EncodedTable table = testing::mixed_table(5, 1);
  const auto model = testing::make_model({"logistic", 2}, table);
  EXPECT_ERROR(kRuntime, HasSubstr("no groups"), FairLensSum(table, *model, {1, 2, 1, 1}));
}

}  // namespace equinoise::fairlens_sum_test
