// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "equinoise/base/progress.h"
#include "equinoise/privacy/random/source.h"
#include "equinoise/synth/graph/code_urns.h"
#include "equinoise/synth/graph/graphical_model.h"

namespace equinoise {

/// Records as codes.
struct CodedRows {
  size_t num_rows = 0;
  std::vector<std::vector<uint16_t>> columns;  ///< (num_attributes, num_rows), as in the domain
};

/// Rows in random order, drawn block by block. Its memory depends on the model alone.
class RowStream {
 public:
  virtual ~RowStream() = default;

  /// Pre: `num_rows` are left.
  virtual CodedRows next(size_t num_rows) = 0;
};

/// Draws `num_rows` rows. Post-processing of the model, which is not needed afterwards; keeps
/// `source`.
///
/// kRound: each attribute in turn, among the rows with the same codes of earlier attributes in a
/// clique with it, gets the whole part of its expected counts, and the rest by systematic sampling.
/// A count is then off by less than one row for each such set of rows; those sets differ from the
/// model's by as much. Errors: kRuntime if interrupted, before an attribute.
/// [McKennaSheldonMiklau2019, section 4]
std::unique_ptr<RowStream> draw_rows(const GraphicalModel& model, size_t num_rows, RowDraw draw,
                                     RandomSource& source,
                                     const TaskProgress& progress = kUnwatched);

}  // namespace equinoise
