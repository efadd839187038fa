// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "equinoise/report/fields.h"
#include "equinoise/report/page/document.h"

namespace equinoise {

/// The quality of the fit of a model.
struct InferFit {
  double loss = 0;
  double gap_bound = 0;  ///< above the least possible at most
  int iterations = 0;
  bool interrupted = false;
};

/// The size of a model.
struct InferSize {
  double num_cells = 0;
  double megabytes = 0;  ///< of its tables
  size_t num_cliques = 0;
  std::string largest_clique;  ///< "age, sex"
  double largest_clique_cells = 0;
};

/// The answer of `equinoise infer`.
struct InferReport {
  std::optional<InferFit> fit;  ///< none of a dry run
  double seconds = 0;
  double total = 0;  ///< number of records
  InferSize model;
  std::vector<std::string> files;
};

template <>
inline constexpr auto fields_of<InferFit> =
    std::tuple(field("loss", &InferFit::loss, "Loss of the model"),
               field("gap_bound", &InferFit::gap_bound, "Above the least possible loss at most"),
               field("iterations", &InferFit::iterations, "Iterations of the estimation"),
               field("interrupted", &InferFit::interrupted, "Whether it was interrupted"));

template <>
inline constexpr auto fields_of<InferSize> = std::tuple(
    field("cells", &InferSize::num_cells, "Cells of the model's tables"),
    field("megabytes", &InferSize::megabytes, "Size of the tables"),
    field("cliques", &InferSize::num_cliques, "Number of cliques"),
    field("largest_clique", &InferSize::largest_clique, "Columns of the largest one"),
    field("largest_clique_cells", &InferSize::largest_clique_cells, "Cells of the largest one"));

template <>
inline constexpr auto fields_of<InferReport> =
    std::tuple(members(&InferReport::fit, "How well the model fits"),
               field("seconds", &InferReport::seconds, "Time"),
               field("total", &InferReport::total, "Number of records"),
               field("model", &InferReport::model, "How large the model is"),
               field("files", &InferReport::files, "Files that were written"));

nlohmann::ordered_json infer_to_json(const InferReport& report);

Document infer_document(const InferReport& report);

}  // namespace equinoise
