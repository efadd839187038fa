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
/// A figure reproduces if it is within two standard errors, ours and the published one together,
/// and half a unit of the last printed digit; a bound if the figure is on its side. No verdict is
/// given if runs are not those of the item. Methods that cannot be run (a missing file or method)
/// are skipped, with the reason. Errors: kUsage (unknown item), kInput (a wrong table), kRuntime
/// when the progress reports an interruption.
ReproductionReport reproduce(const ReproduceRequest& request, TrainProgress& progress);

/// Reproduces an item that need not be among those below repro/, instead of the request's.
ReproductionReport reproduce(ReproductionItem item, const ReproduceRequest& request,
                             TrainProgress& progress);

}  // namespace equinoise
