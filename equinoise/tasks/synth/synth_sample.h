// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/base/progress.h"
#include "equinoise/report/synth/sample_report.h"
#include "equinoise/synth/row_file.h"
#include "equinoise/synth/synth_model.h"
#include "equinoise/tasks/synth/bin_options.h"

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

inline RequestOptions options_of(SynthSampleRequest& request) {
  return joined(
      {{{{.name = "model",
          .help = "Folder written by equinoise synth, or the model.json in it",
          .is_required = true},
         &request.model_path},
        {{.name = "rows",
          .help = "Number of rows to draw",
          .derived = "as many as the model was released with"},
         &request.num_rows},
        {{.name = "given",
          .help =
              "COLUMN=VALUE: condition on the rows; of a numeric column also a range as 30..40, "
              "65.. or ..17. With a number all rows have it and are otherwise drawn for its bin; "
              "a date of a timestamp is that whole day; missing: rows without a value"},
         &request.given}},
       draw_options(request.draw),
       {{{.name = "seed",
          .help = "Seed that gives the same rows again; the model stays as private as it is"},
         &request.seed},
        {{.name = "out",
          .help = "File for the rows: Parquet if its name ends in .parquet, otherwise CSV; - is "
                  "standard output",
          .is_required = true},
         &request.out_path},
        {{.name = "card",
          .help = "File for a card that may be published with the rows: JSON if its name ends in "
                  ".json, otherwise Markdown"},
         &request.card_path},
        {{.name = "force", .help = "Replace an existing --out or --card"}, &request.force}}});
}

/// Draws rows from a released model: post-processing, which costs nothing. Errors: kInput (a model
/// that is wrong, or has nothing to write a card of), kUsage (an unknown column or value in
/// `given`, values that the model holds impossible together, an --out that exists), kRuntime.
SynthSampleReport sample_synthetic(const SynthSampleRequest& request, TaskProgress& progress);

}  // namespace equinoise
