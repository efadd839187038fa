// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/additive/additive_descent.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "equinoise/base/parallel.h"
#include "equinoise/base/rounding.h"
#include "equinoise/train/integer_sum.h"

namespace equinoise {

namespace {

/// A bound on the relative rounding error of a record's length.
constexpr double kRounding = 1e-9;

constexpr double kRidge = 5;
constexpr double kDamping = 300;  // added to the expected squares of a feature, in records
constexpr double kMemory = 0.8;   // of the mean over gradients

/// The scale of residuals, relative to those of a class.
double residual_scale(const AdditiveDescentConfig& config) {
  return config.target == AdditiveTarget::kNumber ? 2.5 * config.spread : 1;
}

/// The curvature of a loss at its scores that steps assume, relative to that of classes;
/// largest_curvature() bounds it.
double curvature(const AdditiveDescentConfig& config) {
  return config.target == AdditiveTarget::kNumber ? 4 : 1;
}

/// The noise of one round, relative to the length.
double noise_of_round(const AdditiveDescentConfig& config) {
  return config.noise * std::sqrt(static_cast<double>(config.num_rounds));
}

/// The largest curvature of a loss at its scores that steps allow for.
double largest_curvature(const AdditiveDescentConfig& config) {
  switch (config.target) {
    case AdditiveTarget::kNumber:
      return 1;
    case AdditiveTarget::kClasses:
      // p (1 - p) of K equally likely classes is at most 1 / K; twice that for shares that differ.
      return std::min(0.5, 2 / static_cast<double>(config.num_scores));
    case AdditiveTarget::kTwoClasses:
      return 0.25;
  }
  return 1;
}

double typical_norm(const AdditiveDesign& design) {
  const std::span<const double> squares = design.squares();
  return std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0) / design.num_records());
}

/// Replaces scores by residuals.
void to_residuals(const AdditiveDescentConfig& config, const EncodedTable& table, size_t record,
                  std::span<double> scores) {
  switch (config.target) {
    case AdditiveTarget::kNumber:
      scores[0] = static_cast<double>(table.targets[record]) - scores[0];
      return;
    case AdditiveTarget::kTwoClasses:
      scores[0] = table.labels[record] - 1 / (1 + std::exp(-scores[0]));
      return;
    case AdditiveTarget::kClasses: {
      const double largest = *std::max_element(scores.begin(), scores.end());
      double sum = 0;
      for (double& score : scores) sum += score = std::exp(score - largest);
      for (double& score : scores) score = -score / sum;
      scores[table.labels[record]] += 1;
      return;
    }
  }
}

}  // namespace

double additive_signal(const AdditiveDesign& design, const AdditiveDescentConfig& config) {
  if (config.noise == 0) return std::numeric_limits<double>::infinity();
  return design.num_records() /
         (config.noise * typical_norm(design) *
          std::sqrt(static_cast<double>(design.num_features() * config.num_scores)));
}

double additive_length(const AdditiveDesign& design, const AdditiveDescentConfig& config) {
  // Without noise this length hardly limits records: |x| is below 100 times the typical norm.
  if (config.noise == 0) return 100 * typical_norm(design) * residual_scale(config);
  const double part = std::clamp(0.6 * std::sqrt(additive_signal(design, config) / 150), 0.6, 1.5);
  return part * typical_norm(design) * residual_scale(config);
}

std::vector<double> additive_rates(const AdditiveDesign& design,
                                   const AdditiveDescentConfig& config) {
  constexpr double kMaxRate = 4;
  constexpr double kEnoughOfOne = 30;
  constexpr double kEnoughOfMany = 60;
  constexpr double kTunedRounds = 50;
  // The number of parts times the curvature is an eigenvalue if all parts agree, and steps of more
  // than 18 diverge with it.
  constexpr double kMaxEigenvalue = 15;
  std::vector<double> members(design.parts().back() + size_t{1}, 0.0);
  std::vector<double> squares(members.size(), 0.0);
  for (size_t j = 0; j < design.num_features(); ++j) {
    members[design.parts()[j]] += 1;
    squares[design.parts()[j]] += design.squares()[j];
  }
  const auto num_parts = static_cast<double>(members.size());
  const double most = std::min(kMaxRate / curvature(config),
                               kMaxEigenvalue / (largest_curvature(config) * num_parts));
  std::vector<double> rates(members.size(), most);
  if (config.noise == 0) return rates;
  for (size_t part = 0; part < members.size(); ++part) {
    const double told = std::sqrt(squares[part] / members[part] * design.num_records()) /
                        (config.noise * typical_norm(design));
    const double rate =
        (members[part] == 1 ? told / kEnoughOfOne : std::sqrt(told / kEnoughOfMany)) *
        kTunedRounds / static_cast<double>(config.num_rounds);
    rates[part] = std::min(rate / curvature(config), most);
  }
  return rates;
}

