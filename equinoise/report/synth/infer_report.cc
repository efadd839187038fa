// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/synth/infer_report.h"

#include <fmt/format.h>

#include "equinoise/report/field_json.h"

namespace equinoise {

nlohmann::ordered_json infer_to_json(const InferReport& report) {
  return document_of("infer", report);
}

Document infer_document(const InferReport& report) {
  Document document;
  const InferSize& model = report.model;
  Facts facts{{{"model",
                fmt::format("{:.0f} cells ({:.3g} MB) in {} cliques; the largest, ({}), has {:.0f}",
                            model.num_cells, model.megabytes, model.num_cliques,
                            model.largest_clique, model.largest_clique_cells)},
               {"records in total", fmt::format("{:.8g}", report.total)}}};
  if (const std::optional<InferFit>& fit = report.fit) {
    facts.facts.emplace_back(
        "loss", fmt::format("{:.8g} after {} iterations{}; no distribution has a loss below {:.8g}",
                            fit->loss, fit->iterations, fit->interrupted ? " (interrupted)" : "",
                            fit->loss - fit->gap_bound));
  }
  document.section("Distribution", Fence::kPublishable, Form::kShown).add(std::move(facts));
  // They are as private as the measurements; whether these are private is unknown.
  for (const std::string& file : report.files) document.files.push_back({file, {}});
  return document;
}

}  // namespace equinoise
