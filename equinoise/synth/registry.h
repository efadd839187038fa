// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
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
  Maturity maturity;
  std::string_view source;   ///< key in docs/references.bib
  std::string_view summary;  ///< one line
  std::unique_ptr<Synthesizer> (*make)();
};

std::span<const SynthesizerRow> synthesizers();

/// The row of that name. Errors: kUsage that proposes the nearest name.
const SynthesizerRow& find_synthesizer(std::string_view name);

}  // namespace equinoise
