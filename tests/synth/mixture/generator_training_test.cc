// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/mixture/generator_training.h"

#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "tests/test_support.h"

namespace equinoise::generator_training_test {

const GeneratorShape kShape{120, 6, 16, {4, 3}};

/// Squared distance of the mean distributions from these.
double distance_from(const std::vector<double>& wanted, const float* probabilities,
                     float* derivatives) {
  std::vector<double> means(wanted.size(), 0);
  for (size_t row = 0; row < kShape.num_components; ++row) {
    for (size_t j = 0; j < wanted.size(); ++j)
      means[j] += probabilities[row * wanted.size() + j] / 120.0;
  }
  double loss = 0;
  for (size_t j = 0; j < wanted.size(); ++j) {
    const double error = means[j] - wanted[j];
    loss += error * error;
    for (size_t row = 0; row < kShape.num_components; ++row)
      derivatives[row * wanted.size() + j] += static_cast<float>(2 * error / 120);
  }
  return loss;
}

TEST(GeneratorTrainer, ReachesWhatIsWantedAndEndsThere) {
  SeededSource source(1);
  TaskProgress silent;
  GeneratorTrainer trainer(Generator(kShape, source), 2, silent);
  const std::vector<double> wanted = {0.7, 0.1, 0.2, 0, 0.05, 0.05, 0.9};
  double last = 1;
  int num_losses = 0;
  const auto loss = [&](const float* probabilities, float* derivatives) {
    ++num_losses;
    return last = distance_from(wanted, probabilities, derivatives);
  };
  trainer.train(loss, {2000, 0.005, false, 1e-4, 2000});
  EXPECT_LE(last, 1e-4);
  EXPECT_LT(num_losses, 2000);
  std::vector<float> unused(trainer.probabilities().size(), 0);
  EXPECT_EQ(distance_from(wanted, trainer.probabilities().data(), unused.data()), last);
}

TEST(GeneratorTrainer, EndsWhereStepsAreInVain) {
  SeededSource source(1);
  TaskProgress silent;
  GeneratorTrainer trainer(Generator(kShape, source), 1, silent);
  int num_losses = 0;
  // It falls for ten steps, each by enough, and then too slowly.
  const auto loss = [&](const float*, float*) {
    ++num_losses;
    return num_losses <= 10 ? 100.0 - num_losses : 90 - 0.001 * num_losses;
  };
  trainer.train(loss, {1000, 0.001, false, 0, 7});
  EXPECT_EQ(num_losses, 17);
}

TEST(GeneratorTrainer, AnInterruptionEndsIt) {
  class Stop final : public TaskProgress {
   public:
    bool interrupted() const override { return true; }
  };
  Stop stop;
  SeededSource source(1);
  GeneratorTrainer trainer(Generator(kShape, source), 1, stop);
  const auto loss = [](const float*, float*) { return 1.0; };
  EXPECT_NE(error_of(ErrorKind::kRuntime, [&] { trainer.train(loss, {}); }).find("interrupted"),
            std::string::npos);
}

TEST(AddInformation, IsZeroForEqualComponentsAndHasTheRightDerivatives) {
  const GeneratorShape shape{3, 1, 1, {2, 3}};
  const std::vector<float> equal = {0.3F, 0.7F, 0.2F, 0.2F, 0.6F};
  std::vector<float> probabilities;
  for (int row = 0; row < 3; ++row) append(probabilities, equal);
  std::vector<float> derivatives(15, 0);
  EXPECT_NEAR(add_information(shape, 5, 1, probabilities.data(), derivatives.data()), 0, 1e-6);
  for (const float derivative : derivatives) EXPECT_NEAR(derivative, 0, 1e-6);

  probabilities = {0.3F, 0.7F, 0.2F, 0.2F, 0.6F, 0.6F, 0.4F, 0.1F, 0.2F, 0.7F, 1, 0, 0, 0.5F, 0.5F};
  std::ranges::fill(derivatives, 0.0F);
  // The mutual information of a component and each block.
  const std::vector<double> means = {1.9 / 3, 1.1 / 3, 0.1, 0.3, 0.6};
  double expected = 0;
  for (size_t j = 0; j < 15; ++j) {
    if (probabilities[j] > 0)
      expected += 5.0 / 3 * probabilities[j] * std::log(probabilities[j] / means[j % 5]);
  }
  const double value = add_information(shape, 5, 2, probabilities.data(), derivatives.data());
  EXPECT_NEAR(value, expected, 1e-5);
  for (size_t j = 0; j < 9; ++j) {
    std::vector<float> more = probabilities;
    std::vector<float> less = probabilities;
    more[j] += 1e-2F;
    less[j] -= 1e-2F;
    std::vector<float> unused(15, 0);
    const double difference = (add_information(shape, 5, 1, more.data(), unused.data()) -
                               add_information(shape, 5, 1, less.data(), unused.data())) /
                              2e-2;
    // The sum over a distribution does not change where probabilities sum to 1: a constant is free.
    EXPECT_NEAR(derivatives[j], difference, 2e-2) << j;
  }
}

}  // namespace equinoise::generator_training_test
