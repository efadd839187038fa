// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "equinoise/means/estimators/noisy_sum.h"
#include "equinoise/means/registry.h"
#include "equinoise/means/release.h"

namespace equinoise::testing {

/// Records that a test makes up: columns of numbers, and the stratum of each.
struct MadeUpRecords {
  std::vector<std::vector<double>> columns;
  std::vector<uint32_t> strata;
  size_t num_strata = 1;
  std::vector<std::vector<uint32_t>> strata_of_values = {};  ///< (columns), of columns with gaps
  std::vector<double> weights = {};                          ///< from 0 to 1, or empty: 1 each

  StratifiedRecords view() const {
    return {strata.size(),
            {columns.begin(), columns.end()},
            strata,
            num_strata,
            {strata_of_values.begin(), strata_of_values.end()},
            {},
            weights};
  }
  /// Takes the value of a column away from a record.
  void make_missing(size_t column, size_t record) {
    strata_of_values.resize(columns.size());
    if (strata_of_values[column].empty()) strata_of_values[column] = strata;
    strata_of_values[column][record] = static_cast<uint32_t>(num_strata);
  }
  std::vector<double> sizes() const {
    std::vector<double> sizes(num_strata, 0.0);
    for (const uint32_t k : strata)
      if (k < num_strata) sizes[k] += 1;
    return sizes;
  }
  /// Without noise and without clipping, of one stratum or (num_strata) of all; of values that are
  /// there, by weight.
  double mean(size_t column, size_t stratum) const {
    double sum = 0;
    double count = 0;
    const auto counted = view();
    for (size_t i = 0; i < strata.size(); ++i) {
      const uint32_t own = counted.strata_for(column)[i];
      if (own == num_strata || (stratum < num_strata && own != stratum)) continue;
      const double weight = weights.empty() ? 1 : weights[i];
      sum += weight * columns[column][i];
      count += weight;
    }
    return sum / count;
  }
};

/// One column; each stratum has sizes[k] numbers, stratum by stratum.
inline MadeUpRecords make_up(const std::vector<size_t>& sizes,
                             const std::function<double(size_t)>& draw) {
  MadeUpRecords records;
  records.num_strata = sizes.size();
  records.columns.resize(1);
  for (size_t k = 0; k < sizes.size(); ++k) {
    for (size_t i = 0; i < sizes[k]; ++i) {
      records.columns[0].push_back(draw(k));
      records.strata.push_back(static_cast<uint32_t>(k));
    }
  }
  return records;
}

/// (num_strata) what a plan's draws cost, which nobody has paid for.
inline std::vector<Charge> charges_of(const MeansPlan& plan, const SeededSource& source) {
  std::vector<Charge> charges;
  charges.reserve(plan.events.size());
  for (const std::vector<Event>& events : plan.events)
    charges.push_back(Charge::unpaid(events, plan.question.config.relation, source));
  return charges;
}

/// One release with noise of that seed, which nobody has paid for.
inline MeansRelease simulate(const MeansPlan& plan, const StratifiedRecords& records, uint64_t seed,
                             int threads = 1) {
  SeededSource source(seed);
  std::vector<Charge> charges = charges_of(plan, source);
  return release_means(plan, records, charges, source, threads);
}

/// The distance of two answers about sums that are released together with what they count, in the
/// norm of the mechanism, relative to the sensitivity that they are charged for.
inline double relative_change_of_counted(const Answer& a, const Answer& b,
                                         std::span<const ClipRange> ranges, Relation relation,
                                         bool is_laplace) {
  double largest = 0;
  for (size_t k = 0; k < a.values.size(); ++k) {
    const int64_t half = ranges[k].half_units;
    const CountedSum counted =
        is_laplace ? counted_laplace_sum(half, relation)
                   : counted_gaussian_sum(static_cast<double>(half), 1, 1, relation);
    const std::vector<int64_t> in_a = entries_of(a, k, counted);
    const std::vector<int64_t> in_b = entries_of(b, k, counted);
    const auto of_sum = static_cast<double>(std::abs(in_a[0] - in_b[0]));
    const auto of_count = static_cast<double>(std::abs(in_a[1] - in_b[1]));
    const double length = is_laplace ? of_sum + of_count : std::hypot(of_sum, of_count);
    largest = std::max(largest, length / counted.sensitivity);
  }
  return largest;
}

/// Follows the estimations of a plan about these records, unpaid: visit(query) sees each query
/// before answered(query) is told.
template <typename Visit, typename Answered>
void follow_estimations(const MeansPlan& plan, const Visit& visit, const Answered& answered) {
  const MeansQuestion& question = plan.question;
  for (const MeansPart& part : plan.parts) {
    std::vector<MeanColumn> columns;
    for (const size_t j : part.columns) columns.push_back(question.columns[j]);
    const std::unique_ptr<MeanEstimation> estimation =
        find_mean_estimator(part.method)
            .make()
            ->start({columns, part.columns, question.sizes, part.rho, question.config,
                     part.first_item});
    SeededSource source(11);
    std::vector<Charge> charges = charges_of(plan, source);
    while (const std::optional<Query> query = estimation->next()) {
      visit(*query);
      estimation->answer(answered(*query), charges, source);
    }
  }
}

/// A root of a mean of squares and its standard error.
class RootMeanSquare {
 public:
  void add(double error) {
    const double squared = error * error;
    count_ += 1;
    sum_ += squared;
    sum_of_squares_ += squared * squared;
  }
  double value() const { return std::sqrt(sum_ / count_); }
  double standard_error() const {
    const double mean = sum_ / count_;
    const double variance = sum_of_squares_ / count_ - mean * mean;
    return std::sqrt(variance / count_) / (2 * value());
  }

 private:
  double count_ = 0;
  double sum_ = 0;
  double sum_of_squares_ = 0;
};

}  // namespace equinoise::testing
