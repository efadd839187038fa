// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/network/network.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "equinoise/base/error.h"
#include "equinoise/base/parallel.h"
#include "equinoise/base/rounding.h"
#include "equinoise/models/network/exact_outer_products.h"

namespace equinoise {

namespace {

/// The number of values of all records of a tile that stay in the cache of a core.
constexpr size_t kMaxKept = size_t{1} << 18;

/// A usual batch of 256 records is two tiles, for two threads.
constexpr size_t kMaxTileRecords = 160;
static_assert(kMaxTileRecords <= kMaxOuterProducts);

}  // namespace

Network::Network(std::string name, std::unique_ptr<InputLayer> first,
                 std::vector<std::unique_ptr<Layer>> layers, std::unique_ptr<Loss> loss)
    : name_(std::move(name)),
      first_(std::move(first)),
      layers_(std::move(layers)),
      loss_(std::move(loss)) {
  num_parameters_ = first_->num_parameters();
  for (const auto& layer : layers_) {
    offsets_.push_back(num_parameters_);
    num_parameters_ += layer->num_parameters();
    num_kept_ += layer->num_kept();
  }
  output_places_.resize(layers_.size() + 1);
  std::iota(output_places_.begin(), output_places_.end(), size_t{0});
  gradient_places_ = output_places_;
  for (size_t l = 0; l < layers_.size(); ++l) {
    // An affine layer comes before, and its derivatives do not need the outputs that are
    // overwritten.
    const size_t before = l > 0 ? layers_[l - 1]->num_parameters() : first_->num_parameters();
    if (before == 0 || !layers_[l]->works_in_place()) continue;
    output_places_[l] = l + 1;
    gradient_places_[l + 1] = l;
  }
}

std::vector<std::string> Network::parameter_names() const {
  std::vector<std::string> names;
  names.reserve(num_parameters_);
  for (const std::string& name : first_->parameter_names()) names.push_back("layer1 " + name);
  int number = first_->num_parameters() > 0 ? 1 : 0;
  for (const auto& layer : layers_) {
    if (layer->num_parameters() == 0) continue;
    const std::string prefix = "layer" + std::to_string(++number) + " ";
    for (const std::string& name : layer->parameter_names()) names.push_back(prefix + name);
  }
  return names;
}

std::vector<double> Network::initial_parameters(uint64_t seed) const {
  std::mt19937_64 generator(seed);
  std::vector<double> parameters(num_parameters_);
  const std::span<double> all(parameters);
  first_->initialise(generator, all.first(first_->num_parameters()));
  for (size_t l = 0; l < layers_.size(); ++l) {
    layers_[l]->initialise(generator, all.subspan(offsets_[l], layers_[l]->num_parameters()));
  }
  return parameters;
}

size_t Network::max_tile_records() const {
  if (num_kept_ == 0) return kMaxTileRecords;
  return std::clamp<size_t>(kMaxKept / num_kept_, 1, kMaxTileRecords);
}

double Network::exact_grid(const SumScale& scale) const { return exact_unit(scale.bound); }

double Network::max_exact_units() const { return kMaxExactUnits; }

/// Each entry of a sum is rounded to the grid once, by at most half a unit, and so are those of a
/// neighbour's.
double Network::sum_error(double grid) const {
  return multiply_up(grid, next_up(std::sqrt(static_cast<double>(num_parameters_))));
}

/// Forward into the outputs of first_ and of each layer.
void Network::score(const TableRows& rows, std::span<const double> parameters,
                    PerSample& out) const {
  out.parameters.assign(parameters.begin(), parameters.end());
  out.outputs.resize(layers_.size() + 1);
  std::vector<float>& first = out.outputs[output_places_[0]];
  first.resize(rows.size() * first_->num_outputs());
  first_->forward(rows, out.parameters.data(), first.data());
  for (size_t l = 0; l < layers_.size(); ++l) {
    std::vector<float>& next = out.outputs[output_places_[l + 1]];
    next.resize(rows.size() * layers_[l]->num_outputs());
    layers_[l]->forward(out.parameters.data() + offsets_[l], rows.size(),
                        out.outputs[output_places_[l]].data(), next.data());
  }
  out.output_gradient.assign(out.outputs.back().begin(), out.outputs.back().end());
}

LayerPoint Network::point(size_t layer, size_t num_records, const PerSample& samples) const {
  return {samples.parameters.data() + offsets_[layer], num_records,
          samples.outputs[output_places_[layer]].data(),
          samples.outputs[output_places_[layer + 1]].data()};
}

void Network::backward(size_t num_records, const std::vector<size_t>& places,
                       PerSample& out) const {
  // The gradient at a table's values is not needed.
  const size_t last = first_->num_parameters() > 0 ? 0 : 1;
  for (size_t l = layers_.size(); l-- > last;) {
    std::vector<float>& next = out.gradients[places[l]];
    next.resize(num_records * layers_[l]->num_inputs());
    layers_[l]->backward(point(l, num_records, out), out.gradients[places[l + 1]].data(),
                         next.data());
  }
}

double Network::num_values(const EncodedTable& table) const {
  double sum = table.num_dense + static_cast<double>(first_->num_outputs());
  for (const auto& layer : layers_)
    sum += static_cast<double>(layer->num_inputs() + layer->num_outputs() + layer->num_kept() + 4);
  return sum;
}

/// Proof that the raise is enough, with u = 2^-53, for inputs, output gradients and kept gradients
/// of the layers as they are in memory. Squares of single-precision values are exact in double and
/// no sum has cancellation. So a squared norm is at least the exact one times (1 - u)^n, where n is
/// at most the number of values summed up, plus the products and sums over layers. The clip weight
/// C / sqrt(squared norm) has two roundings, its product with a value one; truncation on the grids
/// only shrinks. The factor is about twice that. The least normal double that is added is more than
/// all squares that underflow (single-precision values have none in double).
void Network::finish(const TableRows& rows, PerSample& out) const {
  out.gradients.resize(layers_.size() + 1);
  out.gradients[gradient_places_.back()].assign(out.output_gradient.begin(),
                                                out.output_gradient.end());
  backward(rows.size(), gradient_places_, out);
  out.kept.resize(layers_.size());
  out.squared_norm.assign(rows.size(), std::numeric_limits<double>::min());
  first_->add_squared_norms(rows, out.gradients[gradient_places_[0]].data(),
                            out.squared_norm.data());
  for (size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = *layers_[l];
    out.kept[l].resize(rows.size() * layer.num_kept());
    layer.add_squared_norms(rows.size(), out.outputs[output_places_[l]].data(),
                            out.gradients[gradient_places_[l + 1]].data(), out.kept[l].data(),
                            out.squared_norm.data());
  }
  const double factor = 1 + (num_values(rows.table) + 64) * 0x1p-52;
  for (double& squared_norm : out.squared_norm) squared_norm *= factor;
}

void Network::losses(const TableRows& rows, const PerSample& scored,
                     std::span<double> losses) const {
  loss_->losses(rows, scored.output_gradient, losses);
}

void Network::differentiate(const TableRows& rows, std::span<const double> added,
                            PerSample& out) const {
  loss_->scores_to_gradient(rows, out.output_gradient);
  for (size_t i = 0; i < added.size(); ++i) out.output_gradient[i] += added[i];
  finish(rows, out);
}

void Network::add_counted_sum(const EncodedTable& table, const CountedRecords& counted,
                              const PerSample& samples, std::span<const double> weights,
                              const SumScale& scale, std::span<int64_t> units) const {
  if (!counted.counts.empty()) {
    uint32_t digits = 0;
    for (const uint32_t count : counted.counts) digits |= count;
    std::vector<double> chosen(weights.size());
    std::vector<int64_t> sum(units.size());
    for (uint32_t digit = 1; digit != 0 && digit <= digits; digit <<= 1) {
      if ((digits & digit) == 0) continue;
      for (size_t i = 0; i < chosen.size(); ++i)
        chosen[i] = (counted.counts[i] & digit) != 0 ? weights[i] : 0;
      std::ranges::fill(sum, 0);
      add_weighted_sum({table, counted.records}, samples, chosen, scale, sum);
      for (size_t j = 0; j < units.size(); ++j) units[j] += digit * sum[j];
    }
    return;
  }
  if (scale.grid != exact_grid(scale))
    throw Error(ErrorKind::kRuntime, "models.network", "sums of tiles cannot be on that grid");
  first_->add_weighted_sum({table, counted.records}, samples.gradients[gradient_places_[0]].data(),
                           weights.data(), scale, units.data());
  for (size_t l = 0; l < layers_.size(); ++l) {
    layers_[l]->add_weighted_sum(counted.size(), samples.outputs[output_places_[l]].data(),
                                 samples.gradients[gradient_places_[l + 1]].data(),
                                 samples.kept[l].data(), weights.data(), scale,
                                 units.data() + offsets_[l]);
  }
}

void Network::add_weighted_sum(const TableRows& rows, const PerSample& samples,
                               std::span<const double> weights, std::span<double> sum) const {
  add_sum_from(rows, samples, 0, weights.data(), sum.data());
}

void Network::sum_gradients(const TableRows& rows, const PerSample& samples, size_t place,
                            std::span<const double> weights, GradientSum& sum) const {
  sum.indices.clear();
  sum.values.assign(num_parameters_, 0.0);
  add_sum_from(rows, samples, place, weights.data(), sum.values.data());
}

void Network::add_sum_from(const TableRows& rows, const PerSample& samples, size_t place,
                           const double* weights, double* sum) const {
  first_->add_weighted_sum(
      rows, samples.gradients[gradient_places_[0]].data() + place * first_->num_outputs(), weights,
      sum);
  for (size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = *layers_[l];
    layer.add_weighted_sum(
        rows.size(), samples.outputs[output_places_[l]].data() + place * layer.num_inputs(),
        samples.gradients[gradient_places_[l + 1]].data() + place * layer.num_outputs(),
        samples.kept[l].data() + place * layer.num_kept(), weights, sum + offsets_[l]);
  }
}

/// Proof that the added amount is enough: the error of a layer's squared norm is at most
/// (its values + records^2 + 2) 2^-53 of the squared sum of the norms of its records' weighted
/// gradients there (gram.h, convolution.h). The sum of these squares over layers is at most the
/// square of the sum of the records' norms, and no record is longer than its weight times the root
/// of its squared norm. Twice that is more than terms of higher order, too.
double Network::squared_sum_norm(const TableRows& rows, const PerSample& samples, size_t place,
                                 std::span<const double> weights, const SumScale& scale) const {
  double squared = first_->squared_sum_norm(
      rows, samples.gradients[gradient_places_[0]].data() + place * first_->num_outputs(),
      weights.data(), scale);
  for (size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = *layers_[l];
    squared += layer.squared_sum_norm(
        rows.size(), samples.outputs[output_places_[l]].data() + place * layer.num_inputs(),
        samples.gradients[gradient_places_[l + 1]].data() + place * layer.num_outputs(),
        samples.kept[l].data() + place * layer.num_kept(), weights.data(), scale);
  }
  double sum_of_norms = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (weights[i] != 0) sum_of_norms += weights[i] * std::sqrt(samples.squared_norm[place + i]);
  }
  sum_of_norms /= scale.grid;
  const auto num_pairs = static_cast<double>(rows.size() * rows.size());
  return squared +
         sum_of_norms * sum_of_norms * (num_values(rows.table) + num_pairs + 64) * 0x1p-52;
}

