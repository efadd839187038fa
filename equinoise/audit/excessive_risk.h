// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "equinoise/audit/hessian.h"
#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"
#include "equinoise/train/clip_policy.h"
#include "equinoise/train/gradient_sums.h"

namespace equinoise {

/// The step of training to explain.
struct StepSetting {
  GradientSums gradients;  ///< of the batch, divided by batch_size
  double batch_size = 1;
  double learning_rate = 0;
  double noise_stddev = 0;  ///< on each entry of the sum
};

/// The estimates to make, and their effort.
struct RiskEffort {
  size_t num_directions = 100;  ///< of the estimate of traces; 0: no traces, no risk of noise
  uint64_t seed = 0;            ///< of directions
  bool eigenvalues = true;      ///< also the ends of the spectra
  int threads = 1;
  std::function<void(size_t group)> before_group = {};  ///< called with the next group to explain
  /// Called from any thread before each pass over a group and often within those of Hessians; an
  /// exception from it ends the analysis.
  std::function<void()> check_interruption = {};
};

/// The change of a group's mean loss by a step, to second order, split by causes. Positive is
/// worse. g_a and H_a are gradient and Hessian of the group's mean loss over all its records. g_B
/// and gbar_B are the sums of the batch's gradients, unclipped and clipped, divided by batch_size;
/// r = |gbar_B| / |g_B|. [EsipovaEtAl2023, Prop. 1, 2 and 2*]
///
/// Clipping changes length and direction. The effect of each is reported as the first and as the
/// second change, because the two effects depend on each other (docs/theory/excessive-risk.md).
struct GroupRisk {
  int64_t num_records = 0;
  double share = 0;  ///< of all groups' records
  double loss = 0;
  double gradient_norm = 0;        ///< |g_a|
  double cos_unclipped = 0;        ///< cosine of the angle between g_a and g_B
  double cos_clipped = 0;          ///< between g_a and gbar_B
  TraceEstimate hessian_trace;     ///< NaN if not requested
  ExtremeEigenvalues eigenvalues;  ///< of H_a; NaN if not requested
  double non_private_change = 0;   ///< by a step along g_B: -eta <g_a, g_D> + eta^2/2 g_B' H_a g_B
  double clip = 0;                 ///< of gbar_B instead of g_B: the sum of either pair below
  double magnitude = 0;            ///< of the length, first: r g_B instead of g_B
  double direction = 0;            ///< of the direction, last: gbar_B instead of r g_B
  double direction_first = 0;      ///< gbar_B / r instead of g_B; NaN if only gbar_B is 0
  double magnitude_last = 0;       ///< gbar_B instead of gbar_B / r; NaN if only gbar_B is 0
  double noise = 0;                ///< eta^2/2 tr(H_a) (noise_stddev / batch_size)^2
  double clip_over_all_records = 0;  ///< first-order term with all records instead of the batch
};

/// The risks of one step, by group. NOT PRIVATE.
struct ExcessiveRisk {
  double norm_ratio = 0;             ///< r; NaN, as magnitude and direction, if only g_B is 0
  double gradient_norm = 0;          ///< |g_B|
  double clipped_gradient_norm = 0;  ///< |gbar_B|
  std::vector<GroupRisk> groups;     ///< those that have records; others are zeros
  /// (num_groups, num_groups): a lower bound on the direction's cost for group a minus that for
  /// group b, if no Hessian has a negative eigenvalue and step_size_condition holds
  /// [EsipovaEtAl2023, Prop. 3].
  std::vector<double> direction_gap_bound;
  /// The bound with the groups' largest eigenvalues instead of that condition; NaN without them.
  std::vector<double> direction_gap_bound_by_eigenvalues;
  /// The bound for any eigenvalues, with the width of both groups' spectra. NaN without
  /// eigenvalues.
  std::vector<double> direction_gap_bound_by_spectrum;
  /// The same bound for direction_first: the correct part of [EsipovaEtAl2023, Prop. 3*].
  std::vector<double> direction_first_gap_bound_by_spectrum;
  /// The bound for clip_over_all_records, by lengths of gradients alone, under the conditions of
  /// the first bound: the correct part of the argument of [TranEtAl2021, Thm. 3].
  std::vector<double> clip_gap_bound;
  bool step_size_condition = false;  ///< learning_rate * largest eigenvalue <= 1 for every group
};

/// The risks of one step of a run. NOT PRIVATE.
struct RiskPoint {
  int64_t step = 0;  ///< from 0
  double learning_rate = 0;
  ExcessiveRisk risk;
};

/// The risks of one step from `parameters`. Groups are those of the table, whose records need not
/// be all that the batch was drawn from; "all records" are those of the table.
///
/// Deviation: the printed R_noise lacks 1 / batch_size^2. The bounds hold for convex losses only,
/// and the printed Prop. 3* not even there, see docs/theory/excessive-risk.md. NOT PRIVATE: exact
/// figures of the records. Errors: kUsage if the table has no groups.
ExcessiveRisk excessive_risk(const EncodedTable& table, size_t num_groups, const Model& model,
                             std::span<const double> parameters, const ClipPolicy& clip,
                             const StepSetting& step, const RiskEffort& effort);

}  // namespace equinoise
