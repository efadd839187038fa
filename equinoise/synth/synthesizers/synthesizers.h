// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "equinoise/base/enum_words.h"
#include "equinoise/synth/rare_values.h"
#include "equinoise/synth/synth_options.h"

namespace equinoise {

/// The pairs of attributes, lexicographically, and their scores for the tree's choices: the
/// distance of the pair's counts from the product of one-way models, in units of MarginalScores(1).
/// Errors: kRuntime if interrupted.
struct PairScores {
  std::vector<AttributeSet> pairs;
  std::vector<int64_t> scores;
  size_t num_too_large = 0;  ///< pairs with more than `max_cells`, which are not counted
};
PairScores score_pairs(const MarginalSource& records, const GraphicalModel& one_ways,
                       double max_cells, int threads, const TaskProgress& progress = kUnwatched);

/// Options of aim only.
struct AimOptions {
  double rounds_per_attribute = 16;  ///< of the first rounds' size; fewer follow where noise halves
};

/// The scales of noise of a round of AIM.
struct AimRound {
  double noise_stddev;
  double epsilon;
  bool is_last;
};

/// The first rounds: a budget of rho over `num_rounds`, with the share `share` for measurements.
AimRound first_aim_round(double rho, double num_rounds, double share);

/// The next round: the same, or, if less than two of it are left, the last one, which takes all of
/// `rho_left`.
AimRound next_aim_round(const AimRound& round, double rho_left, double share);

/// Returns whether to halve the noise and double the epsilon: a measurement changed the model's
/// marginal by no more than its noise does.
bool should_halve_noise(std::span<const double> before, std::span<const double> after,
                        double noise_stddev);

/// Options of swift only.
struct SwiftOptions {
  int stages = 3;  ///< how often marginals are scored and measured
};

/// The kind of a round's query.
enum class QueryForm {
  kMarginal,  ///< all counts of a marginal
  kCell,      ///< one of its counts
};
inline constexpr EnumWords<QueryForm, 2> kQueryForms = {
    {{QueryForm::kMarginal, "marginal"}, {QueryForm::kCell, "cell"}}};

/// Options of gem only.
struct GemOptions {
  int rounds = 30;
  QueryForm query_form = QueryForm::kMarginal;
};

/// The scores of all cells of `sets`, one after another, for the choice of a cell: the distance of
/// each count from `expected`, in units of MarginalScores of the largest of `weights`.
std::vector<int64_t> score_cells(const std::vector<std::vector<uint32_t>>& counts,
                                 const std::vector<std::vector<double>>& expected,
                                 const std::vector<double>& weights);

/// The synthesizers of the registry, each defined in a source of its own.
std::unique_ptr<Synthesizer> make_mst();
std::unique_ptr<Synthesizer> make_aim();
std::unique_ptr<Synthesizer> make_swift();
std::unique_ptr<Synthesizer> make_gem();

}  // namespace equinoise
