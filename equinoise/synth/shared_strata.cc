// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/shared_strata.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "equinoise/base/count_text.h"
#include "equinoise/base/lists.h"
#include "equinoise/synth/fit.h"
#include "equinoise/synth/shrunk_counts.h"
#include "equinoise/synth/synth_budget.h"

namespace equinoise {

namespace {

/// The floor of ratios of parts when the change of ratios within them is computed.
constexpr double kMinRatio = 0.02;
/// `empty` for shrink_counts(): few codes that occur overall are missing in a stratum.
constexpr double kEmptyCodes = 0.1;

void scale_to(double total, std::vector<double>& counts) {
  const double sum = std::accumulate(counts.begin(), counts.end(), 0.0);
  if (!(sum > 0)) return;
  for (double& count : counts) count *= total / sum;
}

double share_of(double num_counts) { return std::pow(num_counts, 2.0 / 3); }

double noise_alone(double noise_stddev, double num_counts, int64_t size) {
  return 0.5 * noise_l1(noise_stddev, num_counts) / static_cast<double>(std::max<int64_t>(1, size));
}

size_t num_counts(const std::vector<size_t>& counts) { return counts.back() + 1; }

/// The counts of a stratum's column in `parts` (0: by code), from its answers that are as fine or
/// finer: their mean, by precision. Without counts if there is none.
NoisyCounts answer_in_parts(const std::vector<SynthMeasurement>& answers, size_t num_codes,
                            size_t num_ordered, size_t parts) {
  const std::vector<size_t> coarse = counts_of_codes(num_codes, num_ordered, parts);
  NoisyCounts result;
  for (const SynthMeasurement& answer : answers) {
    if (answer.parts != 0 && (parts == 0 || answer.parts < parts)) continue;
    const std::vector<size_t> fine = counts_of_codes(num_codes, num_ordered, answer.parts);
    std::vector<double> sums(num_counts(coarse));
    std::vector<double> variances(sums.size());
    for (size_t code = 0; code < num_codes; ++code) {
      if (code > 0 && fine[code] == fine[code - 1]) continue;
      sums[coarse[code]] += answer.counts[fine[code]];
      variances[coarse[code]] += answer.noise_stddev * answer.noise_stddev;
    }
    if (result.counts.empty()) {
      result = {std::move(sums), std::move(variances)};
      continue;
    }
    for (size_t i = 0; i < sums.size(); ++i) {
      const double own = result.variances[i] / (result.variances[i] + variances[i]);
      result.counts[i] += own * (sums[i] - result.counts[i]);
      result.variances[i] *= 1 - own;
    }
  }
  return result;
}

/// Multiplies each part of a column with its ratio. Within a part of bins the ratio changes
/// gradually: geometrically between the middles of neighbouring parts, and on at the ends.
void multiply_parts(const std::vector<double>& ratios, size_t num_ordered, size_t parts,
                    std::vector<double>& counts) {
  const std::vector<size_t> part_of = counts_of_codes(counts.size(), num_ordered, parts);
  std::vector<double> before(ratios.size());
  std::vector<double> after(ratios.size());
  for (size_t code = 0; code < counts.size(); ++code) {
    before[part_of[code]] += counts[code];
    if (parts > 0 && code < num_ordered) {
      const double place = (static_cast<double>(code) + 0.5) * static_cast<double>(parts) /
                               static_cast<double>(num_ordered) -
                           0.5;
      const auto left = std::min(parts - 2, static_cast<size_t>(std::max(0.0, place)));
      const double low = std::max(kMinRatio, ratios[left]);
      const double high = std::max(kMinRatio, ratios[left + 1]);
      counts[code] *= low * std::pow(high / low, place - static_cast<double>(left));
    }
    after[part_of[code]] += counts[code];
  }
  for (size_t code = 0; code < counts.size(); ++code) {
    const size_t part = part_of[code];
    if (after[part] > 0) counts[code] *= ratios[part] * before[part] / after[part];
  }
}

/// Shrinks the expected counts of strata, one resolution after another.
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

