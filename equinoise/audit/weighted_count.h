// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace equinoise {

/// Some records, counted by their weights; without weights each has 1, and all three are the same.
struct WeightedCount {
  int64_t records = 0;
  double total = 0;    ///< of their weights
  double squares = 0;  ///< of the squares of these; of clusters see weight_that_counts

  /// of_cluster: the weight of the record and of all that are not independent of it together.
  void add(double weight, double of_cluster);
  void add(double weight) { add(weight, weight); }

  /// These and others. Pre: no record is in both.
  WeightedCount with(const WeightedCount& others) const;

  /// All but `some` of these.
  WeightedCount without(const WeightedCount& some) const;
};

/// The records of one outcome, and what it is worth in a mean.
struct WeightedOutcome {
  double value = 0;
  WeightedCount records;
};

/// The weight that counts: a weighted mean of such outcomes varies as that of (total of the
/// weights) / (this) records of equal weight does, which is their effective size. 1 of records of
/// weight 1, NaN of none.
///
/// To first order the variance of the mean m is sum w^2 (value - m)^2 / (sum w)^2, whatever weights
/// and outcomes have to do with each other, so that the effective size is that of
/// [KornGraubard1998]. Squares of the weights of a rare outcome are those of a few records: two
/// more of the weight that would count if weights and outcomes had nothing to do with each other,
/// sum w^2 / sum w [Kish1992], are added to each outcome. Records are taken as drawn independently:
/// clusters and strata of a survey's design are not known.
///
/// Rows of one unit are a cluster. With d the weight of a unit's rows in the denominator and v in
/// their mean value the variance is sum d^2 (v - m)^2 / (sum d)^2 over units, and (v - m)^2 is at
/// most the mean of (value - m)^2 over the rows. So if each row adds w d to the squares of its
/// outcome, instead of w^2, the effective size is at most that of the units, whatever rows of one
/// unit have to do with each other. `of_cluster` is the weight of all rows of the unit, at least d.
double weight_that_counts(std::span<const WeightedOutcome> outcomes);

}  // namespace equinoise
