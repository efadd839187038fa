// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/marginal_choice.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "equinoise/base/lists.h"
#include "equinoise/synth/graph/junction_tree.h"
#include "equinoise/synth/synth_budget.h"
#include "equinoise/synth/synth_progress.h"

namespace equinoise {

namespace {

/// The least weight, relative to the largest; smaller ones count as this, so that each share of a
/// budget is noticeable.
constexpr double kMinWeight = 1e-3;
/// The least zCDP: less buys no noise that can be drawn.
constexpr double kMinRho = 1e-24;

/// (sum + part)^(3/2) - sum^(3/2), without cancellation.
double growth(double sum, double part) {
  if (sum == 0) return std::pow(part, 1.5);
  return std::pow(sum, 1.5) * std::expm1(1.5 * std::log1p(part / sum));
}

}  // namespace

MarginalChoice choose_marginals(const Domain& domain, std::vector<AttributeSet> cliques,
                                const std::vector<MarginalCandidate>& candidates, double rho,
                                double max_megabytes, const TaskProgress& progress) {
  double largest_weight = 0;
  for (const MarginalCandidate& candidate : candidates)
    largest_weight = std::max(largest_weight, candidate.weight);
  std::vector<double> gains;
  std::vector<double> parts;
  std::vector<double> ranks;
  for (const MarginalCandidate& candidate : candidates) {
    const double weight = std::max(kMinWeight, candidate.weight / largest_weight);
    gains.push_back(weight * candidate.missed);
    parts.push_back(std::pow(weight * domain.num_cells(candidate.attributes), 2.0 / 3));
    ranks.push_back(gains.back() / std::sqrt(parts.back()));
  }
  std::vector<size_t> order = numbers_below(candidates.size());
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return ranks[a] > ranks[b]; });
  const double noise = std::sqrt(std::numbers::inv_pi / rho);
  MarginalChoice choice;
  double sum = 0;
  ModelSizer sizer(domain, cliques);
  for (const size_t i : order) {
    if (!(gains[i] > noise * growth(sum, parts[i]))) continue;
    if (rho * parts[i] / (sum + parts[i]) < kMinRho) continue;
    check_interrupted(progress);
    const double cells = sizer.cells_with(candidates[i].attributes);
    if (megabytes_of(cells) > max_megabytes && cells > sizer.cells()) {
      ++choice.num_too_large;
      continue;
    }
    sum += parts[i];
    choice.chosen.push_back(i);
    cliques.push_back(candidates[i].attributes);
    sizer = ModelSizer(domain, cliques);
  }
  for (const size_t i : choice.chosen) choice.shares.push_back(parts[i] / sum);
  return choice;
}

}  // namespace equinoise
