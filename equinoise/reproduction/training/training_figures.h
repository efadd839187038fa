// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/reproduction/figures.h"
#include "equinoise/reproduction/training/training_runs.h"

namespace equinoise {

/// The figures of a table: accuracies, costs of privacy, losses, excessive risks and guarantees.
/// Next to a private reference, whose name is given, they are only the amounts by which errors are
/// below its own.
std::vector<Figures> figures_of_table(const std::vector<std::string>& groups, const Outcomes& runs,
                                      const Outcomes* reference,
                                      const std::string& private_reference);

/// The figures of a figure: means of its series over a run, gaps of series of epochs, and shares.
/// Tests compare gaps by their size, risks by the mean of their size over a run. Errors: kInput for
/// a share of an unknown column.
std::vector<Figures> figures_of_series(const ReproductionTraining& training,
                                       const std::vector<std::string>& groups,
                                       const Outcomes& runs);

}  // namespace equinoise
