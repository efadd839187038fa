// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/base/enum_words.h"
#include "equinoise/synth/synth_options.h"

namespace equinoise {

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

/// GEM: a neural network whose outputs are a mixture of product distributions. Round by round a
/// query that the mixture misses is chosen, measured, and the network trained on all measurements.
/// [LiuVietriWu2021, Alg. 1 and section 5]
///
/// Relation: zero_out or add_remove. Queries are counts of marginals (QueryForm): a whole marginal
/// of the workload or below it, or one cell of a marginal of the workload, as published.
/// Sensitivity: a record changes one cell of a marginal by 1, hence each measurement by at most 1
/// (L1 and L2), and each score by at most its marginal's weight (marginal_scores.h). Cost: rho. The
/// number of rounds is fixed, and all cost the same: one choice by the exponential mechanism and
/// one discrete Gaussian measurement. If the number of records is private, it is measured first,
/// for as much as one round.
///
/// Training, the total that counts are divided by (public, or released) and rows are
/// post-processing of the measurements.
///
/// Deviations: whole marginals by default, scored as AIM does, which may be chosen again, and
/// fitted by least squares. Noise of 32 numbers and 64 hidden units in place of 512 and 1024, no
/// more components than the whole table has cells, steps of rates of our own, with Adam's moments
/// kept between rounds. add_information() limits dependences that no measurement covers. The number
/// of rounds is fixed, not chosen by the true error; neither sensitivities nor delta depend on the
/// number of records.
class Gem final : public Synthesizer {
 public:
  const SynthOptions& options() const override;
  SynthPlan make_plan(const SynthConfig& config, const SynthFacts& facts) const override;
  std::vector<AttributeSet> marginals(const SynthPlan& plan) const override;
  SynthOutcome run(const MarginalSource& records, const SynthPlan& plan, Charge charge,
                   RandomSource& source, SynthObserver& observer) const override;
};

/// The scores of all cells of `sets`, one after another, for the choice of a cell: the distance of
/// each count from `expected`, in units of MarginalScores of the largest of `weights`.
std::vector<int64_t> score_cells(const std::vector<std::vector<uint32_t>>& counts,
                                 const std::vector<std::vector<double>>& expected,
                                 const std::vector<double>& weights);

}  // namespace equinoise
