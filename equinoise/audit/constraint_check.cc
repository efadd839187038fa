#include "equinoise/audit/constraint_check.h"

#include <algorithm>
#include <cmath>

namespace equinoise {

namespace {

constexpr double kQuantile = 1.959963984540054;  // of a standard normal, for 95 %

/// A rate by counts with noise.
struct NoisyRate {
  double share = 0;  ///< the quotient, wherever the noise has put it
  double value = 0;  ///< held within 0 to 1
  double down = 0;   ///< from the value to the limits of its interval
  double up = 1;
};

/// A sum of noisy counts.
struct NoisySum {
  double total = 0;
  double variance = 0;  ///< of its noise
};

/// A limit of the interval around `value`, the share of `numerator` among `denominator`. With `p`
/// the share that is looked for, numerator - p denominator is 0 on average, its variance is
/// denominator p (1 - p) by the choice of records, where p is one of a population, and
/// (1 - p)^2 variance + p^2 (that of the rest) by the noise: a quadratic in p.
double limit(double value, double numerator_variance, const NoisySum& denominator, bool upper) {
  constexpr double kSquared = kQuantile * kQuantile;
  const double total = denominator.total;
  const double numerator = value * total;
  double found = 0;
  for (const double num_chosen : {total, 0.0}) {
    const double square = total * total + kSquared * (num_chosen - denominator.variance);
    const double half = numerator * total + kSquared * (num_chosen / 2 - numerator_variance);
    const double constant = numerator * numerator - kSquared * numerator_variance;
    const double root = std::sqrt(std::fmax(0, half * half - square * constant));
    found = (upper ? half + root : half - root) / square;
    if (found >= 0 && found <= 1) break;  // else a share that noise alone explains
  }
  return found;
}

NoisyRate noisy_rate(double numerator, double numerator_variance, const NoisySum& denominator) {
  NoisyRate rate;
  rate.share = numerator / std::fmax(denominator.total, 1);
  rate.value = std::clamp(rate.share, 0.0, 1.0);
  const bool is_seen = denominator.total > kQuantile * std::sqrt(denominator.variance);
  if (!is_seen) return {rate.value, rate.value, rate.value, 1 - rate.value};
  rate.down = rate.value - limit(rate.value, numerator_variance, denominator, false);
  rate.up = limit(rate.value, numerator_variance, denominator, true) - rate.value;
  return rate;
}

}  // namespace

std::string verdict_of(const ConstraintCheck& check) {
  const std::string verdict = check.holds() ? "holds" : "fails";
  return check.is_clear() ? verdict : verdict + ", unclear";
}

std::vector<int64_t> count_cells(const RateProgram& program, const EncodedTable& table,
                                 std::span<const GroupId> contexts,
                                 const Predictions& predictions) {
  std::vector<int64_t> counts(program.num_cells, 0);
  for (size_t i = 0; i < contexts.size(); ++i) {
    if (table.contributes[i] == 0 || index_of(contexts[i]) >= program.num_contexts) continue;
    const int32_t cell =
        program.cells_of(index_of(contexts[i]), table.labels[i])[predictions.predicted[i]];
    if (cell != RateProgram::kNoCell) ++counts[static_cast<size_t>(cell)];
  }
  return counts;
}

std::vector<ConstraintCheck> check_counts(const RateProgram& program,
                                          std::span<const int64_t> counts, double noise_stddev) {
  const double variance = noise_stddev * noise_stddev;
  const auto sum = [&](const std::vector<uint32_t>& cells) {
    NoisySum noisy;
    for (const uint32_t cell : cells) {
      noisy.total += static_cast<double>(counts[cell]);
      noisy.variance += variance;
    }
    return noisy;
  };
  std::vector<NoisyRate> rates;
  for (const RateProgram::CellRate& rate : program.rates) {
    const NoisySum numerator = sum(rate.numerator);
    rates.push_back(noisy_rate(numerator.total, numerator.variance, sum(rate.denominator)));
  }
  std::vector<ConstraintCheck> checks;
  for (const RateProgram::Constraint& constraint : program.constraints) {
    double value = 0;
    double by_shares = 0;
    double below = 0;
    double above = 0;
    double least = 0;  // that rates within 0 to 1 can give
    double most = 0;
    for (const RateProgram::Term& term : constraint.terms) {
      const NoisyRate& rate = rates[term.rate];
      const double weight = std::fabs(term.coefficient);
      const bool positive = term.coefficient > 0;
      value += term.coefficient * rate.value;
      by_shares += term.coefficient * rate.share;
      below += std::pow(weight * (positive ? rate.down : rate.up), 2);
      above += std::pow(weight * (positive ? rate.up : rate.down), 2);
      (positive ? most : least) += term.coefficient;
    }
    // Around both: without the shares as they are noise would be lost at the ends, and without the
    // value the interval could miss it.
    const double low = std::fmin(value, by_shares) - std::sqrt(below);
    const double high = std::fmax(value, by_shares) + std::sqrt(above);
    checks.push_back({{value, {std::fmax(least, low), std::fmin(most, high)}}, constraint.slack});
  }
  return checks;
}

std::vector<ConstraintCheck> check_constraints(const RateProgram& program,
                                               const EncodedTable& table,
                                               std::span<const GroupId> contexts,
                                               const Predictions& predictions) {
  return check_counts(program, count_cells(program, table, contexts, predictions), 0);
}

}  // namespace equinoise
