#include "equinoise/audit/constraint_check.h"

#include <cmath>
#include <numeric>

namespace equinoise {

std::string verdict_of(const ConstraintCheck& check) {
  const std::string verdict = check.holds() ? "holds" : "fails";
  return check.is_clear() ? verdict : verdict + ", unclear";
}

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
  std::vector<Estimate> rates;
  for (const RateProgram::CellRate& rate : program.rates) {
    const auto sum = [&](const std::vector<uint32_t>& cells) {
      return std::accumulate(cells.begin(), cells.end(), int64_t{0},
                             [&](int64_t total, uint32_t cell) { return total + counts[cell]; });
    };
    const int64_t trials = sum(rate.denominator);
    const int64_t successes = sum(rate.numerator);
    rates.push_back(trials == 0
                        ? Estimate{0, {0, 1}}
                        : Estimate{static_cast<double>(successes) / static_cast<double>(trials),
                                   score_interval(successes, trials)});
  }
  std::vector<ConstraintCheck> checks;
  for (const RateProgram::Constraint& constraint : program.constraints) {
    double value = 0;
    double below = 0;
    double above = 0;
    for (const RateProgram::Term& term : constraint.terms) {
      const Estimate& rate = rates[term.rate];
      value += term.coefficient * rate.value;
      const double down = std::fabs(term.coefficient) * (rate.value - rate.interval.low);
      const double up = std::fabs(term.coefficient) * (rate.interval.high - rate.value);
      const bool positive = term.coefficient > 0;
      below += std::pow(positive ? down : up, 2);
      above += std::pow(positive ? up : down, 2);
    }
    checks.push_back(
        {{value, {value - std::sqrt(below), value + std::sqrt(above)}}, constraint.slack});
  }
  return checks;
}

}  // namespace equinoise
