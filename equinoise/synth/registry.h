// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "equinoise/base/method_status.h"
#include "equinoise/synth/synthesizer.h"

namespace equinoise {

/// One method for synthetic data. The CLI's list, the conformance tests and the docs check read
/// this table.
struct SynthesizerRow {
  std::string_view name;
  PrivacyStatus status;
  std::string_view source;   ///< key in docs/references.bib
  std::string_view summary;  ///< one line
  std::unique_ptr<Synthesizer> (*make)();
  bool is_graphical;  ///< its models are GraphSynthModel
  /// The default room for a model, given the public number of records.
  double (*usual_megabytes)(std::optional<int64_t> num_records) = [](std::optional<int64_t>) {
    return SynthConfig().max_model_megabytes;
  };

  const SynthOptions& options() const { return make()->options(); }

  bool follows(std::string_view option) const;
};

std::span<const SynthesizerRow> synthesizers();

/// The options of all methods, each once, in the order of the first row that has them.
const SynthOptions& synth_options();

/// The row of that name. Errors: kUsage that proposes the nearest name.
const SynthesizerRow& find_synthesizer(std::string_view name);

}  // namespace equinoise
