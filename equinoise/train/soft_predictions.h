// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace equinoise {

/// softmax(sharpness * scores) of each record, (records, classes). scores: (records, outputs), one
/// logit of the second of two classes or a score for each class.
void soft_predictions(std::span<const double> scores, size_t num_outputs, size_t num_classes,
                      double sharpness, std::vector<double>& shares);

/// The gradient of sum_k push[k] shares[k] at the scores of one record, at a sharpness of 1. push,
/// shares: (classes); gradient: (outputs).
void push_scores(std::span<const double> push, std::span<const double> shares,
                 std::span<double> gradient);

}  // namespace equinoise
