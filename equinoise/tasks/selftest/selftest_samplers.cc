// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "equinoise/privacy/random/discrete_gaussian.h"
#include "equinoise/privacy/random/discrete_gaussian_scan.h"
#include "equinoise/privacy/random/discrete_gaussian_table.h"
#include "equinoise/privacy/random/discrete_laplace.h"
#include "equinoise/privacy/random/exponential_choice.h"
#include "equinoise/privacy/random/gaussian.h"
#include "equinoise/privacy/random/poisson.h"
#include "equinoise/privacy/random/rounded_laplace.h"
#include "equinoise/tasks/selftest/selftest_checks.h"

namespace equinoise {

namespace {

using Draws = std::vector<int64_t>;
using Sampler = std::function<void(std::span<int64_t>, RandomSource&)>;

/// `count` draws from the words of `source`.
Draws draw(const Sampler& sampler, size_t count, RandomSource& source) {
  Draws draws(count, 0);
  sampler(draws, source);
  return draws;
}

/// Chi-square test of draws against Pr[y] ~ weight(|y|), for y up to `reach` on both sides. The
/// bins at both ends include the tails.
void require_symmetric_distribution(SelfTestVerdict& verdict, std::string_view name,
                                    const Sampler& sampler, size_t count, int64_t reach,
                                    const std::function<double(int64_t)>& weight) {
  std::vector<double> observed(static_cast<size_t>(2 * reach + 1), 0);
  std::vector<double> weights(observed.size(), 0);
  const auto cell = [reach](int64_t y) {
    return static_cast<size_t>(std::clamp(y, -reach, reach) + reach);
  };
  SecureSource source;
  for (int64_t y : draw(sampler, count, source)) observed[cell(y)] += 1;
  for (int64_t y = -30 * reach; y <= 30 * reach; ++y) weights[cell(y)] += weight(std::abs(y));
  verdict.require_fit(name, chi_square_fit(observed, weights, kSelfTestSignificance), count);
}

double normal_distribution(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

/// The indices that ExponentialChoice draws from `source`.
std::vector<size_t> choices(std::span<const int64_t> scores, double epsilon, double sensitivity,
                            size_t count, RandomSource& source) {
  const ExponentialChoice choice(scores, epsilon, sensitivity);
  const auto next_word = [&source] { return source.next(); };
  ExactTrials<decltype(next_word), false> trials(next_word);
  std::vector<size_t> chosen(count);
  for (size_t& index : chosen) index = choice.draw(trials);
  return chosen;
}

}  // namespace

SelfTestFinding check_known_answers() {
  struct Known {
    std::string_view name;
    Sampler sampler;
    Draws answer;
  };
  // 100 plus each draw from the words of seed 1, as in the unit tests of the samplers.
  const std::vector<Known> all = {
      {"rounded Laplace",
       [](auto units, auto& source) { add_rounded_laplace(10, units, source); },
       {40, 91, 105, 108, 97, 106, 83, 96}},
      {"discrete Gaussian",
       [](auto units, auto& source) { add_discrete_gaussian(10, units, source); },
       {119, 100, 99, 106, 96, 91, 86, 101}},
      {"discrete Gaussian table",
       [](auto units, auto& source) { DiscreteGaussianTable(10).add_noise(units, source); },
       {105, 88, 107, 107, 125, 97, 103, 120}},
      {"discrete Gaussian scan",
       [](auto units, auto& source) { DiscreteGaussianScan(10).add_noise(units, source); },
       {106, 108, 101, 104, 104, 102, 103, 110}},
      {"discrete Laplace",
       [](auto units, auto& source) { add_discrete_laplace(0.1, units, source); },
       {123, 95, 89, 109, 101, 97, 87, 87}},
  };
  SelfTestVerdict verdict;
  // AES-256-CTR under SHA-256 of seed and step, after the words that become the next key.
  verdict.require(SeededSource(1).next() == 0x7072703fb23375c6U,
                  "the generator's first word for seed 1 is not the known one");
  std::string names = "generator";
  for (const Known& known : all) {
    Draws units(known.answer.size(), 100);
    SeededSource source(1);
    known.sampler(units, source);
    verdict.require(units == known.answer, fmt::format("{} gives other results", known.name));
    names += fmt::format(", {}", known.name);
  }
  const Draws scores = {10, 20, 30, 20, 10};
  SeededSource source(1);
  verdict.require(
      choices(scores, 2, 10, 12, source) == std::vector<size_t>{0, 2, 2, 3, 2, 2, 2, 2, 2, 4, 1, 2},
      "exponential choice gives other results");
  verdict.add(names + ", exponential choice");
  return verdict.finding();
}

SelfTestFinding check_rounded_gaussian_fit() {
  constexpr double kStddev = 1.6;
  SelfTestVerdict verdict;
  require_symmetric_distribution(
      verdict, "chi-square",
      [](auto units, auto& source) { add_rounded_gaussian(kStddev, units, source); }, 1'000'000, 6,
      [](int64_t y) {
        const auto middle = static_cast<double>(-y);
        return normal_distribution((middle + 0.5) / kStddev) -
               normal_distribution((middle - 0.5) / kStddev);
      });
  return verdict.finding();
}

SelfTestFinding check_rounded_laplace_fit() {
  constexpr double kScale = 3.3;
  SelfTestVerdict verdict;
  require_symmetric_distribution(
      verdict, "chi-square",
      [](auto units, auto& source) { add_rounded_laplace(kScale, units, source); }, 400'000, 20,
      [](int64_t y) {
        const auto at = static_cast<double>(y);
        if (y == 0) return 1 - std::exp(-0.5 / kScale);
        return (std::exp(-(at - 0.5) / kScale) - std::exp(-(at + 0.5) / kScale)) / 2;
      });
  return verdict.finding();
}

SelfTestFinding check_discrete_gaussian_fit() {
  constexpr double kStddev = 5.3;
  const auto weight = [](int64_t y) {
    const double ratio = static_cast<double>(y) / kStddev;
    return std::exp(-ratio * ratio / 2);
  };
  SelfTestVerdict verdict;
  require_symmetric_distribution(
      verdict, "exact, chi-square",
      [](auto units, auto& source) { add_discrete_gaussian(kStddev, units, source); }, 400'000, 16,
      weight);
  const DiscreteGaussianTable table(kStddev);
  require_symmetric_distribution(
      verdict, "table, chi-square",
      [&](auto units, auto& source) { table.add_noise(units, source); }, 1'000'000, 17, weight);
  const DiscreteGaussianScan scan(kStddev);
  require_symmetric_distribution(
      verdict, "scan, chi-square", [&](auto units, auto& source) { scan.add_noise(units, source); },
      400'000, 16, weight);
  return verdict.finding();
}

SelfTestFinding check_discrete_laplace_fit() {
  constexpr double kDecay = 0.3;
  SelfTestVerdict verdict;
  require_symmetric_distribution(
      verdict, "chi-square",
      [](auto units, auto& source) { add_discrete_laplace(kDecay, units, source); }, 400'000, 20,
      [](int64_t y) { return std::exp(-kDecay * static_cast<double>(y)); });
  return verdict.finding();
}

SelfTestFinding check_exponential_choice_fit() {
  constexpr size_t kCount = 300'000;
  constexpr double kEpsilon = 1;
  constexpr double kSensitivity = 4;
  Draws scores;
  for (int64_t i = 0; i < 41; ++i) scores.push_back((i * 17) % 41 / 2 - 10);
  std::vector<double> observed(scores.size(), 0);
  SecureSource source;
  for (size_t index : choices(scores, kEpsilon, kSensitivity, kCount, source)) observed[index] += 1;
  std::vector<double> weights;
  for (int64_t score : scores) {
    weights.push_back(std::exp(kEpsilon * static_cast<double>(score) / (2 * kSensitivity)));
  }
  SelfTestVerdict verdict;
  verdict.require_fit("chi-square", chi_square_fit(observed, weights, kSelfTestSignificance),
                      kCount);
  return verdict.finding();
}

SelfTestFinding check_poisson_batch_fit() {
  constexpr double kRate = 0.1;
  constexpr int64_t kRecords = 2;
  constexpr size_t kBatches = 300'000;
  // The draws of two records: the rate of each, and their independence.
  std::vector<double> observed(4, 0);
  std::vector<uint32_t> records;
  SecureSource source;
  for (size_t batch = 0; batch < kBatches; ++batch) {
    poisson_sample(kRate, kRecords, source, records);
    size_t cell = 0;
    for (uint32_t record : records) cell += size_t{1} << record;
    observed[cell] += 1;
  }
  const std::vector<double> probabilities = {(1 - kRate) * (1 - kRate), kRate * (1 - kRate),
                                             (1 - kRate) * kRate, kRate * kRate};
  SelfTestVerdict verdict;
  verdict.require_fit("pairs of records, chi-square",
                      chi_square_fit(observed, probabilities, kSelfTestSignificance), kBatches);
  return verdict.finding();
}

}  // namespace equinoise
