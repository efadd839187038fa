// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/base/method_status.h"
#include "equinoise/base/progress.h"
#include "equinoise/synth/synth_model.h"
#include "equinoise/tasks/synth/row_file.h"

namespace equinoise {

/// The request of `equinoise synth sample`.
struct SynthSampleRequest {
  std::filesystem::path model_path;  ///< model.json, or the folder that holds it
  std::optional<int64_t> num_rows;   ///< [as many as the model was released with]
  RowDraw draw = RowDraw::kRound;
  RowFormat format = RowFormat::kCsv;
  std::vector<std::string> given;   ///< COLUMN=VALUE
  std::filesystem::path out_path;   ///< unused with `write`
  std::filesystem::path card_path;  ///< JSON if it ends in .json, otherwise Markdown; "": no card
  bool force = false;
  /// Takes the rows in place of a file.
  std::function<void(std::string_view)> write = nullptr;
  std::optional<uint64_t> seed;  ///< for the same rows again; the model's guarantee is untouched
};

struct SynthSampleReport {
  std::string method;
  PrivacyStatus status = PrivacyStatus::kNotPrivate;
  int64_t num_rows = 0;
  double seconds = 0;
  std::vector<std::string> notes;  ///< what rows hold, where that is less than `given` asks for
  std::vector<std::string> files;
};

/// Draws rows from a released model: post-processing, which costs nothing. Errors: kInput (model),
/// or has nothing to write a card of), kUsage (an unknown column or value in `given`, values that
/// the model holds impossible together, an --out that exists), kRuntime.
SynthSampleReport sample_synthetic(const SynthSampleRequest& request, TaskProgress& progress);

}  // namespace equinoise
