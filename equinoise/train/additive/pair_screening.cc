// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/additive/pair_screening.h"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <functional>
#include <numeric>

#include "equinoise/base/lists.h"
#include "equinoise/base/rounding.h"
#include "equinoise/train/additive/additive_descent.h"
#include "equinoise/train/integer_sum.h"

namespace equinoise {

namespace {

constexpr double kMaxFunction = 3;
constexpr double kUsualOfClass = 0.4;  // the standard deviation of a residual
constexpr double kMaxResidual = 3;     // of a number, relative to the usual one
constexpr double kLength = 1.3;        // relative to the usual one
constexpr double kFalseChoices = 0.05;

double mean_product(std::span<const double> shares, std::span<const double> a,
                    std::span<const double> b) {
  double sum = 0;
  for (size_t i = 0; i < shares.size(); ++i) sum += shares[i] * a[i] * b[i];
  return sum;
}

/// The largest length of residuals that a record with the same scores could have, whatever its
/// class is. A length that depended on the class would shorten the rare one most, and would leave
/// in the sums what single columns say.
double reach_of(AdditiveTarget target, std::span<const double> residuals) {
  const double length =
      std::sqrt(std::inner_product(residuals.begin(), residuals.end(), residuals.begin(), 0.0));
  switch (target) {
    case AdditiveTarget::kNumber:
      return length;
    case AdditiveTarget::kTwoClasses:
      return std::max(length, 1 - length);
    case AdditiveTarget::kClasses: {
      // Residuals are 1 - p of the record's class, which alone is positive, and -p of the others.
      const auto own = std::max_element(residuals.begin(), residuals.end());
      double least = 1;
      double squares = 0;
      for (auto one = residuals.begin(); one != residuals.end(); ++one) {
        const double probability = one == own ? 1 - *one : -*one;
        least = std::min(least, probability);
        squares += probability * probability;
      }
      return std::max(length, std::sqrt(std::max(1 + squares - 2 * least, 0.0)));
    }
  }
  return length;
}

/// The first two of the candidates that remain after Gram-Schmidt over the shares.
ColumnFunctions orthonormal(std::span<const double> shares,
                            std::vector<std::vector<double>> candidates) {
  constexpr size_t kMostFunctions = 2;
  constexpr double kMinLeft = 0.05;  // of a candidate's variance
  const std::vector<double> ones(shares.size(), 1.0);
  ColumnFunctions made;
  for (std::vector<double>& one : candidates) {
    if (made.size() == kMostFunctions) break;
    const double mean = mean_product(shares, one, ones);
    for (double& value : one) value -= mean;
    const double before = mean_product(shares, one, one);
    for (const std::vector<double>& other : made) {
      const double along = mean_product(shares, one, other);
      for (size_t i = 0; i < one.size(); ++i) one[i] -= along * other[i];
    }
    const double left = mean_product(shares, one, one);
    if (!(left > kMinLeft * before) || !(left > 1e-12)) continue;
    for (double& value : one) value /= std::sqrt(left);
    made.push_back(std::move(one));
  }
  for (std::vector<double>& one : made)
    for (double& value : one) value = std::clamp(value, -kMaxFunction, kMaxFunction);
  return made;
}

}  // namespace

std::vector<size_t> largest_first(std::span<const double> values) {
  std::vector<size_t> order = numbers_below(values.size());
  std::ranges::stable_sort(order, std::greater<>(), [&](size_t i) { return values[i]; });
  return order;
}

ColumnFunctions functions_of_number(std::span<const double> shares) {
  std::vector<double> ranks;
  std::vector<double> squares;
  double below = 0;
  for (const double share : shares) {
    const double rank = 2 * (below + share / 2) - 1;
    ranks.push_back(rank);
    squares.push_back(rank * rank);
    below += share;
  }
  return orthonormal(shares, {std::move(ranks), std::move(squares)});
}

ColumnFunctions functions_of_categories(std::span<const double> shares,
                                        std::span<const double> effects) {
  std::vector<std::vector<double>> candidates = {{effects.begin(), effects.end()}};
  const std::vector<size_t> order = largest_first(shares);
  for (size_t k = 0; k < std::min<size_t>(2, order.size()); ++k) {
    std::vector<double>& one = candidates.emplace_back(shares.size(), 0.0);
    one[order[k]] = 1;
  }
  return orthonormal(shares, std::move(candidates));
}

std::vector<ColumnFunctions> screened_functions(const AdditiveModel& model,
                                                const AdditiveDesign& design,
                                                std::span<const double> parameters) {
  const size_t num_scores = model.num_outputs();
  std::vector<std::vector<double>> shares;
  std::vector<std::vector<double>> effects;  // of the score with the largest variance
  std::vector<double> strengths;
  size_t first = 0;
  for (size_t c = 0; c < design.num_columns(); ++c) {
    shares.push_back(design.cell_shares(c));
    strengths.push_back(0);
    effects.emplace_back();
    double largest = -1;
    for (size_t s = 0; s < num_scores; ++s) {
      std::vector<double> of_score;
      double variance = 0;
      for (size_t cell = 0; cell < shares[c].size(); ++cell) {
        of_score.push_back(parameters[(first + cell) * num_scores + s]);
        variance += shares[c][cell] * of_score.back() * of_score.back();
      }
      strengths[c] += variance;
      if (variance > largest) effects[c] = std::move(of_score);
      largest = std::max(largest, variance);
    }
    first += shares[c].size();
  }
  const std::vector<size_t> order = largest_first(strengths);
  std::vector<ColumnFunctions> functions(strengths.size());
  for (size_t k = 0; k < order.size() && 2 * k * (k + 1) * num_scores <= PairScreening::kMaxSums;
       ++k) {
    const size_t c = order[k];
    functions[c] = c < model.cells().size() ? functions_of_number(shares[c])
                                            : functions_of_categories(shares[c], effects[c]);
  }
  return functions;
}

PairScreening::PairScreening(const EncodedTable& table, std::vector<ColumnFunctions> functions,
                             const AdditiveDescentConfig& config, double noise_multiplier)
    : table_(table),
      functions_(std::move(functions)),
      target_(config.target),
      num_scores_(config.num_scores),
      usual_residual_(target_ == AdditiveTarget::kNumber ? config.spread : kUsualOfClass),
      noise_multiplier_(noise_multiplier),
      threads_(config.threads) {
  for (size_t a = 0; a < functions_.size(); ++a) {
    for (size_t b = a + 1; b < functions_.size(); ++b) {
      const size_t size = functions_[a].size() * functions_[b].size();
      if (size == 0) continue;
      pairs_.push_back({{a, b}, num_products_, size});
      num_products_ += size;
    }
  }
  length_ = kLength * usual_residual_ *
            std::sqrt(static_cast<double>(std::max<size_t>(num_products_, 1)));
  // Sums over 2^32 records stay below 2^62, and rounding the noise is negligible.
  grid_ = power_of_two_below(length_ * 0x1p-29 * std::max(1.0, noise_multiplier_));
}

double PairScreening::sensitivity() const { return round_up(length_ / grid_, 1e-9); }

std::vector<int64_t> PairScreening::sum_up(std::span<const double> residuals) const {
  const size_t columns = functions_.size();
  const size_t size = (num_products_ + 1) * num_scores_;
  const auto add = [&](IndexRange rows, std::span<int64_t> units) {
    std::vector<double> values(2 * columns);
    std::vector<double> products(num_products_);
    std::vector<double> cut(num_scores_);
    for (size_t i = rows.begin; i < rows.end; ++i) {
      if (table_.contributes[i] == 0) continue;
      for (size_t s = 0; s < num_scores_; ++s) cut[s] = residuals[i * num_scores_ + s];
      double reach = reach_of(target_, cut);
      if (!std::isfinite(reach) || reach == 0) continue;
      if (target_ == AdditiveTarget::kNumber && reach > kMaxResidual * usual_residual_) {
        cut[0] *= kMaxResidual * usual_residual_ / reach;
        reach = kMaxResidual * usual_residual_;
      }
      const std::span<const uint32_t> active = table_.active_row(static_cast<int64_t>(i));
      for (size_t c = 0; c < columns; ++c)
        for (size_t k = 0; k < functions_[c].size(); ++k)
          values[2 * c + k] = functions_[c][k][active[c] - table_.blocks[c]];
      double of_products = 0;
      size_t at = 0;
      for (const Pair& pair : pairs_) {
        for (size_t j = 0; j < functions_[pair.columns[0]].size(); ++j)
          for (size_t k = 0; k < functions_[pair.columns[1]].size(); ++k) {
            const double product =
                values[2 * pair.columns[0] + j] * values[2 * pair.columns[1] + k];
            products[at++] = product;
            of_products += product * product;
          }
      }
      const double of_square = reach / usual_residual_;
      const double norm = reach * std::sqrt(of_products + of_square * of_square);
      const double scale = (norm > length_ ? length_ / norm : 1.0) / grid_;
      const int64_t count = table_.count_of(i);
      for (size_t s = 0; s < num_scores_; ++s) {
        const double weight = cut[s] * scale;
        int64_t* of_score = units.data() + s * (num_products_ + 1);
        for (size_t k = 0; k < num_products_; ++k)
          of_score[k] += count * static_cast<int64_t>(products[k] * weight);
        of_score[num_products_] += count * static_cast<int64_t>(cut[s] * weight / usual_residual_);
      }
    }
  };
  return sum_over_rows(table_, size, kRecordsWorthAThread, threads_, add);
}

PairScreening::Choice PairScreening::choose(std::span<const int64_t> units, double num_records,
                                            size_t max_pairs) const {
  const double noise = noise_multiplier_ * sensitivity() * grid_;
  std::vector<double> variances;
  Choice choice;
  for (size_t s = 0; s < num_scores_; ++s) {
    const double of_squares =
        grid_ * static_cast<double>(units[s * (num_products_ + 1) + num_products_]);
    const double sum = std::clamp(of_squares * usual_residual_, 0.0,
                                  num_records * std::pow(kMaxResidual * usual_residual_, 2));
    // The residuals of several classes add up to 0, so that some combinations vary up to twice as
    // much.
    const double of_sampling = (target_ == AdditiveTarget::kClasses ? 2 : 1) * sum;
    variances.push_back(noise * noise + std::max(of_sampling, 1e-12));
    // Noise that hides a small square makes it larger, not 0.
    choice.mean_square +=
        (sum + noise * usual_residual_) / (num_records * static_cast<double>(num_scores_));
  }
  std::vector<std::pair<double, std::array<size_t, 2>>> found;
  for (const Pair& pair : pairs_) {
    double squares = 0;
    for (size_t s = 0; s < num_scores_; ++s)
      for (size_t k = 0; k < pair.size; ++k) {
        const double sum =
            grid_ * static_cast<double>(units[s * (num_products_ + 1) + pair.first + k]);
        squares += sum * sum / variances[s];
      }
    const boost::math::chi_squared distribution(static_cast<double>(pair.size * num_scores_));
    const double least = boost::math::quantile(
        boost::math::complement(distribution, kFalseChoices / static_cast<double>(pairs_.size())));
    if (squares > least) found.emplace_back(squares / least, pair.columns);
  }
  std::ranges::stable_sort(found, std::greater<>(),
                           &std::pair<double, std::array<size_t, 2>>::first);
  if (found.size() > max_pairs) found.resize(max_pairs);
  for (const auto& [strength, columns] : found) choice.pairs.push_back(columns);
  return choice;
}

}  // namespace equinoise
