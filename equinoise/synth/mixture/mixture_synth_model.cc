// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/mixture/mixture_synth_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "equinoise/base/error.h"
#include "equinoise/synth/graph/rows.h"
#include "equinoise/synth/mixture/mixture_marginals.h"
#include "equinoise/synth/synth_progress.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "synth.mixture_model";
constexpr double kUnits = 0x1p30;  // of a probability of 1

[[noreturn]] void refuse(std::string_view message) {
  throw Error(ErrorKind::kUsage, kWhere, std::string(message));
}

/// Draws a component for each row, and from it the cells of all blocks.
class MixtureRows final : public RowStream {
 public:
  /// `components`: one urn. `blocks`: of each block an urn for each component.
  MixtureRows(const AttributeBlocks& attributes, CodeUrns components, std::vector<CodeUrns> blocks,
              RandomSource& source)
      : attributes_(attributes),
        components_(std::move(components)),
        blocks_(std::move(blocks)),
        source_(source) {}

  CodedRows next(size_t num_rows) override {
    CodedRows rows;
    rows.num_rows = num_rows;
    rows.columns.assign(static_cast<size_t>(attributes_.domain().num_attributes()),
                        std::vector<uint16_t>(num_rows));
    std::vector<uint32_t> component_of(num_rows);
    for (uint32_t& component : component_of) component = components_.draw(0, source_);
    std::vector<uint32_t> cells(num_rows);
    for (size_t block = 0; block < blocks_.size(); ++block) {
      for (size_t row = 0; row < num_rows; ++row)
        cells[row] = blocks_[block].draw(component_of[row], source_);
      for (const int attribute : attributes_.blocks()[block].attributes) {
        const std::vector<uint16_t>& codes = attributes_.codes_of(attribute);
        std::vector<uint16_t>& column = rows.columns[static_cast<size_t>(attribute)];
        for (size_t row = 0; row < num_rows; ++row) column[row] = codes[cells[row]];
      }
    }
    return rows;
  }

 private:
  AttributeBlocks attributes_;
  CodeUrns components_;
  std::vector<CodeUrns> blocks_;
  RandomSource& source_;
};

}  // namespace

MixtureSynthModel::MixtureSynthModel(AttributeBlocks blocks, size_t num_components,
                                     std::vector<uint32_t> weights, double total)
    : blocks_(std::move(blocks)),
      num_components_(num_components),
      weights_(std::move(weights)),
      total_(total) {
  if (num_components_ < 1 || num_components_ > kMaxComponents)
    refuse(fmt::format("there must be 1 to {} components", kMaxComponents));
  if (weights_.size() != num_components_ * blocks_.num_cells())
    refuse("there must be one weight for each component and cell");
  if (!(total_ >= 1) || !std::isfinite(total_)) refuse("total must be finite and >= 1");
  for (size_t begin = 0; begin < weights_.size();) {
    for (const size_t size : blocks_.sizes()) {
      const auto first = weights_.begin() + static_cast<std::ptrdiff_t>(begin);
      if (std::none_of(first, first + static_cast<std::ptrdiff_t>(size),
                       [](uint32_t weight) { return weight > 0; }))
        refuse("each distribution must have a weight above 0");
      begin += size;
    }
  }
}

std::unique_ptr<MixtureSynthModel> MixtureSynthModel::of_probabilities(
    AttributeBlocks blocks, std::span<const float> probabilities, double total) {
  std::vector<uint32_t> weights;
  weights.reserve(probabilities.size());
  for (const float probability : probabilities) {
    const double units = std::nearbyint(std::clamp<double>(probability, 0, 1) * kUnits);
    weights.push_back(static_cast<uint32_t>(std::max(1.0, units)));
  }
  const size_t num_components = probabilities.size() / blocks.num_cells();
  return std::make_unique<MixtureSynthModel>(std::move(blocks), num_components, std::move(weights),
                                             std::max(1.0, total));
}

double MixtureSynthModel::megabytes_of(const AttributeBlocks& blocks, size_t num_components) {
  return static_cast<double>(num_components * blocks.num_cells() * sizeof(uint32_t)) / 0x1p20;
}

std::vector<std::vector<double>> MixtureSynthModel::weights_by(const Evidence& evidence) const {
  std::vector<std::vector<double>> asked;
  for (const size_t size : blocks_.sizes()) asked.emplace_back(size, 1.0);
  for (const AttributeEvidence& own : evidence) {
    if (!fits(own, domain())) {
      refuse(fmt::format("a given code must lie within the domain, got code {} of attribute {}",
                         own.code, own.attribute));
    }
    std::vector<double>& cells = asked[blocks_.block_of(own.attribute)];
    for (size_t cell = 0; cell < cells.size(); ++cell)
      cells[cell] *= own.weight_of(blocks_.codes_of(own.attribute)[cell]);
  }
  return asked;
}

std::vector<double> MixtureSynthModel::component_shares(
    const std::vector<std::vector<double>>& asked) const {
  std::vector<double> shares;
  size_t begin = 0;
  for (size_t component = 0; component < num_components_; ++component) {
    double share = 1;
    for (const std::vector<double>& cells : asked) {
      double sum = 0;
      double sum_asked = 0;
      for (size_t cell = 0; cell < cells.size(); ++cell) {
        sum += weights_[begin + cell];
        sum_asked += cells[cell] * weights_[begin + cell];
      }
      share *= sum_asked / sum;
      begin += cells.size();
    }
    shares.push_back(share);
  }
  return shares;
}

