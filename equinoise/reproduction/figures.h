// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/reproduction/report.h"

namespace equinoise {

inline constexpr const char* kEpsilonByRdp = "epsilon";
inline constexpr const char* kEpsilonByPld = "epsilon by pld";

/// The result of one run of one method.
struct ReproductionOutcome {
  std::vector<double> accuracy = {};  ///< (compared groups) on the test records, in percent
  std::vector<ReproductionPoint> points = {};             ///< values of the experiment's columns()
  std::vector<std::vector<ReproductionPoint>> also = {};  ///< of the other series that it follows
  std::optional<double> epsilon_by_rdp = std::nullopt;    ///< of the run's release, if it were
  std::optional<double> epsilon_by_pld = std::nullopt;    ///< paid for
};

/// The runs of one method, one for each seed.
using Outcomes = std::vector<ReproductionOutcome>;

/// One metric of one method, with a value for each seed.
struct Figures {
  std::string metric;
  std::vector<double> values;       ///< in the order of the seeds
  std::vector<double> tested = {};  ///< the values that tests compare instead; empty: the values
  bool is_percentage = false;
  bool told_by_size = false;  ///< the size of the mean is reported, not its sign
};

/// A metric with its value in each run.
inline Figures values_of(std::string metric, const Outcomes& runs,
                         const std::function<double(const ReproductionOutcome& run)>& of_run) {
  Figures figures{std::move(metric), {}};
  for (const ReproductionOutcome& run : runs) figures.values.push_back(of_run(run));
  return figures;
}

/// A metric that compares each run with the reference's run of the same seed.
inline Figures values_beside(
    std::string metric, const Outcomes& runs, const Outcomes& reference,
    const std::function<double(const ReproductionOutcome& run, const ReproductionOutcome& beside)>&
        of_runs) {
  Figures figures{std::move(metric), {}};
  for (size_t seed = 0; seed < runs.size(); ++seed)
    figures.values.push_back(of_runs(runs[seed], reference[seed]));
  return figures;
}

}  // namespace equinoise
