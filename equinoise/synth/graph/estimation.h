// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "equinoise/synth/graph/graphical_model.h"
#include "equinoise/synth/graph/measurement.h"

namespace equinoise {

struct EstimationProgress {
  int iterations;
  double loss;
  double gap_bound;  ///< the loss itself before a better bound is known
};

struct EstimationOptions {
  /// The number of records. Empty: estimated from the measurements.
  std::optional<double> total;
  /// Ends once the loss is shown to lie at most this far above the optimum.
  double gap_tolerance = 1.0;
  /// Ends once the loss is shown to lie at most this fraction of itself above the optimum.
  double relative_gap_tolerance = 1e-3;
  /// Ends once the loss has fallen by less than this fraction of itself in 50 iterations. 0: never.
  double stall_tolerance = 1e-3;
  int max_iterations = 1000;
  double max_cells = GraphicalModel::kMaxCells;
  int threads = 1;
  /// Potentials that stay as they are: tables of 0 (possible) and kLogZero (declared impossible),
  /// or those of a model to which the estimate is to be nearest in relative entropy.
  std::vector<Factor> fixed_potentials;
  /// Called now and then; if it returns false, the estimation ends with the current model.
  std::function<bool(const EstimationProgress&)> on_progress;
};

struct ModelEstimate {
  GraphicalModel model;
  double loss;       ///< sum over measurements of |(weights * marginal - values) / stddev|^2 / 2
  double gap_bound;  ///< no distribution has a loss below loss - gap_bound
  int iterations;
  bool interrupted;  ///< on_progress returned false
};

/// The maximum-likelihood graphical model of noisy marginals: minimises `loss` over all
/// distributions with the given total.
///
/// Post-processing of released measurements: no data, no cost. The number of iterations, the time
/// and every error depend on measurements and public facts alone. `start`: a model over the same
/// domain whose potentials, except the fixed ones, are a first guess, or nullptr. Deviation:
/// accelerated, with a stopping rule, instead of a fixed number of mirror-descent steps
/// [McKennaSheldonMiklau2019, Alg. 1]; see docs/theory/published-mistakes.md. Errors: as
/// check_measurement() and GraphicalModel; kUsage for no measurement or a total that is not > 0 and
/// at most kMaxMeasured.
ModelEstimate estimate_model(const Domain& domain, const std::vector<NoisyMarginal>& measurements,
                             const EstimationOptions& options,
                             const GraphicalModel* start = nullptr);

}  // namespace equinoise
