#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "equinoise/models/model.h"
#include "equinoise/report/reproduction_report.h"
#include "equinoise/tasks/reproduction_data.h"
#include "equinoise/tasks/reproduction_item.h"
#include "equinoise/tasks/reproduction_series.h"

namespace equinoise {

/// What one run of one method gave.
struct ReproductionOutcome {
  std::vector<double> accuracy;           ///< (compared groups) on the test records, in percent
  std::vector<ReproductionPoint> points;  ///< of the series that were chosen
  std::optional<double> epsilon_by_rdp;   ///< of what the run would release, were it paid for
  std::optional<double> epsilon_by_pld;
};

/// Expected batches that make up an epoch of so many records.
int64_t batches_per_epoch(int64_t num_records, double batch_size);

/// Trains on one thread from torch's initial parameters, with the batches and the noise of the
/// seed, and returns the last iterate's figures for `groups` and what `series` follow. `after_step`
/// may throw to stop it.
/// Errors: those of the method.
ReproductionOutcome run_reproduction(const ReproductionMethod& method, double batch_size,
                                     int64_t num_epochs, const Model& model,
                                     const ReproductionSplit& split,
                                     std::span<const GroupId> groups, size_t num_groups,
                                     const SeriesChoice& series, uint64_t seed,
                                     const std::function<void()>& after_step);

}  // namespace equinoise
