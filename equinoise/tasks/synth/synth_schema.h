// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/synth/synth_setup.h"
#include "equinoise/tasks/synth/synth_request.h"

namespace equinoise {

/// Reads the schema of a request. Errors: kInput; kUsage for columns whose gaps would leave out
/// records that nobody chose to leave out.
SynthSchema synth_schema(const SynthRequest& request);

}  // namespace equinoise