AdditiveGradients::AdditiveGradients(const EncodedTable& table, const AdditiveDesign& design,
                                     const AdditiveDescentConfig& config, double length,
                                     std::vector<double> offsets)
    : table_(table),
      design_(design),
      config_(config),
      length_(length),
      grid_(power_of_two_below(length * 0x1p-30 * std::max(1.0, noise_of_round(config)))),
      residual_grid_(0),
      num_records_(static_cast<double>(std::max<int64_t>(table.total_records(), 1))),
      ranges_(ranges_for_threads(static_cast<size_t>(table.num_records), kRecordsWorthAThread,
                                 config.threads)),
      max_(static_cast<size_t>(table.num_records), 0.0),
      offsets_(std::move(offsets)) {
  // Sums over all records times line units, of at most 2^12 each, stay below 2^62.
  static_assert(AdditiveDesign::kMaxLineUnits == 1 << 12);
  residual_grid_ = power_of_two_below(length * std::max(0x1p-28, num_records_ * 0x1p-49));
  const size_t columns = table.num_active;
  parallel_for(ranges_.size(), config.threads, [&](size_t part) {
    std::vector<uint32_t> cells(columns);
    for (size_t i = ranges_[part].begin; i < ranges_[part].end; ++i) {
      for (size_t c = 0; c < columns; ++c)
        cells[c] = table.active_row(static_cast<int64_t>(i))[c] - table.blocks[c];
      const bool has_target =
          config.target != AdditiveTarget::kNumber || std::isfinite(table.targets[i]);
      if (table.contributes[i] != 0 && has_target)
        max_[i] = length / std::sqrt(design.squared_norm(cells));
    }
  });
}

double AdditiveGradients::sensitivity() const {
  // A product of integers and weights has a few roundings, then one to the grid.
  const auto size = static_cast<double>(design_.num_features() * config_.num_scores);
  return (length_ * (1 + kRounding)) / grid_ +
         2 * std::sqrt(size) * (0.5 + num_records_ * length_ / grid_ * 0x1p-50);
}

void AdditiveGradients::score(std::span<const double> added, size_t record,
                              std::span<double> scores) const {
  const size_t num_scores = config_.num_scores;
  const uint32_t* cells = table_.active_row(static_cast<int64_t>(record)).data();
  for (size_t s = 0; s < num_scores; ++s) {
    double score = added[design_.num_cells() * num_scores + s];
    for (size_t c = 0; c < table_.num_active; ++c) score += added[cells[c] * num_scores + s];
    scores[s] = offsets_.empty() ? score : score + offsets_[record * num_scores + s];
  }
}

std::vector<double> AdditiveGradients::scores(std::span<const double> parameters) const {
  std::vector<double> scores(max_.size() * config_.num_scores);
  parallel_for(ranges_.size(), config_.threads, [&](size_t part) {
    for (size_t i = ranges_[part].begin; i < ranges_[part].end; ++i)
      score(parameters, i, std::span(scores).subspan(i * config_.num_scores, config_.num_scores));
  });
  return scores;
}

std::vector<double> AdditiveGradients::residuals(std::vector<double> scores) const {
  for (size_t i = 0; i < max_.size(); ++i) {
    const auto of_record = std::span(scores).subspan(i * config_.num_scores, config_.num_scores);
    if (max_[i] == 0) {
      std::fill(of_record.begin(), of_record.end(), 0.0);
    } else {
      to_residuals(config_, table_, i, of_record);
    }
  }
  return scores;
}

void AdditiveGradients::add(std::span<const double> added, IndexRange rows,
                            std::span<int64_t> sums) const {
  const size_t columns = table_.num_active;
  const size_t num_scores = config_.num_scores;
  const size_t num_cells = design_.num_cells();
  std::vector<double> scores(num_scores);
  for (size_t i = rows.begin; i < rows.end; ++i) {
    if (max_[i] == 0) continue;
    const uint32_t* cells = table_.active_row(static_cast<int64_t>(i)).data();
    score(added, i, scores);
    to_residuals(config_, table_, i, scores);
    double square = 0;
    for (const double residual : scores) square += residual * residual;
    const double norm = std::sqrt(square);
    if (!std::isfinite(norm)) continue;
    const double part = (norm > max_[i] ? max_[i] / norm : 1) / residual_grid_;
    for (size_t s = 0; s < num_scores; ++s) {
      const int64_t unit = table_.count_of(i) * static_cast<int64_t>(scores[s] * part);
      sums[num_scores * num_cells + s] += unit;
      int64_t* of_cells = sums.data() + s * num_cells;
      for (size_t c = 0; c < columns; ++c) of_cells[cells[c]] += unit;
    }
  }
}

