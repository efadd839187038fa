// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "equinoise/base/option_value.h"

namespace equinoise {

/// The method of making rows.
struct SynthesisMethod {
  std::string synthesizer;  ///< of synth/registry.h; "": the records that others are fitted to
  std::vector<std::string> strata;  ///< one of the divisions; empty: no strata
};

/// Synthetic rows of a table, for one epsilon after another, overall and by strata.
struct ReproductionSynthesis {
  std::string grid;  ///< the item that describes the runs: "002/synthesis"
  std::vector<double> epsilons;
  double delta = 1e-9;
  int degree = 3;  ///< of the workload's marginals, for synthesizers that follow one
  /// Options of single synthesizers by name, degree among them.
  std::map<std::string, std::vector<Setting>> options_of;
  int num_bins = 32;  ///< of numeric columns
  double max_model_megabytes = 80;
  bool has_printed_parity = false;  ///< with the columns of parity as printed
  int64_t min_stratum = 0;  ///< smaller strata share a model, and are one group of the evaluation
  double test_fraction = 0.2;
  std::string positive;  ///< class of the table's target; "": the second of two
  std::vector<std::vector<std::string>> divisions;  ///< columns that make strata and groups
  std::vector<std::string> metrics;                 ///< reported ones: is_synthesis_metric()
  std::vector<SynthesisMethod> methods;
};

}  // namespace equinoise
