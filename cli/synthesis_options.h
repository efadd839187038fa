// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "equinoise/tasks/synth/synth.h"

namespace equinoise::cli {

/// Options that a release of rows and a comparison of its methods have in common.
struct SynthesisOptions {
  SynthRequest request;
  std::string relation = "zero_out";
  std::string rows_method = "round";
};

/// Adds rows, bins, what is spent on numbers and gaps, delta and relation, settings of methods and
/// models, and strata. `options` must outlive parsing.
void add_synthesis_options(CLI::App& command, SynthesisOptions& options);

/// The request that these options describe.
SynthRequest finish_synthesis(const SynthesisOptions& options);

}  // namespace equinoise::cli
