// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "equinoise/base/option_value.h"
#include "equinoise/constraints/rate_values.h"
#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"
#include "equinoise/privacy/charge.h"
#include "equinoise/train/additive/additive_terms.h"
#include "equinoise/train/clip_policy.h"
#include "equinoise/train/observer.h"
#include "equinoise/train/plan.h"
#include "equinoise/train/regression/coefficients.h"
#include "equinoise/train/state.h"
#include "equinoise/train/worst_group/certified_minimax.h"
#include "equinoise/train/worst_group/group_path.h"

namespace equinoise {

/// The budget that members of a group really paid, at most what was charged. For runs whose noise
/// follows their own noisy outputs.
struct RealisedCost {
  double share = 0;  ///< of the groups' budget
  double rho = 0;    ///< of zero-concentrated DP
  std::vector<Event> events;
};

/// The result of training. A post-processing of noisy releases if the plan is private.
struct TrainedModel {
  std::vector<double> parameters;                 ///< (num_parameters) of the model
  std::shared_ptr<const Model> model = {};        ///< with what training chose; none: the run's
  std::vector<ConstraintTrace> constraints = {};  ///< of a method that uses constraints
  std::vector<RealisedCost> realised = {};        ///< (num_groups); empty: as planned
  NamedFigures realised_shares = {};              ///< of groups that overlap
  /// Chosen by the run from noisy answers.
  NamedFigures chosen = {};
  std::vector<GroupPathPoint> group_path = {};         ///< of a method with group weights
  std::optional<Coefficients> coefficients = {};       ///< of a method that estimates them
  std::vector<AdditiveTerm> terms = {};                ///< of an additive model with histograms
  std::optional<MinimaxCertificate> certificate = {};  ///< of minimax; NOT private

  const Model& model_or(const Model& of_run) const { return model ? *model : of_run; }
};

/// All inputs of one run of a training method.
struct TrainingRun {
  const EncodedTable& table;
  const Model& model;
  const TrainingPlan& plan;
  TrainingState start;  ///< TrainingState::start(), or a state of an earlier run of the same plan
  Charge charge;        ///< holds plan.events(), with the draws of the remaining steps
  RandomSource& source;
  StepObserver& observer;
};

/// Takes a step to `parameters`, which may be released as well, and shows it to the observer.
void step_to(std::vector<double> parameters, TrainingRun& training);

/// Work before each step, at these parameters: draws from the charge, and their effect on the clip
/// policy.
using BeforeStep =
    std::function<void(int64_t step, std::span<const double> parameters, Charge& charge)>;

/// Poisson batch -> per-sample norms -> clip weights -> weighted sum on the grid -> Gaussian noise
/// -> SGD, for the steps from `start` to the last one of the plan.
///
/// If the table has units (EncodedTable::unit_begin), batches consist of units and "record" means a
/// unit: its rows' gradients are summed, then clipped (batch_sum.h); a null record is a unit
/// without rows that contribute.
///
/// Relation: zero_out. The batch's members are drawn by position, so a neighbour changes one
/// record's contribution and nothing else. (Counted rows are drawn in an order that does not change
/// any distribution, docs/theory/noise.md.) A drawn null record changes nothing.
///
/// Sensitivity: clip.bound() in L2, exactly: each record's vector is truncated towards zero on the
/// grid after clipping, and integers add without rounding. Rounding the sum of a network's batch
/// adds model.sum_error(), at most max(noise_multiplier 2^-30, num_records 2^-59)
/// sqrt(num_parameters) of the bound.
///
/// Cost: item 0 of the charge, one batch per step. If the clip policy counts, the second event is
/// the counts, with L2 sensitivity 1. A policy whose counts come first chooses its bound by them,
/// and the noise of the sum follows the bound; so each of the two is a Gaussian release of its own
/// multiplier, one after the other on one batch. If the policy has a term, the second event is the
/// term's sums over the batch. A record moves these by at most 1, in L1 and L2 or in L2 alone, with
/// Laplace or Gaussian noise. The term's part of a gradient follows from noisy sums and the record
/// alone, and is clipped with it.
///
/// Edge cases: an empty batch is a noise-only step; null records and records with a NaN contribute
/// nothing. Normaliser: the expected batch size, public. The result does not depend on
/// plan.config.threads. Draws of `before_step` are its own responsibility.
TrainedModel run_noisy_loop(TrainingRun training, ClipPolicy& clip,
                            const BeforeStep& before_step = {});

/// The same loop in double precision without grid and noise. NOT private: for references and tests
/// of the engine.
TrainedModel run_plain_loop(TrainingRun training, ClipPolicy& clip);

/// The sum, (num_parameters), that a step without a guarantee follows.
using PlainSum = std::function<std::span<const double>(std::span<const uint32_t> batch,
                                                       std::span<const double> parameters)>;

/// The same with any sum of the batch; observers receive `clip`. NOT private. Errors: kRuntime for
/// a plan that claims to be private; for a table that is not one of the model; and for a table of
/// units, since the sum is over records.
TrainedModel run_plain_loop(TrainingRun training, ClipPolicy& clip, const PlainSum& sum_of);

}  // namespace equinoise
