// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/optimizer.h"

#include <algorithm>
#include <array>

#include "equinoise/base/adam.h"

namespace equinoise {

namespace {

/// The row of sgd for an unknown name, which the option refuses (step_options).
const OptimizerRow& row_of(const OptimizerConfig& config) {
  const std::span<const OptimizerRow> rows = optimizers();
  const auto found = std::ranges::find(rows, config.name, &OptimizerRow::name);
  return found == rows.end() ? rows[0] : *found;
}

}  // namespace

std::span<const OptimizerRow> optimizers() {
  static constexpr std::array kRows = {
      OptimizerRow{"sgd", 0.7, 0}, OptimizerRow{"momentum", 0.1, 1}, OptimizerRow{"adam", 0.01, 2}};
  return kRows;
}

double default_learning_rate(const OptimizerConfig& config) {
  return row_of(config).default_learning_rate;
}

NamedFigures optimizer_settings(const OptimizerConfig& config) {
  if (config.name == "momentum") return {{"momentum", config.momentum}};
  if (config.name == "adam") {
    return {
        {"beta1", config.beta1}, {"beta2", config.beta2}, {"adam_epsilon", config.adam_epsilon}};
  }
  return {};
}

size_t optimizer_state_size(const OptimizerConfig& config, size_t num_parameters) {
  return row_of(config).numbers_per_parameter * num_parameters;
}

template <typename Sum>
void take_step(const OptimizerConfig& config, int64_t step, double learning_rate, double scale,
               std::span<const Sum> sum, std::span<double> parameters, std::span<double> state) {
  const size_t size = parameters.size();
  if (config.name == "momentum") {
    for (size_t j = 0; j < size; ++j) {
      state[j] = config.momentum * state[j] + scale * static_cast<double>(sum[j]);
      parameters[j] -= learning_rate * state[j];
    }
  } else if (config.name == "adam") {
    take_adam_step<double>(
        {config.beta1, config.beta2, config.adam_epsilon}, step, learning_rate,
        [&](size_t j) { return scale * static_cast<double>(sum[j]); }, parameters, state);
  } else {
    const double factor = learning_rate * scale;
    for (size_t j = 0; j < size; ++j) parameters[j] -= factor * static_cast<double>(sum[j]);
  }
}

template void take_step(const OptimizerConfig&, int64_t, double, double, std::span<const int64_t>,
                        std::span<double>, std::span<double>);
template void take_step(const OptimizerConfig&, int64_t, double, double, std::span<const double>,
                        std::span<double>, std::span<double>);

}  // namespace equinoise
