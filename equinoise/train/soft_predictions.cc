// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/soft_predictions.h"

#include <algorithm>

#include "equinoise/models/fixed_blocks.h"

namespace equinoise {

void soft_predictions(std::span<const double> scores, size_t num_outputs, size_t num_classes,
                      double sharpness, std::vector<double>& shares) {
  const size_t num_records = scores.size() / num_outputs;
  shares.resize(num_records * num_classes);
  if (num_outputs == 1) {
    // The first half holds the logits until the shares are spread.
    for (size_t i = 0; i < num_records; ++i) shares[i] = sharpness * scores[i];
    transform_in_blocks(std::span(shares).first(num_records),
                        [](const auto& block) { return 1 / (1 + (-block).exp()); });
    for (size_t i = num_records; i-- > 0;) {
      const double second = shares[i];
      shares[2 * i] = 1 - second;
      shares[2 * i + 1] = second;
    }
    return;
  }
  for (size_t i = 0; i < num_records; ++i) {
    const double* row = scores.data() + i * num_classes;
    const double largest = *std::max_element(row, row + num_classes);
    for (size_t k = 0; k < num_classes; ++k)
      shares[i * num_classes + k] = sharpness * (row[k] - largest);
  }
  transform_in_blocks(std::span(shares), [](const auto& block) { return block.exp(); });
  for (size_t i = 0; i < num_records; ++i) {
    double* row = shares.data() + i * num_classes;
    double sum = 0;
    for (size_t k = 0; k < num_classes; ++k) sum += row[k];
    for (size_t k = 0; k < num_classes; ++k) row[k] /= sum;
  }
}

void push_scores(std::span<const double> push, std::span<const double> shares,
                 std::span<double> gradient) {
  if (gradient.size() == 1) {
    gradient[0] = (push[1] - push[0]) * shares[0] * shares[1];
    return;
  }
  double mean = 0;
  for (size_t k = 0; k < shares.size(); ++k) mean += shares[k] * push[k];
  for (size_t k = 0; k < shares.size(); ++k) gradient[k] = shares[k] * (push[k] - mean);
}

}  // namespace equinoise
