// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "equinoise/synth/synth_model.h"
#include "equinoise/tasks/synth/synth_file.h"

namespace equinoise {

/// How rows were drawn from a model.
struct DrawnRows {
  int64_t num_rows = 0;
  RowDraw draw = RowDraw::kRound;
  std::vector<std::string> given = {};  ///< conditions, COLUMN=VALUE
};

/// What the publisher of synthetic rows may print next to them: the guarantee, what was measured
/// with what noise, how columns were coded, what rows keep and what they do not, how far noise puts
/// marginals and strata off, and how to quote the rows.
///
/// Publishable: a card is a function of model.json and of how rows were drawn, and of nothing else.
/// Each field of model.json is from the schema, from options, or from what was released under the
/// run's guarantee (synth_file.h), so two runs whose releases are the same have the same card,
/// whatever their tables hold. Figures of error follow from noise, numbers of counts and public
/// sizes alone, and bounds from released counts (selection_bound.h). Pre: `file.released`.
nlohmann::ordered_json rows_card_to_json(const SynthFile& file, const DrawnRows& rows);
std::string rows_card_to_markdown(const SynthFile& file, const DrawnRows& rows);

}  // namespace equinoise
