// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/figures.h"

#include <utility>

namespace equinoise {

Figures values_of(std::string metric, const Outcomes& runs,
                  const std::function<double(const ReproductionOutcome& run)>& of_run) {
  Figures figures{std::move(metric), {}};
  for (const ReproductionOutcome& run : runs) figures.values.push_back(of_run(run));
  return figures;
}

Figures values_beside(std::string metric, const Outcomes& runs, const Outcomes& reference,
                      const std::function<double(const ReproductionOutcome& run,
                                                 const ReproductionOutcome& beside)>& of_runs) {
  Figures figures{std::move(metric), {}};
  for (size_t seed = 0; seed < runs.size(); ++seed)
    figures.values.push_back(of_runs(runs[seed], reference[seed]));
  return figures;
}

}  // namespace equinoise
