// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "equinoise/synth/graph/factor.h"
#include "equinoise/synth/graph/measurement.h"

namespace equinoise {

// The input files of users, as JSON. A clique is a list of attribute names in any order, and tables
// are row-major in that order. Errors: kInput that names `origin`, the place in it and the
// correction; other keys are ignored.

/// {"total": 48842 (optional), "measurements": [{"clique": ["age", "sex"], "sigma": 10, "y":
/// [..]}]}
struct MeasurementFile {
  std::optional<double> total;
  std::vector<NoisyMarginal> measurements;
};
MeasurementFile parse_measurements(std::string_view text, std::string_view origin,
                                   const Domain& domain);

/// {"zeros": [{"clique": ["age", "married"], "cells": [[0, 1], [1, 1]]}]}: impossible combinations
/// of codes, as tables of 0 and kLogZero.
std::vector<Factor> parse_structural_zeros(std::string_view text, std::string_view origin,
                                           const Domain& domain);

/// {"marginals": [{"clique": ["age", "race"]}, {"clique": ["sex"]}]}: positions, in the order of
/// the file.
std::vector<std::vector<int>> parse_marginal_list(std::string_view text, std::string_view origin,
                                                  const Domain& domain);

}  // namespace equinoise
