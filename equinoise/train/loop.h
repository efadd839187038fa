// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/constraints/rate_values.h"
#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"
#include "equinoise/privacy/charge.h"
#include "equinoise/train/clip_policy.h"
#include "equinoise/train/observer.h"
#include "equinoise/train/plan.h"
#include "equinoise/train/regression/coefficients.h"
#include "equinoise/train/state.h"
#include "equinoise/train/worst_group/certified_minimax.h"
#include "equinoise/train/worst_group/group_path.h"

namespace equinoise {

/// What a run whose noise follows its own noisy outputs drew for the members of a group: at most
/// what was charged.
struct RealisedCost {
  double share = 0;  ///< of the budget of groups
  double rho = 0;    ///< of zero-concentrated DP
  std::vector<Event> events;
};

/// What training returns. A post-processing of what it released with noise where the plan is
/// private.
struct TrainedModel {
  std::vector<double> parameters;                 ///< (num_parameters)
  std::vector<ConstraintTrace> constraints = {};  ///< of a method that obeys some
  std::vector<RealisedCost> realised = {};        ///< (num_groups); empty: as planned
  std::vector<std::pair<std::string, double>> realised_shares = {};  ///< of groups that overlap
  std::vector<std::pair<std::string, double>> chosen = {};  ///< by the run, from noisy answers
  std::vector<GroupPathPoint> group_path = {};              ///< of a method that weighs groups
  std::optional<Coefficients> coefficients = {};            ///< of a method that estimates them
  std::optional<MinimaxCertificate> certificate = {};       ///< of minimax; NOT private
};

/// All that one run of a training method needs.
struct TrainingRun {
  const EncodedTable& table;
  const Model& model;
  const TrainingPlan& plan;
  TrainingState start;  ///< TrainingState::start(), or a state of an earlier run of the same plan
  Charge charge;        ///< holds plan.events(), with the draws of the steps that are left
  RandomSource& source;
  StepObserver& observer;
};

/// Takes a step to `parameters`, which would also be released, and shows it to the observer.
void step_to(std::vector<double> parameters, TrainingRun& training);

/// What is done before each step, at these parameters: draws from the charge, and what the clip
/// policy makes of them.
using BeforeStep =
    std::function<void(int64_t step, std::span<const double> parameters, Charge& charge)>;

/// Poisson batch -> per-sample norms -> clip weights -> weighted sum on the grid -> Gaussian noise
/// -> SGD, for the steps from `start` to the last one of the plan.
///
/// Where the table has units (EncodedTable::unit_begin) batches are drawn of these, and a record is
/// here a unit: its rows' gradients are summed, then clipped (unit_sum.h); a null record is one
/// without rows that contribute.
///
/// Relation: zero_out; the batch's members are drawn by position, so a neighbour changes one
/// record's contribution and nothing else (of counted rows in an order that changes no law,
/// docs/theory/noise.md). A null record that is drawn changes nothing.
/// Sensitivity: clip.bound() in L2, exactly, where each record's vector is truncated towards zero
/// on the grid after clipping and integers add without rounding; rounding the sum of a network's
/// batch adds model.sum_error(), at most max(noise_multiplier 2^-30, num_records 2^-59)
/// sqrt(num_parameters) of it. Cost:
/// item 0 of the charge, one batch per step; where the clip policy counts, its second event is the
/// counts, with L2 sensitivity 1. A policy whose counts come first chooses its bound by them; the
/// noise of the sum follows the bound, so each of both is a Gaussian release of its multiplier, one
/// after the other on one batch. Where the policy has a term, the second event is the term's sums
/// over the batch, which a record moves by at most 1, in L1 and L2 or in L2 alone, with Laplace or
/// Gaussian noise; what is added to gradients follows from noisy sums and the record alone, and is
/// clipped with them. Edge cases: an empty batch is a noise-only step; null records and records
/// with a NaN contribute nothing. Normaliser: the expected batch size, public. Result independent
/// of plan.config.threads. What `before_step` draws is its own.
TrainedModel run_noisy_loop(TrainingRun training, ClipPolicy& clip,
                            const BeforeStep& before_step = {});

/// The same loop in double precision without grid and noise: NOT private, for references and tests
/// of the engine.
TrainedModel run_plain_loop(TrainingRun training, ClipPolicy& clip);

/// The sum that a step without a guarantee follows, (num_parameters).
using PlainSum = std::function<std::span<const double>(std::span<const uint32_t> batch,
                                                       std::span<const double> parameters)>;

/// The same with any sum of the batch; observers are shown `clip`. NOT private. Errors: kRuntime
/// for a plan that claims to be, as above for a table that is not one of the model, or one of
/// units, which are not what the sum is of.
TrainedModel run_plain_loop(TrainingRun training, ClipPolicy& clip, const PlainSum& sum_of);

}  // namespace equinoise
