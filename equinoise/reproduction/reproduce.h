// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/reproduction/item.h"
#include "equinoise/reproduction/report.h"
#include "equinoise/reproduction/request.h"
#include "equinoise/tasks/train/train.h"

namespace equinoise {

/// Trains every method of a published table with every seed, and compares. NOT PRIVATE: seeded
/// noise, preprocessing and figures from the records; nothing is charged to a ledger.
///
/// A figure reproduces where it is within two standard errors, ours and the published one together,
/// and half a unit of the last printed digit; a bound where the figure is on its side. No verdict
/// is given where runs are not those of the item. What cannot be run (a missing file or method) is
/// skipped, with the reason. Errors: kUsage (unknown item), kInput (a wrong table), kRuntime when
/// the progress says that the run was interrupted.
ReproductionReport reproduce(const ReproduceRequest& request, TrainProgress& progress);

/// The same for an item that need not be among those below repro/, instead of the request's.
ReproductionReport reproduce(ReproductionItem item, const ReproduceRequest& request,
                             TrainProgress& progress);

}  // namespace equinoise
