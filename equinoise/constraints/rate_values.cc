// SPDX-License-Identifier: Apache-2.0
#include "equinoise/constraints/rate_values.h"

#include <algorithm>
#include <cmath>

#include "equinoise/base/normal_quantile.h"

namespace equinoise {

namespace {

double sum_of(const std::vector<uint32_t>& cells, std::span<const double> histogram) {
  double sum = 0;
  for (const uint32_t cell : cells) sum += histogram[cell];
  return sum;
}

std::vector<double> constraints_of(const RateProgram& program, std::span<const double> rates) {
  std::vector<double> values;
  for (const RateProgram::Constraint& constraint : program.constraints) {
    double value = 0;
    for (const RateProgram::Term& term : constraint.terms)
      value += term.coefficient * rates[term.rate];
    values.push_back(value);
  }
  return values;
}

}  // namespace

RateValues rate_values(const RateProgram& program, std::span<const double> histogram,
                       double min_denominator) {
  std::vector<double> denominators;
  for (const RateProgram::CellRate& rate : program.rates)
    denominators.push_back(std::max(sum_of(rate.denominator, histogram), min_denominator));
  return rate_values(program, histogram, denominators);
}

RateValues rate_values(const RateProgram& program, std::span<const double> histogram,
                       std::span<const double> denominators) {
  RateValues values;
  values.denominators.assign(denominators.begin(), denominators.end());
  for (size_t r = 0; r < program.rates.size(); ++r) {
    const double numerator = sum_of(program.rates[r].numerator, histogram);
    values.rates.push_back(std::clamp(numerator / denominators[r], 0.0, 1.0));
  }
  values.constraints = constraints_of(program, values.rates);
  return values;
}

std::vector<double> step_constraints(const RateProgram& program, std::span<const double> histogram,
                                     std::span<const double> smoothed, const RateValues& values) {
  std::vector<double> rates;
  for (size_t r = 0; r < program.rates.size(); ++r) {
    if (values.denominators[r] < 1) {
      rates.push_back(values.rates[r]);
      continue;
    }
    const std::vector<uint32_t>& numerator = program.rates[r].numerator;
    const double change = sum_of(numerator, histogram) - sum_of(numerator, smoothed);
    rates.push_back(values.rates[r] + std::clamp(change / values.denominators[r], -1.0, 1.0));
  }
  return constraints_of(program, rates);
}

std::vector<double> constraint_variances(const RateProgram& program,
                                         std::span<const double> histogram, double min_denominator,
                                         std::span<const double> cell_variances) {
  const RateValues values = rate_values(program, histogram, min_denominator);
  std::vector<double> variances;
  std::vector<double> slopes(program.num_cells);
  for (const RateProgram::Constraint& constraint : program.constraints) {
    std::ranges::fill(slopes, 0.0);
    for (const RateProgram::Term& term : constraint.terms) {
      const RateProgram::CellRate& rate = program.rates[term.rate];
      const double sum = sum_of(rate.denominator, histogram);
      const double slope = term.coefficient / std::max(sum, min_denominator);
      for (const uint32_t cell : rate.numerator) slopes[cell] += slope;
      if (sum <= min_denominator) continue;
      for (const uint32_t cell : rate.denominator) slopes[cell] -= slope * values.rates[term.rate];
    }
    double variance = 0;
    for (size_t cell = 0; cell < slopes.size(); ++cell)
      variance += slopes[cell] * slopes[cell] * cell_variances[cell];
    variances.push_back(variance);
  }
  return variances;
}

std::vector<bool> known_constraints(const RateProgram& program, std::span<const double> histogram,
                                    double min_denominator,
                                    std::span<const double> cell_variances) {
  std::vector<bool> known;
  for (const RateProgram::Constraint& constraint : program.constraints) {
    known.push_back(std::ranges::all_of(constraint.terms, [&](const RateProgram::Term& term) {
      const std::vector<uint32_t>& cells = program.rates[term.rate].denominator;
      const double error = std::sqrt(sum_of(cells, cell_variances));
      return sum_of(cells, histogram) >= std::max(min_denominator, kNormalQuantile * error);
    }));
  }
  return known;
}

void add_cell_weights(const RateProgram& program, std::span<const double> histogram,
                      std::span<const double> multipliers, const RateValues& values,
                      std::span<double> weights) {
  // The sum of the constraints' multipliers times coefficients for each rate.
  std::vector<double> coefficients(program.rates.size(), 0.0);
  for (size_t j = 0; j < program.constraints.size(); ++j) {
    for (const RateProgram::Term& term : program.constraints[j].terms)
      coefficients[term.rate] += multipliers[j] * term.coefficient;
  }
  for (size_t r = 0; r < program.rates.size(); ++r) {
    if (coefficients[r] == 0) continue;
    const RateProgram::CellRate& rate = program.rates[r];
    const double weight = coefficients[r] / values.denominators[r];
    for (const uint32_t cell : rate.numerator) weights[cell] += weight;
    const bool is_raised = sum_of(rate.denominator, histogram) < values.denominators[r];
    if (rate.fixed_denominator || is_raised) continue;
    for (const uint32_t cell : rate.denominator) weights[cell] -= weight * values.rates[r];
  }
}

}  // namespace equinoise
