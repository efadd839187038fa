// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "equinoise/constraints/rate_values.h"
#include "equinoise/data/encoder.h"

namespace equinoise {

/// A part of the objective that depends on a record through the model's predictions only, and
/// follows noisy sums over each batch: constraints on rates, a penalty on dependence.
///
/// A step computes the sums of the batch, gives the term their noisy values, and adds the term's
/// gradient at the scores to each record's loss gradient. That gradient depends on the record and
/// on noisy sums only.
class PredictionTerm {
 public:
  /// The unit of sums is 2^-kUnitBits. A record moves them by at most 2^kUnitBits units in L2, and
  /// also in L1 if they may be released with Laplace noise.
  static constexpr int kUnitBits = 20;

  /// The place of null records and unknown groups: they add nothing to sums and get no gradient.
  static constexpr uint32_t kNoPlace = std::numeric_limits<uint32_t>::max();

  virtual ~PredictionTerm() = default;

  virtual size_t num_sums() const = 0;
  virtual size_t num_outputs() const = 0;  ///< of the model: one logit, or a score for each class
  virtual size_t num_classes() const = 0;  ///< of the model

  /// (num_records) the index that a record's group, and possibly its label, give it in the term.
  virtual std::vector<uint32_t> places(const EncodedTable& table) const = 0;

  /// The soft predictions, (records, classes), of records with these scores, (records, outputs).
  virtual void predict(std::span<const double> scores, std::vector<double>& shares) const = 0;

  /// Adds the parts of records at these places with these predictions to the sums, (num_sums).
  /// Shares that are not finite add nothing. counts: the number of equal records that each one
  /// represents; empty: 1.
  virtual void add_sums(std::span<const uint32_t> places, std::span<const double> shares,
                        std::span<const uint32_t> counts, std::span<int64_t> units) const = 0;

  /// Receives a step's noisy sums, in units of 1, on which the next gradients depend.
  virtual void take_sums(std::span<const double> sums) = 0;

  /// The gradient, (records, outputs), of the term at each record's scores, for
  /// Model::differentiate to add to that of the loss.
  virtual void gradient(std::span<const uint32_t> places, std::span<const double> shares,
                        std::vector<double>& added) const = 0;

  /// The course of training under constraints, with noise of that standard deviation on the sums.
  virtual std::vector<ConstraintTrace> traces(double /*noise_stddev*/) const { return {}; }
};

}  // namespace equinoise
