#include "equinoise/audit/constraint_check.h"

#include <cmath>
#include <numeric>

namespace equinoise {

std::string verdict_of(const ConstraintCheck& check) {
  const std::string verdict = check.holds() ? "holds" : "fails";
  return check.is_clear() ? verdict : verdict + ", unclear";
}

namespace {

/// A rate of predicted classes.
struct SeenRate {
  double trials = 0;
  Estimate estimate;
  double stddev = 0;  ///< of the rate; 0 where all records are alike
};

std::vector<SeenRate> see_rates(const RateProgram& program, std::span<const int64_t> counts) {
  std::vector<SeenRate> rates;
  for (const RateProgram::CellRate& rate : program.rates) {
    const auto sum = [&](const std::vector<uint32_t>& cells) {
      return std::accumulate(cells.begin(), cells.end(), int64_t{0},
                             [&](int64_t total, uint32_t cell) { return total + counts[cell]; });
    };
    const int64_t trials = sum(rate.denominator);
    const int64_t successes = sum(rate.numerator);
    if (trials == 0) {
      rates.push_back({0, {0, {0, 1}}, 0});
      continue;
    }
    const auto size = static_cast<double>(trials);
    const double value = static_cast<double>(successes) / size;
    rates.push_back(
        {size, {value, score_interval(successes, trials)}, std::sqrt(value * (1 - value) / size)});
  }
  return rates;
}

/// The length of the sum of distances of rates, one for each term, that are as correlated as the
/// rates. To first order a record moves a rate by (1 if it counts as a success, less the rate) /
/// trials, so the sum over cells of what their records move all rates, each in units of its
/// standard deviation times its distance, is the root of sum_ij distance_i distance_j
/// correlation_ij.
double combined(const RateProgram& program, const RateProgram::Constraint& constraint,
                std::span<const SeenRate> rates, std::span<const int64_t> counts,
                std::span<const double> distances) {
  double squared = 0;
  std::vector<double> moved(program.num_cells, 0.0);
  for (size_t i = 0; i < constraint.terms.size(); ++i) {
    const SeenRate& seen = rates[constraint.terms[i].rate];
    if (seen.stddev == 0) {
      squared += distances[i] * distances[i];
      continue;
    }
    const RateProgram::CellRate& rate = program.rates[constraint.terms[i].rate];
    const double unit = distances[i] / (seen.stddev * seen.trials);
    for (const uint32_t cell : rate.numerator) moved[cell] += unit;
    for (const uint32_t cell : rate.denominator) moved[cell] -= unit * seen.estimate.value;
  }
  for (size_t cell = 0; cell < moved.size(); ++cell)
    squared += static_cast<double>(counts[cell]) * moved[cell] * moved[cell];
  return std::sqrt(squared);
}

}  // namespace

std::vector<ConstraintCheck> check_constraints(const RateProgram& program,
                                               const EncodedTable& table,
                                               std::span<const GroupId> contexts,
                                               const Predictions& predictions) {
  std::vector<int64_t> counts(program.num_cells, 0);
  for (size_t i = 0; i < contexts.size(); ++i) {
    if (table.contributes[i] == 0 || index_of(contexts[i]) >= program.num_contexts) continue;
    const int32_t cell =
        program.cells_of(index_of(contexts[i]), table.labels[i])[predictions.predicted[i]];
    if (cell != RateProgram::kNoCell) ++counts[static_cast<size_t>(cell)];
  }
  const std::vector<SeenRate> rates = see_rates(program, counts);
  std::vector<ConstraintCheck> checks;
  for (const RateProgram::Constraint& constraint : program.constraints) {
    double value = 0;
    std::vector<double> down;
    std::vector<double> up;
    for (const RateProgram::Term& term : constraint.terms) {
      const Estimate& rate = rates[term.rate].estimate;
      value += term.coefficient * rate.value;
      const double to_low = term.coefficient * (rate.value - rate.interval.low);
      const double to_high = term.coefficient * (rate.interval.high - rate.value);
      down.push_back(term.coefficient > 0 ? to_low : to_high);
      up.push_back(term.coefficient > 0 ? to_high : to_low);
    }
    const double below = combined(program, constraint, rates, counts, down);
    const double above = combined(program, constraint, rates, counts, up);
    checks.push_back({{value, {value - below, value + above}}, constraint.slack});
  }
  return checks;
}

}  // namespace equinoise
