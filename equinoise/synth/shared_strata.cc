// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/shared_strata.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "equinoise/synth/fit.h"
#include "equinoise/synth/shrunk_counts.h"
#include "equinoise/synth/synth_budget.h"

namespace equinoise {

namespace {

void scale_to(double total, std::vector<double>& counts) {
  const double sum = std::accumulate(counts.begin(), counts.end(), 0.0);
  if (!(sum > 0)) return;
  for (double& count : counts) count *= total / sum;
}

/// Moves what is expected of strata, a resolution after another.
class StrataShrinkage {
 public:
  StrataShrinkage(const std::vector<StratumCounts>& strata, const std::vector<size_t>& num_ordered)
      : strata_(strata), num_ordered_(num_ordered) {
    for (const StratumCounts& stratum : strata) {
      expected_.push_back(stratum.expected);
      double total = 0;
      for (const std::vector<double>& column : stratum.expected)
        total = std::max(total, std::accumulate(column.begin(), column.end(), 0.0));
      totals_.push_back(total);
    }
  }

  /// By the counts of groups of strata, blocks of neighbouring bins before single ones.
  void shrink(const std::vector<size_t>& group_of) {
    const size_t longest = *std::max_element(num_ordered_.begin(), num_ordered_.end());
    size_t block = 1;
    while (2 * block < longest) block *= 2;
    for (; block >= 1; block /= 2) shrink(group_of, block);
  }

  std::vector<StratumColumns> take() { return std::move(expected_); }

 private:
  /// Of each code of a column the block that it is in; empty: blocks say nothing of the column.
  std::vector<size_t> blocks_of(size_t column, size_t num_codes, size_t block) const {
    std::vector<size_t> result;
    if (block > 1 && 2 * block > num_ordered_[column] + block - 1) return result;
    for (size_t code = 0; code < num_codes; ++code) {
      const size_t num_ordered = num_ordered_[column];
      result.push_back(code < num_ordered ? code / block
                                          : (num_ordered + block - 1) / block + code - num_ordered);
    }
    return result;
  }

  void shrink(const std::vector<size_t>& group_of, size_t block) {
    std::map<size_t, std::vector<size_t>> members;
    for (size_t s = 0; s < group_of.size(); ++s) members[group_of[s]].push_back(s);
    // All groups and columns share a law of what a ratio can be.
    std::vector<NoisyMarginal> measured;
    std::vector<std::vector<double>> expected;
    std::vector<std::pair<const std::vector<size_t>*, size_t>> places;
    for (const auto& [group, own] : members) {
      for (size_t column = 0; column < num_ordered_.size(); ++column) {
        if (!add_sums(own, column, block, measured, expected)) continue;
        places.emplace_back(&own, column);
      }
    }
    shrink_counts(measured, expected);
    for (size_t i = 0; i < places.size(); ++i) {
      for (const size_t s : *places[i].first) {
        std::vector<double>& counts = expected_[s][places[i].second];
        if (counts.empty()) continue;
        const std::vector<size_t> blocks = blocks_of(places[i].second, counts.size(), block);
        for (size_t code = 0; code < counts.size(); ++code) {
          const double before = expected[i][blocks[code]];
          if (before > 0) counts[code] *= measured[i].values[blocks[code]] / before;
        }
        scale_to(totals_[s], counts);
      }
    }
  }

  /// Sums of a column over those of `members` that measure it, if any does and none of them lacks
  /// it.
  bool add_sums(const std::vector<size_t>& members, size_t column, size_t block,
                std::vector<NoisyMarginal>& measured,
                std::vector<std::vector<double>>& expected) const {
    NoisyMarginal sum;
    std::vector<double> expected_sum;
    double variance = 0;
    size_t longest = 1;
    for (const size_t s : members) {
      if (strata_[s].measured.empty()) continue;
      const std::vector<double>& own = expected_[s][column];
      const std::vector<size_t> blocks = blocks_of(column, own.size(), block);
      if (blocks.empty()) return false;
      sum.values.resize(blocks.back() + 1);
      expected_sum.resize(blocks.back() + 1);
      for (size_t code = 0; code < own.size(); ++code) {
        sum.values[blocks[code]] += strata_[s].measured[column].values[code];
        expected_sum[blocks[code]] += own[code];
      }
      const double stddev = strata_[s].measured[column].noise_stddev;
      variance += stddev * stddev;
      longest = std::max(longest, std::min(block, num_ordered_[column]));
    }
    if (expected_sum.empty()) return false;
    sum.noise_stddev = std::sqrt(variance * static_cast<double>(longest));
    measured.push_back(std::move(sum));
    expected.push_back(std::move(expected_sum));
    return true;
  }

  const std::vector<StratumCounts>& strata_;
  const std::vector<size_t>& num_ordered_;  // (columns) codes from the first that are bins
  std::vector<StratumColumns> expected_;
  std::vector<double> totals_;
};

}  // namespace

std::vector<double> stratum_noise(const Domain& domain, double rho, std::string_view where) {
  std::vector<double> noise;
  double sum = 0;
  for (int i = 0; i < domain.num_attributes(); ++i) sum += std::pow(domain.num_codes(i), 2.0 / 3);
  for (int i = 0; i < domain.num_attributes(); ++i)
    noise.push_back(stddev_for(rho * std::pow(domain.num_codes(i), 2.0 / 3) / sum, where));
  return noise;
}

double stratum_noise_error(const Domain& domain, std::span<const double> noise, int64_t size) {
  double sum = 0;
  for (int i = 0; i < domain.num_attributes(); ++i) {
    const double l1 = noise_l1(noise[static_cast<size_t>(i)], domain.num_codes(i));
    sum += 0.5 * l1 / static_cast<double>(std::max<int64_t>(1, size));
  }
  return sum / domain.num_attributes();
}

std::vector<StratumColumns> shrunk_strata(const std::vector<StratumCounts>& strata,
                                          const std::vector<std::vector<size_t>>& groupings,
                                          const std::vector<size_t>& num_ordered) {
  StrataShrinkage shrinkage(strata, num_ordered);
  for (const std::vector<size_t>& group_of : groupings) shrinkage.shrink(group_of);
  std::vector<size_t> alone(strata.size());
  std::iota(alone.begin(), alone.end(), size_t{0});
  shrinkage.shrink(alone);
  return shrinkage.take();
}

GraphicalModel raked(const GraphicalModel& prior, const StratumColumns& counts,
                     const SynthConfig& config, const SynthObserver& observer) {
  std::vector<NoisyMarginal> measurements;
  for (size_t i = 0; i < counts.size(); ++i)
    measurements.push_back({{static_cast<int>(i)}, 1, counts[i], {}});
  const Fitter fitter(prior.domain(), config, prior.potentials(), observer, prior.total());
  return fitter.fit(measurements, Fitter::kShrunk, nullptr);
}

}  // namespace equinoise