void AdditiveGradients::sum_up(std::span<const double> coefficients,
                               std::vector<int64_t>& units) const {
  const size_t size = design_.num_features();
  const size_t num_scores = config_.num_scores;
  const size_t num_cells = design_.num_cells();
  const std::vector<double> added = design_.parameters(coefficients, num_scores);
  const std::vector<int64_t> sums =
      sum_over_rows(table_, (num_cells + 1) * num_scores, kRecordsWorthAThread, config_.threads,
                    [&](IndexRange rows, std::span<int64_t> part) { add(added, rows, part); });
  units.resize(size * num_scores);
  std::vector<double> features(size);
  for (size_t s = 0; s < num_scores; ++s) {
    design_.feature_sums(std::span(sums).subspan(s * num_cells, num_cells),
                         sums[num_scores * num_cells + s], features);
    for (size_t j = 0; j < size; ++j)
      units[s * size + j] = std::llround(features[j] * (residual_grid_ / grid_));
  }
}

double AdditiveGradients::noise_variance() const {
  return std::pow(length_ * noise_of_round(config_), 2);
}

AdditiveState descend_additive(
    const AdditiveGradients& gradients,
    const std::function<void(int64_t round, std::vector<int64_t>& units)>& add_noise,
    const std::function<bool(int64_t round, std::span<const double>)>& after_round,
    AdditiveState state) {
  constexpr double kMoreThanExpected = 0.5;  // standard deviations of the noise's squared length
  const AdditiveDesign& design = gradients.design();
  const AdditiveDescentConfig& config = gradients.config();
  const size_t size = design.num_features();
  const size_t num_parts = design.parts().back() + size_t{1};
  const double of_gradient = gradients.noise_variance();
  auto& [coefficients, mean, mean_variance, sum, num_rounds] = state;
  if (num_rounds == 0) {
    mean_variance = of_gradient * (1 - kMemory) / (1 + kMemory);
    for (std::vector<double>* list : {&coefficients, &mean, &sum})
      list->assign(size * config.num_scores, 0.0);
    for (size_t s = 0; s < config.num_scores; ++s) coefficients[(s + 1) * size - 1] = config.start;
  }
  std::vector<int64_t> units;
  std::vector<double> members(num_parts, 0.0);
  for (const uint32_t part : design.parts()) members[part] += 1;
  const std::vector<double> rates = additive_rates(design, config);
  while (num_rounds < config.num_rounds) {
    gradients.sum_up(coefficients, units);
    add_noise(num_rounds, units);
    mean_variance = kMemory * kMemory * mean_variance + (1 - kMemory) * (1 - kMemory) * of_gradient;
    for (size_t s = 0; s < config.num_scores; ++s) {
      std::vector<double> squares(num_parts, 0.0);
      for (size_t j = 0; j < size; ++j) {
        const size_t k = s * size + j;
        const double released = static_cast<double>(units[k]) * gradients.grid();
        const double gradient = released - kRidge * design.ridge()[j] * coefficients[k];
        sum[k] += released;
        mean[k] = kMemory * mean[k] + (1 - kMemory) * gradient;
        squares[design.parts()[j]] += mean[k] * mean[k];
      }
      for (size_t j = 0; j < size; ++j) {
        const size_t k = s * size + j;
        const uint32_t part = design.parts()[j];
        const double of_noise =
            (members[part] + kMoreThanExpected * std::sqrt(2 * members[part])) * mean_variance;
        const double kept = squares[part] > of_noise ? 1 - of_noise / squares[part] : 0;
        coefficients[k] += rates[part] * kept * mean[k] /
                           (design.squares()[j] + kDamping + kRidge * design.ridge()[j]);
      }
    }
    if (!after_round(num_rounds++, coefficients)) break;
  }
  return state;
}

AdditiveDesign without_hidden_parts(const AdditiveGradients& gradients, AdditiveState& state) {
  constexpr double kMaxKept = 0.5;  // of the expected squares
  const AdditiveDesign& design = gradients.design();
  const size_t size = design.num_features();
  const double of_one = gradients.noise_variance() * static_cast<double>(state.num_rounds);
  std::vector<double> squares(design.parts().back() + size_t{1}, 0.0);
  std::vector<double> of_noise(squares.size(), 0.0);
  for (size_t k = 0; k < state.sum.size(); ++k) {
    squares[design.parts()[k % size]] += state.sum[k] * state.sum[k];
    of_noise[design.parts()[k % size]] += of_one;
  }
  std::vector<bool> hidden(squares.size(), false);
  for (size_t part = 0; part + 1 < hidden.size(); ++part)
    hidden[part] = squares[part] < of_noise[part];
  AdditiveDesign left = design.without(hidden);
  const auto all = [](const AdditiveDesign& of) {
    return std::accumulate(of.squares().begin(), of.squares().end(), 0.0);
  };
  if (all(left) > kMaxKept * all(design)) return design;
  for (size_t k = 0; k < state.sum.size(); ++k)
    if (hidden[design.parts()[k % size]]) state.coefficients[k] = 0;
  return left;
}

}  // namespace equinoise
