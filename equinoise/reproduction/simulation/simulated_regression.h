// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "equinoise/reproduction/simulation/group_records.h"
#include "equinoise/reproduction/simulation/simulated_answers.h"
#include "equinoise/reproduction/simulation/weighted_descent.h"
#include "equinoise/train/tailoring/budget_split.h"
#include "equinoise/train/tailoring/stage_one.h"

namespace equinoise {

/// The algorithm of two-stage regression.
enum class TailoringAlgorithm {
  kUnweighted,   ///< "unweighted": all records alike for the whole budget, DPNoSE in the paper
  kSummed,       ///< "summed": Algorithm 3
  kPrinted,      ///< "printed": Algorithm 2 with its printed noise
  kGroupLosses,  ///< "group_losses": Algorithm 2 with noise of the right scale
  kBalanced,     ///< "balanced": the mean over groups in one release
  kWeighted,     ///< "weighted": sums of groups, weighted by their shares, in one release
  kDecoupled,    ///< "decoupled": a model for each group, each for the whole budget
  kStageOne,     ///< "stage_one": the first stage alone, for its whole budget
};

/// One line of a simulated experiment.
struct SimulatedMethod {
  TailoringAlgorithm algorithm = TailoringAlgorithm::kUnweighted;
  /// The division of the second stage's budget, or its weights for kWeighted. Splits that depend on
  /// errors pay for stage one, others leave the whole budget to the second. None: every group has
  /// all of it, as disjoint groups may.
  std::optional<SplitRule> split;
  bool is_private = true;                  ///< false: without noise, and without stage one
  GroupFunction objective = kSumOfGroups;  ///< for group_losses
  double lagrange_multiplier = 0;          ///< the same
  /// Overrides the settings' step size: steps of this over sqrt(t), times the mean over records if
  /// the algorithm follows their sum.
  std::optional<double> step_size;
};

/// The common settings of all lines of an experiment.
struct SimulationSettings {
  RegressionModel model = RegressionModel::kLinear;
  DescentConfig descent;
  AnswerBounds bounds = {Relation::kZeroOut, 2, 1};
  StageOneBounds stage_one = {Relation::kZeroOut, 4, 40, 2};
  double stage_one_share = 0.2;  ///< of the budget
  double loss_bound = 0;         ///< of every group, in units of clipped losses
};

/// The result of a run. NOT PRIVATE.
struct SimulatedOutcome {
  std::vector<std::vector<double>> parameters;  ///< (groups), those of the group's model
  std::vector<double> shares;     ///< (groups) of the second stage's budget; empty: not divided
  std::vector<double> residuals;  ///< (groups) roots of stage one's mean squared ones; may be empty
  /// (groups) The cost of all of it for a record of the group, independent of the whole budget;
  /// empty: no noise.
  std::vector<double> group_rho;
};

/// Errors: kUsage for any other name.
TailoringAlgorithm parse_tailoring_algorithm(std::string_view name);

/// Returns whether a run of the method uses stage one.
bool needs_stage_one(const SimulatedMethod& method);

/// Runs the method on disjoint groups. Stage one of a logistic model is kStageOneSteps of descent
/// along all records' gradients, and Brier's score, as in dpse. rho is the cost for a record;
/// nothing is charged. stage_one may be nullptr if it is not needed. NOT PRIVATE.
SimulatedOutcome run_simulated(const SimulatedMethod& method, const SimulationSettings& settings,
                               const GroupRecords& records, double rho,
                               SimulatedStageOneAnswers* stage_one, SimulationNoise& noise);

}  // namespace equinoise
