// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "equinoise/synth/mixture/attribute_blocks.h"
#include "equinoise/synth/synth_model.h"

namespace equinoise {

/// An equal mixture of products of distributions over blocks of attributes.
class MixtureSynthModel final : public SynthModel {
 public:
  /// The most components of a mixture.
  static constexpr size_t kMaxComponents = 65'536;

  /// `weights`: (num_components, blocks.num_cells()), row-major; a cell of a block has a
  /// probability proportional to its weight among those of the block. Errors: kUsage for no
  /// component or too many, another number of weights, a distribution without any, or a total that
  /// is not finite and >= 1.
  MixtureSynthModel(AttributeBlocks blocks, size_t num_components, std::vector<uint32_t> weights,
                    double total);

  /// Makes a model from probabilities, which become multiples of 2^-30, at least one.
  static std::unique_ptr<MixtureSynthModel> of_probabilities(AttributeBlocks blocks,
                                                             std::span<const float> probabilities,
                                                             double total);
  /// Megabytes of `num_components` components.
  static double megabytes_of(const AttributeBlocks& blocks, size_t num_components);

  const Domain& domain() const override { return blocks_.domain(); }
  double total() const override { return total_; }
  double megabytes() const override { return megabytes_of(blocks_, num_components_); }
  double probability(const Evidence& evidence) const override;
  std::vector<double> shares(const AttributeSet& set) const override;
  nlohmann::ordered_json to_json() const override;

  const AttributeBlocks& blocks() const { return blocks_; }
  size_t num_components() const { return num_components_; }

 private:
  /// kRound: components have their share of rows to about one, and so has each code of each block
  /// over all rows. Within a component blocks are independent.
  std::unique_ptr<RowStream> make_rows(size_t num_rows, RowDraw draw, const Evidence& evidence,
                                       RandomSource& source,
                                       const TaskProgress& progress) const override;

  /// The weight of the records of each block and cell in the evidence.
  std::vector<std::vector<double>> weights_by(const Evidence& evidence) const;
  /// The probability of the evidence under each component.
  std::vector<double> component_shares(const std::vector<std::vector<double>>& asked) const;

  AttributeBlocks blocks_;
  size_t num_components_;
  std::vector<uint32_t> weights_;
  double total_;
};

/// Errors: kInput that names `place`.
std::unique_ptr<SynthModel> mixture_synth_model_from_json(const nlohmann::json& json,
                                                          const Domain& domain,
                                                          const std::string& place);

}  // namespace equinoise
