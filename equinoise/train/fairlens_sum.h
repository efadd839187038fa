// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"
#include "equinoise/train/clip_policy.h"

namespace equinoise {

/// How FairLens changes and clips gradients.
struct FairLensConfig {
  double max_grad_norm = 1;
  size_t num_groups = 0;
  double clipping_penalty = 1;  ///< gamma_1, the weight of R1
  double boundary_penalty = 1;  ///< gamma_2, the weight of R2
};

/// The clipped gradient sum of FairLens before noise: sum_i clip(g_i + v), where v, the same for
/// all records, is the gradient of gamma_1 R1 + gamma_2 R2. [EsipovaEtAl2023, Alg. 4]
///
///   R1 = |<g_a - g_b, c - g>|                     how clipping moves the gap between two groups
///   R2 = 1/2 (f_a (1 - f_a) + f_b (1 - f_b))      how near groups are to the decision boundary
///
/// of the batch: g_k is the mean gradient of group k, g that of all records, c the mean clipped
/// one, f_k the group's mean probability of the second class.
///
/// NOT PRIVATE: v follows every record of the batch and is part of every clipped vector, so that
/// one record may change the sum by 2 max_grad_norm times the size of the batch.
///
/// Choices where the print leaves one (docs/methods/fairlens.md supports them): the gradient
/// of R1 takes clip factors as constants; f is a probability, whatever the model's last layer. With
/// more than two groups R1 is summed over all pairs and R2 is the mean over groups; with more than
/// two classes f (1 - f) is half the sum of it over classes, which for two is the same. A number
/// has no boundary: R2 = 0. A group that is absent from the batch adds
/// nothing to either.
///
/// No gradient is materialised by record: |g_i + v|^2 is |g_i|^2 + 2 <g_i, v> + |v|^2 with a
/// directional derivative in the middle, and the sum is sum_i w_i g_i + (sum_i w_i) v. The gradient
/// of R1 is two Hessian-vector products.
class FairLensSum {
 public:
  /// Pre: table and model outlive this. Errors: kRuntime where the table has no groups.
  FairLensSum(const EncodedTable& table, const Model& model, const FairLensConfig& config);

  /// (num_parameters), for a batch of record indices. Null records and those whose gradient is not
  /// finite contribute nothing. One thread.
  std::vector<double> clipped_sum(std::span<const uint32_t> batch,
                                  std::span<const double> parameters);

  // Of the last batch:
  double clipping_term() const { return clipping_term_; }                         ///< R1
  double boundary_term() const { return boundary_term_; }                         ///< R2
  std::span<const double> penalty_gradient() const { return penalty_gradient_; }  ///< v

 private:
  /// A group's part of the batch.
  struct Group {
    double size = 0;
    std::vector<double> gradient;    // (parameters) mean
    std::vector<double> prediction;  // (scores) mean
  };

  void measure(std::span<const uint32_t> batch, std::span<const double> parameters);
  void add_clipping_penalty(std::span<const double> parameters);
  void add_boundary_penalty(std::span<const double> parameters);

  const EncodedTable& table_;
  const Model& model_;
  FairLensConfig config_;
  FlatClip clip_;
  std::vector<uint32_t> records_;       // of the batch, those that contribute
  std::vector<double> weights_;         // (records) that clip their own gradients
  std::vector<Group> groups_;           // (groups)
  std::vector<double> clipping_error_;  // (parameters) c - g
  std::vector<double> penalty_gradient_;
  double clipping_term_ = 0;
  double boundary_term_ = 0;
};

}  // namespace equinoise
