// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "equinoise/privacy/random/source.h"
#include "equinoise/synth/graph/graphical_model.h"

namespace equinoise {

/// Records as codes.
struct CodedRows {
  size_t num_rows = 0;
  std::vector<std::vector<uint16_t>> columns;  ///< (num_attributes, num_rows), as in the domain
};

/// Rows whose counts agree with the model's clique marginals to about one row per cell: each
/// attribute in turn, given those before it that share a clique with it, gets the whole part of its
/// expected counts and the rest by systematic chance.
///
/// Post-processing of the model. Rows are in random order. `before_column`: called before each
/// attribute; what it throws ends the drawing. [McKennaSheldonMiklau2019, section 4]
CodedRows round_rows(const GraphicalModel& model, size_t num_rows, RandomSource& source,
                     const std::function<void()>& before_column = {});

/// Independent draws from the model. Post-processing.
CodedRows sample_rows(const GraphicalModel& model, size_t num_rows, RandomSource& source,
                      const std::function<void()>& before_column = {});

}  // namespace equinoise