  /// Shrinks by the counts of groups of strata, halves of bins before quarters and so on, then
  /// codes.
  void shrink(const std::vector<size_t>& group_of) {
    const size_t longest = *std::ranges::max_element(num_ordered_);
    for (size_t parts = 2; 2 * parts <= longest; parts *= 2) shrink(group_of, parts, true);
    shrink(group_of, 0, true);
    shrink(group_of, 0, false);
  }

  std::vector<StratumColumns> take() { return std::move(expected_); }

 private:
  /// Shrinks either the columns of numbers or all others. Each of the two kinds shares a
  /// distribution of ratios.
  void shrink(const std::vector<size_t>& group_of, size_t parts, bool numbers) {
    std::map<size_t, std::vector<size_t>> members;
    for (size_t s = 0; s < group_of.size(); ++s) members[group_of[s]].push_back(s);
    std::vector<NoisyCounts> measured;
    std::vector<std::vector<double>> expected;
    std::vector<std::pair<const std::vector<size_t>*, size_t>> places;
    for (const auto& [group, own] : members) {
      for (size_t column = 0; column < num_ordered_.size(); ++column) {
        if ((num_ordered_[column] > 0) != numbers ||
            !add_sums(own, column, parts, measured, expected))
          continue;
        places.emplace_back(&own, column);
      }
    }
    shrink_counts(measured, expected, kEmptyCodes);
    for (size_t i = 0; i < places.size(); ++i) {
      const auto& [own, column] = places[i];
      std::vector<double> ratios(expected[i].size(), 1);
      for (size_t part = 0; part < ratios.size(); ++part) {
        if (expected[i][part] > 0) ratios[part] = measured[i].counts[part] / expected[i][part];
      }
      for (const size_t s : *own) {
        std::vector<double>& counts = expected_[s][column];
        multiply_parts(ratios, num_ordered_[column], parts, counts);
        scale_to(totals_[s], counts);
      }
    }
  }

