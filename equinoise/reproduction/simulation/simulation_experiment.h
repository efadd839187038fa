#pragma once

#include <string_view>

#include "equinoise/reproduction/item.h"

namespace equinoise {

/// What can be told of a simulated run:
///   "MSPE largest", "MSPE smallest"  mean squared prediction errors of the model that groups of
///   the
///       largest or smallest size are given; of drawn records those of the distribution, of a table
///       those of held-out records
///   "error largest", "error smallest", "error 1"  the same of a logistic model: shares of wrong
///       predictions that are expected of targets drawn anew
///   "MSPE 1", "residual 1", "standard error 1", "share 1"  of the first group, and so on: also the
///       root of stage one's mean squared residual, that over the root of the size, and the share
///       of the second stage's budget
///   "rho 1"  what all of it costs a record of the first group, and so on
bool is_simulation_metric(std::string_view name);

/// Whether runs of the method follow the parameter: without noise they do not follow rho.
bool follows_simulation(const ReproductionItem& item, const ReproductionMethod& method);

}  // namespace equinoise
