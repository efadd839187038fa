// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "equinoise/base/method_status.h"
#include "equinoise/report/fields.h"
#include "equinoise/report/page/document.h"

namespace equinoise {

/// The answer of `equinoise synth sample`.
struct SynthSampleReport {
  std::string method;
  PrivacyStatus status = PrivacyStatus::kNotPrivate;
  int64_t num_rows = 0;
  double seconds = 0;
  std::vector<std::string> notes;  ///< what rows hold, where that is less than `given` asks for
  std::vector<std::string> files;
};

template <>
inline constexpr auto fields_of<SynthSampleReport> = std::tuple(
    field("method", &SynthSampleReport::method, "Method that made the model"),
    field("status", &SynthSampleReport::status, "Whether a guarantee holds"),
    field("rows", &SynthSampleReport::num_rows, "Number of rows"),
    field("seconds", &SynthSampleReport::seconds, "Time"),
    field("notes", &SynthSampleReport::notes, "Where rows hold less than what was asked for"),
    field("files", &SynthSampleReport::files, "Files that were written"));

nlohmann::ordered_json synth_sample_to_json(const SynthSampleReport& report);

Document synth_sample_document(const SynthSampleReport& report);

}  // namespace equinoise
