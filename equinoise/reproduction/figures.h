#pragma once

#include <string>
#include <vector>

#include "equinoise/reproduction/experiment.h"
#include "equinoise/reproduction/item.h"

namespace equinoise {

inline constexpr const char* kEpsilonByRdp = "epsilon";
inline constexpr const char* kEpsilonByPld = "epsilon by pld";

/// One metric of one method, a value for each seed.
struct Figures {
  std::string metric;
  std::vector<double> values;       ///< in the order of the seeds
  std::vector<double> tested = {};  ///< what tests compare instead; empty: the values
  bool is_percentage = false;
  bool told_by_size = false;  ///< the size of the mean is told, not its sign
};

/// Everything that an item compares of one method, in the order of the paper's columns: of a table
/// accuracies, costs of privacy, losses, excessive risks and guarantees; of a figure the means of
/// its series over a run, the gaps of series of epochs, and the shares; of a sweep its metrics at
/// every value of the parameter, errors and times also beside those of the reference; of a
/// simulation the same, and how far below the reference the error of the smallest group is; of
/// synthetic rows metrics at every epsilon, how much more they are at the last than at the first,
/// and how far accuracies are below the reference's. Tests
/// compare gaps by their size, risks by the mean of their size over a run.
///
/// `reference` are the runs without privacy, nullptr for themselves; where a table's reference is
/// private, it is told how far below its own errors are. Without runs: the metrics.
std::vector<Figures> figures_of(const ReproductionItem& item, const ReproductionMethod& method,
                                const std::vector<ReproductionOutcome>& runs,
                                const std::vector<ReproductionOutcome>* reference);

}  // namespace equinoise
