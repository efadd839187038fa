// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/shrunk_counts.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace equinoise {

namespace {

constexpr int kMaxSteps = 60;
constexpr double kSettled = 1e-4;  // the last step moves no share by more
constexpr double kMadeUpCells = 4;
constexpr double kWidth = 0.2;  // of a component, relative to its ratio: half of their distance

/// A normal distribution of ratios of true and expected counts.
struct RatioComponent {
  double ratio;
  double width;
  double share;
};

std::vector<RatioComponent> first_distribution(double empty) {
  constexpr double kAsExpected = 0.5;
  std::vector<RatioComponent> distribution = {{0, 0, empty * kAsExpected}, {1, 0, kAsExpected}};
  double sum = (1 + empty) * kAsExpected;
  for (int step = -10; step <= 24; ++step) {
    const double octaves = step / 2.0;
    const double share = 0.2 * std::exp2(-std::abs(octaves));
    distribution.push_back({std::exp2(octaves), kWidth * std::exp2(octaves), share});
    sum += share;
  }
  for (RatioComponent& component : distribution) component.share /= sum;
  return distribution;
}

}  // namespace

void shrink_counts(std::span<NoisyCounts> released, std::span<const std::vector<double>> expected,
                   double empty) {
  struct Cell {
    double* value;
    double expected;
    double noise;  // variance
  };
  std::vector<Cell> cells;
  for (size_t i = 0; i < released.size(); ++i) {
    for (size_t cell = 0; cell < expected[i].size(); ++cell) {
      double& value = released[i].counts[cell];
      if (expected[i][cell] > 0) {
        cells.push_back({&value, expected[i][cell], released[i].variances[cell]});
      } else {
        value = 0;
      }
    }
  }
  std::vector<RatioComponent> distribution = first_distribution(empty);
  const std::vector<RatioComponent> made_up = distribution;
  const size_t size = distribution.size();
  // The likelihood of every cell under every component, relative to the cell's largest.
  std::vector<double> likelihoods(cells.size() * size);
  for (size_t i = 0; i < cells.size(); ++i) {
    const Cell& cell = cells[i];
    const std::span<double> own = std::span(likelihoods).subspan(i * size, size);
    for (size_t j = 0; j < size; ++j) {
      const double width = distribution[j].width * cell.expected;
      const double variance = cell.noise + width * width;
      const double gap = *cell.value - distribution[j].ratio * cell.expected;
      own[j] = -0.5 * (gap * gap / variance + std::log(variance));
    }
    const double largest = *std::ranges::max_element(own);
    for (double& value : own) value = std::exp(value - largest);
  }
  std::vector<double> posterior(size);
  const auto set_posterior = [&](size_t cell) {
    double sum = 0;
    for (size_t j = 0; j < size; ++j) {
      posterior[j] = distribution[j].share * likelihoods[cell * size + j];
      sum += posterior[j];
    }
    for (double& value : posterior) value /= sum;
  };
  for (int step = 0; step < kMaxSteps; ++step) {
    std::vector<double> shares(size);
    for (size_t j = 0; j < size; ++j) shares[j] = kMadeUpCells * made_up[j].share;
    for (size_t i = 0; i < cells.size(); ++i) {
      set_posterior(i);
      for (size_t j = 0; j < size; ++j) shares[j] += posterior[j];
    }
    double moved = 0;
    for (size_t j = 0; j < size; ++j) {
      const double share = shares[j] / (kMadeUpCells + static_cast<double>(cells.size()));
      moved = std::max(moved, std::fabs(share - distribution[j].share));
      distribution[j].share = share;
    }
    if (moved <= kSettled) break;
  }
  for (size_t i = 0; i < cells.size(); ++i) {
    const Cell& cell = cells[i];
    set_posterior(i);
    double mean = 0;
    for (size_t j = 0; j < size; ++j) {
      const double width = distribution[j].width * cell.expected;
      const double own = width * width / (width * width + cell.noise);
      const double centre = distribution[j].ratio * cell.expected;
      mean += posterior[j] * std::max(0.0, centre + own * (*cell.value - centre));
    }
    *cell.value = mean;
  }
}

}  // namespace equinoise