void Network::forward_tangents(const TableRows& rows, const PerSample& at,
                               std::span<const double> direction, Tangents& out) const {
  out.direction.assign(direction.begin(), direction.end());
  out.outputs.resize(layers_.size() + 1);
  out.outputs[0].assign(rows.size() * first_->num_outputs(), 0.0F);
  if (first_->num_parameters() > 0) {
    first_->forward(rows, out.direction.data(), out.outputs[0].data());
  }
  for (size_t l = 0; l < layers_.size(); ++l) {
    out.outputs[l + 1].resize(rows.size() * layers_[l]->num_outputs());
    layers_[l]->forward_tangent(point(l, rows.size(), at), out.direction.data() + offsets_[l],
                                out.outputs[l].data(), out.outputs[l + 1].data());
  }
}

void Network::add_hessian_products(const TableRows& rows, std::span<const double> parameters,
                                   std::span<const double> weights,
                                   std::span<const double> directions,
                                   std::span<double> products) const {
  const size_t num_scores = loss_->num_scores();
  // Second derivatives of an activation need the gradients on both its sides, so gradients get
  // places apart.
  std::vector<size_t> apart(layers_.size() + 1);
  std::iota(apart.begin(), apart.end(), size_t{0});
  PerSample at;
  std::vector<double> scores;
  std::vector<double> score_tangent;
  Tangents tangents;
  std::vector<float> gradient_tangent;
  std::vector<float> next_tangent;
  for (size_t begin = 0; begin < rows.size(); begin += max_tile_records()) {
    const TableRows tile = {
        rows.table, rows.records.subspan(begin, std::min(max_tile_records(), rows.size() - begin))};
    const auto tile_weights = weights.subspan(begin, tile.size());
    score(tile, parameters, at);
    scores = at.output_gradient;
    loss_->scores_to_gradient(tile, at.output_gradient);
    at.gradients.resize(layers_.size() + 1);
    at.gradients.back().resize(scores.size());
    for (size_t i = 0; i < scores.size(); ++i) {
      at.gradients.back()[i] =
          static_cast<float>(tile_weights[i / num_scores] * at.output_gradient[i]);
    }
    backward(tile.size(), apart, at);
    for (size_t v = 0; v * num_parameters_ < directions.size(); ++v) {
      const auto given = directions.subspan(v * num_parameters_, num_parameters_);
      const auto product = products.subspan(v * num_parameters_, num_parameters_);
      forward_tangents(tile, at, given, tangents);
      score_tangent.assign(tangents.outputs.back().begin(), tangents.outputs.back().end());
      loss_->tangents_to_gradient_tangents(scores, score_tangent);
      gradient_tangent.resize(score_tangent.size());
      for (size_t i = 0; i < score_tangent.size(); ++i) {
        gradient_tangent[i] = static_cast<float>(tile_weights[i / num_scores] * score_tangent[i]);
      }
      for (size_t l = layers_.size(); l-- > 0;) {
        const LayerPoint here = point(l, tile.size(), at);
        layers_[l]->add_sum_tangent(here, tangents.outputs[l].data(), at.gradients[l + 1].data(),
                                    gradient_tangent.data(), product.data() + offsets_[l]);
        if (l == 0 && first_->num_parameters() == 0) break;
        next_tangent.resize(tile.size() * layers_[l]->num_inputs());
        layers_[l]->backward_tangent(here, tangents.direction.data() + offsets_[l],
                                     tangents.outputs[l].data(), at.gradients[l + 1].data(),
                                     gradient_tangent.data(), next_tangent.data());
        gradient_tangent.swap(next_tangent);
      }
      first_->add_weighted_sum(tile, gradient_tangent.data(),
                               std::vector<double>(tile.size(), 1).data(), product.data());
    }
  }
}

