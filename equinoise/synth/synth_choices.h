// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/base/enum_words.h"
#include "equinoise/privacy/delta.h"
#include "equinoise/privacy/relation.h"
#include "equinoise/synth/column_codes.h"
#include "equinoise/synth/private_distribution.h"
#include "equinoise/synth/row_file.h"
#include "equinoise/synth/synthesizer.h"

namespace equinoise {

/// Models of strata.
enum class StrataForm {
  kShared,       ///< from one model of the whole table, to which what strata measure is added
  kIndependent,  ///< each from its own records alone
};
inline constexpr EnumWords<StrataForm, 2> kStrataForms = {
    {{StrataForm::kShared, "shared"}, {StrataForm::kIndependent, "independent"}}};

/// The choices of a user about synthetic rows, all public.
struct SynthChoices {
  std::string method = "swift";
  double epsilon = 0;
  double delta = kDefaultDelta;
  Relation relation = Relation::kZeroOut;
  std::filesystem::path zeros_path;  ///< declared impossible combinations; "": none
  SynthConfig config;                ///< without relation, rho, workload and the model's room
  std::optional<double> max_model_megabytes;  ///< [the method's]
  double max_table_megabytes = 512;           ///< see SynthRecords
  BinOptions bins;
  /// Share of rho for how numbers are spread between their bounds; 0: bins of equal width, within
  /// which numbers are spread evenly. Empty: 0.02 for each column that has such numbers, at most
  /// 0.1.
  std::optional<double> number_share;
  /// Columns whose bins hold equally many also where equal widths would spread numbers nearly as
  /// well.
  std::vector<std::string> quantile_columns;
  std::optional<int64_t> num_rows;  ///< [the public or the released number of records]
  RowFormat format = RowFormat::kCsv;
  std::vector<std::string> stratify;  ///< columns or group attributes; empty: one model
  /// Independent strata that are publicly smaller share one model; where strata share a model
  /// anyway they measure nothing of their own [what noise would hide].
  int64_t min_stratum = 0;
  std::optional<StrataForm> strata;               ///< [shared where sizes and method allow it]
  double shared_share = 0.6;                      ///< of rho, for the shared model
  std::map<std::string, double> stratum_weights;  ///< by name, public; [public sizes, or released]
};

}  // namespace equinoise
