// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "equinoise/synth/counted_question.h"
#include "equinoise/tasks/synth/synth_estimate.h"
#include "equinoise/tasks/synth/synth_file.h"

namespace equinoise {

/// One figure that a question asks for: V / W of record_interval.h.
struct AskedFigure {
  FigureKind kind = FigureKind::kShare;
  GroupLabel group;
  std::vector<ColumnFactor> factors;  ///< (columns of the question)
  double base = 0;                    ///< what is public in W
  double least = 0;                   ///< what it can be
  double most = 1;
};

struct EstimateQuestion {
  AttributeSet columns;  ///< positions in the file
  std::string words;
  std::vector<std::string> notes;
  std::vector<AskedFigure> figures;
  size_t num_events = 1;  ///< intervals that do not follow from each other
};

/// Pre: `file.released`. Errors: kUsage, as estimate_from_synthetic.
EstimateQuestion read_question(const SynthEstimateRequest& request, const SynthFile& file);

}  // namespace equinoise
