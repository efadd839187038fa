// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/constraint_check.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "equinoise/base/normal_quantile.h"

namespace equinoise {

namespace {

// The number of standard deviations of its noise that a denominator must exceed: an empty group
// does so in 1 of 30,000 cases.
constexpr double kStandsOut = 4;

/// A rate by counts with noise.
struct NoisyRate {
  double share = 0;  ///< the quotient with its noise
  double value = 0;  ///< clipped to [0, 1]
  double down = 0;   ///< from the value to the limits of its interval
  double up = 0;
  double total = 0;   ///< its denominator; 0: no records, or hidden by the noise
  double stddev = 0;  ///< to first order; 0: unknown
};

/// A sum of noisy counts.
struct NoisySum {
  double total = 0;
  double variance = 0;  ///< of its noise
};

/// The content of a cell: a noisy count, or records by their weights.
using Cell = WeightedCount;

/// A limit of the interval around `value`, the share of `numerator` in `denominator`. For the true
/// share p, numerator - p denominator is 0 on average. Its variance has two parts: denominator
/// weight p (1 - p) from the choice of records, if p is the share in a population and `weight` is
/// theirs (weight_that_counts()), and (1 - p)^2 variance + p^2 (that of the rest) from the noise.
/// So the limit solves a quadratic in p.
double limit(double value, double numerator_variance, const NoisySum& denominator, double weight,
             bool upper) {
  constexpr double kSquared = kNormalQuantile * kNormalQuantile;
  const double total = denominator.total;
  const double numerator = value * total;
  double found = 0;
  for (const double num_chosen : {total * weight, 0.0}) {
    const double square = total * total + kSquared * (num_chosen - denominator.variance);
    const double half = numerator * total + kSquared * (num_chosen / 2 - numerator_variance);
    const double constant = numerator * numerator - kSquared * numerator_variance;
    const double root = std::sqrt(std::fmax(0, half * half - square * constant));
    found = (upper ? half + root : half - root) / square;
    if (found >= 0 && found <= 1) break;  // else a share that noise alone explains
  }
  return found;
}

/// Counts of cells, each with noise of the same variance; weighted records have no noise.
class NoisyCounts {
 public:
  NoisyCounts(std::span<const Cell> counts, double noise_stddev)
      : counts_(counts), noise_variance_(noise_stddev * noise_stddev) {}

  NoisyRate rate(const RateProgram::CellRate& rate) const {
    const NoisySum numerator = sum(rate.numerator);
    const NoisySum denominator = sum(rate.denominator);
    NoisyRate seen;
    const bool is_seen = denominator.total > kStandsOut * std::sqrt(denominator.variance);
    if (!is_seen) return seen;
    seen.share = numerator.total / denominator.total;
    seen.value = std::clamp(seen.share, 0.0, 1.0);
    const double weight = weight_of(rate);
    seen.down = seen.value - limit(seen.value, numerator.variance, denominator, weight, false);
    seen.up = limit(seen.value, numerator.variance, denominator, weight, true) - seen.value;
    seen.total = denominator.total;
    std::vector<double> moved(counts_.size(), 0.0);
    add_moves(rate, seen, 1, moved);
    seen.stddev = std::sqrt(variance_of(moved));
    return seen;
  }

  /// The length of the sum of distances from rates, one for each term, that are as correlated as
  /// the rates: the root of sum_ij distance_i distance_j correlation_ij. Pre: all rates are seen.
  double combined(const RateProgram& program, const RateProgram::Constraint& constraint,
                  std::span<const NoisyRate> rates, std::span<const double> distances) const {
    double squared = 0;
    std::vector<double> moved(counts_.size(), 0.0);
    for (size_t i = 0; i < constraint.terms.size(); ++i) {
      const NoisyRate& seen = rates[constraint.terms[i].rate];
      if (seen.stddev == 0) {
        squared += distances[i] * distances[i];
      } else {
        add_moves(program.rates[constraint.terms[i].rate], seen, distances[i] / seen.stddev, moved);
      }
    }
    return std::sqrt(squared + variance_of(moved));
  }

 private:
  NoisySum sum(const std::vector<uint32_t>& cells) const {
    NoisySum noisy;
    for (const uint32_t cell : cells) {
      noisy.total += counts_[cell].total;
      noisy.variance += noise_variance_;
    }
    return noisy;
  }

  /// Counts with noise are of records of weight 1.
  double weight_of(const RateProgram::CellRate& rate) const {
    if (noise_variance_ > 0) return 1;
    Cell numerator;
    Cell denominator;
    for (const uint32_t cell : rate.numerator) numerator = numerator.with(counts_[cell]);
    for (const uint32_t cell : rate.denominator) denominator = denominator.with(counts_[cell]);
    const std::array outcomes = {WeightedOutcome{1, numerator},
                                 WeightedOutcome{0, denominator.without(numerator)}};
    return weight_that_counts(outcomes);
  }