void Network::directional_derivatives(const TableRows& rows, const PerSample& samples,
                                      std::span<const double> direction,
                                      std::span<double> derivatives) const {
  Tangents tangents;
  forward_tangents(rows, samples, direction, tangents);
  const size_t num_scores = loss_->num_scores();
  for (size_t i = 0; i < rows.size(); ++i) {
    const float* tangent = tangents.outputs.back().data() + i * num_scores;
    const double* gradient = samples.output_gradient.data() + i * num_scores;
    derivatives[i] = std::inner_product(tangent, tangent + num_scores, gradient, 0.0);
  }
}

void Network::add_residual_gradient(const TableRows& rows, std::span<const double> parameters,
                                    std::span<const double> coefficients,
                                    std::span<double> sum) const {
  PerSample products;
  score(rows, parameters, products);
  const std::vector<double> scores = products.output_gradient;
  products.output_gradient.assign(coefficients.begin(), coefficients.end());
  loss_->tangents_to_gradient_tangents(scores, products.output_gradient);
  finish(rows, products);
  add_weighted_sum(rows, products, std::vector<double>(rows.size(), 1), sum);
}

Predictions Network::predict(const EncodedTable& table, std::span<const double> parameters,
                             int threads) const {
  const auto num_records = static_cast<size_t>(table.num_records);
  const size_t tile_records = max_tile_records();
  const size_t num_tiles = (num_records + tile_records - 1) / tile_records;
  std::vector<double> scores(num_records * loss_->num_scores());
  // Each worker takes every num_workers-th tile and keeps its memory from one to the next.
  const size_t num_workers = std::min(num_tiles, static_cast<size_t>(std::max(threads, 1)));
  parallel_for(num_workers, threads, [&](size_t worker) {
    std::vector<uint32_t> records;
    PerSample tile;
    for (size_t t = worker; t < num_tiles; t += num_workers) {
      const size_t begin = t * tile_records;
      records.resize(std::min(tile_records, num_records - begin));
      std::iota(records.begin(), records.end(), static_cast<uint32_t>(begin));
      score({table, records}, parameters, tile);
      std::ranges::copy(tile.output_gradient, scores.data() + begin * loss_->num_scores());
    }
  });
  return loss_->predict(table, std::move(scores));
}

}  // namespace equinoise
