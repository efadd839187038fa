#include "equinoise/train/optimizer.h"

#include <fmt/format.h>

#include <cmath>

#include "equinoise/base/adam.h"
#include "equinoise/base/check.h"

namespace equinoise {

void check_optimizer(std::string_view where, const OptimizerConfig& config) {
  if (config.name != "sgd" && config.name != "momentum" && config.name != "adam") {
    throw Error(ErrorKind::kUsage, where,
                fmt::format("optimizer must be sgd, momentum or adam, got \"{}\"", config.name));
  }
  // 1 would keep everything for ever.
  constexpr double kMost = 1 - 1e-9;
  check_interval(where, "momentum", config.momentum, 0, kMost);
  check_interval(where, "beta1", config.beta1, 0, kMost);
  check_interval(where, "beta2", config.beta2, 0, kMost);
  check_interval(where, "adam_epsilon", config.adam_epsilon, 1e-300, 1e300);
}

double default_learning_rate(const OptimizerConfig& config) {
  if (config.name == "adam") return 0.01;
  return config.name == "momentum" ? 0.1 : 0.7;
}

std::vector<std::pair<std::string, double>> optimizer_settings(const OptimizerConfig& config) {
  if (config.name == "momentum") return {{"momentum", config.momentum}};
  if (config.name == "adam") {
    return {
        {"beta1", config.beta1}, {"beta2", config.beta2}, {"adam_epsilon", config.adam_epsilon}};
  }
  return {};
}

size_t optimizer_state_size(const OptimizerConfig& config, size_t num_parameters) {
  if (config.name == "adam") return 2 * num_parameters;
  return config.name == "momentum" ? num_parameters : 0;
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
