// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace equinoise {

/// Some records, counted by their weights; without weights each has 1, and all three are the same.
struct WeightedCount {
  int64_t records = 0;
  double total = 0;    ///< of their weights
  double squares = 0;  ///< of the squares of these; for clusters see weight_that_counts

  /// of_cluster: the weight of the record together with all records that depend on it.
  void add(double weight, double of_cluster);
  void add(double weight) { add(weight, weight); }

  /// These records and others. Pre: no record is in both.
  WeightedCount with(const WeightedCount& others) const;

  /// These records without `some` of them.
  WeightedCount without(const WeightedCount& some) const;
};

/// The records of one outcome, and its value in a mean.
struct WeightedOutcome {
  double value = 0;
  WeightedCount records;
};

/// The weight that counts: a weighted mean of such outcomes varies as that of (total of the
/// weights) / (this) records of equal weight, which is their effective size. 1 for records of
/// weight 1, NaN without records.
///
/// To first order the variance of the mean m is sum w^2 (value - m)^2 / (sum w)^2, however weights
/// and outcomes are related, so that the effective size is that of [KornGraubard1998]. The squared
/// weights of a rare outcome are those of a few records. So two more records are added to each
/// outcome, of the weight that would count if weights and outcomes were unrelated, sum w^2 / sum w
/// [Kish1992]. Records are taken as drawn independently: clusters and strata of a survey's design
/// are unknown here.
///
/// Rows of one unit are a cluster. With d the weight of a unit's rows in the denominator and v in
/// their mean value the variance is sum d^2 (v - m)^2 / (sum d)^2 over units, and (v - m)^2 is at
/// most the mean of (value - m)^2 over the rows. So if each row adds w d to the squares of its
/// outcome, instead of w^2, the effective size is at most that of the units, however rows of one
/// unit are related. `of_cluster` is the weight of all rows of the unit, at least d.
double weight_that_counts(std::span<const WeightedOutcome> outcomes);

}  // namespace equinoise