double MixtureSynthModel::probability(const Evidence& evidence) const {
  const std::vector<double> shares = component_shares(weights_by(evidence));
  return std::accumulate(shares.begin(), shares.end(), 0.0) / static_cast<double>(num_components_);
}

std::vector<double> MixtureSynthModel::shares(const AttributeSet& set) const {
  domain().check(set, kWhere);
  std::vector<float> probabilities;
  probabilities.reserve(weights_.size());
  for (size_t begin = 0; begin < weights_.size();) {
    for (const size_t size : blocks_.sizes()) {
      double sum = 0;
      for (size_t cell = begin; cell < begin + size; ++cell) sum += weights_[cell];
      for (size_t cell = begin; cell < begin + size; ++cell)
        probabilities.push_back(static_cast<float>(weights_[cell] / sum));
      begin += size;
    }
  }
  MixtureMarginals marginals(blocks_);
  marginals.add(set);
  std::vector<double> shares;
  marginals.evaluate(
      probabilities.data(), num_components_, 1,
      [&](size_t, std::span<const double> own) { shares.assign(own.begin(), own.end()); });
  return shares;
}

std::unique_ptr<RowStream> MixtureSynthModel::make_rows(size_t num_rows, RowDraw draw,
                                                        const Evidence& evidence,
                                                        RandomSource& source,
                                                        const TaskProgress& progress) const {
  const std::vector<std::vector<double>> asked = weights_by(evidence);
  const std::vector<double> shares = component_shares(asked);
  if (std::ranges::none_of(shares, [](double share) { return share > 0; }))
    refuse("in this model no record has these codes together; ask for others");
  CodeUrns components(1, num_components_, draw);
  const std::span<const size_t> filled = components.fill(0, shares, num_rows, source);
  const std::vector<size_t> sizes(filled.begin(), filled.end());

  std::vector<CodeUrns> blocks;
  std::vector<double> weights;
  size_t block_begin = 0;
  for (const std::vector<double>& cells : asked) {
    check_interrupted(progress);
    CodeUrns& urns = blocks.emplace_back(num_components_, cells.size(), draw);
    // The deficit of earlier components for each cell, in rows.
    std::vector<double> owed(cells.size(), 0);
    for (size_t component = 0; component < num_components_; ++component) {
      if (sizes[component] == 0) continue;
      const uint32_t* from = weights_.data() + component * blocks_.num_cells() + block_begin;
      weights.assign(cells.size(), 0);
      for (size_t cell = 0; cell < cells.size(); ++cell) weights[cell] = cells[cell] * from[cell];
      if (draw == RowDraw::kSample) {
        urns.fill(component, weights, 0, source);
        continue;
      }
      const auto num_here = static_cast<double>(sizes[component]);
      const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
      for (size_t cell = 0; cell < cells.size(); ++cell) {
        owed[cell] += num_here * weights[cell] / sum;
        weights[cell] = weights[cell] > 0 ? std::max(0.0, owed[cell]) : 0;
      }
      const std::span<const size_t> counts =
          urns.fill(component, weights, sizes[component], source);
      for (size_t cell = 0; cell < cells.size(); ++cell)
        owed[cell] -= static_cast<double>(counts[cell]);
    }
    block_begin += cells.size();
  }
  return std::make_unique<MixtureRows>(blocks_, std::move(components), std::move(blocks), source);
}

nlohmann::ordered_json MixtureSynthModel::to_json() const {
  nlohmann::ordered_json blocks = nlohmann::ordered_json::array();
  for (const AttributeBlock& block : blocks_.blocks())
    blocks.push_back({{"attributes", block.attributes}, {"cells", block.cells}});
  return {{"kind", "mixture"},
          {"total", total_},
          {"blocks", std::move(blocks)},
          {"components", num_components_},
          {"weights", weights_}};
}

std::unique_ptr<SynthModel> mixture_synth_model_from_json(const nlohmann::json& json,
                                                          const Domain& domain,
                                                          const std::string& place) {
  try {
    std::vector<AttributeBlock> blocks;
    for (const nlohmann::json& block : json.at("blocks")) {
      blocks.push_back({block.at("attributes").get<AttributeSet>(),
                        block.at("cells").get<std::vector<uint32_t>>()});
    }
    for (const nlohmann::json& weight : json.at("weights")) {
      if (!weight.is_number_unsigned() || weight.get<uint64_t>() > uint64_t{1} << 30)
        refuse("weights must be whole numbers from 0 to 2^30");
    }
    return std::make_unique<MixtureSynthModel>(
        AttributeBlocks(domain, std::move(blocks)), json.at("components").get<size_t>(),
        json.at("weights").get<std::vector<uint32_t>>(), json.at("total").get<double>());
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::kInput, kWhere,
                place + ": a key of the model is missing or has another type");
  } catch (const Error& error) {
    throw Error(ErrorKind::kInput, kWhere, "{}: {}", place, error.what());
  }
}

}  // namespace equinoise
