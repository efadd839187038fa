// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/worst_group/group_weights.h"

#include <cmath>

#include "equinoise/train/worst_group/ball.h"
#include "tests/test_support.h"
#include "tests/train/worst_group/vector_records.h"
#include "tests/vector_cases.h"

namespace equinoise::group_weights_test {

using testing::expect_close;
using testing::expect_each;
using testing::numbers;

/// The step of a gradient descent on the ball that the vectors take.
void expect_step(const nlohmann::json& c, std::span<const double> gradient) {
  const auto& want = c["expected"];
  expect_each(gradient, want["gradient"], c["tolerance"], c["id"]);
  std::vector<double> w = numbers(c["w"]);
  for (size_t j = 0; j < w.size(); ++j) w[j] -= c["learning_rate_w"].get<double>() * gradient[j];
  project_on_ball(c["radius"], w);
  expect_each(w, want["w"], c["tolerance"], c["id"]);
}

/// (clipped sum of a group's batch + noise) / batch size, as Alg. 3 and 5 have it.
std::vector<double> gradient_of_group(const nlohmann::json& c) {
  const auto& want = c["expected"];
  std::vector<double> gradient = numbers(want["clipped_sum"]);
  const double stddev = c["noise_multiplier"].get<double>() * c["max_grad_norm"].get<double>();
  expect_close(stddev, want["noise_stddev"], c["tolerance"], c["id"]);
  for (size_t j = 0; j < gradient.size(); ++j) {
    gradient[j] = (gradient[j] + stddev * c["standard_normal"][j].get<double>()) /
                  c["batch_size"].get<double>();
  }
  return gradient;
}

TEST(GroupWeights, AgreeWithTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/mgr_ags.json");
  int checked = 0;
  for (const auto& c : cases) {
    const std::string id = c["id"];
    SCOPED_TRACE(id);
    const auto& want = c["expected"];
    const auto& tolerance = c["tolerance"];
    ++checked;
    if (c["kind"] == "mw_update") {
      std::vector<double> lambda = numbers(c["lambda"]);
      multiply_weights(c["learning_rate"], numbers(c["noisy_losses"]), lambda);
      expect_each(lambda, want["lambda"], tolerance, id);
    } else if (c["kind"] == "alg3_step" || c["kind"] == "alg5_step") {
      if (c["kind"] == "alg3_step") {
        std::vector<double> lambda = numbers(c["lambda"]);
        EXPECT_EQ(choose_by_weight(lambda, c["uniform"]), want["group"]);
        std::vector<double> noisy = numbers(want["group_losses"]);
        for (size_t i = 0; i < noisy.size(); ++i) {
          const double scale =
              c["loss_bound"].get<double>() /
              (static_cast<double>(c["groups"][i]["y"].size()) * c["epsilon_loss"].get<double>());
          expect_close(scale, want["laplace_scales"][i], tolerance, id);
          noisy[i] += scale * c["unit_laplace"][i].get<double>();
        }
        expect_each(noisy, want["noisy_losses"], tolerance, id);
        multiply_weights(c["learning_rate_lambda"], noisy, lambda);
        expect_each(lambda, want["lambda"], tolerance, id);
      }
      expect_step(c, gradient_of_group(c));
    } else if (c["kind"] == "mgr_w_step") {
      std::vector<double> lambda = numbers(c["lambda"]);
      const auto sizes = c["group_sizes"].get<std::vector<int64_t>>();
      const double rate = c["sample_rate"];
      std::vector<double> weights;
      double largest = 0;
      for (size_t i = 0; i < lambda.size(); ++i) {
        weights.push_back(lambda[i] / (rate * static_cast<double>(sizes[i])));
        largest = std::max(largest, weights.back());
      }
      expect_each(weights, want["group_weights"], tolerance, id);
      std::vector<double> gradient = numbers(want["clipped_weighted_sum"]);
      const double stddev =
          c["noise_multiplier_gradient"].get<double>() * c["max_grad_norm"].get<double>() * largest;
      expect_close(stddev, want["gradient_noise_stddev"], tolerance, id);
      for (size_t j = 0; j < gradient.size(); ++j)
        gradient[j] += stddev * c["standard_normal_gradient"][j].get<double>();
      std::vector<double> losses = numbers(want["batch_losses"]);
      for (size_t i = 0; i < losses.size(); ++i) {
        const double noise = c["noise_multiplier_loss"].get<double>() *
                             c["loss_bound"].get<double>() / (rate * static_cast<double>(sizes[i]));
        expect_close(noise, want["loss_noise_stddev"][i], tolerance, id);
        losses[i] += noise * c["standard_normal_loss"][i].get<double>();
      }
      expect_each(losses, want["noisy_losses"], tolerance, id);
      multiply_weights(c["learning_rate_lambda"], losses, lambda);
      expect_each(lambda, want["lambda"], tolerance, id);
      const double multipliers[] = {c["noise_multiplier_gradient"], c["noise_multiplier_loss"]};
      expect_close(joint_noise_multiplier(multipliers), want["noise_multiplier_joint"], tolerance,
                   id);
      expect_step(c, gradient);
    } else if (c["kind"] == "nm_eff") {
      expect_close(joint_noise_multiplier(numbers(c["noise_multipliers"])),
                   want["noise_multiplier_joint"], tolerance, id);
    } else if (c["kind"] == "nm_split") {
      const NoiseSplit split = split_noise(c["noise_multiplier_joint"], c["loss_share"]);
      expect_close(split.gradient, want["noise_multiplier_gradient"], tolerance, id);
      expect_close(split.loss, want["noise_multiplier_loss"], tolerance, id);
    } else {
      ADD_FAILURE() << "a kind that nothing here knows";
    }
  }
  EXPECT_GT(checked, 0);
}

TEST(GroupBandit, AgreesWithTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/exp3_ftrl.json");
  for (const auto& c : testing::cases_with(cases, "kind", "exp3")) {
    const std::string id = c["id"];
    SCOPED_TRACE(id);
    const double offset = c["offset"];
    GroupBandit bandit(
        {c["num_groups"], c["exploration"], c["learning_rate"], c["loss_bound"], offset});
    std::vector<double> average(c["num_groups"].get<size_t>());
    for (size_t t = 0; t < c["steps"].size(); ++t) {
      const auto& step = c["steps"][t];
      const auto& want = c["expected"]["steps"][t];
      for (size_t i = 0; i < average.size(); ++i)
        average[i] += bandit.lambda()[i] / static_cast<double>(c["steps"].size());
      expect_each(bandit.probabilities(), want["sampling_probabilities"], c["tolerance"], id);
      const size_t group = bandit.draw(step["uniform"]);
      EXPECT_EQ(group, want["group"]);
      // The vectors' noise is that of the estimate, offset less loss.
      const double estimate =
          bandit.hear(group, bandit.clamped(step["loss"]) - step["noise"].get<double>());
      expect_close(estimate, want["loss_estimate"], c["tolerance"], id);
      expect_each(bandit.lambda(), want["lambda"], c["tolerance"], id);
    }
    expect_each(average, c["expected"]["lambda_average"], c["tolerance"], id);
  }
}

TEST(GroupWeights, ExtremesStayFinite) {
  std::vector<double> lambda = {0.5, 0.5, 0};
  multiply_weights(1, std::vector<double>{1e6, -1e6, 1e9}, lambda);
  EXPECT_EQ(lambda, (std::vector<double>{1, 0, 0}));
  multiply_weights(1, std::vector<double>{-1e6, 1e6, 0}, lambda);
  EXPECT_EQ(lambda, (std::vector<double>{1, 0, 0})) << "a weight of 0 stays 0";
  EXPECT_EQ(choose_by_weight(lambda, 0.999), 0U);
  EXPECT_EQ(choose_by_weight(std::vector<double>{0.2, 0.3}, 0.9), 1U);
}

TEST(GroupBandit, RefusesWhatItCannotUse) {
  error_of(ErrorKind::kUsage, [] { GroupBandit bandit({0, 0.1, 0.2, 1, 0}); });
  error_of(ErrorKind::kUsage, [] { GroupBandit bandit({2, 1.5, 0.2, 1, 0}); });
  error_of(ErrorKind::kUsage, [] { GroupBandit bandit({2, 0.1, std::nan(""), 1, 0}); });
  error_of(ErrorKind::kUsage, [] { split_noise(1, 1); });
}

}  // namespace equinoise::group_weights_test
