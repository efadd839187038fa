// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/private_constraint_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "equinoise/privacy/accountants/calibration.h"
#include "equinoise/privacy/mechanisms/discrete_gaussian.h"
#include "equinoise/privacy/random/discrete_gaussian.h"

namespace equinoise {

namespace {

/// The change of the counts by one record.
constexpr int64_t kSensitivity = 1;

/// One event for each histogram: a record is in one cell of each.
std::vector<Event> evaluation_events(double noise_stddev, size_t num_histograms) {
  return std::vector<Event>(num_histograms, Event::discrete_gaussian(noise_stddev, kSensitivity));
}

}  // namespace

Event train_and_evaluate(std::vector<Event> training, double noise_stddev, size_t num_histograms,
                         std::string split_name) {
  std::vector<Event> evaluation = evaluation_events(noise_stddev, num_histograms);
  return Event::parallel(
      std::move(split_name), {"trained on", "held out"},
      {Event::composed(std::move(training)),
       num_histograms == 1 ? evaluation[0] : Event::composed(std::move(evaluation))});
}

std::string unique_split_name(SecureSource& source) {
  const uint64_t first = source.next();
  return fmt::format("split {:016x}{:016x}", first, source.next());
}

double min_evaluation_noise(const std::vector<Event>& training, size_t num_histograms,
                            const Guarantee& claimed, const std::optional<Guarantee>& by_rdp) {
  double noise = kMinDiscreteGaussianStddev;
  const auto raise = [&](const Guarantee& limit, const auto& events) {
    const PrivacyTarget target{limit.relation, limit.epsilon, limit.delta,
                               to_string(limit.accountant)};
    noise = std::max(noise, smallest_noise_multiplier(target, events));
  };
  const auto whole_run = [&](double stddev) {
    return std::vector<Event>{train_and_evaluate(training, stddev, num_histograms, kPlannedSplit)};
  };
  if (claimed.accountant == AccountantName::kPld) {
    // PLD accounts for each part by itself, so that the training need not be composed each time.
    raise(claimed, [&](double stddev) { return evaluation_events(stddev, num_histograms); });
  } else if (!by_rdp || claimed.accountant != by_rdp->accountant) {
    raise(claimed, whole_run);
  }
  // RDP takes the larger of both at each order.
  if (by_rdp) raise(*by_rdp, whole_run);
  return noise;
}

std::vector<int64_t> noisy_cell_counts(Permit permit, const RateProgram& program,
                                       const EncodedTable& table, std::span<const GroupId> contexts,
                                       const Predictions& predictions, RandomSource& source) {
  std::vector<int64_t> counts = count_cells(program, table, contexts, predictions);
  add_discrete_gaussian_noise(
      std::move(permit), Sensitivity(kSensitivity, Norm::kL1, Relation::kZeroOut), counts, source);
  return counts;
}

}  // namespace equinoise
