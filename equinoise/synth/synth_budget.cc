// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/synth_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/random/discrete_gaussian.h"
#include "equinoise/synth/graph/junction_tree.h"

namespace equinoise {

namespace {

/// A bound above the roundings of a square root, a quotient and a sum of a million such costs.
constexpr double kSlack = 0x1p-40;

}  // namespace

double stddev_for(double rho, std::string_view where) {
  const double stddev = round_up(std::sqrt(0.5 / rho), kSlack);
  if (!(stddev <= kMaxDiscreteGaussianStddev)) {
    throw Error(ErrorKind::kUsage, where,
                "the budget is too small for a single round: its share of rho, {:.3g}, "
                "needs noise of standard deviation {:.3g}; raise epsilon or delta",
                rho, stddev);
  }
  // Nobody needs less noise than the least that can be drawn.
  return std::max(stddev, kMinDiscreteGaussianStddev);
}

double megabytes_for_records(std::optional<int64_t> num_records) {
  constexpr double kBytesPerRecord = 32;
  if (!num_records) return 20;
  return std::clamp(kBytesPerRecord * static_cast<double>(*num_records) / 0x1p20, 5.0, 80.0);
}

double epsilon_for(double rho) { return std::sqrt(8 * rho) * (1 - kSlack); }

double rho_of_round(double noise_stddev, double epsilon) {
  return 0.5 / (noise_stddev * noise_stddev) + epsilon * epsilon / 8;
}

double check_one_ways_fit(const Domain& domain, double max_megabytes, std::string_view where) {
  double cells = 0;
  int largest = 0;
  for (int i = 0; i < domain.num_attributes(); ++i) {
    cells += domain.num_codes(i);
    if (domain.num_codes(i) > domain.num_codes(largest)) largest = i;
  }
  if (megabytes_of(cells) <= max_megabytes) return megabytes_of(cells);
  throw Error(ErrorKind::kUsage, where,
              "no model fits into max_model_size {:g} MB: its columns alone take "
              "{:.4g} MB, and the marginal ({}) with {} values takes {:.4g} MB of "
              "that; raise --max-model-size or use coarser bins",
              max_megabytes, megabytes_of(cells), domain.attribute(largest).name,
              domain.num_codes(largest), megabytes_of(domain.num_codes(largest)));
}

void check_workload_left(const SynthConfig& config, std::string_view where) {
  if (!config.workload.empty()) return;
  throw Error(ErrorKind::kUsage, where,
              "no marginal of the workload is left, because the columns that define a stratum do "
              "not vary within it; ask for marginals of other columns");
}

double max_marginal_megabytes(const SynthPlan& plan) {
  const Domain& domain = plan.facts.domain;
  std::vector<AttributeSet> cliques;
  for (int i = 0; i < domain.num_attributes(); ++i) cliques.push_back({i});
  for (const Factor& zeros : plan.facts.structural_zeros) cliques.push_back(zeros.attributes);
  return std::max(plan.config.max_model_megabytes,
                  megabytes_of(ModelSizer(domain, cliques).cells()));
}

std::vector<AttributeSet> marginals_with_room(const SynthPlan& plan) {
  const Domain& domain = plan.facts.domain;
  const double most_megabytes = max_marginal_megabytes(plan);
  std::vector<AttributeSet> sets;
  for (int i = 0; i < domain.num_attributes(); ++i) sets.push_back({i});
  for (WeightedMarginal& candidate : candidates_of(plan.config.workload)) {
    if (candidate.attributes.size() > 1 &&
        megabytes_of(domain.num_cells(candidate.attributes)) <= most_megabytes)
      sets.push_back(std::move(candidate.attributes));
  }
  return sets;
}

void warn_of_large_marginals(SynthPlan& plan, std::string_view where) {
  const SynthConfig& config = plan.config;
  const Domain& domain = plan.facts.domain;
  const WeightedMarginal* largest = nullptr;
  size_t num_beyond = 0;
  for (const WeightedMarginal& marginal : config.workload) {
    const double cells = domain.num_cells(marginal.attributes);
    if (megabytes_of(cells) <= config.max_model_megabytes) continue;
    ++num_beyond;
    if (largest == nullptr || cells > domain.num_cells(largest->attributes)) largest = &marginal;
  }
  if (largest == nullptr) return;
  const std::string text =
      fmt::format("marginal ({}) takes {:.4g} MB, more than max_model_size {:g} MB",
                  domain.describe(largest->attributes),
                  megabytes_of(domain.num_cells(largest->attributes)), config.max_model_megabytes);
  if (config.workload_is_listed) {
    throw Error(ErrorKind::kUsage, where,
                text + "; raise --max-model-size, use coarser bins or leave it out");
  }
  plan.warnings.push_back(
      fmt::format("{} of {} marginals of the workload can only be measured in parts, never as a "
                  "whole: {}",
                  num_beyond, config.workload.size(), text));
}

}  // namespace equinoise
