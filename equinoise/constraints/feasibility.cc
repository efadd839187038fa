// SPDX-License-Identifier: Apache-2.0
#include "equinoise/constraints/feasibility.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace equinoise {

namespace {

constexpr double kTolerance = 1e-9;
constexpr int kMaxRounds = 100;  // bounds that still change then are left as they are

struct Range {
  double low = 0;
  double high = 1;
};

/// Returns whether the two rates have the same denominator, and each cell of it is in exactly one
/// numerator.
bool are_complements(const RateProgram::CellRate& a, const RateProgram::CellRate& b) {
  if (a.denominator != b.denominator) return false;
  std::vector<uint32_t> both;
  std::merge(a.numerator.begin(), a.numerator.end(), b.numerator.begin(), b.numerator.end(),
             std::back_inserter(both));
  return both == a.denominator;
}

double least(const RateProgram::Term& term, const std::vector<Range>& ranges) {
  const Range& range = ranges[term.rate];
  return term.coefficient * (term.coefficient > 0 ? range.low : range.high);
}

/// Narrows the ranges of rates to the values that the constraint allows.
void narrow(const RateProgram::Constraint& constraint, std::vector<Range>& ranges) {
  double sum = 0;
  for (const RateProgram::Term& term : constraint.terms) sum += least(term, ranges);
  for (const RateProgram::Term& term : constraint.terms) {
    const double left = (constraint.slack - (sum - least(term, ranges))) / term.coefficient;
    Range& range = ranges[term.rate];
    if (term.coefficient > 0) {
      range.high = std::min(range.high, left);
    } else {
      range.low = std::max(range.low, left);
    }
  }
}

}  // namespace

std::optional<std::string> find_contradiction(const RateProgram& program) {
  std::vector<Range> ranges(program.rates.size());
  std::vector<std::pair<size_t, size_t>> complements;
  for (size_t a = 0; a < ranges.size(); ++a) {
    for (size_t b = a + 1; b < ranges.size(); ++b)
      if (are_complements(program.rates[a], program.rates[b])) complements.emplace_back(a, b);
  }
  for (int round = 0; round < kMaxRounds; ++round) {
    for (const RateProgram::Constraint& constraint : program.constraints) {
      double sum = 0;
      for (const RateProgram::Term& term : constraint.terms) sum += least(term, ranges);
      if (sum > constraint.slack + kTolerance) {
        return fmt::format(
            "no model can keep all constraints: together with the others, {} is impossible",
            constraint.text);
      }
      narrow(constraint, ranges);
    }
    for (const auto& [a, b] : complements) {
      ranges[a].high = std::min(ranges[a].high, 1 - ranges[b].low);
      ranges[a].low = std::max(ranges[a].low, 1 - ranges[b].high);
      ranges[b].high = std::min(ranges[b].high, 1 - ranges[a].low);
      ranges[b].low = std::max(ranges[b].low, 1 - ranges[a].high);
    }
    for (size_t r = 0; r < ranges.size(); ++r) {
      if (ranges[r].low > ranges[r].high + kTolerance) {
        return fmt::format(
            "no model can keep all constraints: {} would have to be at least {:g} and at most {:g}",
            program.rates[r].text, ranges[r].low, ranges[r].high);
      }
    }
  }
  return std::nullopt;
}

}  // namespace equinoise
