// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/tailoring/descent.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "equinoise/base/check.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "train.tailoring";

}  // namespace

double step_size_at(const DescentConfig& config, const DirectionFacts& facts, int64_t t) {
  const StepSize& step = config.step_size;
  check_positive(kWhere, "the scale of steps", step.scale);
  check_positive(kWhere, "box", config.box);
  const auto root = std::sqrt(static_cast<double>(t));
  switch (step.rule) {
    case StepSize::Rule::kNoisy: {
      const double dimension = std::sqrt(static_cast<double>(facts.num_parameters));
      return step.scale * 2 * config.box * dimension /
             (root * std::hypot(facts.lipschitz, dimension * facts.noise_stddev));
    }
    case StepSize::Rule::kInverseRoot:
      return step.scale / root;
    case StepSize::Rule::kConstant:
      return step.scale;
  }
  throw Error(ErrorKind::kUsage, kWhere, "no such rule of step sizes");
}

void take_step(double box, double step_size, std::span<const double> direction,
               std::span<double> parameters) {
  for (size_t j = 0; j < parameters.size(); ++j)
    parameters[j] = std::clamp(parameters[j] - step_size * direction[j], -box, box);
}

}  // namespace equinoise
