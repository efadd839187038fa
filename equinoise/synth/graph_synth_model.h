// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "equinoise/synth/rare_values.h"
#include "equinoise/synth/synth_model.h"

namespace equinoise {

/// A graphical model over attributes whose rare values may be pooled.
class GraphSynthModel final : public SynthModel {
 public:
  /// `values`: (attributes of `domain`); `model` is over their pooled codes. Errors: kUsage if they
  /// do not fit each other.
  GraphSynthModel(Domain domain, std::vector<RareValues> values, GraphicalModel model);

  const Domain& domain() const override { return domain_; }
  double total() const override { return model_.total(); }
  double megabytes() const override;
  double probability(const Evidence& evidence) const override;
  std::vector<double> shares(const AttributeSet& set) const override;
  nlohmann::ordered_json to_json() const override;

  const GraphicalModel& model() const { return model_; }
  const std::vector<RareValues>& values() const { return values_; }

  /// The distribution of the attributes `kept`, in that order, for records with this evidence.
  /// `kept` holds all attributes except those that evidence fixes to one code. `total`: the number
  /// of its records. Errors: kUsage for evidence that is impossible together.
  GraphSynthModel within(const Evidence& evidence, const std::vector<size_t>& kept,
                         double total) const;

 private:
  /// Draws rows. A pooled code becomes one of its values, each equally likely, or the one that
  /// `evidence` fixes.
  std::unique_ptr<RowStream> make_rows(size_t num_rows, RowDraw draw, const Evidence& evidence,
                                       RandomSource& source,
                                       const TaskProgress& progress) const override;

  Evidence pooled(const Evidence& evidence) const;

  Domain domain_;
  std::vector<RareValues> values_;
  GraphicalModel model_;
};

/// Errors: kInput that names `place`.
std::unique_ptr<SynthModel> graph_synth_model_from_json(const nlohmann::json& json,
                                                        const Domain& domain,
                                                        const std::string& place);

}  // namespace equinoise
