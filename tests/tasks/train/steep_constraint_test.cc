// SPDX-License-Identifier: Apache-2.0
// Constraints where many scores lie near the threshold: a small step of the parameters moves a rate
// by much.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "equinoise/tasks/train/train.h"
#include "equinoise/train/methods/raco_dp.h"
#include "tests/schema_text.h"
#include "tests/test_support.h"

namespace equinoise::steep_constraint_test {

constexpr int kRecords = 2000;

/// Scores of labels are up to `by_x` for x and `by_sex` for sex, either way: the less of both, the
/// more people a step moves to the other side of the threshold.
TrainRequest request_of(const TempFolder& folder, double by_sex, double by_x) {
  std::string csv = "sex,x,label\n";
  for (int i = 0; i < kRecords; ++i) {
    const double x = (i / 2 % 50 - 24.5) / 24.5;
    const double score = (i % 2 == 0 ? -by_sex : by_sex) + by_x * x;
    const double uniform = std::fmod(i / 100 * 0.6180339887, 1);
    csv += std::string(i % 2 == 0 ? "F," : "M,") + std::to_string(x) +
           (uniform < 1 / (1 + std::exp(-score)) ? ",yes\n" : ",no\n");
  }
  TrainRequest request;
  request.method = "dpsgd";
  request.data = folder.write_file("table.csv", csv).string();
  request.schema.path = folder.write_file(
      "schema.toml", schema_head("steep", "label", 2000) + categorical_section("sex", {"F", "M"}) +
                         numeric_section("x", -1, 1) + categorical_section("label", {"no", "yes"}));
  request.constraints = {"demographic_parity:sex:0.05"};
  request.config.delta = 1e-4;
  request.batch_size = 200;
  request.num_steps = 1000;
  request.test_fraction = 0.5;
  request.insecure_seed = 1;
  return request;
}

double gap_of(const TrainingReport& report) {
  return std::fabs(report.constraints[0].check->value.value);
}

constexpr const char* kWarning = "vary more than noise and the draw of batches explain";

/// By the mean over steps multipliers come late: they and the model swing round each other.
TEST(SteepConstraint, IsKeptByTheStepsOwnHistogramsAndNotByTheirMean) {
  const TempFolder folder;
  TrainRequest request = request_of(folder, 0.25, 0.5);
  TrainProgress silent;
  for (const char* method : {"raco_dp", "sgda"}) {
    request.method = method;
    request.config.epsilon.reset();
    if (request.method == "raco_dp") request.config.epsilon = 3;
    double largest = 0;
    for (const uint64_t seed : {1, 2, 3}) {
      request.insecure_seed = request.split_seed = seed;
      request.config.own.of<RateOptions>().multipliers = MultiplierRule::kStep;
      const TrainingReport kept = train(request, silent);
      request.config.own.of<RateOptions>().multipliers = MultiplierRule::kMean;
      const TrainingReport swinging = train(request, silent);
      std::printf("%s, seed %d: gap %.3f, by the mean %.3f\n", method, static_cast<int>(seed),
                  gap_of(kept), gap_of(swinging));
      // The slack and three sampling errors of 500 records of each sex.
      EXPECT_LT(gap_of(kept), 0.05 + 3 * std::sqrt(2 * 0.25 / 500));
      EXPECT_GT(gap_of(swinging), gap_of(kept));
      EXPECT_THAT(swinging.ingest_notes, Contains(HasSubstr(kWarning)));
      // Without noise little is explained.
      if (request.method == "raco_dp") {
        EXPECT_THAT(kept.ingest_notes, Not(Contains(HasSubstr(kWarning))));
      }
      largest = std::max(largest, gap_of(swinging));
    }
    EXPECT_GT(largest, 0.5);
  }
}

TEST(SteepConstraint, OthersAreNotWarnedOf) {
  struct Other {
    double by_sex;
    double by_x;
    const char* constraint;
  };
  for (const Other& other : {Other{0.25, 1, "demographic_parity:sex:0.05"},
                             {0.1, 1, "demographic_parity:sex:0.05"},
                             {1, 2, "demographic_parity:sex:0.05"},
                             {1, 2, "equalized_odds:sex:0.1"},
                             {1, 2, "fnr:0.1"},
                             {1, 2, "precision:0.8"}}) {
    const TempFolder folder;
    TrainRequest request = request_of(folder, other.by_sex, other.by_x);
    request.method = "raco_dp";
    request.config.epsilon = 3;
    request.constraints = {other.constraint};
    TrainProgress silent;
    EXPECT_THAT(train(request, silent).ingest_notes, Not(Contains(HasSubstr(kWarning))))
        << other.by_sex << " " << other.by_x << " " << other.constraint;
  }
}

/// So steep that the model does not come to rest by either rule: then that is said.
TEST(SteepConstraint, IsWarnedOfWhereTheModelDoesNotComeToRest) {
  const TempFolder folder;
  TrainRequest request = request_of(folder, 0.4, 0.2);
  request.method = "raco_dp";
  request.config.epsilon = 3;
  TrainProgress silent;
  EXPECT_THAT(train(request, silent).ingest_notes, Contains(HasSubstr(kWarning)));
}

TEST(SteepConstraint, TailsAreShorterUnderConstraints) {
  const TempFolder folder;
  TrainRequest request = request_of(folder, 0.25, 0.5);
  const auto tail = [&] {
    for (const auto& [name, value] : plan_training(request).settings)
      if (name == "tail_average") return value;
    return -1.0;
  };
  request.method = "sgda";
  EXPECT_EQ(tail(), kTailAverageOfConstraints);
  request.config.tail_average = 0.25;
  EXPECT_EQ(tail(), 0.25);
  request.config.tail_average.reset();
  request.method = "sgd";
  request.constraints.clear();
  EXPECT_EQ(tail(), kTailAverage);
}

}  // namespace equinoise::steep_constraint_test
