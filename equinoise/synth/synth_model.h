// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "equinoise/base/progress.h"
#include "equinoise/synth/graph/graphical_model.h"
#include "equinoise/synth/graph/rows.h"

namespace equinoise {

/// The release of a synthesizer: a distribution of records, from which any number of rows can be
/// drawn at no further cost.
class SynthModel {
 public:
  virtual ~SynthModel() = default;

  virtual const Domain& domain() const = 0;

  /// The number of records that was released with it, at least 1.
  virtual double total() const = 0;

  virtual double megabytes() const = 0;

  /// The share of records that have the codes in `evidence`. Errors: kUsage for an attribute or
  /// code outside the domain.
  virtual double probability(const Evidence& evidence) const = 0;

  /// The share of records in each cell of the table over `set`, row-major. Errors: kUsage for a set
  /// outside the domain, or with too large a table.
  virtual std::vector<double> shares(const AttributeSet& set) const = 0;

  /// Draws `num_rows` records that have the codes in `evidence`. Post-processing; keeps `source`.
  /// Errors: kUsage for an attribute or code outside the domain, or for codes that are impossible
  /// together; kRuntime if interrupted, before a column or a group of columns is counted.
  std::unique_ptr<RowStream> rows(size_t num_rows, RowDraw draw, const Evidence& evidence,
                                  RandomSource& source,
                                  const TaskProgress& progress = kUnwatched) const {
    return make_rows(num_rows, draw, evidence, source, progress);
  }

  /// Everything that `rows` needs, with the kind under "kind".
  virtual nlohmann::ordered_json to_json() const = 0;

 private:
  virtual std::unique_ptr<RowStream> make_rows(size_t num_rows, RowDraw draw,
                                               const Evidence& evidence, RandomSource& source,
                                               const TaskProgress& progress) const = 0;
};

}  // namespace equinoise
