// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"
#include "equinoise/train/clip_policy.h"

namespace equinoise {

/// Weights of the penalties and the clip of FairLens.
struct FairLensConfig {
  double max_grad_norm = 1;
  size_t num_groups = 0;
  double clipping_penalty = 1;  ///< gamma_1, the weight of R1
  double boundary_penalty = 1;  ///< gamma_2, the weight of R2
};

/// The clipped gradient sum of FairLens before noise: sum_i clip(g_i + v). The vector v is the same
/// for all records: the gradient of gamma_1 R1 + gamma_2 R2. [EsipovaEtAl2023, Alg. 4]
///
///   R1 = |<g_a - g_b, c - g>|                     change of the gap between two groups by clipping
///   R2 = 1/2 (f_a (1 - f_a) + f_b (1 - f_b))      closeness of groups to the decision boundary
///
/// All are means over the batch: g_k the gradient of group k, g that of all records, c the clipped
/// gradient, f_k the group's probability of the second class.
///
/// NOT PRIVATE: v depends on every record of the batch and is part of every clipped vector, so one
/// record may change the sum by 2 max_grad_norm times the size of the batch.
///
/// Choices where the paper is ambiguous (docs/methods/fairlens.md supports them): the gradient of
/// R1 treats clip factors as constants; f is a probability, whatever the model's last layer. With
/// more than two groups R1 is summed over all pairs and R2 is the mean over groups. With more than
/// two classes f (1 - f) is half its sum over classes, which is the same for two. A number has no
/// boundary: R2 = 0. A group that is absent from the batch adds nothing to either.
///
/// No gradient is materialised per record: |g_i + v|^2 is |g_i|^2 + 2 <g_i, v> + |v|^2 with a
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

  /// v of the last batch.
  std::span<const double> penalty_gradient() const { return penalty_gradient_; }

 private:
  /// Means over a group's records in the batch.
  struct Group {
    double size = 0;
    std::vector<double> gradient;    // (parameters)
    std::vector<double> prediction;  // (scores)
  };

  void measure(std::span<const uint32_t> batch, std::span<const double> parameters);
  void add_clipping_penalty(std::span<const double> parameters);
  void add_boundary_penalty(std::span<const double> parameters);

  const EncodedTable& table_;
  const Model& model_;
  FairLensConfig config_;
  FlatClip clip_;
  std::vector<uint32_t> records_;       // records of the batch that contribute
  std::vector<double> weights_;         // (records) weights of flat clipping
  std::vector<Group> groups_;           // (groups)
  std::vector<double> clipping_error_;  // (parameters) c - g
  std::vector<double> penalty_gradient_;
};

}  // namespace equinoise