  /// Sums of a column over those of `members` that measure it at this resolution, if any does and
  /// none of them lacks it.
  bool add_sums(const std::vector<size_t>& members, size_t column, size_t parts,
                std::vector<NoisyCounts>& measured,
                std::vector<std::vector<double>>& expected) const {
    if (2 * parts > num_ordered_[column]) return false;
    NoisyCounts sum;
    std::vector<double> expected_sum;
    for (const size_t s : members) {
      const std::vector<double>& own = expected_[s][column];
      if (own.empty()) return false;
      if (strata_[s].measured.empty()) continue;
      const NoisyCounts answer =
          answer_in_parts(strata_[s].measured[column], own.size(), num_ordered_[column], parts);
      if (answer.counts.empty()) continue;
      sum.counts.resize(answer.counts.size());
      sum.variances.resize(answer.counts.size());
      expected_sum.resize(answer.counts.size());
      const std::vector<size_t> part_of = counts_of_codes(own.size(), num_ordered_[column], parts);
      for (size_t code = 0; code < own.size(); ++code) expected_sum[part_of[code]] += own[code];
      for (size_t i = 0; i < answer.counts.size(); ++i) {
        sum.counts[i] += answer.counts[i];
        sum.variances[i] += answer.variances[i];
      }
    }
    if (expected_sum.empty()) return false;
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

std::vector<size_t> counts_of_codes(size_t num_codes, size_t num_ordered, size_t parts) {
  std::vector<size_t> result(num_codes);
  for (size_t code = 0; code < num_codes; ++code) {
    result[code] = parts == 0           ? code
                   : code < num_ordered ? code * parts / num_ordered
                                        : code - num_ordered + parts;
  }
  return result;
}

std::vector<StratumQuestion> stratum_questions(const Domain& domain,
                                               const std::vector<size_t>& num_ordered, double rho,
                                               int64_t size, bool hidden_too,
                                               std::string_view where) {
  std::vector<StratumQuestion> questions;
  std::vector<size_t> lengths;
  for (int i = 0; i < domain.num_attributes(); ++i) {
    const size_t bins = num_ordered[static_cast<size_t>(i)];
    const auto codes = static_cast<size_t>(domain.num_codes(i));
    for (size_t parts = 2; 2 * parts <= bins; parts *= 2) {
      questions.push_back({i, parts, 0});
      lengths.push_back(codes - bins + parts);
    }
    questions.push_back({i, 0, 0});
    lengths.push_back(codes);
  }
  // Noise grows with the number of counts, so the longest questions go first.
  size_t longest = *std::ranges::max_element(lengths);
  const auto sum_of_shares = [&] {
    double sum = 0;
    for (const size_t length : lengths)
      if (length <= longest) sum += share_of(static_cast<double>(length));
    return sum;
  };
  double sum = sum_of_shares();
  const auto noise_of = [&](size_t length) {
    return stddev_for(rho * share_of(static_cast<double>(length)) / sum, where);
  };
  while (!hidden_too && longest > 0 &&
         noise_alone(noise_of(longest), static_cast<double>(longest), size) >= kHidingNoise) {
    size_t next = 0;
    for (const size_t other : lengths)
      if (other < longest) next = std::max(next, other);
    longest = next;
    sum = sum_of_shares();
  }
  std::vector<StratumQuestion> result;
  for (size_t i = 0; i < questions.size(); ++i) {
    if (lengths[i] > longest) continue;
    questions[i].noise_stddev = noise_of(lengths[i]);
    result.push_back(questions[i]);
  }
  return result;
}

double stratum_noise_error(const Domain& domain, double rho, int64_t size) {
  double sum = 0;
  for (int i = 0; i < domain.num_attributes(); ++i) sum += share_of(domain.num_codes(i));
  double error = 0;
  for (int i = 0; i < domain.num_attributes(); ++i) {
    const double stddev = std::sqrt(0.5 * sum / (rho * share_of(domain.num_codes(i))));
    error += noise_alone(stddev, domain.num_codes(i), size);
  }
  return error / domain.num_attributes();
}

std::string hidden_strata(const std::vector<StratumNoise>& strata, bool share_model) {
  constexpr size_t kMaxNamed = 3;
  const double least = share_model ? kHidingNoise : kHidingNoise / 2;
  std::vector<StratumNoise> noisy;
  for (const StratumNoise& stratum : strata)
    if (stratum.error >= least) noisy.push_back(stratum);
  if (noisy.empty()) return "";
  std::ranges::stable_sort(noisy, {}, &StratumNoise::size);
  std::vector<std::string> named;
  for (size_t i = 0; i < std::min(kMaxNamed, noisy.size()); ++i)
    named.push_back(fmt::format("{} ({})", noisy[i].name, format_count(noisy[i].size)));
  const size_t num_more = noisy.size() - named.size();
  return fmt::format(
      "Rows of {} of {} strata {}, as they have few records: {}{}", noisy.size(), strata.size(),
      share_model ? "say little of their own stratum, which noise hides" : "are mostly noise",
      fmt::join(named, ", "), num_more > 0 ? fmt::format(" and {} more", num_more) : "");
}

std::vector<StratumColumns> shrunk_strata(const std::vector<StratumCounts>& strata,
                                          const std::vector<std::vector<size_t>>& groupings,
                                          const std::vector<size_t>& num_ordered) {
  StrataShrinkage shrinkage(strata, num_ordered);
  for (const std::vector<size_t>& group_of : groupings) shrinkage.shrink(group_of);
  std::vector<size_t> alone = numbers_below(strata.size());
  shrinkage.shrink(alone);
  return shrinkage.take();
}

GraphicalModel raked(const GraphicalModel& prior, const StratumColumns& counts,
                     const SynthConfig& config, const TaskProgress& progress) {
  std::vector<NoisyMarginal> measurements;
  for (size_t i = 0; i < counts.size(); ++i)
    measurements.push_back({{static_cast<int>(i)}, 1, counts[i], {}});
  const Fitter fitter(prior.domain(), config, prior.potentials(), progress, prior.total());
  return fitter.fit(measurements, Fitter::kShrunk, nullptr);
}

}  // namespace equinoise
