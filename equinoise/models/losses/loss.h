// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"

namespace equinoise {

/// The interpretation of a model's scores: the loss of a record at its scores, and its predictions.
class Loss {
 public:
  Loss(size_t num_scores, size_t num_classes)
      : num_scores_(num_scores), num_classes_(num_classes) {}
  virtual ~Loss() = default;

  size_t num_scores() const { return num_scores_; }

  /// The number of classes of the target, whose labels are below it; 0 for a numeric target.
  size_t num_classes() const { return num_classes_; }

  /// Turns the scores of a batch, (batch, num_scores), into the gradient of each record's own loss
  /// at its scores. A record's result depends on the record alone, not on its place in the batch
  /// nor on the rest of the batch.
  virtual void scores_to_gradient(const TableRows& rows, std::span<double> scores) const = 0;

  /// The loss of each record of a batch at its scores, (batch); it may be NaN or infinite where a
  /// score is.
  virtual void losses(const TableRows& rows, std::span<const double> scores,
                      std::span<double> losses) const = 0;

  /// Turns tangents of the scores, (batch, num_scores), into those of the gradient at the scores:
  /// the product with each record's Hessian there.
  virtual void tangents_to_gradient_tangents(std::span<const double> scores,
                                             std::span<double> tangents) const = 0;

  /// The predictions from the scores of all records of `table`, (num_records, num_scores).
  virtual Predictions predict(const EncodedTable& table, std::vector<double> scores) const = 0;

 private:
  size_t num_scores_;
  size_t num_classes_;
};

/// Two classes and one logit z: -log p(y), p(1) = 1 / (1 + exp(-z)); gradient p(1) - y. Label 1 is
/// the second class of the table.
std::unique_ptr<Loss> make_logistic_loss();

/// Two classes and one score z: max(0, 1 - m), m = z for label 1 and -z for label 0. The gradient
/// is a subgradient: -1 or 1 towards the label for m < 1 and 0 from there on, so 1 at most. The
/// loss is not smooth, and its Hessian is 0 wherever there is one. There are no probabilities: the
/// predicted class has 1.
std::unique_ptr<Loss> make_hinge_loss();

/// K >= 2 classes and a score for each: -log p(y), p = softmax(z); gradient p - e_y.
std::unique_ptr<Loss> make_softmax_loss(size_t num_classes);

/// A number and one score z: (z - y)^2 / 2, y the scaled target; gradient z - y.
std::unique_ptr<Loss> make_squared_loss();

}  // namespace equinoise
