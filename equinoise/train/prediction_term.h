// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "equinoise/constraints/rate_values.h"
#include "equinoise/data/encoder.h"

namespace equinoise {

/// A part of the objective that sees records through what the model predicts of them, and follows
/// noisy sums over each batch: constraints on rates, a penalty on dependence.
///
/// A step asks the batch for the sums, gives the term their noisy values, and adds to the gradient
/// of each record's loss at its scores what the term says of that record alone.
class PredictionTerm {
 public:
  /// What sums count in: a record moves them by at most 2^kUnitBits in L2, and where they may be
  /// released with Laplace noise in L1.
  static constexpr int kUnitBits = 20;

  /// Of null records and unknown groups: they add nothing to sums and are not pushed.
  static constexpr uint32_t kNoPlace = std::numeric_limits<uint32_t>::max();

  virtual ~PredictionTerm() = default;

  virtual size_t num_sums() const = 0;
  virtual size_t num_outputs() const = 0;  ///< of the model: one logit, or a score for each class
  virtual size_t num_classes() const = 0;  ///< of the model

  /// What a record's group, and possibly its label, decide of its part in the term, (num_records).
  virtual std::vector<uint32_t> places(const EncodedTable& table) const = 0;

  /// The soft predictions, (records, classes), of records with these scores, (records, outputs).
  virtual void predict(std::span<const double> scores, std::vector<double>& shares) const = 0;

  /// Adds what records at these places with these predictions add to the sums, (num_sums). Shares
  /// that are not finite add nothing. counts: how many equal records each one stands for; empty: 1.
  virtual void add_sums(std::span<const uint32_t> places, std::span<const double> shares,
                        std::span<const uint32_t> counts, std::span<int64_t> units) const = 0;

  /// A step's sums with noise, in units of 1: what the next gradients depend on.
  virtual void take_sums(std::span<const double> sums) = 0;

  /// For each record the gradient at its scores, (records, outputs), of what the term adds to its
  /// loss: what Model::differentiate adds.
  virtual void gradient(std::span<const uint32_t> places, std::span<const double> shares,
                        std::vector<double>& added) const = 0;

  /// How training under constraints went, where sums had noise of that standard deviation.
  virtual std::vector<ConstraintTrace> traces(double noise_stddev) const {
    static_cast<void>(noise_stddev);
    return {};
  }
};

}  // namespace equinoise
