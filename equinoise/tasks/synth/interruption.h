// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/base/progress.h"

namespace equinoise {

/// Throws the error of a run of `equinoise synth` that was interrupted (synth/fit.h), if it was.
void check_interrupted(const TaskProgress& progress);

}  // namespace equinoise
