// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/base/enum_words.h"
#include "equinoise/synth/counted_question.h"
#include "equinoise/synth/synth_file.h"

namespace equinoise {

/// A question about the records behind a model: one of a table, a share and a mean.
struct FigureQuestion {
  std::vector<std::string> table = {};  ///< columns or group attributes of a cross-table
  std::vector<std::string> share = {};  ///< COLUMN=VALUE: the share of records with all of these
  std::string mean = {};                ///< a numeric column
  std::vector<std::string> by = {};     ///< the same: a share or a mean of each of their groups
};

enum class FigureKind { kCount, kShare, kMean };
inline constexpr EnumWords<FigureKind, 3> kFigureKinds = {
    {{FigureKind::kCount, "count"}, {FigureKind::kShare, "share"}, {FigureKind::kMean, "mean"}}};
template <>
inline constexpr auto words_for<FigureKind> = kFigureKinds;

/// The most cells of the table over the columns of a question.
inline constexpr double kMaxAskedCells = 10'000;

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

/// Pre: `file.released`. Errors: kUsage (not one question, an unknown column or value, a mean of
/// categories, more cells than kMaxCells).
EstimateQuestion read_question(const FigureQuestion& asked, const SynthFile& file);

}  // namespace equinoise
