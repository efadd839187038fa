// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/synth/sample_report.h"

#include <fmt/format.h>

#include "equinoise/report/field_json.h"
#include "equinoise/report/format.h"

namespace equinoise {

nlohmann::ordered_json synth_sample_to_json(const SynthSampleReport& report) {
  return document_of("synth sample", report);
}

Document synth_sample_document(const SynthSampleReport& report) {
  Document document;
  document.lead = {fmt::format("{} rows from a model of {} ({}); this costs nothing.",
                               format_count(report.num_rows), report.method,
                               to_string(report.status))};
  document.section("Notes", Fence::kPublishable, Form::kShown).add(Items{report.notes});
  for (const std::string& file : report.files)
    document.files.push_back({file, fence_of(report.status)});
  return document;
}

}  // namespace equinoise