  /// Adds the change of `scale` times the rate by one more record in each cell: (1 if the cell is
  /// in the numerator, minus the rate) / denominator.
  static void add_moves(const RateProgram::CellRate& rate, const NoisyRate& seen, double scale,
                        std::span<double> moved) {
    const double unit = scale / seen.total;
    for (const uint32_t cell : rate.numerator) moved[cell] += unit;
    for (const uint32_t cell : rate.denominator) moved[cell] -= unit * seen.value;
  }

  /// The variance of a sum of changes. A count varies by its summed squared weights and by its
  /// noise.
  double variance_of(std::span<const double> moved) const {
    double variance = 0;
    for (size_t cell = 0; cell < moved.size(); ++cell) {
      const double count = std::fmax(0, counts_[cell].squares);
      variance += (count + noise_variance_) * moved[cell] * moved[cell];
    }
    return variance;
  }

  std::span<const Cell> counts_;
  double noise_variance_;
};

/// Calls `add` with the cell and the place of every contributing record that is in one.
template <typename Add>
void for_each_in_cell(const RateProgram& program, const EncodedTable& table,
                      std::span<const GroupId> contexts, const Predictions& predictions,
                      const Add& add) {
  for (size_t i = 0; i < contexts.size(); ++i) {
    if (table.contributes[i] == 0 || index_of(contexts[i]) >= program.num_contexts) continue;
    if (!predictions.has_prediction(i)) continue;
    const int32_t cell =
        program.cells_of(index_of(contexts[i]), table.labels[i])[predictions.predicted[i]];
    if (cell != RateProgram::kNoCell) add(static_cast<size_t>(cell), i);
  }
}

/// Checks every constraint from its cells.
std::vector<ConstraintCheck> check_cells(const RateProgram& program, std::span<const Cell> counts,
                                         double noise_stddev) {
  const NoisyCounts noisy(counts, noise_stddev);
  std::vector<NoisyRate> rates;
  for (const RateProgram::CellRate& rate : program.rates) rates.push_back(noisy.rate(rate));
  std::vector<ConstraintCheck> checks;
  for (const RateProgram::Constraint& constraint : program.constraints) {
    const bool all_are_seen = std::ranges::all_of(
        constraint.terms,
        [&](const RateProgram::Term& term) { return rates[term.rate].total > 0; });
    if (!all_are_seen) {
      checks.push_back({{}, constraint.slack});
      continue;
    }
    double value = 0;
    double by_shares = 0;
    double least = 0;  // that rates within 0 to 1 can give
    double most = 0;
    std::vector<double> down;
    std::vector<double> up;
    for (const RateProgram::Term& term : constraint.terms) {
      const NoisyRate& rate = rates[term.rate];
      const bool positive = term.coefficient > 0;
      value += term.coefficient * rate.value;
      by_shares += term.coefficient * rate.share;
      down.push_back(term.coefficient * (positive ? rate.down : rate.up));
      up.push_back(term.coefficient * (positive ? rate.up : rate.down));
      (positive ? most : least) += term.coefficient;
    }
    // The interval contains both values: without the unclipped shares noise would be lost at the
    // ends, and without the value the interval could miss it.
    const double low =
        std::fmin(value, by_shares) - noisy.combined(program, constraint, rates, down);
    const double high =
        std::fmax(value, by_shares) + noisy.combined(program, constraint, rates, up);
    checks.push_back({{value, {std::fmax(least, low), std::fmin(most, high)}}, constraint.slack});
  }
  return checks;
}

}  // namespace

std::vector<int64_t> count_cells(const RateProgram& program, const EncodedTable& table,
                                 std::span<const GroupId> contexts,
                                 const Predictions& predictions) {
  std::vector<int64_t> counts(program.num_cells, 0);
  for_each_in_cell(program, table, contexts, predictions,
                   [&](size_t cell, size_t /*record*/) { ++counts[cell]; });
  return counts;
}

std::vector<ConstraintCheck> check_counts(const RateProgram& program,
                                          std::span<const int64_t> counts, double noise_stddev) {
  std::vector<Cell> cells;
  for (const int64_t count : counts) {
    const auto total = static_cast<double>(count);
    cells.push_back({count, total, total});
  }
  return check_cells(program, cells, noise_stddev);
}

std::vector<ConstraintCheck> check_constraints(const RateProgram& program,
                                               const EncodedTable& table,
                                               std::span<const GroupId> contexts,
                                               const Predictions& predictions) {
  std::vector<Cell> cells(program.num_cells);
  for_each_in_cell(program, table, contexts, predictions,
                   [&](size_t cell, size_t record) { cells[cell].add(table.weight(record)); });
  std::vector<ConstraintCheck> checks = check_cells(program, cells, 0);
  for (size_t i = 0; i < contexts.size(); ++i) {
    if (table.contributes[i] == 0 || predictions.has_prediction(i)) continue;
    for (ConstraintCheck& check : checks) check.value = {};
    break;
  }
  return checks;
}

}  // namespace equinoise
