// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/worst_group/simulated_phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "equinoise/base/check.h"
#include "equinoise/data/split.h"
#include "equinoise/reproduction/simulation/simulated_answers.h"
#include "equinoise/train/worst_group/ball.h"
#include "equinoise/train/worst_group/phase_sensitivity.h"
#include "equinoise/train/worst_group/regularised_maximum.h"

namespace equinoise {

std::vector<double> simulate_phased_erm(const GroupedRecords& records, const SimulatedPhases& run,
                                        uint64_t seed) {
  constexpr const char* kWhere = "train.worst_group";
  constexpr double kSolverPart = 1e-3;  // of the sensitivity
  check_positive(kWhere, "phase_step", run.phase_step);
  check_non_negative(kWhere, "noise_multiplier", run.noise_multiplier);
  const std::span<const int64_t> sizes = records.group_sizes();
  const int64_t smallest = *std::min_element(sizes.begin(), sizes.end());
  if (smallest < 4) {
    throw Error(
        ErrorKind::kUsage, kWhere,
        fmt::format(
            "the smallest group has {} records, too few for the parts of two phases; merge groups",
            smallest));
  }
  const auto bits = static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(smallest)));
  const int64_t num_phases = bits - 1;
  const PhaseFacts facts = {run.phase_step, num_phases, smallest,
                            sizes.size(),   1,          run.feature_bound};
  std::vector<std::vector<uint32_t>> orders;
  for (const int64_t size : sizes) orders.push_back(public_order(size, seed));
  SimulationNoise noise(seed, 0);
  std::vector<double> w(records.num_parameters());
  for (int64_t phase = 0; phase < num_phases; ++phase) {
    std::vector<uint32_t> part;
    for (size_t group = 0; group < orders.size(); ++group) {
      const auto place = [&](int64_t t) {
        return orders[group].begin() + static_cast<std::ptrdiff_t>(t * sizes[group] / num_phases);
      };
      for (auto record = place(phase); record != place(phase + 1); ++record)
        part.push_back(static_cast<uint32_t>(records.first_record(group)) + *record);
    }
    const PhaseTerms terms = phase_terms(facts, phase, euclidean_norm(w));
    w = minimise_maximum(records.part(part, run.feature_bound), {w, terms.mu_w, terms.mu_lambda},
                         kSolverPart * terms.sensitivity)
            .parameters;
    const double stddev = run.noise_multiplier * (1 + 2 * kSolverPart) * terms.sensitivity;
    for (double& value : w) value += stddev * noise.normal();
  }
  return w;
}

}  // namespace equinoise
