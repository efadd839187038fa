// SPDX-License-Identifier: Apache-2.0
// The noise on the histograms that rate constraints are trained with.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "equinoise/audit/goodness_of_fit.h"
#include "equinoise/constraints/constraint_reader.h"
#include "equinoise/models/generalised_linear.h"
#include "equinoise/train/methods/raco_dp.h"
#include "equinoise/train/rate_lagrangian.h"
#include "equinoise/train/registry.h"
#include "tests/constraints/constraint_cases.h"
#include "tests/kolmogorov_smirnov.h"
#include "tests/small_tables.h"
#include "tests/train/seeded_run.h"

namespace equinoise::rate_noise_stat_test {

constexpr double kSignificance = 1e-6;
constexpr uint64_t kSeed = 20261122;
constexpr double kScale = 3.7;
constexpr uint64_t kNumRuns = 20;

/// What the policy was told of each cell less what the batch holds, in units of the stated scale.
class Differences final : public StepObserver {
 public:
  Differences(const EncodedTable& table, const Model& model, const RateLagrangian& rates)
      : table_(table), model_(model), rates_(rates), places_(rates.places(table)) {}

  void on_batch(const BatchView& view) override {
    PerSample samples;
    std::vector<double> shares;
    model_.score({table_, view.batch.records}, view.parameters, samples);
    rates_.predict(samples.output_gradient, shares);
    std::vector<int64_t> units(rates_.num_sums(), 0);
    std::vector<uint32_t> places;
    for (const uint32_t record : view.batch.records) places.push_back(places_[record]);
    rates_.add_sums(places, shares, {}, units);
    // Without decay the last noisy histogram stands behind the number of steps and the multipliers.
    const std::vector<double> state = view.clip.state();
    const auto told =
        std::span(state).subspan(1 + rates_.program().constraints.size(), units.size());
    for (size_t cell = 0; cell < units.size(); ++cell) {
      const double held = std::ldexp(static_cast<double>(units[cell]), -RateLagrangian::kUnitBits);
      all.push_back((told[cell] - held) / kScale);
    }
  }

  std::vector<double> all;

 private:
  const EncodedTable& table_;
  const Model& model_;
  const RateLagrangian& rates_;
  std::vector<uint32_t> places_;
};

/// By histogram_noise.
class RateNoise : public ::testing::TestWithParam<std::string> {};

TEST_P(RateNoise, IsTheOneThatIsChargedFor) {
  EncodedTable table = testing::mixed_table(120, 3);
  for (size_t i = 0; i < table.labels.size(); ++i)
    table.groups.push_back(GroupId(static_cast<uint32_t>(i % 2)));
  const LogisticModel model(table.feature_names, table.classes);
  TrainingConfig config;
  config.constraints = testing::shared_program("demographic_parity:sex:0.05");
  config.noise_multiplier = 4;
  config.batch_size = 12;
  config.num_steps = 1000;
  config.own.of<RateOptions>().histogram_decay = 0;
  config.own.of<RateOptions>().histogram_noise = value_of(kHistogramNoises, GetParam()).value();
  config.own.of<RateOptions>().histogram_noise_multiplier = kScale;
  const auto method = find_training_method("raco_dp").make();
  const TrainingPlan plan =
      method->plan(config, {table.num_records, model.num_parameters(), 0, 2, 1});
  const Event& batch = plan.items[0].event.events()[0];
  EXPECT_EQ(batch.events()[1].noise_multiplier(), kScale);

  const RateLagrangian rates(config.constraints, {});
  Differences differences(table, model, rates);
  for (uint64_t run = 0; run < kNumRuns; ++run) {
    testing::run_with_seed(*method, table, model, plan, kSeed + run, differences);
  }
  std::ranges::sort(differences.all);
  const auto distribution = [&](double x) {
    if (GetParam() == "gaussian") return 0.5 * std::erfc(-x / std::sqrt(2.0));
    return x < 0 ? 0.5 * std::exp(x) : 1 - 0.5 * std::exp(-x);
  };
  const GoodnessOfFit fit =
      testing::kolmogorov_smirnov_fit(differences.all, distribution, kSignificance);
  std::printf("%s: seeds from %llu, n %zu, KS distance %.3g, critical %.3g at %g\n",
              GetParam().c_str(), static_cast<unsigned long long>(kSeed), differences.all.size(),
              fit.statistic, fit.critical, kSignificance);
  EXPECT_TRUE(fit.fits());
  // What the test can see: a scale that is off by a tenth.
  std::vector<double> tight = differences.all;
  for (double& value : tight) value *= 0.9;
  EXPECT_FALSE(testing::kolmogorov_smirnov_fit(tight, distribution, kSignificance).fits());
}

INSTANTIATE_TEST_SUITE_P(Distributions, RateNoise, ::testing::Values("gaussian", "laplace"),
                         [](const auto& distribution) { return distribution.param; });

}  // namespace equinoise::rate_noise_stat_test
