// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace equinoise {

/// Some records, counted by their weights; without weights each has 1, and all three are the same.
struct WeightedCount {
  int64_t records = 0;
  double total = 0;    ///< of their weights
  double squares = 0;  ///< of the squares of these

  void add(double weight);

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
double weight_that_counts(std::span<const WeightedOutcome> outcomes);

}  // namespace equinoise
