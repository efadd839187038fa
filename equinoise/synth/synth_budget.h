// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "equinoise/synth/synthesizer.h"

namespace equinoise {

/// The standard deviation of discrete Gaussian noise on a vector of sensitivity 1 that costs at
/// most `rho` of zCDP. Errors: kUsage at `where` if the budget is too small for a single round,
/// because no noise is that large.
double stddev_for(double rho, std::string_view where);

/// The epsilon of an exponential mechanism that costs at most `rho` of zCDP: epsilon^2 / 8.
double epsilon_for(double rho);

/// The zCDP of a round: an exponential mechanism's choice, and a measurement of sensitivity 1.
double rho_of_round(double noise_stddev, double epsilon);

/// The default room for a model of many marginals: four cells (32 bytes) for each public record,
/// from 5 to 80 MB; 20 MB if the number of records is private. With more room, errors of models of
/// public tables fall by at most a seventh, and fits take many times as long.
double megabytes_for_records(std::optional<int64_t> num_records);

/// Megabytes of the model of all single attributes. Errors: kUsage at `where`, naming the largest
/// one and its size, if that is beyond the cap.
double check_one_ways_fit(const Domain& domain, double max_megabytes, std::string_view where);

/// Errors: kUsage at `where` for a workload without marginals.
void check_workload_left(const SynthConfig& config, std::string_view where);

/// Megabytes of the largest marginal that a method which chooses by room may use: the whole room of
/// a model, or the room for declared zeros. Public.
double max_marginal_megabytes(const SynthPlan& plan);

/// The marginals of single attributes, then those of two and more below the workload that are no
/// larger than max_marginal_megabytes(), each once. Public.
std::vector<AttributeSet> marginals_with_room(const SynthPlan& plan);

/// Warns of marginals of the workload that are larger than any model may be. Errors: kUsage at
/// `where` if marginals were named one by one.
void warn_of_large_marginals(SynthPlan& plan, std::string_view where);

}  // namespace equinoise
